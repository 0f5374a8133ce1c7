"""The styles of a Word document and its lists: which paragraphs are headings, which are items.

[MS-DOC] 2.9.271 and 2.9.147 (read 2026-11-16).
"""

import struct
from collections.abc import Mapping
from itertools import islice
from typing import Final, NamedTuple

from .formatting import Paragraph, paragraph
from .pieces import LIST_USES, LISTS, STYLES, WordText

_MOST_STYLES: Final = 4096
_MOST_LISTS: Final = 2048
_LONGEST_CHAIN: Final = 10
_LOWEST_HEADING: Final = 6
_DEEPEST_ITEM: Final = 8
_LEVELS: Final = 9
_HIGHEST: Final = 32_767
_OF_PARAGRAPHS: Final = 1
# By the numbers that styles have which every Word knows: heading 1 to 9, title, subtitle.
_HEADINGS: Final = {**{level: min(level, _LOWEST_HEADING) for level in range(1, 10)}, 62: 1, 74: 2}
_DOTS, _NOTHING = 23, 255
# In bytes: the head of the style sheet, the least of a style, and a level of a list.
_HEAD, _SHORTEST, _LEVEL = 6, 4, 28


class _Style(NamedTuple):
    heading: int
    base: int
    said: Paragraph


class Styles:
    """Which level of heading a paragraph is, and which mark it has as an item."""

    def __init__(self, text: WordText) -> None:
        """Read the style sheet and the lists; a document without them has plain paragraphs."""
        self._styles = _styles(text.table(STYLES))
        self._counted = _counted(text)
        self._counts: dict[bytes, dict[int, int]] = {}

    def heading(self, said: Paragraph) -> int:
        """Return the heading's level, 0 when it is none."""
        if said.outline is not None:
            return said.outline + 1 if said.outline < _LOWEST_HEADING else 0
        return next((style.heading for style in self._chain(said) if style.heading), 0)

    def item(self, said: Paragraph) -> str | None:
        """Return the mark before the next item of a list, indented by its level; None for none."""
        chain = [said, *(style.said for style in self._chain(said))]
        own = next((one for one in chain if one.used_list is not None), None)
        if own is None or own.used_list is None or not 0 < own.used_list <= _MOST_LISTS:
            return None
        level = next((one.level for one in chain if one.level is not None), 0)
        return f"{'   ' * min(level, _DEEPEST_ITEM)}{self._mark(own.used_list, level)} "

    def _mark(self, used: int, level: int) -> str:
        """Return the number of an item, or a dash; what is deeper begins anew after it."""
        name, first = self._counted.get((used, level), (b"", 0))
        if not name:
            return "-"
        counts = {at: count for at, count in self._counts.get(name, {}).items() if at <= level}
        counts[level] = counts.get(level, first - 1) + 1
        self._counts[name] = counts
        return f"{counts[level]}."

    def _chain(self, said: Paragraph) -> list[_Style]:
        """Return the paragraph's style and those it is based on; a circle ends."""
        chain: list[_Style] = []
        style = self._styles.get(said.style)
        while style is not None and len(chain) < _LONGEST_CHAIN:
            chain.append(style)
            style = self._styles.get(style.base)
        return chain


def _styles(raw: bytes) -> Mapping[int, _Style]:
    size, count, base = struct.unpack_from("<HHH", raw.ljust(_HEAD, b"\0"))
    styles: dict[int, _Style] = {}
    at = 2 + size
    for number in range(min(count, _MOST_STYLES)):
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
    said = paragraph(raw[at + 4 : at + 2 + size], 0) if size else Paragraph()
    outline = said.outline
    heading = _HEADINGS.get(name & 0xFFF, 0)
    if outline is not None and outline < _LOWEST_HEADING:
        heading = outline + 1
    return _Style(heading, about >> 4, said)


def _counted(text: WordText) -> Mapping[tuple[int, int], tuple[bytes, int]]:
    """Return by the use of a list and a level the list's name and first number, if it counts."""
    kinds = _list_levels(text)
    raw = text.table(LIST_USES)
    count = int.from_bytes(raw[:4], "little")
    uses = (raw[at : at + 16] for at in range(4, len(raw) - 15, 16))
    return {
        (number, level): (use[:4], first)
        for number, use in enumerate(islice(uses, min(count, _MOST_LISTS)), start=1)
        for level, first in kinds.get(use[:4], {}).items()
    }


def _list_levels(text: WordText) -> Mapping[bytes, dict[int, int]]:
    """Return by a list's name its levels that count, and from where; these follow the table."""
    raw, table = text.after(LISTS), text.table(LISTS)
    count = min(int.from_bytes(table[:2], "little"), _MOST_LISTS, max(0, len(table) - 2) // 28)
    at = 2 + 28 * count
    levels: dict[bytes, dict[int, int]] = {}
    for number in range(count):
        head = raw[2 + 28 * number : 30 + 28 * number]
        counted: dict[int, int] = {}
        for level in range(1 if head[26] & 1 else _LEVELS):
            shape = raw[at : at + _LEVEL]
            if len(shape) < _LEVEL:
                return levels
            if shape[4] not in (_DOTS, _NOTHING):
                counted[level] = min(int.from_bytes(shape[:4], "little"), _HIGHEST)
            at += _LEVEL + shape[24] + shape[25]
            at += 2 + 2 * int.from_bytes(raw[at : at + 2], "little")
        levels[head[:4]] = counted
    return levels
