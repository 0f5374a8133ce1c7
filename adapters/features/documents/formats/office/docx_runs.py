"""The runs of a Word document, with their emphasis, links and notes.

Deleted and hidden text is left out. Text boxes and charts are queued until after their paragraph.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from webseam.adapters.pages.safe_text import MIN_RAISED_HALF_POINTS
from webseam.adapters.reader.visibility.colours import Colour
from webseam.adapters.values.superscripts import superscript
from webseam.ports.text import disarm_pictures

from .. import markdown_writing, symbols
from ..numbering import ListMark, numbered_heading
from . import comments_and_margins, docx_lists, docx_styles, formulas
from .charts import chart_blocks, diagram_list
from .package import Package
from .xml_elements import XmlNode

_INSTRUCTION, _BEGIN, _SEPARATOR, _END = "\x12", "\x13", "\x14", "\x15"
_FIELD_SIGNS: Final = {"begin": _BEGIN, "separate": _SEPARATOR, "end": _END}
_MAX_FIELD_DEPTH: Final = 20
_MAX_INSTRUCTION_CHARS: Final = 8_000
Span = tuple[str, str]
# Text that was moved away, and the fallback copy for older programs.
_HIDDEN_ELEMENTS: Final = frozenset({"moveFrom", "Fallback", "pPr", "rPr"})
_FIELD_ELEMENTS: Final = frozenset({"fldChar", "instrText"})
_NOTE_REFERENCES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}
_COMMENT_EVENTS: Final[dict[str, Callable[[comments_and_margins.CommentedWords, str], None]]] = {
    "commentRangeStart": comments_and_margins.CommentedWords.begin_comment_range,
    "commentRangeEnd": comments_and_margins.CommentedWords.end_comment_range,
    "commentReference": comments_and_margins.CommentedWords.note_comment,
}
_GRAPHIC_READERS: Final = {"chart": (chart_blocks, "id"), "relIds": (diagram_list, "dm")}


def field_sign(node: XmlNode) -> str:
    """Return the control character of a field mark, or the mark of a checkbox."""
    box = next(node.subtree("checkBox"), None)
    if box is None:
        return _FIELD_SIGNS.get(node.attribute("fldCharType"), "")
    flag = box.find("checked") or box.find("default")
    return "[x]" if flag is not None and flag.attribute("val") not in ("0", "false") else "[ ]"


def resolve_fields(node: XmlNode, context: "ParagraphContext") -> list[Span]:
    """Return the texts of a paragraph without control characters; link fields become links."""
    written: list[Span] = []
    fields: list[markdown_writing.OpenField] = []
    if node.name == "p":
        backdrop = context.styles.paragraph_backdrop(node, context.backdrop.colour)
        context = msgspec.structs.replace(context, backdrop=backdrop)
    for text, marks in paragraph_spans(node, context, ""):
        sign = text[:1]
        if sign == _BEGIN:
            fields += [markdown_writing.OpenField()] if len(fields) < _MAX_FIELD_DEPTH else []
        elif sign in (_INSTRUCTION, _SEPARATOR, _END):
            _continue_field(sign, text, fields, written, context.base)
        else:
            written.append((text, marks))
    return written


def _continue_field(
    sign: str, text: str, fields: list[markdown_writing.OpenField], written: list[Span], base: str
) -> None:
    if not fields:
        return
    field = fields[-1]
    if sign == _INSTRUCTION:
        field.instruction = (field.instruction + text[1:])[:_MAX_INSTRUCTION_CHARS]
    elif sign == _SEPARATOR:
        field.begin = len(written)
    else:
        fields.pop()
        target = markdown_writing.field_target(field.instruction)
        has_link = target and field.begin is not None
        shown = markdown_writing.join_spans(written[field.begin :]) if has_link else ""
        if shown.strip():
            written[field.begin :] = [(markdown_writing.markdown_link(shown, target, base), "")]


class ParagraphContext(msgspec.Struct, frozen=True):
    """The objects that paragraphs refer to.

    ``cited`` are the footnotes in the order of citation; ``boxes`` and ``drawn`` are text boxes and
    the texts of charts and diagrams that are still to be written; ``hidden`` are deleted texts
    and those that nobody can see.
    """

    package: Package
    styles: docx_styles.DocxStyles
    links: Mapping[str, str]
    base: str
    remarks: comments_and_margins.CommentedWords
    has_pictures_behind: Callable[[], bool]
    cited: list[str] = []
    boxes: list[XmlNode] = []
    drawn: list[str] = []
    hidden: list[str] = []
    backdrop: docx_styles.Backdrop = docx_styles.Backdrop()

    def over_colour(self, colour: Colour | None) -> "ParagraphContext":
        """Return the context of paragraphs over a colour, None for an unknown one."""
        return msgspec.structs.replace(self, backdrop=docx_styles.Backdrop(colour))


def inner_paragraphs(
    node: XmlNode, context: ParagraphContext
) -> Iterator[tuple[XmlNode, ParagraphContext]]:
    """Yield the paragraphs of a node, also those in tables and text boxes, each once."""
    for child in node.elements():
        if child.name == "p":
            yield child, context
        if child.name not in _HIDDEN_ELEMENTS:
            is_inner = child.name in ("tbl", "txbxContent")
            inner_context = context.over_colour(None) if is_inner else context
            yield from inner_paragraphs(child, inner_context)


def cell_text(node: XmlNode, context: ParagraphContext) -> markdown_writing.Cell:
    """Return a cell's text, with that of tables and text boxes in it."""
    cell = markdown_writing.make_cell(
        _label_spans(*paragraph) for paragraph in inner_paragraphs(node, context)
    )
    context.boxes.clear()
    return cell


def _label_spans(node: XmlNode, context: ParagraphContext) -> list[Span]:
    """Return the texts of a paragraph with its list number before them."""
    spans = resolve_fields(node, context)
    mark = list_mark(node, context, "".join(text for text, _ in spans))
    label = numbered_heading(mark, "")
    return [(f"{label} ", ""), *spans] if label else spans


def list_mark(node: XmlNode, context: ParagraphContext, text: str) -> ListMark | None:
    """Return the list mark of a paragraph; a visible empty paragraph counts too."""
    return context.styles.list_mark(node) if text.strip() or _is_visible_paragraph(node) else None


def _is_visible_paragraph(paragraph: XmlNode) -> bool:
    """Tell whether an empty paragraph is visible: not deleted, nor the end of a section."""
    properties = paragraph.find("pPr", "rPr")
    is_deleted = properties is not None and any(properties.elements("del", "moveFrom", "vanish"))
    is_section_end = paragraph.find("pPr", "sectPr") is not None and paragraph.find("r") is None
    return not (is_deleted or is_section_end)


def paragraph_line(node: XmlNode, context: ParagraphContext) -> str:
    """Return the text of a paragraph on one line without emphasis."""
    spans = resolve_fields(node, context)
    return disarm_pictures(" ".join("".join(text for text, _ in spans).split()))


def paragraph_markdown(node: XmlNode, context: ParagraphContext) -> str:
    """Return the text of a paragraph with its emphasis."""
    return disarm_pictures(markdown_writing.join_spans(resolve_fields(node, context)))


def paragraph_spans(node: XmlNode, context: ParagraphContext, marks: str) -> Iterator[Span]:
    """Yield the runs of a paragraph with the marks of their emphasis."""
    for child in node.elements():
        if child.name in _TEXT_WRITERS:
            text = symbols.replace_private_letters(
                _TEXT_WRITERS[child.name](child), _run_fonts(node)
            )
            if child.name not in _FIELD_ELEMENTS:
                context.remarks.add_commented_text(text)
            yield text, marks
        elif child.name in _ELEMENT_READERS:
            yield _ELEMENT_READERS[child.name](child, context), ""
        elif child.name == "del":
            context.hidden.extend(map(XmlNode.inner_text, child.subtree("delText")))
        elif child.name not in _HIDDEN_ELEMENTS:
            read = _run_spans if child.name == "r" else paragraph_spans
            yield from read(child, context, marks)


def _run_spans(run: XmlNode, context: ParagraphContext, _marks: str) -> Iterator[Span]:
    looks = context.styles.run_looks(run)
    if context.backdrop.hides_run(looks, context.has_pictures_behind):
        context.hidden.extend(map(XmlNode.inner_text, run.subtree("t")))
        return
    spans = paragraph_spans(run, context, docx_styles.emphasis_marks(looks))
    # The alignment of a run, or its position in half points, tells whether it is superscript.
    alignment = run.find("rPr", "vertAlign")
    height = docx_lists.docx_number(run.find("rPr", "position")) or 0
    is_raised = height >= MIN_RAISED_HALF_POINTS or (
        alignment is not None and alignment.attribute("val") == "superscript"
    )
    yield from ((superscript(text), mark) for text, mark in spans) if is_raised else spans


def _link(node: XmlNode, context: ParagraphContext) -> str:
    text = paragraph_markdown(node, context)
    return markdown_writing.markdown_link(text, _link_target(node, context), context.base)


def _cite_footnote(node: XmlNode, context: ParagraphContext) -> str:
    context.cited.append(f"{_NOTE_REFERENCES[node.name]}{node.attribute('id')}")
    return f"[^{len(context.cited)}]"


def _note_comment_range(node: XmlNode, context: ParagraphContext) -> str:
    _COMMENT_EVENTS[node.name](context.remarks, node.attribute("id"))
    return ""


def _link_target(node: XmlNode, context: ParagraphContext) -> str:
    url = context.links.get(node.attribute("id"), "")
    anchor = node.attribute("anchor")
    if url and anchor and "#" not in url:
        return f"{url}#{anchor}"
    return url or markdown_writing.field_target(node.attribute("instr"))


def _picture_description(node: XmlNode, _context: ParagraphContext) -> str:
    description = " ".join(node.attribute("descr").split())
    return f"[IMAGE: {description}]" if description else ""


def _queue_graphic(node: XmlNode, context: ParagraphContext) -> str:
    """Queue the text of a chart or a diagram, which is in another part."""
    read, attribute = _GRAPHIC_READERS[node.name]
    context.drawn.append(read(context.package, context.links.get(node.attribute(attribute), "")))
    return ""


def _queue_text_box(node: XmlNode, context: ParagraphContext) -> str:
    context.boxes.append(node)
    return ""


def _inline_drawing(node: XmlNode, context: ParagraphContext) -> str:
    """Return the description of an inline drawing, a blank for none."""
    return "".join(text for text, _ in paragraph_spans(node, context, "")) or " "


def _ruby_text(node: XmlNode, context: ParagraphContext) -> str:
    """Return ruby text as the base with its reading in parentheses."""
    base, above = (
        paragraph_markdown(child, context) if (child := node.find(name)) else ""
        for name in ("rubyBase", "rt")
    )
    return f"{base}({above})" if base and above else base


def _run_fonts(run: XmlNode) -> Iterator[str]:
    fonts = run.find("rPr", "rFonts")
    if fonts:
        yield from (fonts.attribute(name) for name in ("ascii", "hAnsi", "cs", "eastAsia"))


def _symbol_text(node: XmlNode) -> str:
    try:
        return symbols.font_symbol(node.attribute("font"), int(node.attribute("char"), 16))
    except (ValueError, OverflowError):
        return ""


_TEXT_WRITERS: Final[dict[str, Callable[[XmlNode], str]]] = {
    "t": XmlNode.inner_text,
    "tab": lambda _: "\t",
    "ptab": lambda _: "\t",
    "br": lambda _: "\n",
    "cr": lambda _: "\n",
    "noBreakHyphen": lambda _: "-",
    "sym": _symbol_text,
    "fldChar": field_sign,
    "instrText": lambda node: f"{_INSTRUCTION}{node.inner_text()[:_MAX_INSTRUCTION_CHARS]}",
}
_ELEMENT_READERS: Final[dict[str, Callable[[XmlNode, ParagraphContext], str]]] = {
    "hyperlink": _link,
    "fldSimple": _link,
    "docPr": _picture_description,
    "oMath": lambda node, _: formulas.omml_formula(node),
    "oMathPara": lambda node, _: formulas.omml_formula(node),
    "ruby": _ruby_text,
    "txbxContent": _queue_text_box,
    "inline": _inline_drawing,
    "object": _inline_drawing,
    **dict.fromkeys(_GRAPHIC_READERS, _queue_graphic),
    **dict.fromkeys(_NOTE_REFERENCES, _cite_footnote),
    **dict.fromkeys(_COMMENT_EVENTS, _note_comment_range),
}
