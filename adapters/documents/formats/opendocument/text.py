"""Texts, from ``content.xml``, and what sheets and slides share with them.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ (read 2026-11-15)
"""

from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from ....pages.safe_text import superscript
from ..draft import Draft, StepAllowance
from ..markdown_writing import (
    Cell,
    disarm_pictures,
    emphasised_table,
    join_emphasised,
    make_cell,
    markdown_link,
)
from ..numbering import ListMark, marked_item, numbered_heading
from ..office.comments_and_margins import MAX_COMMENTS, comment_line, comments_section, margin_line
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from .odf_styles import (
    MARGINS,
    PART,
    OdfStyles,
    object_formula,
    open_object,
    read_odf_styles,
    repeat_count,
)

BLOCKS: Final = ("h", "p", "list", "table")
_MAX_HEADING_LEVEL: Final = 6
_MAX_ITEM_DEPTH: Final = 8
_MAX_REPEATED_BLANKS: Final = 100
# About a second, as for Word: an element is a step (measured 2026-11-15: 7 to 10 µs an element).
MAX_ODF_STEPS: Final = 120_000
# Comments, deleted text, and words about fields that are not shown.
UNSEEN: Final = frozenset(
    {
        "annotation",
        "tracked-changes",
        "title",
        "desc",
        "note-citation",
        "forms",
        "sequence-decls",
        "event-listeners",
    }
)
_WORDS: Final = frozenset({"p", "h", "span", "a"})
# What is told elsewhere.
_APART: Final = frozenset({"annotation", "note"})
_TITLES: Final = {"title": 1, "subtitle": 2}


def read_text_document(package: Package, url: str) -> Draft:
    """Return a text document as markdown: headings, lists, links, tables, footnotes."""
    look = read_odf_styles(package, url)
    blocks: list[str] = []
    allowance = StepAllowance(MAX_ODF_STEPS)
    notes: tuple[str, ...] = ()
    for node in part_elements(package, PART, *BLOCKS, "tracked-changes"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs, lists and tables",)
            break
        allowance.spend(node.size)
        blocks.append(block_markdown(node, look))
    beside = ["\n".join(look.footnotes), _comments(look)]
    beside += _margins(look) if any(blocks) else ()
    content = "\n\n".join(block for block in [*blocks, *beside] if block)
    return Draft(content=content, title=_first_heading(content), notes=notes)


def _margins(look: OdfStyles) -> Iterator[str]:
    """Yield the heads and the feet of the pages."""
    for name in MARGINS:
        shown = (each for each in look.margins if each.name.startswith(name))
        texts = (paragraphs_line(each, look) for each in shown if each.get("display") != "false")
        yield margin_line(name.capitalize(), texts)


def paragraphs_line(node: XmlNode, styles: OdfStyles) -> str:
    """Return the paragraphs inside on one line."""
    waiting = len(styles.boxes)
    texts = [_plain(each, styles) for each in _paragraphs(node)]
    # Those inside were read with the rest.
    del styles.boxes[waiting:]
    return " ".join(text for text in texts if text)


def block_markdown(node: XmlNode, styles: OdfStyles) -> str:
    """Return a paragraph, a heading, a list or a table as markdown, then the text boxes in it."""
    written = [_block(node, styles)]
    boxes = [*styles.boxes]
    styles.boxes.clear()
    written += [block_markdown(inner, styles) for box in boxes for inner in box.nodes(*BLOCKS)]
    return "\n\n".join(filter(None, written))


def _block(node: XmlNode, look: OdfStyles) -> str:
    match node.name:
        case "tracked-changes":
            return ""
        case "list":
            style = node.get("style-name")
            return _joined(_items(node, look, ListPlace(0, style, look.lists.begin(node, style))))
        case "table":
            rows = (row for row in node.walk() if row.name == "table-row")
            return emphasised_table([_cells(row, look) for row in rows])
    level = _heading(node, look)
    if not level:
        return paragraph_inline(node, look).strip()
    mark = (
        look.lists.heading(node, level) if node.name == "h" and not _is_bare(node, look) else None
    )
    return _headed(level, mark, _plain(node, look))


def _headed(level: int, mark: ListMark | None, text: str) -> str:
    return f"{'#' * level} {numbered_heading(mark, text)}" if text else ""


def _is_bare(node: XmlNode, look: OdfStyles) -> bool:
    """Tell whether a heading has no number by its style, which may be based on another."""
    style = node.get("style-name")
    return style in look.bare or look.parents.get(style) in look.bare


def _heading(node: XmlNode, look: OdfStyles) -> int:
    """Return a heading's level, 0 for a paragraph; its title is one by its style alone."""
    if node.name == "h":
        level = node.get("outline-level")
        return min(int(level), _MAX_HEADING_LEVEL) if level in {*"123456789"} else 1
    style = node.get("style-name")
    name = look.parents.get(style) or style
    return _TITLES.get(name.lower(), 0)


class ListPlace(NamedTuple):
    """Where in a list one is: how deep, in which style, and by which name it counts."""

    depth: int
    style: str
    key: str


def _items(node: XmlNode, look: OdfStyles, place: ListPlace) -> Iterator[tuple[str, bool]]:
    """Yield items, and headings among them, each with whether it is an item."""
    for item in node.nodes("list-item", "list-header"):
        mark: ListMark | None = None
        if item.name == "list-item" and next(item.nodes("p", "h"), None):
            mark = look.lists.item(item, place.style, place.key, place.depth)
        yield from _item(item, look, place, mark)


def _item(
    node: XmlNode, look: OdfStyles, place: ListPlace, mark: ListMark | None
) -> Iterator[tuple[str, bool]]:
    """Yield the paragraphs of an item, the first behind its mark, and the lists in it."""
    for child in node.nodes():
        if child.name == "list":
            style = child.get("style-name") or place.style
            yield from _items(child, look, ListPlace(place.depth + 1, style, place.key))
        elif child.name == "h":
            yield _headed(_heading(child, look), mark, _plain(child, look)), False
            mark = None
        elif text := " ".join(paragraph_inline(child, look).split()):
            margin = "   " * min(place.depth + 1, _MAX_ITEM_DEPTH)
            yield marked_item(mark, text) if mark else f"{margin}{text}", True
            mark = None


def _joined(blocks: Iterable[tuple[str, bool]]) -> str:
    """Return items in lines one after the other, and what is none apart from them."""
    written: list[str] = []
    was_item = False
    for text, is_item in blocks:
        if text:
            gap = "" if not written else "\n" if is_item and was_item else "\n\n"
            written.append(gap + text)
            was_item = is_item
    return "".join(written)


def _cells(row: XmlNode, look: OdfStyles) -> list[Cell]:
    return [_cell(cell, look) for cell in row.nodes("table-cell", "covered-table-cell")]


def _cell(cell: XmlNode, look: OdfStyles) -> Cell:
    read = make_cell(_spans(each, look, "") for each in _paragraphs(cell))
    look.boxes.clear()
    return read


def _paragraphs(node: XmlNode) -> Iterator[XmlNode]:
    """Yield the paragraphs inside, also those of boxes, but not of comments and notes."""
    for child in node.nodes():
        if child.name in ("p", "h"):
            yield child
        if child.name not in _APART:
            yield from _paragraphs(child)


def paragraph_inline(node: XmlNode, styles: OdfStyles) -> str:
    """Return the text of a paragraph with its emphasis and links."""
    return disarm_pictures(join_emphasised(_spans(node, styles, "")))


def _plain(node: XmlNode, look: OdfStyles) -> str:
    """Return a text in one line, where its role is emphasis enough."""
    return disarm_pictures(" ".join("".join(text for text, _ in _spans(node, look, "")).split()))


def _spans(node: XmlNode, look: OdfStyles, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the text of a paragraph, each piece with the marks of its emphasis."""
    for child in node.children:
        if isinstance(child, str):
            look.remarks.hear(child)
            yield child, marks
        elif child.name in ("annotation", "annotation-end"):
            _remark(child, look)
        elif child.name == "text-box":
            look.boxes.append(child)
        elif child.name not in UNSEEN or _is_field(child, node):
            yield from _span(child, look, marks)


def _is_field(child: XmlNode, parent: XmlNode) -> bool:
    """Tell whether a title is a field among words, and not what is said of a drawing."""
    return child.name == "title" and parent.name in _WORDS


def _span(node: XmlNode, look: OdfStyles, marks: str) -> Iterator[tuple[str, str]]:
    match node.name:
        case "s":
            yield " " * min(repeat_count(node, "c"), _MAX_REPEATED_BLANKS), marks
        case "tab" | "line-break":
            yield "\t" if node.name == "tab" else "\n", marks
        case "span":
            own = look.marks.get(node.get("style-name"), "") or marks
            spans = _spans(node, look, own)
            is_raised = node.get("style-name") in look.raised
            yield from [(superscript(text), each) for text, each in spans] if is_raised else spans
        case name if name in _PIECES:
            yield _PIECES[name](node, look), ""
        case _:
            yield described_picture(node, look) if node.name == "frame" else "", ""
            yield from _spans(node, look, marks)


def _linked(node: XmlNode, look: OdfStyles) -> str:
    return markdown_link(join_emphasised(_spans(node, look, "")), node.get("href"), look.base)


def _object(node: XmlNode, look: OdfStyles) -> str:
    """Return a formula; the figures of a chart follow the paragraph."""
    thing = open_object(node, look.package, look.objects)
    formula = object_formula(thing)
    look.boxes.extend([] if formula else [thing])
    return formula


def _remark(node: XmlNode, look: OdfStyles) -> None:
    """Keep a comment for the end; what it is about goes on to a mark with its name."""
    name = node.get("name")
    if node.name == "annotation-end":
        look.remarks.end(name)
    elif len(look.comments) < MAX_COMMENTS:
        look.comments.append((name, *comment_text(node)))
        if name:
            look.remarks.begin(name)


def comment_text(node: XmlNode) -> tuple[str, str]:
    """Return who wrote a comment, and what."""
    author = node.first("creator")
    # Words of a comment are not words that another one is about.
    texts = (each.words() for each in node.walk() if each.name in ("p", "h"))
    return author.words() if author else "", " ".join(texts)


def _comments(look: OdfStyles) -> str:
    return comments_section(
        [
            comment_line(author, look.remarks.about(name) or "", text)
            for name, author, text in look.comments
            if text.strip()
        ]
    )


def _footnote(node: XmlNode, look: OdfStyles) -> str:
    body = node.first("note-body")
    number = len(look.footnotes) + 1
    look.footnotes.append(f"[^{number}]: {paragraphs_line(body, look) if body else ''}")
    return f"[^{number}]"


_PIECES: Final[dict[str, Callable[[XmlNode, OdfStyles], str]]] = {
    "a": _linked,
    "note": _footnote,
    "object": _object,
}


def described_picture(frame: XmlNode, styles: OdfStyles) -> str:
    """Return what was written about a picture, empty when nothing was; a formula says it itself."""
    thing = frame.first("object")
    if thing is not None and object_formula(open_object(thing, styles.package, styles.objects)):
        return ""
    words = frame.first("desc") or frame.first("title")
    text = " ".join(words.words().split()) if words else ""
    return f"[IMAGE: {text}]" if text else ""


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


PACKAGE_READERS: Final = {"odt": read_text_document}
