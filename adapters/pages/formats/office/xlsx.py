"""Excel: each sheet as a table under its name; only as many rows are unpacked as are shown."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

import msgspec

from ..markup import table
from ..outcome import Draft
from ..tables import MOST_COLUMNS, MOST_ROWS, cut_rows
from .package import Package
from .parts import relations
from .xlsx_cells import Cells, column_of, read_cells
from .xml import Node, elements

_PART: Final = "xl/workbook.xml"
_MOST_SHEETS: Final = 50


class _Sheet(msgspec.Struct, frozen=True):
    name: str
    part: str
    hidden: bool


def read_xlsx(package: Package, _url: str) -> Draft:
    """Return a workbook as markdown; hidden sheets are left out, and that is noted."""
    sheets = list(_sheets(package))
    cells = read_cells(package)
    pieces: list[str] = []
    notes: list[str] = []
    for sheet in [sheet for sheet in sheets if not sheet.hidden][:_MOST_SHEETS]:
        content, about = _sheet(package, sheet, cells)
        pieces.append(content)
        notes.extend(about)
    left_out = sum(sheet.hidden for sheet in sheets)
    if left_out:
        notes.append(f"hidden sheets that were left out: {left_out}")
    if len(sheets) - left_out > _MOST_SHEETS:
        notes.append(f"only the first {_MOST_SHEETS} sheets")
    return Draft(content="\n\n".join(piece for piece in pieces if piece), notes=tuple(notes))


def _sheets(package: Package) -> Iterator[_Sheet]:
    parts = relations(package, _PART)
    for node in elements(package.chunks(_PART), "sheet"):
        hidden = node.get("state") in ("hidden", "veryHidden")
        yield _Sheet(" ".join(node.get("name").split()), parts.get(node.get("id"), ""), hidden)


def _sheet(package: Package, sheet: _Sheet, cells: Cells) -> tuple[str, tuple[str, ...]]:
    nodes = elements(package.chunks(sheet.part), "row")
    rows = [_row(node, cells) for node in islice(nodes, MOST_ROWS + 1)]
    cut, notes = cut_rows(rows, of=f" of sheet {sheet.name}")
    shown = [row for row in cut if row]
    return (f"## {sheet.name}\n\n{table(shown)}" if shown else ""), notes


def _row(node: Node, cells: Cells) -> list[str]:
    """Return a row's values, each in its column; the one past the last shown is for the note."""
    row: list[str] = []
    for place, cell in enumerate(node.nodes("c")):
        column = min(column_of(cell.get("r"), place), MOST_COLUMNS)
        row.extend([""] * (column + 1 - len(row)))
        row[column] = cells.value(cell)
    while row and not row[-1]:
        row.pop()
    return row
