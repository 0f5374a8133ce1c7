"""Word's styles and lists: what is a heading, an item of a list, or emphasised."""

from collections.abc import Mapping
from typing import Final

import msgspec

from .....values.numbers import whole
from ..package import Package
from ..xml import Node, nodes_of

_LOWEST_HEADING: Final = 6
_DEEPEST_ITEM: Final = 8
_LONGEST_CHAIN: Final = 10
_OFF: Final = frozenset({"0", "false", "off", "none"})
# How markdown marks what Word calls so; the outer mark first.
_MARKS: Final = {"strike": "~~", "dstrike": "~~", "b": "**", "i": "*"}


class _Style(msgspec.Struct, frozen=True, kw_only=True):
    """What a style says of its paragraphs and runs, and the style it is based on."""

    heading: int = 0
    list_id: str = ""
    level: int = 0
    base: str = ""
    is_byline: bool = False
    looks: Mapping[str, bool] = {}


# What Word takes a style for that a small program uses and does not describe.
_BUILT_IN: Final = {
    "Title": _Style(heading=1),
    "Subtitle": _Style(heading=2),
    **{f"Heading{level}": _Style(heading=min(level, _LOWEST_HEADING)) for level in range(1, 10)},
}


class _List(msgspec.Struct, frozen=True):
    """A list: by what it counts on in others, and the first number of each level that counts."""

    key: str
    firsts: Mapping[int, int]


class Styles(msgspec.Struct, frozen=True):
    """The styles and the lists by their ids, and how far each list has counted, by levels."""

    by_id: Mapping[str, _Style]
    lists: Mapping[str, _List]
    counts: dict[str, dict[int, int]] = {}

    def heading(self, paragraph: Node) -> int:
        """Return the heading's level, 0 when it is none."""
        own = number_of(paragraph.first("pPr", "outlineLvl"))
        if own is not None and own < _LOWEST_HEADING:
            return own + 1
        chain = self._chain(paragraph.first("pPr", "pStyle"))
        if chain and chain[0].is_byline:
            return 0
        return next((style.heading for style in chain if style.heading), 0)

    def item(self, paragraph: Node) -> str | None:
        """Return the mark before a list's item, indented by its level; None for no item."""
        own = paragraph.first("pPr", "numPr", "numId")
        chain = self._chain(paragraph.first("pPr", "pStyle"))
        styled = next((style for style in chain if style.list_id), None)
        list_id = own.get("val") if own else styled.list_id if styled else ""
        if list_id in ("", "0"):
            return None
        own_level = number_of(paragraph.first("pPr", "numPr", "ilvl"))
        level = own_level if own_level is not None else styled.level if styled else 0
        return f"{'   ' * min(level, _DEEPEST_ITEM)}{self._mark(list_id, level)} "

    def emphasis(self, run: Node) -> str:
        """Return the marks of markdown before what a run says, blank for none."""
        chain = self._chain(run.first("rPr", "rStyle"))
        looks = [_looks(run), *(style.looks for style in chain)]
        marks = (mark for name, mark in _MARKS.items() if _first(name, looks))
        return "".join(dict.fromkeys(marks))

    def _mark(self, list_id: str, level: int) -> str:
        """Return a dot, or the next number of a list that counts; those below begin anew."""
        numbering = self.lists.get(list_id)
        if numbering is None or level not in numbering.firsts:
            return "-"
        counts = self.counts.setdefault(numbering.key, {})
        number = counts.get(level, numbering.firsts[level] - 1) + 1
        for lower in [each for each in counts if each > level]:
            del counts[lower]
        counts[level] = number
        return f"{number}."

    def _chain(self, named: Node | None) -> list[_Style]:
        """Return a style and those it is based on; a circle ends."""
        style = self.by_id.get(named.get("val")) if named else None
        chain: list[_Style] = []
        while style is not None and len(chain) < _LONGEST_CHAIN:
            chain.append(style)
            style = self.by_id.get(style.base)
        return chain


def read_styles(package: Package) -> Styles:
    """Read the style sheet and the lists; a document without them has plain paragraphs."""
    nodes = nodes_of(package, "word/styles.xml", "style")
    told = {node.get("styleId"): _style(node) for node in nodes}
    return Styles({**_BUILT_IN, **told}, _lists(package), {})


def _style(node: Node) -> _Style:
    name, base = node.first("name"), node.first("basedOn")
    words = (name.get("val") if name else "").lower().split()
    numbering = node.first("pPr", "numPr", "numId")
    return _Style(
        heading=_heading(words, node),
        list_id=numbering.get("val") if numbering else "",
        level=_list_level(words, node),
        base=base.get("val") if base else "",
        # Based on the title's style by Pandoc, which makes them no headings.
        is_byline=words in (["author"], ["date"]),
        looks=_looks(node),
    )


def _looks(node: Node) -> dict[str, bool]:
    """Return what a run or a style says of its look, where it says anything."""
    said = node.first("rPr")
    if said is None:
        return {}
    return {each.name: each.get("val") not in _OFF for each in said.nodes() if each.name in _MARKS}


def _first(name: str, looks: list[Mapping[str, bool]]) -> bool:
    return next((look[name] for look in looks if name in look), False)


def _heading(words: list[str], node: Node) -> int:
    """Return the level that a style's name or outline says, 0 for none."""
    match words:
        case ["heading", digit] if digit in {*"123456789"}:
            return min(int(digit), _LOWEST_HEADING)
        case ["title"]:
            return 1
        case ["subtitle"]:
            return 2
    outline = number_of(node.first("pPr", "outlineLvl"))
    return outline + 1 if outline is not None and outline < _LOWEST_HEADING else 0


def _list_level(words: list[str], node: Node) -> int:
    """Return how deep a style's items stand: it says so, or its name does, as List Bullet 2."""
    level = number_of(node.first("pPr", "numPr", "ilvl"))
    if level is not None:
        return level
    return int(words[-1]) - 1 if words and words[-1] in {*"2345"} else 0


def _lists(package: Package) -> dict[str, _List]:
    """Return the lists; those of one pattern count on, unless one says where it begins anew."""
    patterns: dict[str, dict[int, int]] = {}
    lists: dict[str, _List] = {}
    for node in nodes_of(package, "word/numbering.xml", "abstractNum", "num"):
        if node.name == "abstractNum":
            patterns[node.get("abstractNumId")] = _firsts(node)
        elif pointer := node.first("abstractNumId"):
            pattern, own = pointer.get("val"), _begun_anew(node)
            firsts = patterns.get(pattern, {})
            firsts = {level: own.get(level, first) for level, first in firsts.items()}
            lists[node.get("numId")] = _List(
                f"list {node.get('numId')}" if own else pattern, firsts
            )
    return lists


def _firsts(pattern: Node) -> dict[int, int]:
    """Return the first number of each level that counts; one with only a first level has no other.

    Newer forms of counting stand beside one for older programs.
    """
    firsts: dict[int, int] = {}
    for node in pattern.nodes("lvl"):
        forms = [each.get("val") for each in node.walk() if each.name == "numFmt"]
        level = _place(node)
        if level is not None and any(form not in ("bullet", "none") for form in forms):
            start = number_of(node.first("start"))
            firsts[level] = 1 if start is None else start
    return firsts


def _begun_anew(numbering: Node) -> dict[int, int]:
    """Return the numbers that a list begins its levels with, where it says so itself."""
    begun: dict[int, int] = {}
    for node in numbering.nodes("lvlOverride"):
        level, start = _place(node), number_of(node.first("startOverride"))
        if level is not None and start is not None:
            begun[level] = start
    return begun


def _place(node: Node) -> int | None:
    level = node.get("ilvl")
    return int(level) if level in {*"012345678"} else None


def number_of(node: Node | None) -> int | None:
    """Return the number that an element says, None where it says none."""
    return whole(node.get("val")) if node else None
