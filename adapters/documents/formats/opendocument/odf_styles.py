"""What the styles of an OpenDocument file say, and what is gathered while it is read."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from ....values.numbers import parse_whole_number
from ..draft import StepAllowance
from ..numbering import Level, ListCounts, ListMark, Numbering
from ..office.comments_and_margins import CommentedWords
from ..office.formulas import mathml_formula
from ..office.package import BrokenFileError, Package, TooLargeError, relative_part
from ..office.xml_elements import XmlNode, parse_elements, part_elements

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


# Objects inside of OpenDocument files: formulas, and the figures that charts were made of.

_PART: Final = "content.xml"
# Elements of all objects together.
MAX_OBJECT_STEPS: Final = 30_000


def object_formula(embedded: XmlNode) -> str:
    """Return an object that is a formula as LaTeX between dollars, empty for any other."""
    math = embedded.first("math")
    return f"${mathml_formula(math)}$" if math is not None else ""


def open_object(embedded: XmlNode, package: Package, allowance: StepAllowance) -> XmlNode:
    """Return an object with the formula or the table that it holds inside of it."""
    if any(embedded.nodes("math", "table")) or allowance.is_spent:
        return embedded
    part = relative_part(_PART, f"{embedded.get('href')}/{_PART}")
    try:
        # The parts of OpenOffice have a document type, as MathML 1 asks for.
        found = next(parse_elements(package.chunks(part), "math", "table", doctype=True), None)
    except (BrokenFileError, TooLargeError):
        found = None
    if found is not None:
        allowance.spend(found.size)
        embedded.children = [found]
    return embedded


# What the styles of an OpenDocument file say, and what is gathered while it is read.

PART: Final = "content.xml"
_STYLES: Final = "styles.xml"
MARGINS: Final = ("header", "footer")
# Left, right and first pages may have others.
_MARGIN_NAMES: Final = tuple(
    f"{name}{page}" for name in MARGINS for page in ("", "-left", "-first")
)
_LISTS: Final = ("list-style", "outline-style")
_LOOKS: Final = ("style", *_LISTS, *_MARGIN_NAMES)
_MAX_MARGIN_NODES: Final = 50
_BOLD: Final = frozenset({"bold", "600", "700", "800", "900"})


class OdfStyles(msgspec.Struct, frozen=True):
    """What styles say: the parent and the emphasis of each, and how lists count.

    ``hidden`` are those of sheets and slides that are not shown, ``raised`` those of words that
    stand above the line, ``bare`` those of headings without a number; ``boxes`` are the text boxes
    and charts that are to be written.
    """

    parents: dict[str, str]
    marks: dict[str, str]
    lists: Lists
    hidden: set[str]
    raised: set[str]
    bare: set[str]
    footnotes: list[str]
    remarks: CommentedWords
    comments: list[tuple[str, str, str]]
    boxes: list[XmlNode]
    margins: list[XmlNode]
    base: str
    package: Package
    objects: StepAllowance


def read_odf_styles(package: Package, url: str) -> OdfStyles:
    """Return what the styles of a document say."""
    look = OdfStyles(
        {},
        {},
        Lists(),
        set(),
        set(),
        set(),
        [],
        CommentedWords(),
        [],
        [],
        [],
        url,
        package,
        StepAllowance(MAX_OBJECT_STEPS),
    )
    for part in (_STYLES, PART):
        for node in part_elements(package, part, *_LOOKS, element_names=("body",)):
            if node.name == "body":
                break
            if node.name in _MARGIN_NAMES:
                look.margins.extend([node] if len(look.margins) < _MAX_MARGIN_NODES else ())
                continue
            if node.name == "style":
                look.parents[node.get("name")] = node.get("parent-style-name")
                look.marks[node.get("name")] = _marks(node) if node.get("family") == "text" else ""
                look.hidden.update([node.get("name")] if _hides(node) else ())
                look.raised.update([node.get("name")] if _raises(node) else ())
                is_bare = node.attributes.get("list-style-name") == ""
                look.bare.update([node.get("name")] if is_bare else ())
            else:
                look.lists.learn(node)
    return look


def _hides(style: XmlNode) -> bool:
    sheet, slide = style.first("table-properties"), style.first("drawing-page-properties")
    return (sheet is not None and sheet.get("display") == "false") or (
        slide is not None and slide.get("visibility") == "hidden"
    )


def _raises(style: XmlNode) -> bool:
    """Tell whether words are set above the line: by so much per cent, or by a word."""
    said = style.first("text-properties")
    place = said.get("text-position") if said else ""
    return place.startswith("super") or place[:1] in {*"123456789"}


def _marks(style: XmlNode) -> str:
    """Return how markdown marks what a style of words makes of them."""
    said = style.first("text-properties")
    if said is None:
        return ""
    struck = said.get("text-line-through-style") not in ("", "none")
    bold = said.get("font-weight") in _BOLD
    italic = said.get("font-style") in ("italic", "oblique")
    return f"{'~~' * struck}{'**' * bold}{'*' * italic}"


def repeat_count(node: XmlNode, attribute: str) -> int:
    """Return how often something is repeated; once where it does not say so."""
    told = parse_whole_number(node.get(attribute), 7)
    return 1 if told is None else told
