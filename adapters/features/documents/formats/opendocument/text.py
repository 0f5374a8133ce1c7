"""OpenDocument texts, from ``content.xml``, and functions that sheets and slides share.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ (read 2026-11-15)
"""

from collections.abc import Callable, Iterator
from typing import Final, NamedTuple

from webseam.adapters.values.superscripts import superscript
from webseam.ports.text import disarm_pictures

from ..draft import Cut, Draft, StepAllowance, left_out_parts
from ..markdown_writing import (
    Cell,
    emphasised_table,
    join_blocks,
    join_spans,
    leading_heading,
    make_cell,
    markdown_link,
)
from ..numbering import ListMark, marked_item, numbered_heading
from ..office import comments_and_margins
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from .odf_styles import (
    CONTENT_PART,
    MARGINS,
    OdfStyles,
    object_formula,
    read_embedded_object,
    read_styles,
    repeat_count,
)

BLOCK_ELEMENTS: Final = ("h", "p", "list", "table")
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
    styles = read_styles(package, url)
    blocks: list[str] = []
    allowance = StepAllowance(MAX_ODF_STEPS)
    cuts: tuple[Cut, ...] = ()
    for node in part_elements(package, CONTENT_PART, *BLOCK_ELEMENTS, "tracked-changes"):
        if allowance.is_spent:
            note = f"only the first {len(blocks):,} paragraphs, lists and tables"
            cuts = (Cut("work", note),)
            break
        allowance.spend(node.size)
        blocks.append(block_markdown(node, styles))
    additions = ["\n".join(styles.footnotes), _comments(styles), *_margin_lines(styles)]
    content = "\n\n".join(block for block in [*blocks, *additions] if block)
    parts = left_out_parts("hidden", *styles.hidden_texts)
    return Draft(content=content, title=leading_heading(content), cuts=cuts, parts=parts)


def _margin_lines(styles: OdfStyles) -> Iterator[str]:
    for name in MARGINS:
        nodes = (node for node in styles.margins if node.name.startswith(name))
        shown = (node for node in nodes if node.attribute("display") != "false")
        texts = (one_line_text(node, styles) for node in shown)
        yield comments_and_margins.margin_line(name.capitalize(), texts)


def one_line_text(node: XmlNode, styles: OdfStyles) -> str:
    """Return the paragraphs of a node on one line."""
    waiting = len(styles.boxes)
    texts = [_paragraph_line(node, styles) for node in _inner_paragraphs(node)]
    # The text boxes in the node were read with the rest.
    del styles.boxes[waiting:]
    return " ".join(text for text in texts if text)


def block_markdown(node: XmlNode, styles: OdfStyles) -> str:
    """Return a paragraph, a heading, a list or a table as markdown, then the text boxes in it."""
    written = [_block(node, styles)]
    boxes = [*styles.boxes]
    styles.boxes.clear()
    written += [
        block_markdown(node, styles) for box in boxes for node in box.elements(*BLOCK_ELEMENTS)
    ]
    return "\n\n".join(filter(None, written))


def _block(node: XmlNode, styles: OdfStyles) -> str:
    match node.name:
        case "tracked-changes":
            for deleted in node.subtree("deletion"):
                texts = (line for line in deleted.elements() if line.name != "change-info")
                styles.hidden_texts.extend(map(XmlNode.inner_text, texts))
            return ""
        case "list":
            style = node.attribute("style-name")
            position = ListPosition(0, style, styles.lists.begin_list(node, style))
            return join_blocks(_list_items(node, styles, position))
        case "table":
            rows = (row.elements(*_CELL_ELEMENTS) for row in node.subtree("table-row"))
            return emphasised_table([[_cell(cell, styles) for cell in row] for row in rows])
    level = _heading_level(node, styles)
    if not level:
        return paragraph_markdown(node, styles).strip()
    is_numbered = node.name == "h" and not _is_unnumbered_heading(node, styles)
    mark = styles.lists.heading_mark(node, level) if is_numbered else None
    return _heading(level, mark, _paragraph_line(node, styles))


def _heading(level: int, mark: ListMark | None, text: str) -> str:
    return f"{'#' * level} {numbered_heading(mark, text)}" if text else ""


def _is_unnumbered_heading(node: XmlNode, styles: OdfStyles) -> bool:
    """Tell whether the style of a heading, or its parent style, has no number."""
    style = node.attribute("style-name")
    return style in styles.bare or styles.parents.get(style) in styles.bare


def _heading_level(node: XmlNode, styles: OdfStyles) -> int:
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


def _list_items(
    node: XmlNode, styles: OdfStyles, position: ListPosition
) -> Iterator[tuple[str, bool]]:
    """Yield the items of a list, and headings among them with False."""
    for item in node.elements("list-item", "list-header"):
        mark: ListMark | None = None
        if item.name == "list-item" and next(item.elements("p", "h"), None):
            mark = styles.lists.item_mark(item, position.style, position.key, position.depth)
        yield from _item_blocks(item, styles, position, mark)


def _item_blocks(
    node: XmlNode, styles: OdfStyles, position: ListPosition, mark: ListMark | None
) -> Iterator[tuple[str, bool]]:
    """Yield the paragraphs of an item, the first with its mark, and the lists in it."""
    for child in node.elements():
        if child.name == "list":
            style = child.attribute("style-name") or position.style
            inner_position = ListPosition(position.depth + 1, style, position.key)
            yield from _list_items(child, styles, inner_position)
        elif child.name == "h":
            level = _heading_level(child, styles)
            yield _heading(level, mark, _paragraph_line(child, styles)), False
            mark = None
        elif text := " ".join(paragraph_markdown(child, styles).split()):
            margin = "   " * min(position.depth + 1, _MAX_ITEM_DEPTH)
            yield marked_item(mark, text) if mark else f"{margin}{text}", True
            mark = None


def _cell(node: XmlNode, styles: OdfStyles) -> Cell:
    cell = make_cell(_spans(node, styles, "") for node in _inner_paragraphs(node))
    styles.boxes.clear()
    return cell


def _inner_paragraphs(node: XmlNode) -> Iterator[XmlNode]:
    """Yield the paragraphs of a node, also in text boxes, but not in comments and notes."""
    for child in node.elements():
        if child.name in ("p", "h"):
            yield child
        if child.name not in _SEPARATE_ELEMENTS:
            yield from _inner_paragraphs(child)


def paragraph_markdown(node: XmlNode, styles: OdfStyles) -> str:
    """Return the text of a paragraph with its emphasis and links."""
    return disarm_pictures(join_spans(_spans(node, styles, "")))


def _paragraph_line(node: XmlNode, styles: OdfStyles) -> str:
    """Return the text of a node on one line without emphasis."""
    text = "".join(text for text, _ in _spans(node, styles, ""))
    return disarm_pictures(" ".join(text.split()))


def _spans(node: XmlNode, styles: OdfStyles, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a paragraph with the marks of their emphasis."""
    if node.name in _TEXT_ELEMENTS and styles.is_hidden_text(node.attribute("style-name")):
        styles.hidden_texts.append(node.inner_text())
        return
    for child in node.children:
        if isinstance(child, str):
            styles.remarks.add_commented_text(child)
            yield child, marks
        elif child.name in ("annotation", "annotation-end"):
            _note_annotation(child, styles)
        # A title may also be a field in the text, and not the title of a drawing.
        elif child.name not in HIDDEN_ELEMENTS or (
            child.name == "title" and node.name in _TEXT_ELEMENTS
        ):
            yield from _element_spans(child, styles, marks)


def _element_spans(node: XmlNode, styles: OdfStyles, marks: str) -> Iterator[tuple[str, str]]:
    match node.name:
        case "s":
            yield " " * min(repeat_count(node, "c"), _MAX_REPEATED_BLANKS), marks
        case "tab" | "line-break":
            yield "\t" if node.name == "tab" else "\n", marks
        case "text-box":
            styles.boxes.append(node)
        case "span":
            span_marks = styles.marks.get(node.attribute("style-name"), "") or marks
            spans = _spans(node, styles, span_marks)
            is_raised = node.attribute("style-name") in styles.raised
            yield from [(superscript(text), node) for text, node in spans] if is_raised else spans
        case name if name in _INLINE_WRITERS:
            yield _INLINE_WRITERS[name](node, styles), ""
        case _:
            yield picture_description(node, styles) if node.name == "frame" else "", ""
            yield from _spans(node, styles, marks)


def _link(node: XmlNode, styles: OdfStyles) -> str:
    text = join_spans(_spans(node, styles, ""))
    return markdown_link(text, node.attribute("href"), styles.base)


def _embedded_object(node: XmlNode, styles: OdfStyles) -> str:
    """Return a formula; queue a chart so that its figures follow the paragraph."""
    embedded = read_embedded_object(node, styles)
    formula = object_formula(embedded)
    styles.boxes.extend([] if formula else [embedded])
    return formula


def _note_annotation(node: XmlNode, styles: OdfStyles) -> None:
    """Store a comment for the end; its range goes on to the end mark of the same name."""
    name = node.attribute("name")
    if node.name == "annotation-end":
        styles.remarks.end_comment_range(name)
    elif len(styles.comments) < comments_and_margins.MAX_COMMENTS:
        styles.comments.append((name, *author_and_text(node)))
        if name:
            styles.remarks.begin_comment_range(name)


def author_and_text(node: XmlNode) -> tuple[str, str]:
    """Return the author and the text of a comment."""
    author = node.find("creator")
    # Read the words directly, so that they do not join the range of another comment.
    texts = map(XmlNode.inner_text, node.subtree("p", "h"))
    return author.inner_text() if author else "", " ".join(texts)


def _comments(styles: OdfStyles) -> str:
    lines = [
        comments_and_margins.comment_line(author, styles.remarks.commented_text(name) or "", text)
        for name, author, text in styles.comments
        if text.strip()
    ]
    return comments_and_margins.comments_list(lines, "## Comments")


def _footnote(node: XmlNode, styles: OdfStyles) -> str:
    body = node.find("note-body")
    number = len(styles.footnotes) + 1
    styles.footnotes.append(f"[^{number}]: {one_line_text(body, styles) if body else ''}")
    return f"[^{number}]"


_INLINE_WRITERS: Final[dict[str, Callable[[XmlNode, OdfStyles], str]]] = {
    "a": _link, "note": _footnote, "object": _embedded_object,
}  # fmt: skip


def picture_description(frame: XmlNode, styles: OdfStyles) -> str:
    """Return the description of a picture, empty for none and for a formula."""
    embedded = frame.find("object")
    if embedded is not None and object_formula(read_embedded_object(embedded, styles)):
        return ""
    description = frame.find("desc") or frame.find("title")
    text = " ".join(description.inner_text().split()) if description else ""
    return f"[IMAGE: {text}]" if text else ""


PACKAGE_READERS: Final = {"odt": read_odt}
