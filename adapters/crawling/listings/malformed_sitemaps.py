"""Sitemaps that are no XML: a bare ``&``, an entity that nobody declared, an end that is missing.

What can be read is taken, and what cannot is counted.
"""

import html
import re
from collections.abc import Iterator
from typing import Final, NamedTuple

_ROOT: Final = re.compile(r"<(?![?!])(?:([\w.-]+):)?([\w.-]+)")
INDEX: Final = "sitemapindex"
_ROOTS: Final = frozenset({"urlset", INDEX})
_ENTITY: Final = re.compile(r"&(?:amp|lt|gt|quot|apos|#\d{1,7}|#[xX][0-9a-fA-F]{1,6});")
_UNKNOWN: Final = re.compile(r"&[\w.-]+;")
_NO_TEXT: Final = "\N{REPLACEMENT CHARACTER}"
_COMMENT, _COMMENT_END = "<!--", "-->"


class Fragments(NamedTuple):
    """The addresses of a sitemap; ``flaw`` is what could not be read, if anything."""

    root: str
    addresses: list[str]
    flaw: str


def read_fragments(text: str) -> Fragments | None:
    """Read a sitemap as far as that goes; None where it is none."""
    start = _ROOT.search(text)
    if start is None or start[2] not in _ROOTS:
        return None
    prefix = f"{start[1]}:" if start[1] else ""
    bare = "".join(_uncommented(text))
    found = [_address(place) for place in _places(bare, prefix)]
    addresses = [address for address in found if address]
    lost = sum(address is None for address in found)
    flaws = [f"{lost:,} of {len(addresses) + lost:,} addresses cannot be read"] if lost else []
    if f"</{prefix}{start[2]}" not in bare:
        flaws.append("it ends too soon")
    flaw = f"it is broken: {', and '.join(flaws)}; what can be read is taken" if flaws else ""
    return Fragments(start[2], addresses, flaw)


def _uncommented(text: str) -> Iterator[str]:
    place = 0
    while (begin := text.find(_COMMENT, place)) >= 0:
        yield text[place:begin]
        end = text.find(_COMMENT_END, begin)
        if end < 0:
            return
        place = end + len(_COMMENT_END)
    yield text[place:]


def _places(text: str, prefix: str) -> Iterator[re.Match[str]]:
    place = (
        rf"<{re.escape(prefix)}loc(?:\s[^<>]*)?>\s*(?:<!\[CDATA\[([^\]<]*)\]\]>|([^<]*))\s*(</)?"
    )
    return re.finditer(place, text)


def _address(place: re.Match[str]) -> str | None:
    """Return an address, empty where there is none; None where it cannot be read."""
    if place[3] is None or _NO_TEXT in place[0]:
        return None
    if place[1] is not None:
        return place[1].strip()
    known = _ENTITY.sub("", place[2])
    return None if _UNKNOWN.search(known) else _ENTITY.sub(_letter, place[2]).strip()


def _letter(entity: re.Match[str]) -> str:
    return html.unescape(entity[0])
