"""Word's styles: what is a heading, an item of a list, or emphasised."""

from collections.abc import Mapping
from typing import Final

import msgspec

from ...numbering import ListCounts, ListMark
from ..package import Package
from ..xml_elements import XmlNode, part_elements
from .docx_lists import NO_LIST, WordList, read_lists, read_number

_MAX_HEADING_LEVEL: Final = 6
_MAX_STYLE_CHAIN: Final = 10
_ON: Final = frozenset({"1", "true", "on"})
_OFF: Final = frozenset({"0", "false", "off", "none"})
# How markdown marks what Word calls so; the outer mark first.
_MARKS: Final = {"strike": "~~", "dstrike": "~~", "b": "**", "i": "*"}


class _Style(msgspec.Struct, frozen=True, kw_only=True):
    """What a style says of its paragraphs and runs, and the style it is based on."""

    name: str = ""
    heading: int = 0
    list_id: str = ""
    level: int | None = None
    depth: int = 0
    base: str = ""
    is_byline: bool = False
    looks: Mapping[str, bool] = {}


# What Word takes a style for that a small program uses and does not describe.
_BUILT_IN: Final = {
    "Title": _Style(heading=1),
    "Subtitle": _Style(heading=2),
    **{f"Heading{level}": _Style(heading=min(level, _MAX_HEADING_LEVEL)) for level in range(1, 10)},
}


class Styles(msgspec.Struct, frozen=True):
    """The styles and the lists by their ids, and how far the lists have counted."""

    by_id: Mapping[str, _Style]
    usual: str
    lists: Mapping[str, WordList]
    counts: ListCounts

    def heading(self, paragraph: XmlNode) -> int:
        """Return the heading's level, 0 when it is none."""
        own = read_number(paragraph.first("pPr", "outlineLvl"))
        if own is not None and own < _MAX_HEADING_LEVEL:
            return own + 1
        chain = self._chain(paragraph.first("pPr", "pStyle"))
        if chain and chain[0].is_byline:
            return 0
        return next((style.heading for style in chain if style.heading), 0)

    def mark(self, paragraph: XmlNode) -> ListMark | None:
        """Count a paragraph of a list and return its mark; None for no list, or nothing to show."""
        chain = self._chain(paragraph.first("pPr", "pStyle")) or self._usual()
        own = paragraph.first("pPr", "numPr", "numId")
        own_id = own.get("val") if own else ""
        list_id = own_id or next((style.list_id for style in chain if style.list_id), "")
        if list_id in ("", "0"):
            return None
        used = self.lists.get(list_id, NO_LIST)
        level = read_number(paragraph.first("pPr", "numPr", "ilvl"))
        if level is None:
            level = _level_by_style(chain, used if not own_id else NO_LIST)
        label = self.counts.label(list_id, used.numbering, level)
        depth = level or next((style.depth for style in chain), 0)
        return ListMark(depth, label) if label else None

    def emphasis(self, run: XmlNode) -> str:
        """Return the marks of markdown before what a run says, blank for none."""
        chain = self._chain(run.first("rPr", "rStyle"))
        looks = [_looks(run), *(style.looks for style in chain)]
        marks = (mark for name, mark in _MARKS.items() if _first(name, looks))
        return "".join(dict.fromkeys(marks))

    def _usual(self) -> list[_Style]:
        """Return the style of paragraphs that name none."""
        style = self.by_id.get(self.usual)
        return [style] if style else []

    def _chain(self, named: XmlNode | None) -> list[_Style]:
        """Return a style and those it is based on; a circle ends."""
        style = self.by_id.get(named.get("val")) if named else None
        chain: list[_Style] = []
        while style is not None and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(style)
            style = self.by_id.get(style.base)
        return chain


def read_styles(package: Package) -> Styles:
    """Read the style sheet and the lists; a document without them has plain paragraphs."""
    told: dict[str, _Style] = {}
    usual = ""
    for node in part_elements(package, "word/styles.xml", "style"):
        told[node.get("styleId")] = _style(node)
        is_usual = node.get("type") == "paragraph" and node.get("default") in _ON
        usual = node.get("styleId") if is_usual else usual
    used = {name: style.list_id for name, style in told.items() if style.list_id}
    return Styles({**_BUILT_IN, **told}, usual, read_lists(package, used), ListCounts())


def _level_by_style(chain: list[_Style], used: WordList) -> int:
    """Return the level that a style names, or that the list has for it."""
    levels = (
        used.styles.get(style.name) if style.level is None else style.level for style in chain
    )
    return next((level for level in levels if level is not None), 0)


def _style(node: XmlNode) -> _Style:
    name, base = node.first("name"), node.first("basedOn")
    words = (name.get("val") if name else "").lower().split()
    numbering = node.first("pPr", "numPr", "numId")
    return _Style(
        name=node.get("styleId"),
        heading=_heading(words, node),
        list_id=numbering.get("val") if numbering else "",
        level=read_number(node.first("pPr", "numPr", "ilvl")),
        # List Bullet 2 has a list of its own, of one level.
        depth=int(words[-1]) - 1 if words and words[-1] in {*"2345"} else 0,
        base=base.get("val") if base else "",
        # Based on the title's style by Pandoc, which makes them no headings.
        is_byline=words in (["author"], ["date"]),
        looks=_looks(node),
    )


def _looks(node: XmlNode) -> dict[str, bool]:
    """Return what a run or a style says of its look, where it says anything."""
    said = node.first("rPr")
    if said is None:
        return {}
    return {each.name: each.get("val") not in _OFF for each in said.nodes() if each.name in _MARKS}


def _first(name: str, looks: list[Mapping[str, bool]]) -> bool:
    return next((look[name] for look in looks if name in look), False)


def _heading(words: list[str], node: XmlNode) -> int:
    """Return the level that a style's name or outline says, 0 for none."""
    match words:
        case ["heading", digit] if digit in {*"123456789"}:
            return min(int(digit), _MAX_HEADING_LEVEL)
        case ["title"]:
            return 1
        case ["subtitle"]:
            return 2
    outline = read_number(node.first("pPr", "outlineLvl"))
    return outline + 1 if outline is not None and outline < _MAX_HEADING_LEVEL else 0
