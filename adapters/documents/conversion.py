"""Convert a response body to a page; page workers run these functions."""

from functools import partial

from .formats.document import read_document
from .formats.draft import PageResult
from .reader.html import read_html


def convert(
    body: bytes, content_type: str, url: str, *, comments: bool = False, walled: bool = False
) -> PageResult:
    """Convert one body in this process; the options are those of ``read_html``."""
    reader = partial(read_html, comments=comments, walled=walled)
    return read_document(body, content_type, url, read_html=reader)


# Workers load one of these by its name.
convert_with_comments = partial(convert, comments=True)
convert_walled = partial(convert, walled=True)
convert_walled_with_comments = partial(convert, comments=True, walled=True)
