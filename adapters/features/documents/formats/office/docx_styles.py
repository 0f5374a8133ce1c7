"""Word's styles: headings, list items and emphasis."""

from collections import ChainMap
from collections.abc import Callable, Mapping, MutableMapping
from typing import Final

import msgspec

from webseam.adapters.reader.visibility.colours import Colour, are_similar_colours, parse_colour

from ..numbering import ListCounts, ListMark
from .docx_lists import NO_LIST, WordList, child_value, docx_number, read_docx_lists
from .package import Package
from .xml_elements import XmlNode, part_elements

_MAX_HEADING_LEVEL: Final = 6
_MAX_STYLE_CHAIN: Final = 10
_ON_VALUES: Final = frozenset({"1", "true", "on"})
_OFF_VALUES: Final = frozenset({"0", "false", "off", "none"})
_CLEAR_SHADES: Final = frozenset({"", "clear", "nil"})
# The markdown mark of each property of Word; the outer mark first.
_EMPHASIS_MARKS: Final = {"strike": "~~", "dstrike": "~~", "b": "**", "i": "*"}
_LOOK_PROPERTIES: Final = frozenset({*_EMPHASIS_MARKS, "vanish", "sz", "color", "highlight", "shd"})
# The shade of paragraphs, among the properties of their runs.
_PARAGRAPH_SHADE: Final = "pPr shd"
_MAX_TINY_HALF_POINTS: Final = 2
_WHITE: Final[Colour] = (255, 255, 255)
# The properties of runs by name.
Looks = MutableMapping[str, XmlNode]


class _Style(msgspec.Struct, frozen=True, kw_only=True):
    """A style of paragraphs or runs, and the style it is based on."""

    name: str = ""
    heading: int = 0
    list_id: str = ""
    level: int | None = None
    depth: int = 0
    base: str = ""
    is_byline: bool = False
    looks: Looks = {}
    has_shades: bool = False


# Word knows these styles even where a file uses them without defining them.
_BUILT_IN_STYLES: Final = {
    "Title": _Style(heading=1),
    "Subtitle": _Style(heading=2),
    **{f"Heading{level}": _Style(heading=min(level, _MAX_HEADING_LEVEL)) for level in range(1, 10)},
}


class DocxStyles(msgspec.Struct, frozen=True):
    """The styles and the lists by their ids, and the current numbers of the lists."""

    by_id: Mapping[str, _Style]
    default_id: str
    lists: Mapping[str, WordList]
    counts: ListCounts

    def heading_level(self, paragraph: XmlNode) -> int:
        """Return the level of a heading, 0 for another paragraph."""
        level = docx_number(paragraph.find("pPr", "outlineLvl"))
        if level is not None and level < _MAX_HEADING_LEVEL:
            return level + 1
        chain = self._style_chain(paragraph.find("pPr", "pStyle"))
        if chain and chain[0].is_byline:
            return 0
        return next((style.heading for style in chain if style.heading), 0)

    def list_mark(self, paragraph: XmlNode) -> ListMark | None:
        """Count a list paragraph and return its mark; None for no list or an empty label."""
        style = paragraph.find("pPr", "pStyle")
        chain = self._style_chain(style) or self._default_style()
        own_id = child_value(paragraph, "pPr", "numPr", "numId")
        list_id = own_id or next((style.list_id for style in chain if style.list_id), "")
        if list_id in ("", "0"):
            return None
        docx_list = self.lists.get(list_id, NO_LIST)
        level = docx_number(paragraph.find("pPr", "numPr", "ilvl"))
        if level is None:
            level = _level_by_style(chain, docx_list if not own_id else NO_LIST)
        label = self.counts.count_list_label(list_id, docx_list.numbering, level)
        depth = level or next((style.depth for style in chain), 0)
        return ListMark(depth, label) if label else None

    def run_looks(self, run: XmlNode) -> Looks:
        """Return the properties of a run, also those of its style."""
        chain = self._style_chain(run.find("rPr", "rStyle"))
        return ChainMap(_read_looks(run), *(style.looks for style in chain))

    def paragraph_backdrop(self, paragraph: XmlNode, colour: Colour | None) -> "Backdrop":
        """Return what is behind the runs of a paragraph, and their properties by its style."""
        chain = self._style_chain(paragraph.find("pPr", "pStyle"))
        looks = ChainMap(*(style.looks for style in chain or self._default_style()))
        shade = paragraph.find("pPr", "shd") or looks.get(_PARAGRAPH_SHADE)
        return Backdrop(shade_colour(shade, colour), looks)

    def cell_colour(self, grid: XmlNode, cell: XmlNode, colour: Colour | None) -> Colour | None:
        """Return the colour of a cell; None for an unknown one, as that of a style may be."""
        chain = self._style_chain(grid.find("tblPr", "tblStyle"))
        behind = None if any(style.has_shades for style in chain) else colour
        behind = shade_colour(grid.find("tblPr", "shd"), behind)
        return shade_colour(cell.find("tcPr", "shd"), behind)

    def _default_style(self) -> list[_Style]:
        style = self.by_id.get(self.default_id)
        return [style] if style else []

    def _style_chain(self, style_node: XmlNode | None) -> list[_Style]:
        """Return a style and those it is based on; a cycle ends at the limit."""
        style = self.by_id.get(style_node.attribute("val")) if style_node else None
        chain: list[_Style] = []
        while style is not None and len(chain) < _MAX_STYLE_CHAIN:
            chain.append(style)
            style = self.by_id.get(style.base)
        return chain


class Backdrop(msgspec.Struct, frozen=True):
    """The colour behind a paragraph, None for an unknown one, and the properties of its style."""

    colour: Colour | None = _WHITE
    looks: Looks = {}

    def hides_run(self, run_looks: Looks, may_be_on_picture: Callable[[], bool]) -> bool:
        """Tell whether nobody can see a run: hidden, of a point, or in the colour behind it."""
        looks = ChainMap(run_looks, self.looks)
        size, ink = docx_number(looks.get("sz")), looks.get("color")
        if _is_set(looks, "vanish") or (size is not None and size <= _MAX_TINY_HALF_POINTS):
            return True
        colour = parse_colour(f"#{ink.attribute('val')}") if ink is not None else None
        behind = shade_colour(looks.get("shd"), self.colour)
        if colour is None or behind is None or _is_set(looks, "highlight"):
            return False
        return are_similar_colours(colour, behind) and not may_be_on_picture()


def emphasis_marks(looks: Looks) -> str:
    """Return the markdown marks of a run, empty for none."""
    marks = (mark for name, mark in _EMPHASIS_MARKS.items() if _is_set(looks, name))
    return "".join(dict.fromkeys(marks))


def _is_set(looks: Looks, name: str) -> bool:
    return name in looks and looks[name].attribute("val") not in _OFF_VALUES


def shade_colour(shade: XmlNode | None, behind: Colour | None) -> Colour | None:
    """Return the colour of a shade over another; None for a pattern or a colour by name."""
    if shade is None:
        return behind
    if shade.attribute("val") not in _CLEAR_SHADES:
        return None
    is_bare = shade.attribute("fill") in ("", "auto") and not shade.attribute("themeFill")
    return behind if is_bare else parse_colour(f"#{shade.attribute('fill')}")


def read_styles(package: Package) -> DocxStyles:
    """Read the style sheet and the lists; a document without them has plain paragraphs."""
    styles: dict[str, _Style] = {}
    default_id = ""
    for node in part_elements(package, "word/styles.xml", "style"):
        styles[node.attribute("styleId")] = _read_style(node)
        is_default = (
            node.attribute("type") == "paragraph" and node.attribute("default") in _ON_VALUES
        )
        default_id = node.attribute("styleId") if is_default else default_id
    used = {name: style.list_id for name, style in styles.items() if style.list_id}
    lists = read_docx_lists(package, used)
    return DocxStyles({**_BUILT_IN_STYLES, **styles}, default_id, lists, ListCounts())


def _level_by_style(chain: list[_Style], used: WordList) -> int:
    """Return the level that a style names, or that the list has for it."""
    levels = (used.styles.get(base.name) if base.level is None else base.level for base in chain)
    return next((level for level in levels if level is not None), 0)


def _read_style(node: XmlNode) -> _Style:
    name_parts = child_value(node, "name").lower().split()
    shade = node.find("pPr", "shd")
    return _Style(
        name=node.attribute("styleId"),
        heading=_heading_level(name_parts, node),
        list_id=child_value(node, "pPr", "numPr", "numId"),
        level=docx_number(node.find("pPr", "numPr", "ilvl")),
        # "List Bullet 2" has a separate list with one level.
        depth=int(name_parts[-1]) - 1 if name_parts and name_parts[-1] in {*"2345"} else 0,
        base=child_value(node, "basedOn"),
        # Pandoc bases these on the title's style, but they are no headings.
        is_byline=name_parts in (["author"], ["date"]),
        looks=_read_looks(node) | ({_PARAGRAPH_SHADE: shade} if shade is not None else {}),
        has_shades=any(node.subtree("shd")),
    )


def _read_looks(node: XmlNode) -> dict[str, XmlNode]:
    """Return the properties that a run or a style sets or clears."""
    properties = node.find("rPr")
    if properties is None:
        return {}
    return {child.name: child for child in properties.elements() if child.name in _LOOK_PROPERTIES}


def _heading_level(name_parts: list[str], node: XmlNode) -> int:
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
