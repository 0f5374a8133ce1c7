"""The words of a Word document: what runs say, with their emphasis, links and marks.

Deleted and hidden text goes. What is drawn in a paragraph, boxes and charts, is kept for after it.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from ....text import LEAST_RAISED, raised
from ...markup import Cell, cell_of, field_target, link, marked_up, tamed
from ...numbering.counting import Mark, headed
from ...symbols import symbol, with_symbols
from ..formulas import formula
from ..graphics import chart, diagram
from ..margins import Remarks
from ..package import Package
from ..xml import Node
from .fields import instruction_of, mark_of, without_fields
from .lists import number_of
from .styles import Styles

# Text that was deleted or moved away, and the second copy that older programs are given.
_SKIPPED: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr"})
_FIELDS: Final = frozenset({"fldChar", "instrText"})
_REFERENCES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


class Context(msgspec.Struct, frozen=True):
    """What paragraphs refer to.

    ``cited`` are the footnotes in the order they are referred to, ``boxes`` and ``drawn`` the text
    boxes and what charts and diagrams say, until they are written.
    """

    package: Package
    styles: Styles
    links: Mapping[str, str]
    base: str
    remarks: Remarks
    cited: list[str] = []
    boxes: list[Node] = []
    drawn: list[str] = []


def paragraphs(node: Node) -> Iterator[Node]:
    """Yield the paragraphs inside, also those of tables and text boxes, each once."""
    for child in node.nodes():
        if child.name == "p":
            yield child
        if child.name not in _SKIPPED:
            yield from paragraphs(child)


def cell(node: Node, context: Context) -> Cell:
    """Return a cell's text; a table or a box inside it is read as its text too."""
    read = cell_of(_labelled(one, context) for one in paragraphs(node))
    context.boxes.clear()
    return read


def _labelled(node: Node, context: Context) -> list[tuple[str, str]]:
    """Return the texts of a paragraph behind the number that a list gives it."""
    said = without_fields(spans(node, context, ""), context.base)
    mark = mark_before(node, context, "".join(text for text, _ in said))
    label = headed(mark, "")
    return [(f"{label} ", ""), *said] if label else said


def mark_before(node: Node, context: Context, text: str) -> Mark | None:
    """Return the mark of a list before a paragraph; an empty one counts if it is still there."""
    return context.styles.mark(node) if text.strip() or _is_there(node) else None


def _is_there(paragraph: Node) -> bool:
    """Tell whether a paragraph without words is a line: not deleted, nor only a section's end."""
    looks = paragraph.first("pPr", "rPr")
    is_gone = looks is not None and any(looks.nodes("del", "moveFrom", "vanish"))
    is_parting = paragraph.first("pPr", "sectPr") is not None and paragraph.first("r") is None
    return not (is_gone or is_parting)


def plain(node: Node, context: Context) -> str:
    """Return the text of a paragraph in one line, where its role is emphasis enough."""
    said = without_fields(spans(node, context, ""), context.base)
    return tamed(" ".join("".join(text for text, _ in said).split()))


def marked(node: Node, context: Context) -> str:
    """Return the text of a paragraph with its emphasis."""
    return tamed(marked_up(without_fields(spans(node, context, ""), context.base)))


def spans(node: Node, context: Context, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the text of a paragraph, run by run, each with the marks of its emphasis."""
    for child in node.nodes():
        if child.name in _WRITTEN:
            text = with_symbols(_WRITTEN[child.name](child), _fonts(node))
            if child.name not in _FIELDS:
                context.remarks.hear(text)
            yield text, marks
        elif child.name in _READ:
            yield _READ[child.name](child, context), ""
        elif child.name not in _SKIPPED and not _is_hidden(child):
            own = context.styles.emphasis(child) if child.name == "r" else marks
            said = spans(child, context, own)
            yield from ((raised(text), mark) for text, mark in said) if _is_raised(child) else said


def _linked(node: Node, context: Context) -> str:
    return link(marked(node, context), _target(node, context), context.base)


def _cited(node: Node, context: Context) -> str:
    context.cited.append(f"{_REFERENCES[node.name]}{node.get('id')}")
    return f"[^{len(context.cited)}]"


def _remarked(node: Node, context: Context) -> str:
    _REMARKED[node.name](context.remarks, node.get("id"))
    return ""


def _target(node: Node, context: Context) -> str:
    """Return where a link points to, with the place there."""
    out = context.links.get(node.get("id"), "")
    place = node.get("anchor")
    return (
        f"{out}#{place}"
        if out and place and "#" not in out
        else out or field_target(node.get("instr"))
    )


def _picture(node: Node, _context: Context) -> str:
    """Return what somebody wrote about a picture, for those who do not see it."""
    words = " ".join(node.get("descr").split())
    return f"[IMAGE: {words}]" if words else ""


def _drawn(node: Node, context: Context) -> str:
    """Keep what a chart or a diagram says, which is in another part, for after the paragraph."""
    read, attribute = _GRAPHICS[node.name]
    context.drawn.append(read(context.package, context.links.get(node.get(attribute), "")))
    return ""


def _boxed(node: Node, context: Context) -> str:
    context.boxes.append(node)
    return ""


def _apart(node: Node, context: Context) -> str:
    """Return what is said about a picture among the words, a blank where nothing is."""
    return "".join(text for text, _ in spans(node, context, "")) or " "


def _ruby(node: Node, context: Context) -> str:
    """Return letters with the reading that stands above them behind them."""
    base, above = (
        marked(found, context) if (found := node.first(name)) else "" for name in ("rubyBase", "rt")
    )
    return f"{base}({above})" if base and above else base


def _is_hidden(run: Node) -> bool:
    mark = run.first("rPr", "vanish")
    return mark is not None and mark.get("val") not in ("0", "false")


def _is_raised(run: Node) -> bool:
    """Tell whether a run stands above the line, said so or by half points."""
    place = run.first("rPr", "vertAlign")
    height = number_of(run.first("rPr", "position")) or 0
    return height >= LEAST_RAISED or (place is not None and place.get("val") == "superscript")


def _fonts(run: Node) -> Iterator[str]:
    """Yield the fonts that a run says it is set in."""
    fonts = run.first("rPr", "rFonts")
    if fonts:
        yield from (fonts.get(name) for name in ("ascii", "hAnsi", "cs", "eastAsia"))


def _sign(node: Node) -> str:
    """Return a letter of a font of signs."""
    try:
        return symbol(node.get("font"), int(node.get("char"), 16))
    except (ValueError, OverflowError):
        return ""


_REMARKED: Final[dict[str, Callable[[Remarks, str], None]]] = {
    "commentRangeStart": Remarks.begin,
    "commentRangeEnd": Remarks.end,
    "commentReference": Remarks.meet,
}
_GRAPHICS: Final = {"chart": (chart, "id"), "relIds": (diagram, "dm")}
_WRITTEN: Final[dict[str, Callable[[Node], str]]] = {
    "t": Node.words,
    "tab": lambda _: "\t",
    "ptab": lambda _: "\t",
    "br": lambda _: "\n",
    "cr": lambda _: "\n",
    "noBreakHyphen": lambda _: "-",
    "sym": _sign,
    "fldChar": mark_of,
    "instrText": instruction_of,
}
_READ: Final[dict[str, Callable[[Node, Context], str]]] = {
    "hyperlink": _linked,
    "fldSimple": _linked,
    "docPr": _picture,
    "oMath": lambda node, _: formula(node),
    "oMathPara": lambda node, _: formula(node),
    "ruby": _ruby,
    "txbxContent": _boxed,
    "inline": _apart,
    "object": _apart,
    **dict.fromkeys(_GRAPHICS, _drawn),
    **dict.fromkeys(_REFERENCES, _cited),
    **dict.fromkeys(_REMARKED, _remarked),
}
