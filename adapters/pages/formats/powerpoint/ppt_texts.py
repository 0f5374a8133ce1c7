"""The texts of a presentation, and how deep each of their paragraphs stands.

[MS-PPT] 2.9.36 to 2.9.45 (read 2026-11-16).
"""

import struct
from collections.abc import Iterable, Iterator
from itertools import repeat
from typing import Final, NamedTuple

from ..markdown_writing import disarm_pictures
from .ppt_records import PptRecord, PptRecords

_HEADER, _WIDE, _NARROW, _LOOKS = 0x0F9F, 0x0FA0, 0x0FA8, 0x0FA1
_LETTERS: Final = (_WIDE, _NARROW)
_OF_TEXTS: Final = (_HEADER, _LOOKS, *_LETTERS)
TITLES: Final = (0, 6)
SPOKEN: Final = 2
OTHER: Final = 4
_MAX_INDENT_DEPTH: Final = 8
_TABS: Final = 20
# What a paragraph's look is made of, in order: the bits that say it is there, and its length.
_PARTS: Final = (
    (0x0000000F, 2), (0x00000080, 2), (0x00000010, 2), (0x00000040, 2), (0x00000020, 4),
    (0x00000800, 2), (0x00001000, 2), (0x00002000, 2), (0x00004000, 2), (0x00000100, 2),
    (0x00000400, 2), (0x00008000, 2), (1 << _TABS, 0), (0x00010000, 2), (0x000E0000, 2),
    (0x00200000, 2),
)  # fmt: skip


class SlideText(NamedTuple):
    """A text by what it is for, its paragraphs, and how deep they stand."""

    role: int
    paragraphs: tuple[str, ...]
    levels: tuple[int, ...] = ()

    @property
    def flat(self) -> str:
        """The text on one line."""
        return " ".join(one for one in self.paragraphs if one)

    @property
    def items(self) -> str:
        """The paragraphs as items of a list, indented by their level."""
        deep = (*self.levels, *repeat(0, len(self.paragraphs)))
        pairs = zip(self.paragraphs, deep, strict=False)
        return "\n".join(
            f"{'  ' * min(level, _MAX_INDENT_DEPTH)}- {text}" for text, level in pairs if text
        )


def read_slide_texts(source: PptRecords, records: Iterable[PptRecord]) -> Iterator[SlideText]:
    """Yield the texts among records: each begins with what it is for, and ends with its look."""
    groups: list[dict[int, bytes]] = [{}]
    for record in records:
        if record.sort == _HEADER:
            groups.append({})
        if record.sort in _OF_TEXTS:
            groups[-1][record.sort] = source.data(record)
    return (_text(group) for group in groups if not group.keys().isdisjoint(_LETTERS))


def _text(group: dict[int, bytes]) -> SlideText:
    role = int.from_bytes(group[_HEADER][:4], "little") if _HEADER in group else OTHER
    wide = group.get(_WIDE, b"").decode("utf-16-le", "replace")
    lines = (wide or group.get(_NARROW, b"").decode("latin-1")).split("\r")
    return SlideText(role, tuple(map(_words, lines)), tuple(_levels(lines, group.get(_LOOKS, b""))))


def _words(line: str) -> str:
    return disarm_pictures(" ".join(line.replace("\x0b", " ").split()))


def _levels(lines: list[str], looks: bytes) -> Iterator[int]:
    """Yield how deep each paragraph stands: runs of letters, with a level and a look."""
    runs = _runs(looks)
    left, level = 0, 0
    for line in lines:
        while left <= 0:
            run = next(runs, None)
            if run is None:
                return
            left, level = left + run[0], run[1]
        yield level
        left -= len(line) + 1


def _runs(looks: bytes) -> Iterator[tuple[int, int]]:
    at = 0
    while at + 10 <= len(looks):
        count, level, mask = struct.unpack_from("<IHI", looks, at)
        if not count:
            return
        yield count, level
        at += 10
        for bits, size in _PARTS:
            if mask & bits:
                at += size
                if bits == 1 << _TABS:
                    at += 2 + 4 * int.from_bytes(looks[at : at + 2], "little")
