"""What the styles of an OpenDocument file say, and what is gathered while it is read."""

from typing import Final

import msgspec

from ....values.numbers import parse_whole_number
from ..draft import StepAllowance
from ..office.comments_and_margins import CommentedWords
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from .numbering import Lists
from .objects import MAX_OBJECT_STEPS

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
