"""How lists count, in Word and in OpenDocument: levels under levels, each with its own form."""

import re
from collections.abc import Mapping
from typing import Final, NamedTuple

import msgspec

from ...safe_text import one_line
from ..markdown_writing import disarm_pictures, list_item
from .numerals import numeral

_PLACE: Final = re.compile(r"%([1-9])")
_PLAIN: Final = re.compile(r"\d{1,9}[.)]?\Z", re.ASCII)
_MAX_LABEL_CHARS: Final = 60
_MAX_NUMBER: Final = 999_999_999
_MAX_LIST_DEPTH: Final = 8
_MARGIN: Final = "   "
DOT: Final = "-"


class Level(msgspec.Struct, frozen=True, kw_only=True):
    """How a level counts, and what it writes: ``%1.%2`` are the numbers of the first two levels.

    ``after`` is the level (from 1) that it begins anew after, with all above that; 0 is never.
    ``in_digits`` are all numbers of a label, whatever the form of their level.
    """

    form: str = "decimal"
    text: str
    start: int = 1
    after: int
    in_digits: bool = False


class Numbering(msgspec.Struct, frozen=True):
    """A list: its levels, with whom it counts on, and which levels begin anew where it begins."""

    key: str
    levels: Mapping[int, Level]
    anew: frozenset[int] = frozenset()


class ListMark(NamedTuple):
    """What stands before a paragraph of a list, and how deep it stands."""

    depth: int
    label: str


class ListCounts:
    """How far each list has counted, by levels."""

    def __init__(self) -> None:
        """Have counted nothing."""
        self._counts: dict[str, dict[int, int]] = {}
        self._met: set[tuple[str, int]] = set()

    def label(self, name: str, numbering: Numbering, place: int, start: int | None = None) -> str:
        """Count on, or from ``start``, and return the label: words, a dot, or nothing at all."""
        level = numbering.levels.get(place)
        if level is None:
            return DOT
        counts = self._counts.setdefault(numbering.key, {})
        begins = place in numbering.anew and (name, place) not in self._met
        self._met.add((name, place))
        goes_on = place in counts and not begins
        number = counts[place] + 1 if goes_on else level.start
        counts[place] = min(number if start is None else start, _MAX_NUMBER)
        _begin_anew(counts, numbering.levels, place)
        return _written(level, counts, numbering.levels)


def _begin_anew(counts: dict[int, int], levels: Mapping[int, Level], place: int) -> None:
    """Have the levels below begin anew, and those above begun that were left out."""
    for lower in [each for each in counts if each > place]:
        if lower not in levels or levels[lower].after > place:
            del counts[lower]
    # After a first heading of level 2, which is 1.1, the first of level 1 is 2.
    for upper in [each for each in levels if each < place]:
        counts.setdefault(upper, levels[upper].start)


def _written(level: Level, counts: Mapping[int, int], levels: Mapping[int, Level]) -> str:
    if level.form == "bullet":
        return DOT

    def shown(found: re.Match[str]) -> str:
        place = int(found[1]) - 1
        if place not in counts or place not in levels:
            return ""
        return numeral(counts[place], "decimal" if level.in_digits else levels[place].form)

    label = one_line(_PLACE.sub(shown, level.text[:_MAX_LABEL_CHARS]), _MAX_LABEL_CHARS)
    return label if not label or any(map(str.isalnum, label)) else DOT


def numbered_heading(mark: ListMark | None, text: str) -> str:
    """Return a text behind the number before it; a dot is none, nor is nothing.

    >>> (numbered_heading(ListMark(1, "2.1"), "Scope"),
    ...  numbered_heading(ListMark(1, "-"), "Scope"), numbered_heading(None, "Scope"))
    ('2.1 Scope', 'Scope', 'Scope')
    """
    is_said = mark is not None and mark.label not in ("", DOT)
    return f"{disarm_pictures(mark.label)} {text}".rstrip() if mark and is_said else text


def marked_item(mark: ListMark, text: str) -> str:
    """Return an item of a list; a label that markdown does not know stands before its words.

    >>> (marked_item(ListMark(0, "1)"), "Dig."), marked_item(ListMark(1, "(a)"), "Dig."),
    ...  marked_item(ListMark(0, "-"), "Dig."))
    ('1. Dig.', '   - (a) Dig.', '- Dig.')
    """
    margin = _MARGIN * min(mark.depth, _MAX_LIST_DEPTH)
    if _PLAIN.match(mark.label):
        return list_item(f"{margin}{mark.label.rstrip('.)')}. ", text)
    return list_item(f"{margin}- ", numbered_heading(mark, text))
