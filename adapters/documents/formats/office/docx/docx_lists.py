"""The lists of a Word document: what their levels write, and where they begin anew.

ISO/IEC 29500-1, 17.9 (read 2026-11-17): lists of one pattern count on, unless one says where it
begins; a pattern may be kept by a style.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from .....values.numbers import parse_whole_number
from ...numbering import Level, Numbering
from ..package import Package
from ..xml_elements import XmlNode, part_elements

_OFF: Final = frozenset({"0", "false", "off"})
# A form of one's own, as in 001, 002, 003.
_CUSTOM: Final = re.compile(r"(0{1,8})1\b")


class WordList(msgspec.Struct, frozen=True):
    """How a list counts, and the level of each style that it is linked with."""

    numbering: Numbering
    styles: Mapping[str, int]


class _Pattern(msgspec.Struct, frozen=True):
    """What lists are made after; another may keep its levels, found by the name of a style."""

    key: str
    levels: Mapping[int, Level]
    styles: Mapping[str, int]
    kept_as: str
    kept_by: str


NO_LIST: Final = WordList(Numbering("", {}), {})
_NO_PATTERN: Final = _Pattern("", {}, {}, "", "")


def read_lists(package: Package, used: Mapping[str, str]) -> dict[str, WordList]:
    """Return the lists by their ids; ``used`` are those of styles."""
    patterns: dict[str, _Pattern] = {}
    lists: dict[str, XmlNode] = {}
    for node in part_elements(package, "word/numbering.xml", "abstractNum", "num"):
        if node.name == "num":
            lists[node.get("numId")] = node
        else:
            patterns[node.get("abstractNumId")] = _pattern(node)
    made = {name: _made_after(node, patterns) for name, node in lists.items()}
    keeping = {style: made[name] for style, name in used.items() if name in made}
    keeping |= {pattern.kept_as: pattern for pattern in patterns.values() if pattern.kept_as}
    return {
        name: _list(lists[name], keeping.get(pattern.kept_by, pattern))
        for name, pattern in made.items()
    }


def _made_after(node: XmlNode, patterns: Mapping[str, _Pattern]) -> _Pattern:
    pointer = node.first("abstractNumId")
    return patterns.get(pointer.get("val"), _NO_PATTERN) if pointer else _NO_PATTERN


def _pattern(node: XmlNode) -> _Pattern:
    levels = {place: one for one in node.nodes("lvl") if (place := _place(one)) is not None}
    styles = {name: place for place, one in levels.items() if (name := _said(one, "pStyle"))}
    return _Pattern(
        node.get("abstractNumId"),
        {place: _level(one, place) for place, one in levels.items()},
        styles,
        _said(node, "styleLink"),
        _said(node, "numStyleLink"),
    )


def _list(node: XmlNode, pattern: _Pattern) -> WordList:
    """Return a list with the levels that it has of its own, and those it begins anew."""
    levels = dict(pattern.levels)
    anew = set()
    for own in node.nodes("lvlOverride"):
        place, start = _place(own), read_number(own.first("startOverride"))
        if place is None:
            continue
        other = own.first("lvl")
        if other is not None:
            levels[place] = _level(other, place)
        if start is not None:
            anew.add(place)
            if place in levels:
                levels[place] = msgspec.structs.replace(levels[place], start=start)
    return WordList(Numbering(pattern.key, levels, frozenset(anew)), pattern.styles)


def _level(node: XmlNode, place: int) -> Level:
    form = _form(node)
    start, after = read_number(node.first("start")), read_number(node.first("lvlRestart"))
    text, legal = node.first("lvlText"), node.first("isLgl")
    return Level(
        form=form,
        text=text.get("val") if text else f"%{place + 1}.",
        start=start or 0,
        after=place if after is None or after > place else after,
        in_digits=legal is not None and legal.get("val") not in _OFF,
    )


def _form(node: XmlNode) -> str:
    """Return the form of a level's numbers; newer forms stand beside one for older programs."""
    forms = [each for each in node.walk() if each.name == "numFmt"]
    for each in forms:
        custom = _CUSTOM.match(each.get("format"))
        if custom:
            return f"0{custom[1]}"
    names = [each.get("val") for each in forms]
    name = next((name for name in names if name != "custom"), "decimal")
    return "00" if name == "decimalZero" else name


def _said(node: XmlNode, name: str) -> str:
    found = node.first(name)
    return found.get("val") if found else ""


def _place(node: XmlNode) -> int | None:
    level = node.get("ilvl")
    return int(level) if level in {*"012345678"} else None


def read_number(node: XmlNode | None) -> int | None:
    """Return the number that an element says, None where it says none."""
    return parse_whole_number(node.get("val")) if node else None
