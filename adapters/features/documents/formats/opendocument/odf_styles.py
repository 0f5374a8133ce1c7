"""The styles of an OpenDocument file, its lists, and its embedded objects."""

import re
from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from webseam.adapters.reader.visibility.colours import WHITE, are_similar_colours, parse_colour
from webseam.adapters.values.json_values import parse_whole_number

from ..draft import StepAllowance
from ..numbering import Level, ListCounts, ListMark, Numbering
from ..office.comments_and_margins import CommentedWords
from ..office.formulas import mathml_formula
from ..office.package import BrokenFileError, Package, TooLargeError, relative_part
from ..office.xml_elements import XmlNode, parse_xml_elements, part_elements

_OUTLINE: Final = "outline"
_BULLET_ELEMENT: Final = "list-level-style-bullet"
_LEVEL_ELEMENTS: Final = (_BULLET_ELEMENT, "list-level-style-number", "outline-level-style")
_NUMBER_FORMS: Final = {
    "1": "decimal", "a": "lowerLetter", "A": "upperLetter", "i": "lowerRoman", "I": "upperRoman",
    "": "none", "01, 02, 03, ...": "00", "001, 002, 003, ...": "000", "1st": "ordinal",
}  # fmt: skip
# Newer programs also write the complete label: %1%.%2%.
_LEVEL_NUMBER_PATTERN: Final = re.compile(r"%([1-9])%")
_MAX_LEVEL: Final = 9
_MAX_LISTS: Final = 100_000
# Elements of all embedded objects together.
MAX_OBJECT_STEPS: Final = 30_000
CONTENT_PART: Final = "content.xml"
_STYLES_PART: Final = "styles.xml"
MARGINS: Final = ("header", "footer")
_LIST_STYLE_ELEMENTS: Final = ("list-style", "outline-style")
_PAGE_LAYOUT: Final = "page-layout"
_NO_SHADES: Final = frozenset({"", "none", "transparent", "#ffffff"})
_TINY_SIZE_PATTERN: Final = re.compile(r"(?:0?\.\d+|0|1(?:\.0+)?)pt")
_MAX_MARGIN_NODES: Final = 50
_BOLD_WEIGHTS: Final = frozenset({"bold", "600", "700", "800", "900"})


class OdfLists:
    """The levels of list styles and headings, and the current number of each list."""

    def __init__(self) -> None:
        self._levels: dict[str, Mapping[int, Level]] = {}
        self._counts = ListCounts()
        self._keys: dict[str, str] = {}
        self._list_count = 0

    def add_list_style(self, style: XmlNode) -> None:
        """Add the levels of a list style or of headings."""
        name = style.attribute("name") if style.name == "list-style" else _OUTLINE
        indexed = ((_level_index(level), level) for level in style.elements(*_LEVEL_ELEMENTS))
        levels = {index: level for index, level in indexed if index is not None}
        texts = {index: _read_level(level, index, levels) for index, level in levels.items()}
        self._levels[f"{style.name} {name}"] = texts

    def begin_list(self, node: XmlNode, style: str) -> str:
        """Return the key under which a list counts: its own, or that of the list it continues."""
        self._list_count += 1
        identity, former = node.attribute("id"), node.attribute("continue-list")
        key = f"list {self._list_count}"
        if node.attribute("continue-numbering") == "true":
            key = self._keys.get(f"style {style}", key)
        if former:
            key = self._keys.get(f"id {former}", key)
        if len(self._keys) < _MAX_LISTS:
            self._keys[f"style {style}"] = key
            self._keys.update({f"id {identity}": key} if identity else {})
        return key

    def item_mark(self, node: XmlNode, style: str, key: str, depth: int) -> ListMark | None:
        """Count an item and return its mark; None where its level has no label."""
        numbering = Numbering(key, self._levels.get(f"list-style {style}", {}))
        start = parse_whole_number(node.attribute("start-value"))
        label = self._counts.count_list_label(key, numbering, depth, start)
        return ListMark(depth, label) if label else None

    def heading_mark(self, node: XmlNode, level: int) -> ListMark | None:
        """Count a heading and return its number; None for none."""
        if node.attribute("is-list-header") == "true":
            return None
        numbering = Numbering(_OUTLINE, self._levels.get(f"outline-style {_OUTLINE}", {}))
        is_anew = node.attribute("restart-numbering") == "true"
        start = parse_whole_number(node.attribute("start-value")) if is_anew else None
        label = self._counts.count_list_label(_OUTLINE, numbering, level - 1, start)
        return ListMark(0, label) if label else None


def _read_level(node: XmlNode, index: int, levels: Mapping[int, XmlNode]) -> Level:
    start = parse_whole_number(node.attribute("start-value"))
    return Level(
        form="bullet" if node.name == _BULLET_ELEMENT else _number_form(node),
        text=_level_text(node, index, levels),
        start=1 if start is None else start,
        after=index,
    )


def _number_form(node: XmlNode) -> str:
    return _NUMBER_FORMS.get(node.attributes.get("num-format", "1"), "decimal")


def _level_text(node: XmlNode, index: int, levels: Mapping[int, XmlNode]) -> str:
    """Return the label pattern of a level: the numbers of some levels, joined by dots."""
    format_text = node.attribute("num-list-format")
    if format_text:
        return _LEVEL_NUMBER_PATTERN.sub(r"%\1", format_text)
    count = parse_whole_number(node.attribute("display-levels")) or 1
    shown = [level for level in range(max(index - count + 1, 0), index + 1) if level in levels]
    numbers = [f"%{level + 1}" for level in shown if _number_form(levels[level]) != "none"]
    return f"{node.attribute('num-prefix')}{'.'.join(numbers)}{node.attribute('num-suffix')}"


def _level_index(node: XmlNode) -> int | None:
    level = parse_whole_number(node.attribute("level"), 2)
    return level - 1 if level is not None and 0 < level <= _MAX_LEVEL else None


def object_formula(embedded: XmlNode) -> str:
    """Return an object that is a formula as LaTeX between dollars, empty for others."""
    math = embedded.find("math")
    return f"${mathml_formula(math)}$" if math is not None else ""


def read_embedded_object(embedded: XmlNode, styles: "OdfStyles") -> XmlNode:
    """Return an object with the formula or the table of its part as its child."""
    if any(embedded.elements("math", "table")) or styles.objects.is_spent:
        return embedded
    part = relative_part(CONTENT_PART, f"{embedded.attribute('href')}/{CONTENT_PART}")
    try:
        # OpenOffice writes a document type declaration, as MathML 1 requires.
        chunks = styles.package.part_chunks(part)
        content = next(parse_xml_elements(chunks, "math", "table", doctype=True), None)
    except (BrokenFileError, TooLargeError):
        content = None
    if content is not None:
        styles.objects.spend(content.size)
        embedded.children = [content]
    return embedded


# Left and first pages may have headers and footers of their own.
_MARGIN_NAMES: Final = tuple(f"{name}{end}" for name in MARGINS for end in ("", "-left", "-first"))
_STYLE_ELEMENTS: Final = ("style", _PAGE_LAYOUT, *_LIST_STYLE_ELEMENTS, *_MARGIN_NAMES)


class OdfStyles(msgspec.Struct, frozen=True):
    """The styles of a document by name, and the state while it is read.

    ``hidden`` are styles of hidden sheets and slides, ``raised`` of superscript text, ``bare`` of
    headings without a number, ``unseen`` of text that nobody can see, ``white`` of such text unless
    there are ``shades``; ``boxes`` are text boxes and charts that are still to be written.
    """

    base: str
    package: Package
    lists: OdfLists
    remarks: CommentedWords
    objects: StepAllowance
    parents: dict[str, str] = {}
    marks: dict[str, str] = {}
    hidden: set[str] = set()
    raised: set[str] = set()
    bare: set[str] = set()
    unseen: set[str] = set()
    white: set[str] = set()
    shades: set[str] = set()
    hidden_texts: list[str] = []
    footnotes: list[str] = []
    comments: list[tuple[str, str, str]] = []
    boxes: list[XmlNode] = []
    margins: list[XmlNode] = []

    def is_hidden_text(self, style: str) -> bool:
        """Tell whether nobody can see the text of a style; white may be on a shade."""
        return style in self.unseen or (style in self.white and not self.shades)


def read_styles(package: Package, url: str) -> OdfStyles:
    """Read the styles of a document."""
    allowance = StepAllowance(MAX_OBJECT_STEPS)
    styles = OdfStyles(url, package, OdfLists(), CommentedWords(), allowance)
    for part in (_STYLES_PART, CONTENT_PART):
        for node in part_elements(package, part, *_STYLE_ELEMENTS, element_names=("body",)):
            if node.name == "body":
                break
            if node.name in _MARGIN_NAMES:
                styles.margins.extend([node] if len(styles.margins) < _MAX_MARGIN_NODES else ())
                continue
            styles.shades.update(_shades(node))
            if node.name == "style":
                name = node.attribute("name")
                styles.parents[name] = node.attribute("parent-style-name")
                is_text_style = node.attribute("family") == "text"
                styles.marks[name] = _emphasis_marks(node) if is_text_style else ""
                styles.hidden.update([name] if _is_hiding_style(node) else ())
                styles.raised.update([name] if _is_superscript_style(node) else ())
                _note_unseen_style(node, name, styles)
                is_bare = node.attributes.get("list-style-name") == ""
                styles.bare.update([name] if is_bare else ())
            else:
                styles.lists.add_list_style(node)
    return styles


def _is_hiding_style(style: XmlNode) -> bool:
    sheet, slide = style.find("table-properties"), style.find("drawing-page-properties")
    is_hidden_slide = slide is not None and slide.attribute("visibility") == "hidden"
    return is_hidden_slide or (sheet is not None and sheet.attribute("display") == "false")


def _note_unseen_style(style: XmlNode, name: str, styles: "OdfStyles") -> None:
    """Note a style whose text is hidden, of at most a point, or white."""
    properties = style.find("text-properties")
    if properties is not None:
        colour = parse_colour(properties.attribute("color"))
        is_tiny = _TINY_SIZE_PATTERN.fullmatch(properties.attribute("font-size")) is not None
        is_unseen = is_tiny or properties.attribute("display") == "none"
        styles.unseen.update([name] if is_unseen else ())
        styles.white.update([name] if colour and are_similar_colours(colour, WHITE) else ())


def _shades(node: XmlNode) -> Iterator[str]:
    """Yield the colours and patterns of backgrounds, except white."""
    for properties in node.elements():
        for name in ("background-color", "fill"):
            if properties.attribute(name).lower() not in _NO_SHADES:
                yield properties.attribute(name)


def _is_superscript_style(style: XmlNode) -> bool:
    """Tell whether a style is superscript: ``super``, or a positive percentage."""
    properties = style.find("text-properties")
    position = properties.attribute("text-position") if properties else ""
    return position.startswith("super") or position[:1] in {*"123456789"}


def _emphasis_marks(style: XmlNode) -> str:
    properties = style.find("text-properties")
    if properties is None:
        return ""
    struck = properties.attribute("text-line-through-style") not in ("", "none")
    bold = properties.attribute("font-weight") in _BOLD_WEIGHTS
    italic = properties.attribute("font-style") in ("italic", "oblique")
    return f"{'~~' * struck}{'**' * bold}{'*' * italic}"


def repeat_count(node: XmlNode, attribute: str) -> int:
    """Return a repeat count; 1 where the attribute is missing."""
    count = parse_whole_number(node.attribute(attribute), 7)
    return 1 if count is None else count
