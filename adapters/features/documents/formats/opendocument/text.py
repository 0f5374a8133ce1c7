"""OpenDocument texts, from ``content.xml``, and functions that sheets and slides share.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ (read 2026-11-15)
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from webseam.adapters.pages.safe_text import superscript

from ..draft import Draft, StepAllowance
from ..markdown_writing import (
    Cell,
    disarm_pictures,
    emphasised_table,
    join_blocks,
    join_emphasised,
    leading_heading,
    make_cell,
    markdown_link,
)
from ..numbering import ListMark, marked_item, numbered_heading
from ..office import comments_and_margins
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from .odf_styles import (
    MARGINS,
    PART,
    OdfStyles,
    odf_object_formula,
    odf_repeat_count,
    open_odf_object,
    read_odf_styles,
)

BLOCKS: Final = ("h", "p", "list", "table")
_MAX_HEADING_LEVEL: Final = 6
_MAX_ITEM_DEPTH: Final = 8
_MAX_REPEATED_BLANKS: Final = 100
# About a second; an element is a step (measured 2026-11-15: 7 to 10 µs an element).
MAX_ODF_STEPS: Final = 120_000
# Comments, deleted text, and descriptions of fields that are not shown.
HIDDEN_ELEMENTS: Final = frozenset({
    "annotation", "tracked-changes", "title", "desc", "note-citation", "forms", "sequence-decls",
    "event-listeners",
})  # fmt: skip
_CELL_ELEMENTS: Final = ("table-cell", "covered-table-cell")
_TEXT_ELEMENTS: Final = frozenset({"p", "h", "span", "a"})
_SEPARATE_ELEMENTS: Final = frozenset({"annotation", "note"})
_TITLE_STYLE_LEVELS: Final = {"title": 1, "subtitle": 2}


def read_odt(package: Package, url: str) -> Draft:
    """Return a text document as markdown: headings, lists, links, tables, footnotes."""
    styles = read_odf_styles(package, url)
    blocks: list[str] = []
    allowance = StepAllowance(MAX_ODF_STEPS)
    notes: tuple[str, ...] = ()
    for node in part_elements(package, PART, *BLOCKS, "tracked-changes"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs, lists and tables",)
            break
        allowance.spend(node.size)
        blocks.append(odf_block_markdown(node, styles))
    additions = ["\n".join(styles.footnotes), _odf_comments(styles), *_odf_margin_lines(styles)]
    content = "\n\n".join(block for block in [*blocks, *additions] if block)
    hidden = len(" ".join(styles.hidden_texts).split())
    return Draft(content=content, title=leading_heading(content), notes=notes, hidden_words=hidden)


def _odf_margin_lines(styles: OdfStyles) -> Iterator[str]:
    for name in MARGINS:
        nodes = (node for node in styles.margins if node.name.startswith(name))
        shown = (node for node in nodes if node.attribute("display") != "false")
        texts = (odf_paragraphs_line(node, styles) for node in shown)
        yield comments_and_margins.margin_line(name.capitalize(), texts)


def odf_paragraphs_line(node: XmlNode, styles: OdfStyles) -> str:
    """Return the paragraphs of a node on one line."""
    waiting = len(styles.boxes)
    texts = [_odf_paragraph_line(node, styles) for node in _odf_inner_paragraphs(node)]
    # The text boxes in the node were read with the rest.
    del styles.boxes[waiting:]
    return " ".join(text for text in texts if text)


def odf_block_markdown(node: XmlNode, styles: OdfStyles) -> str:
    """Return a paragraph, a heading, a list or a table as markdown, then the text boxes in it."""
    written = [_odf_block(node, styles)]
    boxes = [*styles.boxes]
    styles.boxes.clear()
    written += [odf_block_markdown(node, styles) for box in boxes for node in box.elements(*BLOCKS)]
    return "\n\n".join(filter(None, written))


def _odf_block(node: XmlNode, styles: OdfStyles) -> str:
    match node.name:
        case "tracked-changes":
            return ""
        case "list":
            style = node.attribute("style-name")
            position = ListPosition(0, style, styles.lists.begin_odf_list(node, style))
            return join_blocks(_odf_list_items(node, styles, position))
        case "table":
            rows = (row.elements(*_CELL_ELEMENTS) for row in node.subtree("table-row"))
            return emphasised_table([[_odf_cell(cell, styles) for cell in row] for row in rows])
    level = _odf_heading_level(node, styles)
    if not level:
        return odf_paragraph_markdown(node, styles).strip()
    is_numbered = node.name == "h" and not _is_unnumbered_odf_heading(node, styles)
    mark = styles.lists.odf_heading_mark(node, level) if is_numbered else None
    return _odf_heading(level, mark, _odf_paragraph_line(node, styles))


def _odf_heading(level: int, mark: ListMark | None, text: str) -> str:
    return f"{'#' * level} {numbered_heading(mark, text)}" if text else ""


def _is_unnumbered_odf_heading(node: XmlNode, styles: OdfStyles) -> bool:
    """Tell whether the style of a heading, or its parent style, has no number."""
    style = node.attribute("style-name")
    return style in styles.bare or styles.parents.get(style) in styles.bare


def _odf_heading_level(node: XmlNode, styles: OdfStyles) -> int:
    """Return a heading's level, 0 for a paragraph; a title is a heading by its style."""
    if node.name == "h":
        level = node.attribute("outline-level")
        return min(int(level), _MAX_HEADING_LEVEL) if level in {*"123456789"} else 1
    style = node.attribute("style-name")
    name = styles.parents.get(style) or style
    return _TITLE_STYLE_LEVELS.get(name.lower(), 0)


class ListPosition(NamedTuple):
    """A position in a list: its depth, its style, and the key under which it counts."""

    depth: int
    style: str
    key: str


def _odf_list_items(
    node: XmlNode, styles: OdfStyles, position: ListPosition
) -> Iterator[tuple[str, bool]]:
    """Yield the items of a list, and headings among them with False."""
    for item in node.elements("list-item", "list-header"):
        mark: ListMark | None = None
        if item.name == "list-item" and next(item.elements("p", "h"), None):
            mark = styles.lists.odf_item_mark(item, position.style, position.key, position.depth)
        yield from _odf_item_blocks(item, styles, position, mark)


def _odf_item_blocks(
    node: XmlNode, styles: OdfStyles, position: ListPosition, mark: ListMark | None
) -> Iterator[tuple[str, bool]]:
    """Yield the paragraphs of an item, the first with its mark, and the lists in it."""
    for child in node.elements():
        if child.name == "list":
            style = child.attribute("style-name") or position.style
            inner_position = ListPosition(position.depth + 1, style, position.key)
            yield from _odf_list_items(child, styles, inner_position)
        elif child.name == "h":
            level = _odf_heading_level(child, styles)
            yield _odf_heading(level, mark, _odf_paragraph_line(child, styles)), False
            mark = None
        elif text := " ".join(odf_paragraph_markdown(child, styles).split()):
            margin = "   " * min(position.depth + 1, _MAX_ITEM_DEPTH)
            yield marked_item(mark, text) if mark else f"{margin}{text}", True
            mark = None


def _odf_cell(node: XmlNode, styles: OdfStyles) -> Cell:
    cell = make_cell(_odf_spans(node, styles, "") for node in _odf_inner_paragraphs(node))
    styles.boxes.clear()
    return cell


def _odf_inner_paragraphs(node: XmlNode) -> Iterator[XmlNode]:
    """Yield the paragraphs of a node, also in text boxes, but not in comments and notes."""
    for child in node.elements():
        if child.name in ("p", "h"):
            yield child
        if child.name not in _SEPARATE_ELEMENTS:
            yield from _odf_inner_paragraphs(child)


def odf_paragraph_markdown(node: XmlNode, styles: OdfStyles) -> str:
    """Return the text of a paragraph with its emphasis and links."""
    return disarm_pictures(join_emphasised(_odf_spans(node, styles, "")))


def _odf_paragraph_line(node: XmlNode, styles: OdfStyles) -> str:
    """Return the text of a node on one line without emphasis."""
    text = "".join(text for text, _ in _odf_spans(node, styles, ""))
    return disarm_pictures(" ".join(text.split()))


def _odf_spans(node: XmlNode, styles: OdfStyles, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a paragraph with the marks of their emphasis."""
    if node.name in _TEXT_ELEMENTS and styles.hides_odf_text(node.attribute("style-name")):
        styles.hidden_texts.append(node.inner_text())
        return
    for child in node.children:
        if isinstance(child, str):
            styles.remarks.add_commented_text(child)
            yield child, marks
        elif child.name in ("annotation", "annotation-end"):
            _note_odf_annotation(child, styles)
        # A title may also be a field in the text, and not the title of a drawing.
        elif child.name not in HIDDEN_ELEMENTS or (
            child.name == "title" and node.name in _TEXT_ELEMENTS
        ):
            yield from _odf_element_spans(child, styles, marks)


def _odf_element_spans(node: XmlNode, styles: OdfStyles, marks: str) -> Iterator[tuple[str, str]]:
    match node.name:
        case "s":
            yield " " * min(odf_repeat_count(node, "c"), _MAX_REPEATED_BLANKS), marks
        case "tab" | "line-break":
            yield "\t" if node.name == "tab" else "\n", marks
        case "text-box":
            styles.boxes.append(node)
        case "span":
            span_marks = styles.marks.get(node.attribute("style-name"), "") or marks
            spans = _odf_spans(node, styles, span_marks)
            is_raised = node.attribute("style-name") in styles.raised
            yield from [(superscript(text), node) for text, node in spans] if is_raised else spans
        case name if name in _INLINE_WRITERS:
            yield _INLINE_WRITERS[name](node, styles), ""
        case _:
            yield odf_picture_description(node, styles) if node.name == "frame" else "", ""
            yield from _odf_spans(node, styles, marks)


def _odf_link(node: XmlNode, styles: OdfStyles) -> str:
    text = join_emphasised(_odf_spans(node, styles, ""))
    return markdown_link(text, node.attribute("href"), styles.base)


def _odf_embedded_object(node: XmlNode, styles: OdfStyles) -> str:
    """Return a formula; queue a chart so that its figures follow the paragraph."""
    embedded = open_odf_object(node, styles)
    formula = odf_object_formula(embedded)
    styles.boxes.extend([] if formula else [embedded])
    return formula


def _note_odf_annotation(node: XmlNode, styles: OdfStyles) -> None:
    """Store a comment for the end; its range goes on to the end mark of the same name."""
    name = node.attribute("name")
    if node.name == "annotation-end":
        styles.remarks.end_comment_range(name)
    elif len(styles.comments) < comments_and_margins.MAX_COMMENTS:
        styles.comments.append((name, *odf_comment_text(node)))
        if name:
            styles.remarks.begin_comment_range(name)


def odf_comment_text(node: XmlNode) -> tuple[str, str]:
    """Return the author and the text of a comment."""
    author = node.find("creator")
    # Read the words directly, so that they do not join the range of another comment.
    texts = map(XmlNode.inner_text, node.subtree("p", "h"))
    return author.inner_text() if author else "", " ".join(texts)


def _odf_comments(styles: OdfStyles) -> str:
    lines = [
        comments_and_margins.comment_line(author, styles.remarks.commented_text(name) or "", text)
        for name, author, text in styles.comments
        if text.strip()
    ]
    return comments_and_margins.comments_list(lines, "## Comments")


def _odf_footnote(node: XmlNode, styles: OdfStyles) -> str:
    body = node.find("note-body")
    number = len(styles.footnotes) + 1
    styles.footnotes.append(f"[^{number}]: {odf_paragraphs_line(body, styles) if body else ''}")
    return f"[^{number}]"


_INLINE_WRITERS: Final[dict[str, Callable[[XmlNode, OdfStyles], str]]] = {
    "a": _odf_link, "note": _odf_footnote, "object": _odf_embedded_object,
}  # fmt: skip


def odf_picture_description(frame: XmlNode, styles: OdfStyles) -> str:
    """Return the description of a picture, empty for none and for a formula."""
    embedded = frame.find("object")
    if embedded is not None and odf_object_formula(open_odf_object(embedded, styles)):
        return ""
    description = frame.find("desc") or frame.find("title")
    text = " ".join(description.inner_text().split()) if description else ""
    return f"[IMAGE: {text}]" if text else ""


PACKAGE_READERS: Final = {"odt": read_odt}
