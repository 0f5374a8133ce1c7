"""The sheets of an OpenDocument workbook."""

from functools import partial
from typing import Final

from ..cutting import MOST_BLANK, MOST_COLUMNS, MOST_ROWS, Room, taken
from ..draft import Allowance, Draft
from ..office.package import Package
from ..office.xml import Node, nodes_of
from ..sheets import MOST_SHEETS, Note, Notes, Sheet, cell_name, workbook
from .styles import PART, Look, look_of, times
from .text import MOST_STEPS, inline, remark_of

# What hidden sheets may cost before they take from the others.
_SPARE_STEPS: Final = MOST_STEPS // 4


def read_spreadsheet(package: Package, url: str) -> Draft:
    """Return each sheet under its name as a table, hidden ones too."""
    look = look_of(package, url)
    sheets: list[Sheet] = []
    grid = _Grid()
    notes_told = Notes()
    shown = 0
    allowance, spare = Allowance(MOST_STEPS), Allowance(_SPARE_STEPS)
    notes: list[str] = []
    for node in nodes_of(package, PART, "table-row", marks=("table",)):
        if node.name == "table":
            grid = _Grid()
            is_hidden = node.get("style-name") in look.hidden
            kept = None if is_hidden and spare.is_spent else partial(_rows, grid)
            name = " ".join(node.get("name").split())
            sheets.append(Sheet(name, is_hidden, kept, partial(notes_told.told, grid.notes)))
            shown += not is_hidden
        is_spare = bool(sheets) and sheets[-1].is_hidden
        is_over = is_spare and spare.is_spent
        (spare if is_spare and not is_over else allowance).spend(node.size)
        if allowance.is_spent or shown > MOST_SHEETS:
            notes.append("only the first rows and sheets")
            # Of the last one nothing may have been read, which is not the same as empty.
            sheets = sheets if any(grid.rows) else sheets[:-1]
            break
        if node.name == "table-row" and sheets and not is_over:
            grid.add(node, look)
    if spare.is_spent:
        notes.append("only the first rows of hidden sheets")
    draft = workbook(sheets)
    return Draft(content=draft.content, notes=(*notes, *draft.notes))


class _Grid:
    """The rows of a sheet, and the comments on its cells."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.notes: list[Note] = []
        self._place = 0

    def add(self, node: Node, look: Look) -> None:
        """Add a row as often as it is repeated; empty ones at the end of a sheet say nothing."""
        place, repeated = self._place, times(node, "number-rows-repeated")
        self._place += repeated
        if len(self.rows) > MOST_ROWS + MOST_BLANK:
            return
        cells: list[str] = []
        column = 0
        for cell in node.nodes("table-cell", "covered-table-cell"):
            text = " ".join(inline(each, look) for each in cell.nodes("p")).strip()
            again = times(cell, "number-columns-repeated")
            cells += [text] * min(again, MOST_COLUMNS + 1 - len(cells))
            self.notes += (_note(each, place, column) for each in cell.nodes("annotation"))
            column += again
        while cells and not cells[-1]:
            cells.pop()
        self.rows += [cells] * min(repeated if cells else 1, MOST_ROWS + 1)


def _rows(grid: _Grid, most: int) -> list[list[str]]:
    return taken(grid.rows, Room(cells=most))


def _note(node: Node, row: int, column: int) -> Note:
    author, text = remark_of(node)
    return Note(author, cell_name(row, column), text)
