"""The lists of a Word document before 2007: what their levels write, and where they begin anew.

[MS-DOC] 2.9.147 to 2.9.150 (read 2026-11-17): the levels of all lists follow the table of lists;
each use of a list may have levels of its own, which follow the table of uses.
"""

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Final, NamedTuple

import msgspec

from ..numbering.counting import Level, Numbering
from ..numbering.numerals import FORMS
from .pieces import LIST_USES, LISTS, WordText

MAX_LISTS: Final = 2048
_LEVELS: Final = 9
_MAX_NUMBER: Final = 32_767
# In bytes: a list, a use of one, what comes before its own levels, and the least of a level.
_LIST, _USE, _BEFORE, _OWN, _LEVEL = 28, 16, 4, 8, 28
_LEGAL, _LIMITED, _SIMPLE = 4, 8, 1
_STARTS, _WRITES = 16, 32
_MAX_LABEL_CHARS: Final = 60
# In what a level writes, these stand for the numbers of the levels.
_PLACES: Final = {place: f"%{place + 1}" for place in range(_LEVELS)}


class _Read(NamedTuple):
    level: Level
    end: int


def read_lists(text: WordText) -> dict[int, Numbering]:
    """Return the lists by the numbers of their uses, from 1."""
    known = dict(_lists(text))
    raw = text.table(LIST_USES)
    count = min(int.from_bytes(raw[:4], "little"), MAX_LISTS, max(0, len(raw) - 4) // _USE)
    at = 4 + _USE * count
    used: dict[int, Numbering] = {}
    for number in range(count):
        head = raw[4 + _USE * number : 4 + _USE * (number + 1)]
        numbering = Numbering(head[:4].hex(), known.get(head[:4], {}))
        used[number + 1], at = _own(numbering, raw, at + _BEFORE, head[12])
    return used


def _lists(text: WordText) -> Iterator[tuple[bytes, Mapping[int, Level]]]:
    """Yield the names of lists with their levels."""
    raw, table = text.after(LISTS), text.table(LISTS)
    count = min(int.from_bytes(table[:2], "little"), MAX_LISTS, max(0, len(table) - 2) // _LIST)
    at = 2 + _LIST * count
    for number in range(count):
        head = raw[2 + _LIST * number : 2 + _LIST * (number + 1)]
        levels: dict[int, Level] = {}
        for place in range(1 if head[26] & _SIMPLE else _LEVELS):
            read = _level(raw, at, place)
            if read is None:
                return
            levels[place], at = read
        yield head[:4], levels


def _level(raw: bytes, at: int, place: int) -> _Read | None:
    shape = raw[at : at + _LEVEL]
    if len(shape) < _LEVEL:
        return None
    at += _LEVEL + shape[24] + shape[25]
    letters = int.from_bytes(raw[at : at + 2], "little")
    end = at + 2 + 2 * letters
    written = raw[at + 2 : min(end, at + 2 + 2 * _MAX_LABEL_CHARS)].decode("utf-16-le", "replace")
    limit = min(shape[26], place) if shape[5] & _LIMITED else place
    level = Level(
        form=FORMS.get(shape[4], "decimal"),
        text=written.translate(_PLACES),
        start=min(int.from_bytes(shape[:4], "little"), _MAX_NUMBER),
        after=limit,
        in_digits=bool(shape[5] & _LEGAL),
    )
    return _Read(level, end)


def _own(numbering: Numbering, raw: bytes, at: int, count: int) -> tuple[Numbering, int]:
    """Return a list with the levels that this use of it has of its own, and where these end."""
    levels, anew = dict(numbering.levels), set()
    for _ in islice(range(count), _LEVELS):
        head = raw[at : at + _OWN]
        if len(head) < _OWN:
            break
        at, place = at + _OWN, head[4] & 15
        read = _level(raw, at, place) if head[4] & _WRITES else None
        if read is not None:
            levels[place], at = read
        if head[4] & _STARTS and place in levels:
            start = min(int.from_bytes(head[:4], "little"), _MAX_NUMBER)
            anew.add(place)
            levels[place] = msgspec.structs.replace(levels[place], start=start)
    return Numbering(numbering.key, levels, frozenset(anew)), at
