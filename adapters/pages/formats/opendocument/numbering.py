"""What the levels of lists and of headings write, and which lists count on in each other.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ 16.30 to 16.34 (read 2026-11-17)
"""

import re
from collections.abc import Mapping
from typing import Final

from ....values.numbers import parse_whole_number
from ..numbering.counting import Level, ListCounts, ListMark, Numbering
from ..office.xml_elements import XmlNode

_OUTLINE: Final = "outline"
_LEVELS: Final = ("list-level-style-number", "list-level-style-bullet", "outline-level-style")
_DOTS: Final = "list-level-style-bullet"
_FORMS: Final = {
    "1": "decimal",
    "a": "lowerLetter",
    "A": "upperLetter",
    "i": "lowerRoman",
    "I": "upperRoman",
    "": "none",
    "01, 02, 03, ...": "00",
    "001, 002, 003, ...": "000",
    "1st": "ordinal",
}
# Newer programs write the text as a whole as well: %1%.%2%.
_PLACE: Final = re.compile(r"%([1-9])%")
_MAX_LEVEL: Final = 9
_MAX_LISTS: Final = 100_000


class Lists:
    """The levels of list styles and of headings, and how far each list has counted."""

    def __init__(self) -> None:
        """Know no style."""
        self._levels: dict[str, Mapping[int, Level]] = {}
        self._counts = ListCounts()
        self._keys: dict[str, str] = {}
        self._number = 0

    def learn(self, style: XmlNode) -> None:
        """Take the levels of a list style, or those of headings."""
        name = style.get("name") if style.name == "list-style" else _OUTLINE
        told = ((_place(each), each) for each in style.nodes(*_LEVELS))
        levels = {place: each for place, each in told if place is not None}
        texts = {place: _level(each, place, levels) for place, each in levels.items()}
        self._levels[f"{style.name} {name}"] = texts

    def begin(self, node: XmlNode, style: str) -> str:
        """Return the name that a list counts by: its own, or that of one that it goes on with."""
        self._number += 1
        own, former = node.get("id"), node.get("continue-list")
        key = f"list {self._number}"
        if node.get("continue-numbering") == "true":
            key = self._keys.get(f"style {style}", key)
        if former:
            key = self._keys.get(f"id {former}", key)
        if len(self._keys) < _MAX_LISTS:
            self._keys[f"style {style}"] = key
            self._keys.update({f"id {own}": key} if own else {})
        return key

    def item(self, node: XmlNode, style: str, key: str, depth: int) -> ListMark | None:
        """Count an item and return its mark; None where its level writes nothing."""
        numbering = Numbering(key, self._levels.get(f"list-style {style}", {}))
        start = parse_whole_number(node.get("start-value"))
        label = self._counts.label(key, numbering, depth, start)
        return ListMark(depth, label) if label else None

    def heading(self, node: XmlNode, level: int) -> ListMark | None:
        """Count a heading and return its number; None for none."""
        if node.get("is-list-header") == "true":
            return None
        numbering = Numbering(_OUTLINE, self._levels.get(f"outline-style {_OUTLINE}", {}))
        is_anew = node.get("restart-numbering") == "true"
        start = parse_whole_number(node.get("start-value")) if is_anew else None
        label = self._counts.label(_OUTLINE, numbering, level - 1, start)
        return ListMark(0, label) if label else None


def _level(node: XmlNode, place: int, levels: Mapping[int, XmlNode]) -> Level:
    start = parse_whole_number(node.get("start-value"))
    return Level(
        form="bullet" if node.name == _DOTS else _form(node),
        text=_text(node, place, levels),
        start=1 if start is None else start,
        after=place,
    )


def _form(node: XmlNode) -> str:
    return _FORMS.get(node.attributes.get("num-format", "1"), "decimal")


def _text(node: XmlNode, place: int, levels: Mapping[int, XmlNode]) -> str:
    """Return what a level writes: the numbers of so many levels, with dots between."""
    whole_text = node.get("num-list-format")
    if whole_text:
        return _PLACE.sub(r"%\1", whole_text)
    count = parse_whole_number(node.get("display-levels")) or 1
    shown = [each for each in range(max(place - count + 1, 0), place + 1) if each in levels]
    numbers = [f"%{each + 1}" for each in shown if _form(levels[each]) != "none"]
    return f"{node.get('num-prefix')}{'.'.join(numbers)}{node.get('num-suffix')}"


def _place(node: XmlNode) -> int | None:
    level = parse_whole_number(node.get("level"), 2)
    return level - 1 if level is not None and 0 < level <= _MAX_LEVEL else None
