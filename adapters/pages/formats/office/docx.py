"""Word: paragraphs, headings, lists, links and tables; deleted and hidden text is left out."""

from collections.abc import Iterator, Mapping
from typing import Final

import msgspec

from ..allowance import Allowance
from ..markup import link, table, tamed
from ..outcome import Draft
from .docx_styles import Styles, read_styles
from .package import Package
from .parts import relations
from .xml import Node, elements

_PART: Final = "word/document.xml"
# Text that was deleted or moved away, and the second copy that older programs are given.
_SKIPPED: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr", "instrText"})
_WRITTEN: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


class _Context(msgspec.Struct, frozen=True):
    """What paragraphs refer to."""

    styles: Styles
    links: Mapping[str, str]
    base: str


def read_docx(package: Package, url: str) -> Draft:
    """Return a Word document as markdown."""
    context = _Context(read_styles(package), relations(package, _PART), url)
    blocks: list[str] = []
    was_item = False
    notes: tuple[str, ...] = ()
    allowance = Allowance()
    for node in elements(package.chunks(_PART), "p", "tbl"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs and tables",)
            break
        block, is_item = _block(node, context)
        if block:
            blocks.append(("" if not blocks else "\n" if was_item and is_item else "\n\n") + block)
            was_item = is_item
    content = "".join(blocks)
    return Draft(content=content, title=_first_heading(content), notes=notes)


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _block(node: Node, context: _Context) -> tuple[str, bool]:
    """Return a paragraph or a table, and whether it is an item of a list."""
    if node.name == "tbl":
        return table(list(_rows(node, context))), False
    text = _text(node, context).strip()
    if not text:
        return "", False
    level = context.styles.heading(node)
    if level:
        return f"{'#' * level} {' '.join(text.split())}", False
    item = context.styles.item(node)
    return (text, False) if item is None else (f"{item}{text}", True)


def _rows(grid: Node, context: _Context) -> Iterator[list[str]]:
    for line in grid.nodes("tr"):
        yield [_cell(cell, context) for cell in line.nodes("tc")]


def _cell(cell: Node, context: _Context) -> str:
    """Return a cell's text; a table inside it is read as its text too."""
    texts = (_text(node, context).strip() for node in cell.walk() if node.name == "p")
    return " ".join(text for text in texts if text)


def _text(node: Node, context: _Context) -> str:
    return tamed("".join(_pieces(node, context)))


def _pieces(node: Node, context: _Context) -> Iterator[str]:
    """Yield the text of a paragraph, run by run."""
    for child in node.nodes():
        if child.name in _SKIPPED or _is_hidden(child):
            continue
        if child.name == "t":
            yield child.words()
        elif child.name in _WRITTEN:
            yield _WRITTEN[child.name]
        elif child.name == "hyperlink":
            text = "".join(_pieces(child, context))
            yield link(text, context.links.get(child.get("id"), ""), context.base)
        else:
            yield from _pieces(child, context)


def _is_hidden(run: Node) -> bool:
    mark = run.first("rPr", "vanish")
    return mark is not None and mark.get("val") not in ("0", "false")
