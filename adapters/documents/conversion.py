"""Convert a response body to a page; page workers run these functions."""

from functools import partial

from .formats.document import read_document
from .formats.draft import PageResult
from .reader.html import read_html


def convert(body: bytes, content_type: str, url: str) -> PageResult:
    """Convert one body in this process."""
    return read_document(body, content_type, url, read_html=read_html)


def convert_with_comments(body: bytes, content_type: str, url: str) -> PageResult:
    """Convert one body in this process and keep the readers' comments."""
    return read_document(body, content_type, url, read_html=partial(read_html, comments=True))
