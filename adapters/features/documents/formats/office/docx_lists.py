"""The lists of a Word document: the labels of their levels, and where they restart.

ISO/IEC 29500-1, 17.9 (read 2026-11-17): lists with one pattern share their numbers, unless one
restarts; a pattern may take its levels from a style.
"""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from webseam.adapters.values.json_values import parse_whole_number

from ..numbering import Level, Numbering
from .package import Package
from .xml_elements import XmlNode, part_elements

_OFF_VALUES: Final = frozenset({"0", "false", "off"})
# A custom form, as in 001, 002, 003.
_CUSTOM_FORM_PATTERN: Final = re.compile(r"(0{1,8})1\b")


class WordList(msgspec.Struct, frozen=True):
    """The numbering of a list, and the level of each style that it is linked with."""

    numbering: Numbering
    styles: Mapping[str, int]


class _ListPattern(msgspec.Struct, frozen=True):
    """An abstract list; with ``linked_style`` the pattern of that style has its levels."""

    key: str
    levels: Mapping[int, Level]
    styles: Mapping[str, int]
    style: str
    linked_style: str


NO_LIST: Final = WordList(Numbering("", {}), {})
_NO_LIST_PATTERN: Final = _ListPattern("", {}, {}, "", "")


def read_docx_lists(package: Package, used: Mapping[str, str]) -> dict[str, WordList]:
    """Return the lists by their ids; ``used`` has the list id of each style."""
    patterns: dict[str, _ListPattern] = {}
    lists: dict[str, XmlNode] = {}
    for node in part_elements(package, "word/numbering.xml", "abstractNum", "num"):
        if node.name == "num":
            lists[node.attribute("numId")] = node
        else:
            patterns[node.attribute("abstractNumId")] = _read_pattern(node)
    pattern_by_list = {
        name: patterns.get(child_value(node, "abstractNumId"), _NO_LIST_PATTERN)
        for name, node in lists.items()
    }
    pattern_by_style = {
        style: pattern_by_list[name] for style, name in used.items() if name in pattern_by_list
    }
    pattern_by_style |= {pattern.style: pattern for pattern in patterns.values() if pattern.style}
    return {
        name: _make_list(lists[name], pattern_by_style.get(pattern.linked_style, pattern))
        for name, pattern in pattern_by_list.items()
    }


def _read_pattern(node: XmlNode) -> _ListPattern:
    levels = {
        index: level for level in node.elements("lvl") if (index := _level_index(level)) is not None
    }
    styles = {
        name: index for index, level in levels.items() if (name := child_value(level, "pStyle"))
    }
    return _ListPattern(
        node.attribute("abstractNumId"),
        {index: _read_level(level, index) for index, level in levels.items()},
        styles,
        child_value(node, "styleLink"),
        child_value(node, "numStyleLink"),
    )


def _make_list(node: XmlNode, pattern: _ListPattern) -> WordList:
    """Return a list with the levels that it overrides, and those that it restarts."""
    levels = dict(pattern.levels)
    anew = set()
    for override in node.elements("lvlOverride"):
        index, start = (_level_index(override), docx_number(override.find("startOverride")))
        if index is None:
            continue
        new_level = override.find("lvl")
        if new_level is not None:
            levels[index] = _read_level(new_level, index)
        if start is not None:
            anew.add(index)
            if index in levels:
                levels[index] = msgspec.structs.replace(levels[index], start=start)
    return WordList(Numbering(pattern.key, levels, frozenset(anew)), pattern.styles)


def _read_level(node: XmlNode, index: int) -> Level:
    start, after = docx_number(node.find("start")), docx_number(node.find("lvlRestart"))
    text, legal = node.find("lvlText"), node.find("isLgl")
    return Level(
        form=_number_form(node),
        text=text.attribute("val") if text else f"%{index + 1}.",
        start=start or 0,
        after=index if after is None or after > index else after,
        in_digits=legal is not None and legal.attribute("val") not in _OFF_VALUES,
    )


def _number_form(node: XmlNode) -> str:
    """Return the number form of a level; newer forms stand next to a fallback."""
    forms = list(node.subtree("numFmt"))
    for form in forms:
        if custom := _CUSTOM_FORM_PATTERN.match(form.attribute("format")):
            return f"0{custom[1]}"
    names = [node.attribute("val") for node in forms]
    name = next((name for name in names if name != "custom"), "decimal")
    return "00" if name == "decimalZero" else name


def child_value(node: XmlNode, *path: str) -> str:
    """Return the value of the element at a path, empty where there is none."""
    child = node.find(*path)
    return child.attribute("val") if child else ""


def _level_index(node: XmlNode) -> int | None:
    level = node.attribute("ilvl")
    return int(level) if level in {*"012345678"} else None


def docx_number(node: XmlNode | None) -> int | None:
    """Return the number in an element's value, None where it has none."""
    return parse_whole_number(node.attribute("val")) if node else None
