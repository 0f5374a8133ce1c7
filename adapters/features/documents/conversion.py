"""Convert a response body to a page; page workers run these functions."""

from functools import partial

from msgspec.structs import replace

from ...reader.html import read_html, visible_html_text
from .formats.document import read_document
from .formats.draft import PageResult


def convert(
    body: bytes, content_type: str, url: str, *, comments: bool = False, walled: bool = False
) -> PageResult:
    """Convert one body in this process; the options are those of ``read_html``."""
    reader = partial(read_html, comments=comments, walled=walled, parts=True)
    return read_document(body, content_type, url, read_html=reader)


def convert_visible(body: bytes, content_type: str, url: str) -> PageResult:
    """Convert an HTML page, and add all text that a visitor sees."""
    page = convert(body, content_type, url)
    return page.map(lambda it: replace(it, visible=visible_html_text(body, content_type)))


# Workers load one of these by its name.
convert_with_comments = partial(convert, comments=True)
convert_walled = partial(convert, walled=True)
convert_walled_with_comments = partial(convert, comments=True, walled=True)
