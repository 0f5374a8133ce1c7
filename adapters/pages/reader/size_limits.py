"""Make a very large page fit: what its scripts carry goes first, then the end of it.

Most of a page of several megabytes is data for its scripts, and its text may come after that.
"""

import re
from itertools import islice, pairwise
from typing import Final

MAX_HTML_CHARS: Final = 4_000_000
_ENDS: Final = re.compile(r"</script", re.IGNORECASE)
_BEGINS: Final = re.compile(r"<script\b", re.IGNORECASE)
_LINKED: Final = re.compile(r"ld\+json", re.IGNORECASE)
_MIN_DROPPED_SCRIPT_CHARS: Final = 20_000
_MAX_SCRIPTS: Final = 10_000


def fit_page(html: str | bytes) -> tuple[str | bytes, str | None]:
    """Return a page as far as it is read, and what to say of the rest.

    >>> fit_page("<p>short")
    ('<p>short', None)
    """
    if len(html) <= MAX_HTML_CHARS:
        return html, None
    # Bytes as they are, one character each, and back again.
    text = html.decode("latin-1") if isinstance(html, bytes) else html
    lean = _without_data(text)
    cut = lean[:MAX_HTML_CHARS]
    note = (
        f"truncated: only the first {MAX_HTML_CHARS} characters were read"
        if len(cut) < len(lean)
        else "read without what its large scripts carry: the page is too large"
    )
    return (cut.encode("latin-1") if isinstance(html, bytes) else cut), note


def _without_data(html: str) -> str:
    """Return a page without the text of its large scripts, but for linked data."""
    *pieces, rest = _split(html)
    return "".join(map(_without_script, pieces)) + rest


def _without_script(piece: str) -> str:
    begin = _BEGINS.search(piece)
    end = piece.find(">", begin.end()) + 1 if begin is not None else 0
    if begin is None or not end or len(piece) - end <= _MIN_DROPPED_SCRIPT_CHARS:
        return piece
    return piece if _LINKED.search(piece, begin.end(), end) else piece[:end]


def _split(html: str) -> list[str]:
    """Split a page before the end of each script: at most one begins in a piece, but the last."""
    ends = islice(_ENDS.finditer(html), _MAX_SCRIPTS)
    places = [0, *(end.start() for end in ends), len(html)]
    return [html[start:end] for start, end in pairwise(places)]
