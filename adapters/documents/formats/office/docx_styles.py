"""Word's styles: headings, list items and emphasis."""

from collections import ChainMap
from collections.abc import Mapping
from typing import Final

import msgspec

from ..numbering import ListCounts, ListMark
from .docx_lists import NO_LIST, WordList, docx_child_value, docx_number, read_docx_lists
from .package import Package
from .xml_elements import XmlNode, part_elements

_MAX_HEADING_LEVEL: Final = 6
_MAX_STYLE_CHAIN: Final = 10
_ON: Final = frozenset({"1", "true", "on"})
_OFF: Final = frozenset({"0", "false", "off", "none"})
# The markdown mark of each property of Word; the outer mark first.
_EMPHASIS_MARKS: Final = {"strike": "~~", "dstrike": "~~", "b": "**", "i": "*"}


class _DocxStyle(msgspec.Struct, frozen=True, kw_only=True):
    """A style of paragraphs or runs, and the style it is based on."""

    name: str = ""
    heading: int = 0
    list_id: str = ""
    level: int | None = None
    depth: int = 0
    base: str = ""
    is_byline: bool = False
    looks: dict[str, bool] = {}


# Word knows these styles even where a file uses them without defining them.
_BUILT_IN_STYLES: Final = {
    "Title": _DocxStyle(heading=1),
    "Subtitle": _DocxStyle(heading=2),
    **{
        f"Heading{level}": _DocxStyle(heading=min(level, _MAX_HEADING_LEVEL))
        for level in range(1, 10)
    },
}


class DocxStyles(msgspec.Struct, frozen=True):
    """The styles and the lists by their ids, and the current numbers of the lists."""

    by_id: Mapping[str, _DocxStyle]
    default_id: str
    lists: Mapping[str, WordList]
    counts: ListCounts

    def heading_level(self, paragraph: XmlNode) -> int:
        """Return the level of a heading, 0 for another paragraph."""
        level = docx_number(paragraph.find("pPr", "outlineLvl"))
        if level is not None and level < _MAX_HEADING_LEVEL:
            return level + 1
        chain = self._docx_style_chain(paragraph.find("pPr", "pStyle"))
        if chain and chain[0].is_byline:
            return 0
        return next((style.heading for style in chain if style.heading), 0)

    def list_mark(self, paragraph: XmlNode) -> ListMark | None:
        """Count a list paragraph and return its mark; None for no list or an empty label."""
        chain = (
            self._docx_style_chain(paragraph.find("pPr", "pStyle")) or self._default_docx_style()
        )
        own_id = docx_child_value(paragraph, "pPr", "numPr", "numId")
        list_id = own_id or next((style.list_id for style in chain if style.list_id), "")
        if list_id in ("", "0"):
            return None
        docx_list = self.lists.get(list_id, NO_LIST)
        level = docx_number(paragraph.find("pPr", "numPr", "ilvl"))
        if level is None:
            level = _docx_level_by_style(chain, docx_list if not own_id else NO_LIST)
        label = self.counts.count_list_label(list_id, docx_list.numbering, level)
        depth = level or next((style.depth for style in chain), 0)
        return ListMark(depth, label) if label else None

    def run_emphasis(self, run: XmlNode) -> str:
        """Return the markdown marks of a run, empty for none."""
        chain = self._docx_style_chain(run.find("rPr", "rStyle"))
        looks = ChainMap(_docx_emphasis_flags(run), *(style.looks for style in chain))
        return "".join(
            dict.fromkeys(mark for name, mark in _EMPHASIS_MARKS.items() if looks.get(name))
        )

    def _default_docx_style(self) -> list[_DocxStyle]:
        """Return the style of paragraphs without a style."""
        style = self.by_id.get(self.default_id)
        return [style] if style else []

    def _docx_style_chain(self, style_node: XmlNode | None) -> list[_DocxStyle]:
        """Return a style and those it is based on; a cycle ends at the limit."""
        style = self.by_id.get(style_node.attribute("val")) if style_node else None
        chain: list[_DocxStyle] = []
        while style is not None and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(style)
            style = self.by_id.get(style.base)
        return chain


def read_docx_styles(package: Package) -> DocxStyles:
    """Read the style sheet and the lists; a document without them has plain paragraphs."""
    styles: dict[str, _DocxStyle] = {}
    default_id = ""
    for node in part_elements(package, "word/styles.xml", "style"):
        styles[node.attribute("styleId")] = _read_docx_style(node)
        is_default = node.attribute("type") == "paragraph" and node.attribute("default") in _ON
        default_id = node.attribute("styleId") if is_default else default_id
    used = {name: style.list_id for name, style in styles.items() if style.list_id}
    return DocxStyles(
        {**_BUILT_IN_STYLES, **styles}, default_id, read_docx_lists(package, used), ListCounts()
    )


def _docx_level_by_style(chain: list[_DocxStyle], used: WordList) -> int:
    """Return the level that a style names, or that the list has for it."""
    levels = (
        used.styles.get(style.name) if style.level is None else style.level for style in chain
    )
    return next((level for level in levels if level is not None), 0)


def _read_docx_style(node: XmlNode) -> _DocxStyle:
    name_parts = docx_child_value(node, "name").lower().split()
    return _DocxStyle(
        name=node.attribute("styleId"),
        heading=_docx_style_heading_level(name_parts, node),
        list_id=docx_child_value(node, "pPr", "numPr", "numId"),
        level=docx_number(node.find("pPr", "numPr", "ilvl")),
        # "List Bullet 2" has a separate list with one level.
        depth=int(name_parts[-1]) - 1 if name_parts and name_parts[-1] in {*"2345"} else 0,
        base=docx_child_value(node, "basedOn"),
        # Pandoc bases these on the title's style, but they are no headings.
        is_byline=name_parts in (["author"], ["date"]),
        looks=_docx_emphasis_flags(node),
    )


def _docx_emphasis_flags(node: XmlNode) -> dict[str, bool]:
    """Return the emphasis that a run or a style sets or clears."""
    properties = node.find("rPr")
    if properties is None:
        return {}
    return {
        flag.name: flag.attribute("val") not in _OFF
        for flag in properties.elements()
        if flag.name in _EMPHASIS_MARKS
    }


def _docx_style_heading_level(name_parts: list[str], node: XmlNode) -> int:
    """Return the heading level of a style by its name or outline, 0 for none."""
    match name_parts:
        case ["heading", digit] if digit in {*"123456789"}:
            return min(int(digit), _MAX_HEADING_LEVEL)
        case ["title"]:
            return 1
        case ["subtitle"]:
            return 2
    outline = docx_number(node.find("pPr", "outlineLvl"))
    return outline + 1 if outline is not None and outline < _MAX_HEADING_LEVEL else 0
