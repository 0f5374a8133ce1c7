"""The words of a Word document: what runs say, with their emphasis, links and marks.

Deleted and hidden text goes. What is drawn in a paragraph, boxes and charts, is kept for after it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Final

import msgspec

from .....pages.safe_text import MIN_RAISED_HALF_POINTS, superscript
from ...markdown_writing import (
    Cell,
    disarm_pictures,
    field_target,
    join_emphasised,
    make_cell,
    markdown_link,
)
from ...numbering import ListMark, numbered_heading
from ...symbols import font_symbol, with_symbols
from ..charts import chart_blocks, diagram_list
from ..comments_and_margins import CommentedWords
from ..formulas import omml_formula
from ..package import Package
from ..xml_elements import XmlNode
from .docx_lists import read_number
from .docx_styles import Styles

_MAKING, _BEGIN, _PART, _END = "\x12", "\x13", "\x14", "\x15"
_MARKS: Final = {"begin": _BEGIN, "separate": _PART, "end": _END}
_MAX_FIELD_DEPTH: Final = 20
_MAX_INSTRUCTION_CHARS: Final = 8_000
Span = tuple[str, str]


class _Field:
    """A field that was begun: its instruction, and where what it shows begins."""

    def __init__(self) -> None:
        self.making = ""
        self.begin: int | None = None


def field_sign(node: XmlNode) -> str:
    """Return the sign of a mark; a box to be ticked is shown in place of its field."""
    box = next((each for each in node.walk() if each.name == "checkBox"), None)
    return _MARKS.get(node.get("fldCharType"), "") if box is None else _ticked(box)


def _ticked(box: XmlNode) -> str:
    mark = box.first("checked") or box.first("default")
    return "[x]" if mark is not None and mark.get("val") not in ("0", "false") else "[ ]"


def instruction_text(node: XmlNode) -> str:
    """Return a piece of an instruction behind its sign."""
    return f"{_MAKING}{node.words()[:_MAX_INSTRUCTION_CHARS]}"


def without_fields(spans: Iterable[Span], base: str) -> list[Span]:
    """Return the texts without signs, and what a link shows as a link."""
    done: list[Span] = []
    opened: list[_Field] = []
    for text, marks in spans:
        sign = text[:1]
        if sign == _BEGIN:
            opened += [_Field()] if len(opened) < _MAX_FIELD_DEPTH else []
        elif sign in (_MAKING, _PART, _END):
            _go_on(sign, text, opened, done, base)
        else:
            done.append((text, marks))
    return done


def _go_on(sign: str, text: str, opened: list[_Field], done: list[Span], base: str) -> None:
    if not opened:
        return
    field = opened[-1]
    if sign == _MAKING:
        field.making = (field.making + text[1:])[:_MAX_INSTRUCTION_CHARS]
    elif sign == _PART:
        field.begin = len(done)
    else:
        opened.pop()
        target = field_target(field.making)
        shown = join_emphasised(done[field.begin :]) if target and field.begin is not None else ""
        if shown.strip():
            done[field.begin :] = [(markdown_link(shown, target, base), "")]


# The words of a Word document: what runs say, with their emphasis, links and marks.

# Text that was deleted or moved away, and the second copy that older programs are given.
_SKIPPED: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr"})
_FIELDS: Final = frozenset({"fldChar", "instrText"})
_REFERENCES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


class ParagraphContext(msgspec.Struct, frozen=True):
    """What paragraphs refer to.

    ``cited`` are the footnotes in the order they are referred to, ``boxes`` and ``drawn`` the text
    boxes and what charts and diagrams say, until they are written.
    """

    package: Package
    styles: Styles
    links: Mapping[str, str]
    base: str
    remarks: CommentedWords
    cited: list[str] = []
    boxes: list[XmlNode] = []
    drawn: list[str] = []


def inner_paragraphs(node: XmlNode) -> Iterator[XmlNode]:
    """Yield the paragraphs inside, also those of tables and text boxes, each once."""
    for child in node.nodes():
        if child.name == "p":
            yield child
        if child.name not in _SKIPPED:
            yield from inner_paragraphs(child)


def cell_text(node: XmlNode, context: ParagraphContext) -> Cell:
    """Return a cell's text; a table or a box inside it is read as its text too."""
    read = make_cell(_labelled(one, context) for one in inner_paragraphs(node))
    context.boxes.clear()
    return read


def _labelled(node: XmlNode, context: ParagraphContext) -> list[tuple[str, str]]:
    """Return the texts of a paragraph behind the number that a list gives it."""
    said = without_fields(paragraph_spans(node, context, ""), context.base)
    mark = mark_before(node, context, "".join(text for text, _ in said))
    label = numbered_heading(mark, "")
    return [(f"{label} ", ""), *said] if label else said


def mark_before(node: XmlNode, context: ParagraphContext, text: str) -> ListMark | None:
    """Return the mark of a list before a paragraph; an empty one counts if it is still there."""
    return context.styles.mark(node) if text.strip() or _is_there(node) else None


def _is_there(paragraph: XmlNode) -> bool:
    """Tell whether a paragraph without words is a line: not deleted, nor only a section's end."""
    looks = paragraph.first("pPr", "rPr")
    is_gone = looks is not None and any(looks.nodes("del", "moveFrom", "vanish"))
    is_parting = paragraph.first("pPr", "sectPr") is not None and paragraph.first("r") is None
    return not (is_gone or is_parting)


def paragraph_line(node: XmlNode, context: ParagraphContext) -> str:
    """Return the text of a paragraph in one line, where its role is emphasis enough."""
    said = without_fields(paragraph_spans(node, context, ""), context.base)
    return disarm_pictures(" ".join("".join(text for text, _ in said).split()))


def paragraph_markdown(node: XmlNode, context: ParagraphContext) -> str:
    """Return the text of a paragraph with its emphasis."""
    return disarm_pictures(
        join_emphasised(without_fields(paragraph_spans(node, context, ""), context.base))
    )


def paragraph_spans(
    node: XmlNode, context: ParagraphContext, marks: str
) -> Iterator[tuple[str, str]]:
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
            said = paragraph_spans(child, context, own)
            yield from (
                ((superscript(text), mark) for text, mark in said) if _is_raised(child) else said
            )


def _linked(node: XmlNode, context: ParagraphContext) -> str:
    return markdown_link(paragraph_markdown(node, context), _target(node, context), context.base)


def _cited(node: XmlNode, context: ParagraphContext) -> str:
    context.cited.append(f"{_REFERENCES[node.name]}{node.get('id')}")
    return f"[^{len(context.cited)}]"


def _remarked(node: XmlNode, context: ParagraphContext) -> str:
    _REMARKED[node.name](context.remarks, node.get("id"))
    return ""


def _target(node: XmlNode, context: ParagraphContext) -> str:
    """Return where a link points to, with the place there."""
    out = context.links.get(node.get("id"), "")
    place = node.get("anchor")
    return (
        f"{out}#{place}"
        if out and place and "#" not in out
        else out or field_target(node.get("instr"))
    )


def _picture(node: XmlNode, _context: ParagraphContext) -> str:
    """Return what somebody wrote about a picture, for those who do not see it."""
    words = " ".join(node.get("descr").split())
    return f"[IMAGE: {words}]" if words else ""


def _drawn(node: XmlNode, context: ParagraphContext) -> str:
    """Keep what a chart or a diagram says, which is in another part, for after the paragraph."""
    read, attribute = _GRAPHICS[node.name]
    context.drawn.append(read(context.package, context.links.get(node.get(attribute), "")))
    return ""


def _boxed(node: XmlNode, context: ParagraphContext) -> str:
    context.boxes.append(node)
    return ""


def _apart(node: XmlNode, context: ParagraphContext) -> str:
    """Return what is said about a picture among the words, a blank where nothing is."""
    return "".join(text for text, _ in paragraph_spans(node, context, "")) or " "


def _ruby(node: XmlNode, context: ParagraphContext) -> str:
    """Return letters with the reading that stands above them behind them."""
    base, above = (
        paragraph_markdown(found, context) if (found := node.first(name)) else ""
        for name in ("rubyBase", "rt")
    )
    return f"{base}({above})" if base and above else base


def _is_hidden(run: XmlNode) -> bool:
    mark = run.first("rPr", "vanish")
    return mark is not None and mark.get("val") not in ("0", "false")


def _is_raised(run: XmlNode) -> bool:
    """Tell whether a run stands above the line, said so or by half points."""
    place = run.first("rPr", "vertAlign")
    height = read_number(run.first("rPr", "position")) or 0
    return height >= MIN_RAISED_HALF_POINTS or (
        place is not None and place.get("val") == "superscript"
    )


def _fonts(run: XmlNode) -> Iterator[str]:
    """Yield the fonts that a run says it is set in."""
    fonts = run.first("rPr", "rFonts")
    if fonts:
        yield from (fonts.get(name) for name in ("ascii", "hAnsi", "cs", "eastAsia"))


def _sign(node: XmlNode) -> str:
    """Return a letter of a font of signs."""
    try:
        return font_symbol(node.get("font"), int(node.get("char"), 16))
    except (ValueError, OverflowError):
        return ""


_REMARKED: Final[dict[str, Callable[[CommentedWords, str], None]]] = {
    "commentRangeStart": CommentedWords.begin,
    "commentRangeEnd": CommentedWords.end,
    "commentReference": CommentedWords.meet,
}
_GRAPHICS: Final = {"chart": (chart_blocks, "id"), "relIds": (diagram_list, "dm")}
_WRITTEN: Final[dict[str, Callable[[XmlNode], str]]] = {
    "t": XmlNode.words,
    "tab": lambda _: "\t",
    "ptab": lambda _: "\t",
    "br": lambda _: "\n",
    "cr": lambda _: "\n",
    "noBreakHyphen": lambda _: "-",
    "sym": _sign,
    "fldChar": field_sign,
    "instrText": instruction_text,
}
_READ: Final[dict[str, Callable[[XmlNode, ParagraphContext], str]]] = {
    "hyperlink": _linked,
    "fldSimple": _linked,
    "docPr": _picture,
    "oMath": lambda node, _: omml_formula(node),
    "oMathPara": lambda node, _: omml_formula(node),
    "ruby": _ruby,
    "txbxContent": _boxed,
    "inline": _apart,
    "object": _apart,
    **dict.fromkeys(_GRAPHICS, _drawn),
    **dict.fromkeys(_REFERENCES, _cited),
    **dict.fromkeys(_REMARKED, _remarked),
}
