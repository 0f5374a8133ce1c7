"""The sheets of an OpenDocument workbook."""

from functools import partial
from typing import Final

from ..draft import Draft, StepAllowance
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from ..sheets import (
    MAX_BLANK_ROWS,
    MAX_COLUMNS,
    MAX_ROWS,
    MAX_SHEETS,
    Note,
    Notes,
    Sheet,
    TableRoom,
    cell_name,
    take_rows,
    workbook_draft,
)
from .odf_styles import PART, OdfStyles, read_odf_styles, repeat_count
from .text import MAX_ODF_STEPS, comment_text, paragraph_inline

# What hidden sheets may cost before they take from the others.
_SPARE_STEPS: Final = MAX_ODF_STEPS // 4


def read_spreadsheet(package: Package, url: str) -> Draft:
    """Return each sheet under its name as a table, hidden ones too."""
    look = read_odf_styles(package, url)
    sheets: list[Sheet] = []
    grid = _Grid()
    notes_told = Notes()
    shown = 0
    allowance, spare = StepAllowance(MAX_ODF_STEPS), StepAllowance(_SPARE_STEPS)
    notes: list[str] = []
    for node in part_elements(package, PART, "table-row", element_names=("table",)):
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
        if allowance.is_spent or shown > MAX_SHEETS:
            notes.append("only the first rows and sheets")
            # Of the last one nothing may have been read, which is not the same as empty.
            sheets = sheets if any(grid.rows) else sheets[:-1]
            break
        if node.name == "table-row" and sheets and not is_over:
            grid.add(node, look)
    if spare.is_spent:
        notes.append("only the first rows of hidden sheets")
    draft = workbook_draft(sheets)
    return Draft(content=draft.content, notes=(*notes, *draft.notes))


class _Grid:
    """The rows of a sheet, and the comments on its cells."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.notes: list[Note] = []
        self._place = 0

    def add(self, node: XmlNode, look: OdfStyles) -> None:
        """Add a row as often as it is repeated; empty ones at the end of a sheet say nothing."""
        place, repeated = self._place, repeat_count(node, "number-rows-repeated")
        self._place += repeated
        if len(self.rows) > MAX_ROWS + MAX_BLANK_ROWS:
            return
        cells: list[str] = []
        column = 0
        for cell in node.nodes("table-cell", "covered-table-cell"):
            text = " ".join(paragraph_inline(each, look) for each in cell.nodes("p")).strip()
            again = repeat_count(cell, "number-columns-repeated")
            cells += [text] * min(again, MAX_COLUMNS + 1 - len(cells))
            self.notes += (_note(each, place, column) for each in cell.nodes("annotation"))
            column += again
        while cells and not cells[-1]:
            cells.pop()
        self.rows += [cells] * min(repeated if cells else 1, MAX_ROWS + 1)


def _rows(grid: _Grid, most: int) -> list[list[str]]:
    return take_rows(grid.rows, TableRoom(cells=most))


def _note(node: XmlNode, row: int, column: int) -> Note:
    author, text = comment_text(node)
    return Note(author, cell_name(row, column), text)


PACKAGE_READERS: Final = {"ods": read_spreadsheet}
