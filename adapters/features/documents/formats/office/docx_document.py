"""Word documents; comments, headers and footers follow the text.

Deleted and hidden text is left out.
"""

import re
from collections.abc import Iterator
from functools import cache, partial
from typing import Final

from msgspec.structs import replace

from webseam.adapters.reader.visibility.colours import parse_colour
from webseam.ports.text import disarm_pictures

from ..draft import Cut, Draft, StepAllowance, left_out_parts
from ..markdown_writing import Cell, emphasised_table, join_blocks, leading_heading
from ..numbering import marked_item, numbered_heading
from . import comments_and_margins, docx_lists, docx_runs, docx_styles
from .package import BrokenFileError, Package
from .package_parts import main_part, part_relations
from .xml_elements import XmlNode, part_elements

# About a second: a character is a step, an element is a hundred (measured 2026-11-15: 7 to 10 µs
# an element, 65 ns a character).
MAX_DOCX_STEPS: Final = 12_000_000
_ELEMENT_STEPS: Final = 100
_DOCUMENT_PART: Final = "word/document.xml"
_WRAPPER_ELEMENTS: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_COMMENTS_PART: Final = "word/comments.xml"
# The names of header and footer parts, and their root elements.
_MARGIN_ROOTS: Final = {"header": "hdr", "footer": "ftr"}
_MARGIN_PART_PATTERN: Final = re.compile(r"(?:^|/)(?:header|footer)\d*\.xml\Z")
_BEHIND_TEXT_PATTERN: Final = re.compile(rb"behindDoc=[\"'](?:1|true)|z-index:-")
_MAX_MARGIN_PARTS: Final = 50
_MAX_SPANNED_COLUMNS: Final = 60
_EMPTY_CELL: Final = Cell("", "")


def read_docx(package: Package, url: str) -> Draft:
    """Return a Word document as markdown."""
    part = main_part(package, _DOCUMENT_PART)
    links = part_relations(package, part)
    parts = [part, *(name for name in links.values() if _MARGIN_PART_PATTERN.search(name))]
    behind = cache(partial(_has_pictures_behind_text, package, parts[:_MAX_MARGIN_PARTS]))
    styles, remarks = docx_styles.read_styles(package), comments_and_margins.CommentedWords()
    context = docx_runs.ParagraphContext(package, styles, links, url, remarks, behind)
    blocks: list[tuple[str, bool]] = []
    cuts: tuple[Cut, ...] = ()
    allowance = StepAllowance(MAX_DOCX_STEPS)
    for node in part_elements(package, part, "p", "tbl", element_names=("background",)):
        if node.name == "background":
            context = context.over_colour(parse_colour(f"#{node.attribute('color')}"))
            continue
        if allowance.is_spent:
            cuts = (Cut("work", f"only the first {len(blocks):,} paragraphs and tables"),)
            break
        allowance.spend(node.size * _ELEMENT_STEPS)
        for block, is_item in _node_blocks(node, context):
            allowance.spend(len(block))
            blocks.append((block, is_item))
    text = join_blocks(blocks)
    footnotes = "\n".join(_footnotes(package, context))
    additions = (_comments(package, context), *_margins(package, context))
    content = "\n\n".join(filter(None, (text, footnotes, *additions)))
    hidden = left_out_parts("hidden", *context.hidden)
    return Draft(content=content, title=leading_heading(content), cuts=cuts, parts=hidden)


def _has_pictures_behind_text(package: Package, parts: list[str]) -> bool:
    """Tell whether a part has a drawing behind its text, as a cover page has."""
    try:
        return any(
            _BEHIND_TEXT_PATTERN.search(b"".join(package.part_chunks(part))) for part in parts
        )
    except BrokenFileError:
        return True


def _make_part_context(
    package: Package, part: str, context: docx_runs.ParagraphContext
) -> docx_runs.ParagraphContext:
    """Return the context for another part: its own links, and no lists."""
    styles, links = replace(context.styles, lists={}), part_relations(package, part)
    return replace(context, links=links, styles=styles)


def _footnotes(package: Package, context: docx_runs.ParagraphContext) -> Iterator[str]:
    """Yield the footnotes and endnotes that the text cites, by their numbers there."""
    texts: dict[str, str] = {}
    for name in ("footnote", "endnote"):
        part = f"word/{name}s.xml"
        part_context = _make_part_context(package, part, context)
        for node in part_elements(package, part, name):
            key = f"{name}{node.attribute('id')}"
            if key in context.cited:
                texts[key] = disarm_pictures(docx_runs.cell_text(node, part_context).plain)
    for number, key in enumerate(context.cited, start=1):
        yield f"[^{number}]: {texts.get(key, '')}"


def _comments(package: Package, context: docx_runs.ParagraphContext) -> str:
    part_context = _make_part_context(package, _COMMENTS_PART, context)
    lines: list[str] = []
    for node in part_elements(package, _COMMENTS_PART, "comment"):
        about = context.remarks.commented_text(node.attribute("id"))
        text = docx_runs.cell_text(node, part_context).plain if about is not None else ""
        if text and len(lines) < comments_and_margins.MAX_COMMENTS:
            lines.append(
                comments_and_margins.comment_line(node.attribute("author"), about or "", text)
            )
    return comments_and_margins.comments_list(lines, "## Comments")


def _margins(package: Package, context: docx_runs.ParagraphContext) -> Iterator[str]:
    """Yield the headers and the footers of all pages."""
    for name, root in _MARGIN_ROOTS.items():
        pattern = re.compile(rf"(?:^|/){name}\d*\.xml\Z")
        parts = [part for part in context.links.values() if pattern.search(part)]
        texts = (
            docx_runs.cell_text(node, _make_part_context(package, part, context)).plain
            for part in dict.fromkeys(parts[:_MAX_MARGIN_PARTS])
            for node in part_elements(package, part, root)
        )
        yield comments_and_margins.margin_line(name.capitalize(), texts)


def _node_blocks(node: XmlNode, context: docx_runs.ParagraphContext) -> Iterator[tuple[str, bool]]:
    """Yield a paragraph or a table, then its drawings; each with whether it is a list item."""
    block, is_item = _main_block(node, context)
    drawn, boxes = [*context.drawn], [*context.boxes]
    context.drawn.clear()
    context.boxes.clear()
    yield from ((text, is_item and text is block) for text in (block, *drawn) if text)
    for box in boxes:
        for inner in _unwrap_nodes(box, "p", "tbl"):
            yield from _node_blocks(inner, context.over_colour(None))


def _main_block(node: XmlNode, context: docx_runs.ParagraphContext) -> tuple[str, bool]:
    """Return a paragraph or a table, and whether it is a list item."""
    context.remarks.add_commented_text(" ")
    if node.name == "tbl":
        return emphasised_table(list(_rows(node, context))), False
    level = context.styles.heading_level(node)
    write = docx_runs.paragraph_line if level else docx_runs.paragraph_markdown
    text = write(node, context).strip()
    mark = docx_runs.list_mark(node, context, text)
    if not text:
        return "", False
    if level:
        return f"{'#' * level} {numbered_heading(mark, text)}", False
    return (text, False) if mark is None else (marked_item(mark, text), True)


def _rows(grid: XmlNode, context: docx_runs.ParagraphContext) -> Iterator[list[Cell]]:
    """Yield the rows; a cell that spans columns is followed by empty cells."""
    for line in _unwrap_nodes(grid, "tr"):
        cells = [_EMPTY_CELL] * _column_span(line.find("trPr", "gridBefore"), 0)
        for node in _unwrap_nodes(line, "tc"):
            blank = _column_span(node.find("tcPr", "gridSpan"), 1) - 1
            colour = context.styles.cell_colour(grid, node, context.backdrop.colour)
            cells.append(docx_runs.cell_text(node, context.over_colour(colour)))
            cells += [_EMPTY_CELL] * blank
        yield cells


def _column_span(node: XmlNode | None, min_columns: int) -> int:
    return min(max(docx_lists.docx_number(node) or 0, min_columns), _MAX_SPANNED_COLUMNS)


def _unwrap_nodes(node: XmlNode, *names: str) -> Iterator[XmlNode]:
    """Yield the elements with these names, also inside form fields and insertions."""
    for child in node.elements():
        if child.name in names:
            yield child
        elif child.name in _WRAPPER_ELEMENTS:
            yield from _unwrap_nodes(child, *names)


PACKAGE_READERS: Final = {"docx": read_docx}
