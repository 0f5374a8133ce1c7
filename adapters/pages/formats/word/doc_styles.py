"""The styles of a Word document: which paragraphs are headings, which are items.

[MS-DOC] 2.9.271 (read 2026-11-16).
"""

import struct
from collections.abc import Mapping
from typing import Final, NamedTuple

from ..numbering.counting import ListCounts, ListMark, Numbering
from .doc_lists import MAX_LISTS, read_lists
from .formatting import Paragraph, paragraph_properties
from .pieces import STYLES, WordText

_MAX_STYLES: Final = 4096
_MAX_STYLE_CHAIN: Final = 10
_MAX_HEADING_LEVEL: Final = 6
_OF_PARAGRAPHS: Final = 1
# By the numbers that styles have which every Word knows: heading 1 to 9, title, subtitle.
_HEADINGS: Final = {
    **{level: min(level, _MAX_HEADING_LEVEL) for level in range(1, 10)},
    62: 1,
    74: 2,
}
# In bytes: the head of the style sheet, and the least of a style.
_HEAD, _SHORTEST = 6, 4

_NO_LIST: Final = Numbering("", {})


class _Style(NamedTuple):
    heading: int
    base: int
    said: Paragraph


class Styles:
    """Which level of heading a paragraph is, and which mark it has as an item."""

    def __init__(self, text: WordText) -> None:
        """Read the style sheet and the lists; a document without them has plain paragraphs."""
        self._styles = _styles(text.table(STYLES))
        self._lists = read_lists(text)
        self._counts = ListCounts()

    def heading(self, said: Paragraph) -> int:
        """Return the heading's level, 0 when it is none."""
        if said.outline is not None:
            return said.outline + 1 if said.outline < _MAX_HEADING_LEVEL else 0
        return next((style.heading for style in self._chain(said) if style.heading), 0)

    def mark(self, said: Paragraph) -> ListMark | None:
        """Count a paragraph of a list and return its mark; None for no list, or nothing to show."""
        chain = [said, *(style.said for style in self._chain(said))]
        used = next((one.used_list for one in chain if one.used_list is not None), 0)
        if not 0 < used <= MAX_LISTS:
            return None
        level = next((one.level for one in chain if one.level is not None), 0)
        numbering = self._lists.get(used, _NO_LIST)
        label = self._counts.label(str(used), numbering, level)
        return ListMark(level, label) if label else None

    def _chain(self, said: Paragraph) -> list[_Style]:
        """Return the paragraph's style and those it is based on; a circle ends."""
        chain: list[_Style] = []
        style = self._styles.get(said.style)
        while style is not None and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(style)
            style = self._styles.get(style.base)
        return chain


def _styles(raw: bytes) -> Mapping[int, _Style]:
    size, count, base = struct.unpack_from("<HHH", raw.ljust(_HEAD, b"\0"))
    styles: dict[int, _Style] = {}
    at = 2 + size
    for number in range(min(count, _MAX_STYLES)):
        length = int.from_bytes(raw[at : at + 2], "little")
        one = raw[at + 2 : at + 2 + length]
        if len(one) >= base + 2 and base >= _SHORTEST:
            styles[number] = _style(one, base)
        at += 2 + length
    return styles


def _style(raw: bytes, base: int) -> _Style:
    name, about = struct.unpack_from("<HH", raw)
    (letters,) = struct.unpack_from("<H", raw, base)
    # After the name and its zero come the commands, of paragraphs first.
    at = base + 2 + 2 * letters + 2
    size = int.from_bytes(raw[at : at + 2], "little") if about & 15 == _OF_PARAGRAPHS else 0
    said = paragraph_properties(raw[at + 4 : at + 2 + size], 0) if size else Paragraph()
    outline = said.outline
    heading = _HEADINGS.get(name & 0xFFF, 0)
    if outline is not None and outline < _MAX_HEADING_LEVEL:
        heading = outline + 1
    return _Style(heading, about >> 4, said)
