"""Word: paragraphs, headings, lists, links, tables, footnotes; deleted and hidden text goes.

Comments, heads and feet of pages follow the text.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

import msgspec

from ..draft import Allowance, Draft
from ..markup import Cell, cell_of, emphasised_table, field_target, link, marked_up, tamed
from ..symbols import symbol
from .fields import instruction_of, mark_of, without_fields
from .margins import MOST_COMMENTS, Remarks, comment_line, comments_section, margin_line
from .package import Package
from .styles import Styles, read_styles
from .xml import Node, elements, main_part, relations

# About a second: a character is a step, an element is as much as a hundred (measured 2026-11-15:
# 7 to 10 µs an element, 65 ns a character).
MOST_STEPS: Final = 12_000_000
_STEPS_AN_ELEMENT: Final = 100
_PART: Final = "word/document.xml"
# Text that was deleted or moved away, and the second copy that older programs are given.
_SKIPPED: Final = frozenset({"del", "moveFrom", "Fallback", "pPr", "rPr"})
_AROUND: Final = frozenset({"sdt", "sdtContent", "customXml", "ins", "moveTo"})
_FIELDS: Final = frozenset({"fldChar", "instrText"})
_COMMENTS: Final = "word/comments.xml"
# Which parts are the heads and feet of pages, and what is at their root.
_MARGINS: Final = {"header": "hdr", "footer": "ftr"}
_MOST_MARGINS: Final = 50
_REFERENCES: Final = {"footnoteReference": "footnote", "endnoteReference": "endnote"}


class _Context(msgspec.Struct, frozen=True):
    """What paragraphs refer to. ``cited`` are the footnotes in the order they are referred to."""

    styles: Styles
    links: Mapping[str, str]
    base: str
    remarks: Remarks
    cited: list[str] = []


def read_docx(package: Package, url: str) -> Draft:
    """Return a Word document as markdown."""
    part = main_part(package, _PART)
    context = _Context(read_styles(package), relations(package, part), url, Remarks())
    blocks: list[str] = []
    was_item = False
    notes: tuple[str, ...] = ()
    allowance = Allowance(MOST_STEPS)
    for node in elements(package.chunks(part), "p", "tbl"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs and tables",)
            break
        block, is_item = _block(node, context)
        allowance.spend(node.size * _STEPS_AN_ELEMENT + len(block))
        if block:
            blocks.append(("" if not blocks else "\n" if was_item and is_item else "\n\n") + block)
            was_item = is_item
    text = "".join(blocks)
    footnotes = "\n".join(_footnotes(package, context))
    beside = (_comments(package, context), *_margins(package, context)) if text else ()
    content = "\n\n".join(filter(None, (text, footnotes, *beside)))
    return Draft(content=content, title=_first_heading(content), notes=notes)


def _beside(package: Package, part: str, context: _Context) -> _Context:
    """Return what the paragraphs of another part refer to: its links are its own."""
    return msgspec.structs.replace(context, links=relations(package, part))


def _footnotes(package: Package, context: _Context) -> Iterator[str]:
    """Yield the footnotes and endnotes that the text refers to, by the numbers it has for them."""
    texts: dict[str, str] = {}
    for name in ("footnote", "endnote"):
        part = f"word/{name}s.xml"
        own = _beside(package, part, context)
        for node in elements(package.chunks(part), name):
            key = f"{name}{node.get('id')}"
            if key in context.cited:
                texts[key] = tamed(_cell(node, own).plain)
    for number, key in enumerate(context.cited, start=1):
        yield f"[^{number}]: {texts.get(key, '')}"


def _comments(package: Package, context: _Context) -> str:
    """Return the comments that the text has."""
    own = _beside(package, _COMMENTS, context)
    lines: list[str] = []
    for node in elements(package.chunks(_COMMENTS), "comment"):
        about = context.remarks.about(node.get("id"))
        text = _cell(node, own).plain if about is not None else ""
        if text and len(lines) < MOST_COMMENTS:
            lines.append(comment_line(node.get("author"), about or "", text))
    return comments_section(lines)


def _margins(package: Package, context: _Context) -> Iterator[str]:
    """Yield the heads and the feet of the pages; the first page may have others than the rest."""
    for name, root in _MARGINS.items():
        named = re.compile(rf"(?:^|/){name}\d*\.xml\Z")
        parts = [part for part in context.links.values() if named.search(part)]
        yield margin_line(
            name.capitalize(),
            (
                _cell(node, _beside(package, part, context)).plain
                for part in dict.fromkeys(parts[:_MOST_MARGINS])
                for node in elements(package.chunks(part), root)
            ),
        )


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _block(node: Node, context: _Context) -> tuple[str, bool]:
    """Return a paragraph or a table, and whether it is an item of a list."""
    context.remarks.hear(" ")
    if node.name == "tbl":
        return emphasised_table(list(_rows(node, context))), False
    level = context.styles.heading(node)
    text = _plain(node, context) if level else _text(node, context).strip()
    if not text:
        return "", False
    if level:
        return f"{'#' * level} {text}", False
    item = context.styles.item(node)
    return (text, False) if item is None else (f"{item}{text}", True)


def _rows(grid: Node, context: _Context) -> Iterator[list[Cell]]:
    for line in _inside(grid, "tr"):
        yield [_cell(cell, context) for cell in _inside(line, "tc")]


def _inside(node: Node, name: str) -> Iterator[Node]:
    """Yield the elements of a name, also those in a form's field or in what was put in later."""
    for child in node.nodes():
        if child.name == name:
            yield child
        elif child.name in _AROUND:
            yield from _inside(child, name)


def _cell(cell: Node, context: _Context) -> Cell:
    """Return a cell's text; a table inside it is read as its text too."""
    paragraphs = (node for node in cell.walk() if node.name == "p")
    return cell_of(without_fields(_spans(node, context, ""), context.base) for node in paragraphs)


def _plain(node: Node, context: _Context) -> str:
    """Return the text of a paragraph in one line, where its role is emphasis enough."""
    spans = without_fields(_spans(node, context, ""), context.base)
    return tamed(" ".join("".join(text for text, _ in spans).split()))


def _text(node: Node, context: _Context) -> str:
    return tamed(marked_up(without_fields(_spans(node, context, ""), context.base)))


def _spans(node: Node, context: _Context, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the text of a paragraph, run by run, each with the marks of its emphasis."""
    for child in node.nodes():
        if child.name in _WRITTEN:
            text = _WRITTEN[child.name](child)
            if child.name not in _FIELDS:
                context.remarks.hear(text)
            yield text, marks
        elif child.name in _READ:
            yield _READ[child.name](child, context), ""
        elif child.name not in _SKIPPED and not _is_hidden(child):
            own = context.styles.emphasis(child) if child.name == "r" else marks
            yield from _spans(child, context, own)


def _linked(node: Node, context: _Context) -> str:
    return link(_text(node, context), _target(node, context), context.base)


def _cited(node: Node, context: _Context) -> str:
    context.cited.append(f"{_REFERENCES[node.name]}{node.get('id')}")
    return f"[^{len(context.cited)}]"


def _remarked(node: Node, context: _Context) -> str:
    _REMARKED[node.name](context.remarks, node.get("id"))
    return ""


def _target(node: Node, context: _Context) -> str:
    """Return where a link points to, with the place there."""
    out = context.links.get(node.get("id"), "")
    place = node.get("anchor")
    return (
        f"{out}#{place}"
        if out and place and "#" not in out
        else out or field_target(node.get("instr"))
    )


def _picture(node: Node, _context: _Context) -> str:
    """Return what somebody wrote about a picture, for those who do not see it."""
    words = " ".join(node.get("descr").split())
    return f"[IMAGE: {words}]" if words else ""


def _is_hidden(run: Node) -> bool:
    mark = run.first("rPr", "vanish")
    return mark is not None and mark.get("val") not in ("0", "false")


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
_READ: Final[dict[str, Callable[[Node, _Context], str]]] = {
    "hyperlink": _linked,
    "fldSimple": _linked,
    "docPr": _picture,
    **dict.fromkeys(_REFERENCES, _cited),
    **dict.fromkeys(_REMARKED, _remarked),
}
