"""From text or bytes to a tree, in bounded time and by the encodings browsers know."""

import re
from typing import Final

from turbohtml import Document, parse

MOST_CHARACTERS: Final = 4_000_000
_CHARSET: Final = re.compile(r"charset\s*=\s*[\"']?\s*([^\s\"';,]{1,40})", re.IGNORECASE)
# Formatting that is never closed is opened again in every paragraph that follows, each with all
# that were before it: a few hundred kilobytes of it fill the memory.
_FORMATTING: Final = re.compile(
    r"<(/?)(?:a|b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])", re.IGNORECASE
)
_MOST_OPEN: Final = 1_000
_FEW_CLOSED: Final = 0.1


def open_tree(html: str | bytes, content_type: str = "") -> Document | None:
    """Parse a page; nothing when it is built to blow up.

    A byte order mark goes before the header's charset, and that before what the page says. Names
    that browsers do not know, such as utf-7, are not used.
    """
    if isinstance(html, bytes):
        return None if _blows_up(html.decode("latin-1")) else _decode(html, content_type)
    return None if _blows_up(html) else parse(html, positions=False)


def _decode(html: bytes, content_type: str) -> Document:
    named = _CHARSET.search(content_type)
    if named:
        try:
            return parse(html, encoding=named[1], positions=False)
        except LookupError:
            pass  # a name that no browser knows is no name
    return parse(html, detect_encoding=True, positions=False)


def _blows_up(html: str) -> bool:
    tags = html.count("<")
    if tags <= _MOST_OPEN or html.count("</") > _FEW_CLOSED * tags:
        return False
    closing = [bool(mark) for mark in _FORMATTING.findall(html)]
    return len(closing) - 2 * sum(closing) > _MOST_OPEN
