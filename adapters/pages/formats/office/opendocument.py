"""OpenDocument: texts, sheets and presentations of LibreOffice and others, from ``content.xml``.

https://docs.oasis-open.org/office/OpenDocument/v1.3/ (read 2026-11-15)
"""

from collections.abc import Iterator
from typing import Final

import msgspec

from ..draft import Allowance, Draft
from ..markup import Cell, cell_of, emphasised_table, link, marked_up, table, tamed
from ..tables import MOST_COLUMNS, MOST_ROWS, blank_sheets, cut_rows
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
_BOLD: Final = frozenset({"bold", "600", "700", "800", "900"})
_TITLES: Final = {"title": 1, "subtitle": 2}


class _Look(msgspec.Struct, frozen=True):
    """What styles say: the parent and the emphasis of each, and where lists begin to count.

    ``hidden`` are those of sheets that are not shown. ``counted`` has the last number of a list,
    for one that goes on with it.
    """

    parents: dict[str, str]
    marks: dict[str, str]
    firsts: dict[str, dict[str, int]]
    hidden: set[str]
    counted: dict[str, int]
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


class _Sheet(msgspec.Struct, frozen=True):
    name: str
    is_hidden: bool
    rows: list[list[str]]


def read_spreadsheet(package: Package, url: str) -> Draft:
    """Return each sheet under its name as a table; hidden ones are left out, and that is noted."""
    look = _look(package, url)
    sheets: list[_Sheet] = []
    allowance = Allowance(MOST_STEPS)
    notes: list[str] = []
    for node in elements(package.chunks(_PART), "table-row", marks=("table",)):
        allowance.spend(node.size)
        if allowance.is_spent or len(sheets) > _MOST_SHEETS:
            notes.append("only the first rows and sheets")
            break
        if node.name == "table":
            is_hidden = node.get("style-name") in look.hidden
            sheets.append(_Sheet(" ".join(node.get("name").split()), is_hidden, []))
        elif sheets and not sheets[-1].is_hidden:
            _add_row(sheets[-1].rows, node, look)
    pieces, about = _shown([sheet for sheet in sheets[:_MOST_SHEETS] if not sheet.is_hidden])
    left_out = sum(sheet.is_hidden for sheet in sheets)
    notes += [*about, *([f"hidden sheets that were left out: {left_out}"] if left_out else [])]
    return Draft(content="\n\n".join(pieces), notes=tuple(notes))


def _shown(sheets: list[_Sheet]) -> tuple[list[str], list[str]]:
    pieces: list[str] = []
    notes: list[str] = []
    blank: list[str] = []
    for sheet in sheets:
        cut, about = cut_rows(sheet.rows, of=f" of sheet {sheet.name}")
        shown = [row for row in cut if row]
        pieces += [f"## {sheet.name}\n\n{table(shown)}"] if shown else []
        blank += [] if shown else [sheet.name]
        notes += about
    return pieces, [*notes, *blank_sheets(blank)]


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
    texts = (_plain(each, look) for each in paragraphs)
    return " ".join(text for text in texts if text)


def _block(node: Node, look: _Look) -> str:
    match node.name:
        case "tracked-changes":
            return ""
        case "list":
            return "\n".join(_items(node, look, 0, node.get("style-name")))
        case "table":
            rows = (row for row in node.walk() if row.name == "table-row")
            return emphasised_table([_cells(row, look) for row in rows])
    level = _heading(node, look)
    text = _plain(node, look) if level else _inline(node, look).strip()
    return f"{'#' * level} {text}" if text and level else text


def _heading(node: Node, look: _Look) -> int:
    """Return a heading's level, 0 for a paragraph; its title is one by its style alone."""
    if node.name == "h":
        level = node.get("outline-level")
        return min(int(level), _LOWEST_HEADING) if level in {*"123456789"} else 1
    style = node.get("style-name")
    name = look.parents.get(style) or style
    return _TITLES.get(name.lower(), 0)


def _items(node: Node, look: _Look, depth: int, style: str) -> Iterator[str]:
    first = look.firsts.get(style, {}).get(str(depth + 1))
    goes_on = node.get("continue-numbering") == "true"
    number = look.counted.get(style, 0) if goes_on else (first or 1) - 1
    for item in node.nodes("list-item", "list-header"):
        number += 1
        begun = False
        for child in item.nodes():
            if child.name == "list":
                yield from _items(child, look, depth + 1, child.get("style-name") or style)
            elif text := " ".join(_inline(child, look).split()):
                indent = "   " * min(depth, _DEEPEST_ITEM)
                mark = "  " if begun else "-" if first is None else f"{number}."
                yield f"{indent}{mark} {text}"
                begun = True
    if not depth:
        look.counted[style] = number


def _cells(row: Node, look: _Look) -> list[Cell]:
    return [_cell(cell, look) for cell in row.nodes("table-cell", "covered-table-cell")]


def _cell(cell: Node, look: _Look) -> Cell:
    return cell_of(_spans(each, look, "") for each in cell.walk() if each.name in ("p", "h"))


def _inline(node: Node, look: _Look) -> str:
    return tamed(marked_up(_spans(node, look, "")))


def _plain(node: Node, look: _Look) -> str:
    """Return a text in one line, where its role is emphasis enough."""
    return tamed(" ".join("".join(text for text, _ in _spans(node, look, "")).split()))


def _spans(node: Node, look: _Look, marks: str) -> Iterator[tuple[str, str]]:
    """Yield the text of a paragraph, each piece with the marks of its emphasis."""
    for child in node.children:
        if isinstance(child, str):
            yield child, marks
        elif child.name not in _UNSEEN:
            yield from _span(child, look, marks)


def _span(node: Node, look: _Look, marks: str) -> Iterator[tuple[str, str]]:
    match node.name:
        case "s":
            yield " " * min(_times(node, "c"), _MOST_BLANKS), marks
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
            yield _described_picture(node) if node.name == "frame" else "", ""
            yield from _spans(node, look, marks)


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
    look = _Look({}, {}, {}, set(), {}, [], url)
    for part in ("styles.xml", _PART):
        for node in elements(package.chunks(part), "style", "list-style", marks=("body",)):
            if node.name == "body":
                break
            if node.name == "style":
                look.parents[node.get("name")] = node.get("parent-style-name")
                look.marks[node.get("name")] = _marks(node) if node.get("family") == "text" else ""
                look.hidden.update([node.get("name")] if _hides(node) else ())
            else:
                levels = node.nodes("list-level-style-number")
                firsts = {each.get("level"): _times(each, "start-value") for each in levels}
                look.firsts[node.get("name")] = firsts
    return look


def _hides(style: Node) -> bool:
    properties = style.first("table-properties")
    return properties is not None and properties.get("display") == "false"


def _marks(style: Node) -> str:
    """Return how markdown marks what a style of words makes of them."""
    said = style.first("text-properties")
    if said is None:
        return ""
    struck = said.get("text-line-through-style") not in ("", "none")
    bold = said.get("font-weight") in _BOLD
    italic = said.get("font-style") in ("italic", "oblique")
    return f"{'~~' * struck}{'**' * bold}{'*' * italic}"
