"""OpenDocument: texts, sheets and presentations of LibreOffice and others, from ``content.xml``.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ (read 2026-11-15)
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from ..draft import Allowance, Draft
from ..markup import link, table, tamed
from ..tables import MOST_COLUMNS, MOST_ROWS, cut_rows
from .package import Package
from .xml import Node, elements

_PART: Final = "content.xml"
_LOWEST_HEADING: Final = 6
_DEEPEST_ITEM: Final = 8
_MOST_SHEETS: Final = 50
_MOST_BLANKS: Final = 100
# About a second, as for Word: an element is a step (measured 2026-11-15: 7 to 10 µs an element).
MOST_STEPS: Final = 120_000
# Comments, deleted text, and words about fields that are not shown.
_UNSEEN: Final = frozenset(
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
_TITLES: Final = {"title": 1, "subtitle": 2}


class _Look(msgspec.Struct, frozen=True):
    """What styles say: the parent of each, and the levels of each list that count."""

    parents: dict[str, str]
    counted: dict[str, frozenset[str]]
    footnotes: list[str]
    base: str


def read_text_document(package: Package, url: str) -> Draft:
    """Return a text document as markdown: headings, lists, links, tables, footnotes."""
    look = _look(package, url)
    blocks: list[str] = []
    allowance = Allowance(MOST_STEPS)
    notes: tuple[str, ...] = ()
    for node in elements(package.chunks(_PART), "h", "p", "list", "table", "tracked-changes"):
        if allowance.is_spent:
            notes = (f"only the first {len(blocks):,} paragraphs, lists and tables",)
            break
        allowance.spend(node.size)
        blocks.append(_block(node, look))
    content = "\n\n".join(block for block in [*blocks, "\n".join(look.footnotes)] if block)
    return Draft(content=content, title=_first_heading(content), notes=notes)


def read_presentation(package: Package, url: str) -> Draft:
    """Return a presentation as markdown, each slide under its number and title."""
    look = _look(package, url)
    allowance = Allowance(MOST_STEPS)
    slides: list[str] = []
    for number, page in enumerate(elements(package.chunks(_PART), "page"), start=1):
        if allowance.is_spent:
            notes = (f"only the first {number - 1:,} slides",)
            return Draft(content="\n\n".join(slides), title=_slide_title(slides), notes=notes)
        allowance.spend(page.size)
        slides.append(_slide(page, number, look))
    return Draft(content="\n\n".join(slides), title=_slide_title(slides))


def read_spreadsheet(package: Package, url: str) -> Draft:
    """Return each sheet under its name as a table; only the rows that are shown are kept."""
    look = _look(package, url)
    sheets: list[tuple[str, list[list[str]]]] = []
    allowance = Allowance(MOST_STEPS)
    notes: list[str] = []
    for node in elements(package.chunks(_PART), "table-row", marks=("table",)):
        allowance.spend(node.size)
        if allowance.is_spent or len(sheets) > _MOST_SHEETS:
            notes.append("only the first rows and sheets")
            break
        if node.name == "table":
            sheets.append((" ".join(node.get("name").split()), []))
        elif sheets:
            _add_row(sheets[-1][1], node, look)
    pieces: list[str] = []
    for name, rows in sheets[:_MOST_SHEETS]:
        cut, about = cut_rows(rows, of=f" of sheet {name}")
        shown = [row for row in cut if row]
        pieces += [f"## {name}\n\n{table(shown)}"] if shown else []
        notes += about
    return Draft(content="\n\n".join(pieces), notes=tuple(notes))


def _add_row(rows: list[list[str]], node: Node, look: _Look) -> None:
    """Add a row as often as it is repeated; empty ones at the end of a sheet say nothing."""
    if len(rows) > MOST_ROWS:
        return
    cells: list[str] = []
    for cell in node.nodes("table-cell", "covered-table-cell"):
        text = " ".join(_inline(each, look) for each in cell.nodes("p")).strip()
        room = MOST_COLUMNS + 1 - len(cells)
        cells += [text] * min(_times(cell, "number-columns-repeated"), room)
    while cells and not cells[-1]:
        cells.pop()
    times = _times(node, "number-rows-repeated") if cells else 1
    rows += [cells] * min(times, MOST_ROWS + 1 - len(rows))


def _times(node: Node, attribute: str) -> int:
    text = node.get(attribute)
    return int(text) if text.isascii() and text.isdecimal() and 0 < len(text) < 8 else 1  # noqa: PLR2004


def _slide_title(slides: list[str]) -> str:
    return slides[0].partition("\n")[0].partition(": ")[2] if slides else ""


def _slide(page: Node, number: int, look: _Look) -> str:
    frames = [node for node in page.nodes() if node.name != "notes"]
    titles = [each for each in frames if each.get("class") == "title"]
    title = " ".join(_flat(titles[0], look).split()) if titles else ""
    head = f"## Slide {number}: {title}" if title else f"## Slide {number}"
    bodies = [_boxed(each, look) for each in frames if each not in titles]
    notes = page.first("notes")
    spoken = _flat(notes, look) if notes else ""
    return "\n\n".join(
        piece for piece in (head, *bodies, f"Notes: {spoken}" if spoken else "") if piece
    )


def _boxed(frame: Node, look: _Look) -> str:
    """Return what is in a frame: its text as a list, its tables, what its picture shows."""
    pieces = [_described_picture(frame)] if frame.name == "frame" else []
    for child in frame.nodes():
        if child.name in ("p", "h"):
            text = _inline(child, look).strip()
            pieces += [f"- {text}"] if text else []
        elif child.name in ("list", "table"):
            pieces.append(_block(child, look))
        elif child.name not in _UNSEEN:
            pieces.append(_boxed(child, look))
    return "\n".join(piece for piece in pieces if piece)


def _flat(node: Node, look: _Look) -> str:
    paragraphs = (each for each in node.walk() if each.name in ("p", "h"))
    texts = (_inline(each, look).strip() for each in paragraphs)
    return " ".join(text for text in texts if text)


def _block(node: Node, look: _Look) -> str:
    match node.name:
        case "tracked-changes":
            return ""
        case "list":
            return "\n".join(_items(node, look, 0, node.get("style-name")))
        case "table":
            return table([_cells(row, look) for row in node.walk() if row.name == "table-row"])
    text = _inline(node, look).strip()
    level = _heading(node, look)
    return f"{'#' * level} {' '.join(text.split())}" if text and level else text


def _heading(node: Node, look: _Look) -> int:
    """Return a heading's level, 0 for a paragraph; its title is one by its style alone."""
    if node.name == "h":
        level = node.get("outline-level")
        return min(int(level), _LOWEST_HEADING) if level in {*"123456789"} else 1
    style = node.get("style-name")
    name = look.parents.get(style) or style
    return _TITLES.get(name.lower(), 0)


def _items(node: Node, look: _Look, depth: int, style: str) -> Iterator[str]:
    mark = "1." if str(depth + 1) in look.counted.get(style, frozenset()) else "-"
    for item in node.nodes("list-item", "list-header"):
        begun = False
        for child in item.nodes():
            if child.name == "list":
                yield from _items(child, look, depth + 1, child.get("style-name") or style)
            elif text := " ".join(_inline(child, look).split()):
                indent = "   " * min(depth, _DEEPEST_ITEM)
                yield f"{indent}{'  ' if begun else mark} {text}"
                begun = True


def _cells(row: Node, look: _Look) -> list[str]:
    return [_flat(cell, look) for cell in row.nodes("table-cell", "covered-table-cell")]


def _inline(node: Node, look: _Look) -> str:
    return tamed("".join(_pieces(node, look)))


def _pieces(node: Node, look: _Look) -> Iterator[str]:
    for child in node.children:
        if isinstance(child, str):
            yield child
        elif child.name not in _UNSEEN:
            yield from _piece(child, look)


def _piece(node: Node, look: _Look) -> Iterator[str]:
    match node.name:
        case "s":
            yield " " * min(_times(node, "c"), _MOST_BLANKS)
        case "tab" | "line-break":
            yield "\t" if node.name == "tab" else "\n"
        case "a":
            yield link("".join(_pieces(node, look)), node.get("href"), look.base)
        case "note":
            yield _footnote(node, look)
        case _:
            yield _described_picture(node) if node.name == "frame" else ""
            yield from _pieces(node, look)


def _footnote(node: Node, look: _Look) -> str:
    body = node.first("note-body")
    number = len(look.footnotes) + 1
    look.footnotes.append(f"[^{number}]: {_flat(body, look) if body else ''}")
    return f"[^{number}]"


def _described_picture(frame: Node) -> str:
    words = frame.first("desc") or frame.first("title")
    text = " ".join(words.words().split()) if words else ""
    return f"[IMAGE: {text}]" if text else ""


def _first_heading(content: str) -> str:
    first = content.partition("\n")[0]
    return first.lstrip("#").strip() if first.startswith("#") else ""


def _look(package: Package, url: str) -> _Look:
    parents: dict[str, str] = {}
    counted: dict[str, frozenset[str]] = {}
    for part in ("styles.xml", _PART):
        for node in elements(package.chunks(part), "style", "list-style", marks=("body",)):
            if node.name == "body":
                break
            if node.name == "style":
                parents[node.get("name")] = node.get("parent-style-name")
            else:
                levels = node.nodes("list-level-style-number")
                counted[node.get("name")] = frozenset(each.get("level") for each in levels)
    return _Look(parents, counted, [], url)
