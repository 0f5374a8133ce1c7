"""OpenDocument: texts of LibreOffice and others, from ``content.xml``, and what all kinds share.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ (read 2026-11-15)
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from ..draft import Allowance, Draft
from ..markup import Cell, cell_of, emphasised_table, link, marked_up, tamed
from .margins import MOST_COMMENTS, Remarks, comment_line, comments_section, margin_line
from .package import Package
from .xml import Node, nodes_of

PART: Final = "content.xml"
_STYLES: Final = "styles.xml"
_MARGINS: Final = ("header", "footer")
# Left, right and first pages may have others.
_MARGIN_NAMES: Final = tuple(
    f"{name}{page}" for name in _MARGINS for page in ("", "-left", "-first")
)
_LOOKS: Final = ("style", "list-style", *_MARGIN_NAMES)
_MOST_MARGINS: Final = 50
BLOCKS: Final = ("h", "p", "list", "table")
_LOWEST_HEADING: Final = 6
_DEEPEST_ITEM: Final = 8
_MOST_BLANKS: Final = 100
# About a second, as for Word: an element is a step (measured 2026-11-15: 7 to 10 µs an element).
MOST_STEPS: Final = 120_000
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
_BOLD: Final = frozenset({"bold", "600", "700", "800", "900"})
_TITLES: Final = {"title": 1, "subtitle": 2}


class Look(msgspec.Struct, frozen=True):
    """What styles say: the parent and the emphasis of each, and where lists begin to count.

    ``hidden`` are those of sheets and slides that are not shown. ``counted`` has the last number
    of a list, for one that goes on with it; ``boxes`` are the text boxes that are to be written.
    """

    parents: dict[str, str]
    marks: dict[str, str]
    firsts: dict[str, dict[str, int]]
    hidden: set[str]
    counted: dict[str, int]
    footnotes: list[str]
    remarks: Remarks
    comments: list[tuple[str, str, str]]
    boxes: list[Node]
    margins: list[Node]
    base: str


def read_text_document(package: Package, url: str) -> Draft:
    """Return a text document as markdown: headings, lists, links, tables, footnotes."""
    look = look_of(package, url)
    blocks: list[str] = []
    allowance = Allowance(MOST_STEPS)
    notes: tuple[str, ...] = ()
    for node in nodes_of(package, PART, *BLOCKS, "tracked-changes"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs, lists and tables",)
            break
        allowance.spend(node.size)
        blocks.append(block(node, look))
    beside = ["\n".join(look.footnotes), _comments(look)]
    beside += _margins(look) if any(blocks) else ()
    content = "\n\n".join(block for block in [*blocks, *beside] if block)
    return Draft(content=content, title=_first_heading(content), notes=notes)


def _margins(look: Look) -> Iterator[str]:
    """Yield the heads and the feet of the pages."""
    for name in _MARGINS:
        shown = (each for each in look.margins if each.name.startswith(name))
        texts = (flat(each, look) for each in shown if each.get("display") != "false")
        yield margin_line(name.capitalize(), texts)


def times(node: Node, attribute: str) -> int:
    """Return how often something is repeated; once where it does not say so."""
    text = node.get(attribute)
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 8 else 1  # noqa: PLR2004


def flat(node: Node, look: Look) -> str:
    """Return the paragraphs inside on one line."""
    paragraphs = (each for each in node.walk() if each.name in ("p", "h"))
    waiting = len(look.boxes)
    texts = [_plain(each, look) for each in paragraphs]
    # Those inside were read with the rest.
    del look.boxes[waiting:]
    return " ".join(text for text in texts if text)


def block(node: Node, look: Look) -> str:
    """Return a paragraph, a heading, a list or a table as markdown, then the text boxes in it."""
    written = [_block(node, look)]
    boxes = [*look.boxes]
    look.boxes.clear()
    written += [block(inner, look) for box in boxes for inner in box.nodes(*BLOCKS)]
    return "\n\n".join(filter(None, written))


def _block(node: Node, look: Look) -> str:
    match node.name:
        case "tracked-changes":
            return ""
        case "list":
            return "\n".join(_items(node, look, 0, node.get("style-name")))
        case "table":
            rows = (row for row in node.walk() if row.name == "table-row")
            return emphasised_table([_cells(row, look) for row in rows])
    level = _heading(node, look)
    text = _plain(node, look) if level else inline(node, look).strip()
    return f"{'#' * level} {text}" if text and level else text


def _heading(node: Node, look: Look) -> int:
    """Return a heading's level, 0 for a paragraph; its title is one by its style alone."""
    if node.name == "h":
        level = node.get("outline-level")
        return min(int(level), _LOWEST_HEADING) if level in {*"123456789"} else 1
    style = node.get("style-name")
    name = look.parents.get(style) or style
    return _TITLES.get(name.lower(), 0)


def _items(node: Node, look: Look, depth: int, style: str) -> Iterator[str]:
    first = look.firsts.get(style, {}).get(str(depth + 1))
    goes_on = node.get("continue-numbering") == "true"
    number = look.counted.get(style, 0) if goes_on else (first or 1) - 1
    for item in node.nodes("list-item", "list-header"):
        number += 1
        begun = False
        for child in item.nodes():
            if child.name == "list":
                yield from _items(child, look, depth + 1, child.get("style-name") or style)
            elif text := " ".join(inline(child, look).split()):
                indent = "   " * min(depth, _DEEPEST_ITEM)
                mark = "  " if begun else "-" if first is None else f"{number}."
                yield f"{indent}{mark} {text}"
                begun = True
    if not depth:
        look.counted[style] = number


def _cells(row: Node, look: Look) -> list[Cell]:
    return [_cell(cell, look) for cell in row.nodes("table-cell", "covered-table-cell")]


def _cell(cell: Node, look: Look) -> Cell:
    read = cell_of(_spans(each, look, "") for each in cell.walk() if each.name in ("p", "h"))
    look.boxes.clear()
    return read


def inline(node: Node, look: Look) -> str:
    """Return the text of a paragraph with its emphasis and links."""
    return tamed(marked_up(_spans(node, look, "")))


def _plain(node: Node, look: Look) -> str:
    """Return a text in one line, where its role is emphasis enough."""
    return tamed(" ".join("".join(text for text, _ in _spans(node, look, "")).split()))


def _spans(node: Node, look: Look, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the text of a paragraph, each piece with the marks of its emphasis."""
    for child in node.children:
        if isinstance(child, str):
            look.remarks.hear(child)
            yield child, marks
        elif child.name in ("annotation", "annotation-end"):
            _remark(child, look)
        elif child.name == "text-box":
            look.boxes.append(child)
        elif child.name not in UNSEEN:
            yield from _span(child, look, marks)


def _span(node: Node, look: Look, marks: str) -> Iterator[tuple[str, str]]:
    match node.name:
        case "s":
            yield " " * min(times(node, "c"), _MOST_BLANKS), marks
        case "tab" | "line-break":
            yield "\t" if node.name == "tab" else "\n", marks
        case "a":
            text = marked_up(_spans(node, look, ""))
            yield link(text, node.get("href"), look.base), ""
        case "note":
            yield _footnote(node, look), ""
        case "span":
            yield from _spans(node, look, look.marks.get(node.get("style-name"), "") or marks)
        case _:
            yield described_picture(node) if node.name == "frame" else "", ""
            yield from _spans(node, look, marks)


def _remark(node: Node, look: Look) -> None:
    """Keep a comment for the end; what it is about goes on to a mark with its name."""
    name = node.get("name")
    if node.name == "annotation-end":
        look.remarks.end(name)
    elif len(look.comments) < MOST_COMMENTS:
        author = node.first("creator")
        # Words of a comment are not words that another one is about.
        texts = (each.words() for each in node.walk() if each.name in ("p", "h"))
        look.comments.append((name, author.words() if author else "", " ".join(texts)))
        if name:
            look.remarks.begin(name)


def _comments(look: Look) -> str:
    return comments_section(
        [
            comment_line(author, look.remarks.about(name) or "", text)
            for name, author, text in look.comments
            if text.strip()
        ]
    )


def _footnote(node: Node, look: Look) -> str:
    body = node.first("note-body")
    number = len(look.footnotes) + 1
    look.footnotes.append(f"[^{number}]: {flat(body, look) if body else ''}")
    return f"[^{number}]"


def described_picture(frame: Node) -> str:
    """Return what was written about a picture, empty when nothing was."""
    words = frame.first("desc") or frame.first("title")
    text = " ".join(words.words().split()) if words else ""
    return f"[IMAGE: {text}]" if text else ""


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def look_of(package: Package, url: str) -> Look:
    """Return what the styles of a document say."""
    look = Look({}, {}, {}, set(), {}, [], Remarks(), [], [], [], url)
    for part in (_STYLES, PART):
        for node in nodes_of(package, part, *_LOOKS, marks=("body",)):
            if node.name == "body":
                break
            if node.name in _MARGIN_NAMES:
                look.margins.extend([node] if len(look.margins) < _MOST_MARGINS else ())
                continue
            if node.name == "style":
                look.parents[node.get("name")] = node.get("parent-style-name")
                look.marks[node.get("name")] = _marks(node) if node.get("family") == "text" else ""
                look.hidden.update([node.get("name")] if _hides(node) else ())
            else:
                levels = node.nodes("list-level-style-number")
                firsts = {each.get("level"): times(each, "start-value") for each in levels}
                look.firsts[node.get("name")] = firsts
    return look


def _hides(style: Node) -> bool:
    sheet, slide = style.first("table-properties"), style.first("drawing-page-properties")
    return (sheet is not None and sheet.get("display") == "false") or (
        slide is not None and slide.get("visibility") == "hidden"
    )


def _marks(style: Node) -> str:
    """Return how markdown marks what a style of words makes of them."""
    said = style.first("text-properties")
    if said is None:
        return ""
    struck = said.get("text-line-through-style") not in ("", "none")
    bold = said.get("font-weight") in _BOLD
    italic = said.get("font-style") in ("italic", "oblique")
    return f"{'~~' * struck}{'**' * bold}{'*' * italic}"
