"""Convert a response body to a page; page workers run these functions."""

from functools import partial

from returns.result import Result

from ...ports.errors import WebError
from ...ports.pages import ReadPage
from .formats.document import read_document
from .reader.html import read_html


def convert(body: bytes, content_type: str, url: str) -> Result[ReadPage, WebError]:
    """Convert one body in this process."""
    return read_document(body, content_type, url, read_html=read_html)


def convert_with_comments(body: bytes, content_type: str, url: str) -> Result[ReadPage, WebError]:
    """Convert one body in this process and keep the readers' comments."""
    return read_document(body, content_type, url, read_html=partial(read_html, comments=True))
