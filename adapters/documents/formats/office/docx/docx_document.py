"""Word: paragraphs, headings, lists, links, tables, footnotes; deleted and hidden text goes.

Comments, heads and feet of pages follow the text.
"""

import re
from collections.abc import Iterator
from typing import Final

import msgspec

from ...draft import Draft, StepAllowance
from ...markdown_writing import Cell, disarm_pictures, emphasised_table
from ...numbering import marked_item, numbered_heading
from ..comments_and_margins import (
    MAX_COMMENTS,
    CommentedWords,
    comment_line,
    comments_section,
    margin_line,
)
from ..package import Package
from ..package_parts import main_part, part_relations
from ..xml_elements import XmlNode, part_elements
from .docx_lists import read_number
from .docx_runs import ParagraphContext, cell_text, mark_before, paragraph_line, paragraph_markdown
from .docx_styles import read_styles

# About a second: a character is a step, an element is as much as a hundred (measured 2026-11-15:
# 7 to 10 µs an element, 65 ns a character).
MAX_DOCX_STEPS: Final = 12_000_000
_STEPS_AN_ELEMENT: Final = 100
_PART: Final = "word/document.xml"
_AROUND: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_COMMENTS: Final = "word/comments.xml"
# Which parts are the heads and feet of pages, and what is at their root.
_MARGINS: Final = {"header": "hdr", "footer": "ftr"}
_MAX_MARGIN_PARTS: Final = 50
_MAX_SPANNED_COLUMNS: Final = 60
_NOTHING: Final = Cell("", "")


def read_docx(package: Package, url: str) -> Draft:
    """Return a Word document as markdown."""
    part = main_part(package, _PART)
    context = ParagraphContext(
        package, read_styles(package), part_relations(package, part), url, CommentedWords()
    )
    blocks: list[str] = []
    was_item = False
    notes: tuple[str, ...] = ()
    allowance = StepAllowance(MAX_DOCX_STEPS)
    for node in part_elements(package, part, "p", "tbl"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs and tables",)
            break
        allowance.spend(node.size * _STEPS_AN_ELEMENT)
        for block, is_item in _blocks(node, context):
            allowance.spend(len(block))
            gap = "" if not blocks else "\n" if was_item and is_item else "\n\n"
            blocks.append(gap + block)
            was_item = is_item
    text = "".join(blocks)
    footnotes = "\n".join(_footnotes(package, context))
    beside = (_comments(package, context), *_margins(package, context)) if text else ()
    content = "\n\n".join(filter(None, (text, footnotes, *beside)))
    return Draft(content=content, title=_first_heading(content), notes=notes)


def _beside(package: Package, part: str, context: ParagraphContext) -> ParagraphContext:
    """Return what the paragraphs of another part refer to: links of its own, and no lists."""
    styles = msgspec.structs.replace(context.styles, lists={})
    return msgspec.structs.replace(context, links=part_relations(package, part), styles=styles)


def _footnotes(package: Package, context: ParagraphContext) -> Iterator[str]:
    """Yield the footnotes and endnotes that the text refers to, by the numbers it has for them."""
    texts: dict[str, str] = {}
    for name in ("footnote", "endnote"):
        part = f"word/{name}s.xml"
        own = _beside(package, part, context)
        for node in part_elements(package, part, name):
            key = f"{name}{node.get('id')}"
            if key in context.cited:
                texts[key] = disarm_pictures(cell_text(node, own).plain)
    for number, key in enumerate(context.cited, start=1):
        yield f"[^{number}]: {texts.get(key, '')}"


def _comments(package: Package, context: ParagraphContext) -> str:
    """Return the comments that the text has."""
    own = _beside(package, _COMMENTS, context)
    lines: list[str] = []
    for node in part_elements(package, _COMMENTS, "comment"):
        about = context.remarks.about(node.get("id"))
        text = cell_text(node, own).plain if about is not None else ""
        if text and len(lines) < MAX_COMMENTS:
            lines.append(comment_line(node.get("author"), about or "", text))
    return comments_section(lines)


def _margins(package: Package, context: ParagraphContext) -> Iterator[str]:
    """Yield the heads and the feet of the pages; the first page may have others than the rest."""
    for name, root in _MARGINS.items():
        named = re.compile(rf"(?:^|/){name}\d*\.xml\Z")
        parts = [part for part in context.links.values() if named.search(part)]
        yield margin_line(
            name.capitalize(),
            (
                cell_text(node, _beside(package, part, context)).plain
                for part in dict.fromkeys(parts[:_MAX_MARGIN_PARTS])
                for node in part_elements(package, part, root)
            ),
        )


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _blocks(node: XmlNode, context: ParagraphContext) -> Iterator[tuple[str, bool]]:
    """Yield a paragraph or a table, then what is drawn in it; each with whether it is an item."""
    block, is_item = _block(node, context)
    drawn, boxes = [*context.drawn], [*context.boxes]
    context.drawn.clear()
    context.boxes.clear()
    yield from ((text, is_item and text is block) for text in (block, *drawn) if text)
    for box in boxes:
        for inner in _inside(box, "p", "tbl"):
            yield from _blocks(inner, context)


def _block(node: XmlNode, context: ParagraphContext) -> tuple[str, bool]:
    """Return a paragraph or a table, and whether it is an item of a list."""
    context.remarks.hear(" ")
    if node.name == "tbl":
        return emphasised_table(list(_rows(node, context))), False
    level = context.styles.heading(node)
    text = paragraph_line(node, context) if level else paragraph_markdown(node, context).strip()
    mark = mark_before(node, context, text)
    if not text:
        return "", False
    if level:
        return f"{'#' * level} {numbered_heading(mark, text)}", False
    return (text, False) if mark is None else (marked_item(mark, text), True)


def _rows(grid: XmlNode, context: ParagraphContext) -> Iterator[list[Cell]]:
    """Yield the rows; beside a cell that spans several columns there are empty ones."""
    for line in _inside(grid, "tr"):
        cells = [_NOTHING] * _span(line.first("trPr", "gridBefore"), 0)
        for each in _inside(line, "tc"):
            blank = _span(each.first("tcPr", "gridSpan"), 1) - 1
            cells += [cell_text(each, context), *[_NOTHING] * blank]
        yield cells


def _span(node: XmlNode | None, least: int) -> int:
    """Return how many columns something takes."""
    return min(max(read_number(node) or 0, least), _MAX_SPANNED_COLUMNS)


def _inside(node: XmlNode, *names: str) -> Iterator[XmlNode]:
    """Yield the elements of a name, also those in a form's field or in what was put in later."""
    for child in node.nodes():
        if child.name in names:
            yield child
        elif child.name in _AROUND:
            yield from _inside(child, *names)


PACKAGE_READERS: Final = {"docx": read_docx}
