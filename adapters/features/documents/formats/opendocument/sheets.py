"""The sheets of an OpenDocument workbook."""

from functools import partial
from typing import Final

import msgspec

from .. import sheets
from ..draft import Cut, Draft, StepAllowance
from ..office.package import Package
from ..office.xml_elements import XmlNode, part_elements
from .odf_styles import CONTENT_PART, OdfStyles, read_styles, repeat_count
from .text import MAX_ODF_STEPS, author_and_text, paragraph_markdown

# Hidden sheets have a budget of their own before they use that of visible sheets.
_SPARE_STEPS: Final = MAX_ODF_STEPS // 4
_HIDDEN_STATES: Final = ("collapse", "filter")


def read_ods(package: Package, url: str) -> Draft:
    """Return each sheet under its name as a table, hidden ones too."""
    styles = read_styles(package, url)
    workbook: list[sheets.Sheet] = []
    grid = _SheetGrid()
    cell_notes = sheets.CellNoteWriter()
    shown = 0
    allowance, spare = StepAllowance(MAX_ODF_STEPS), StepAllowance(_SPARE_STEPS)
    cuts: list[Cut] = []
    for node in part_elements(
        package, CONTENT_PART, "table-row", element_names=("table", "table-column")
    ):
        if node.name == "table":
            grid = _SheetGrid()
            is_hidden = node.attribute("style-name") in styles.hidden
            has_room = not (is_hidden and spare.is_spent)
            read_rows = partial(sheets.take_sheet_rows, grid.rows) if has_room else None
            name = " ".join(node.attribute("name").split())
            comments = partial(cell_notes.cell_notes_list, grid.notes)
            workbook.append(sheets.Sheet(name, is_hidden, read_rows, comments, grid.hidden))
            shown += not is_hidden
        is_spare = bool(workbook) and workbook[-1].is_hidden
        is_over = is_spare and spare.is_spent
        (spare if is_spare and not is_over else allowance).spend(node.size)
        if allowance.is_spent or shown > sheets.MAX_SHEETS:
            cuts.append(Cut("work", "only the first rows and sheets"))
            # Drop a last sheet of which nothing was read: it would be shown as empty.
            workbook = workbook if any(grid.rows) else workbook[:-1]
            break
        if node.name != "table" and workbook and not is_over:
            grid.add_row_or_column(node, styles)
    if spare.is_spent:
        cuts.append(Cut("work", "only the first rows of hidden sheets"))
    draft = sheets.workbook_draft(workbook)
    return msgspec.structs.replace(draft, cuts=(*cuts, *draft.cuts))


class _SheetGrid:
    """The rows of a sheet, and the comments on its cells."""

    def __init__(self) -> None:
        self.rows: list[list[str]] = []
        self.notes: list[sheets.CellNote] = []
        self.hidden = sheets.HiddenCells()
        self._row_index = 0
        self._column = 0

    def add_row_or_column(self, node: XmlNode, styles: OdfStyles) -> None:
        """Add a row, or take a column."""
        if node.name == "table-row":
            self._add_row(node, styles)
        else:
            # Take a column as often as it is repeated; hide it where it is hidden or filtered out.
            first = self._column
            self._column += repeat_count(node, "number-columns-repeated")
            if node.attribute("visibility") in _HIDDEN_STATES:
                self.hidden.hide_columns(first, self._column - 1)

    def _add_row(self, node: XmlNode, styles: OdfStyles) -> None:
        """Add a row as often as it is repeated; a repeated empty row counts once."""
        row, repeated_rows = self._row_index, repeat_count(node, "number-rows-repeated")
        self._row_index += repeated_rows
        if len(self.rows) > sheets.MAX_ROWS + sheets.MAX_BLANK_ROWS:
            return
        cells: list[str] = []
        column = 0
        for cell in node.elements("table-cell", "covered-table-cell"):
            lines = (paragraph_markdown(node, styles) for node in cell.elements("p"))
            text = " ".join(lines).strip()
            repeated_columns = repeat_count(cell, "number-columns-repeated")
            cells += [text] * min(repeated_columns, sheets.MAX_COLUMNS + 1 - len(cells))
            for author, comment in map(author_and_text, cell.elements("annotation")):
                self.notes.append(sheets.CellNote(author, sheets.cell_name(row, column), comment))
            column += repeated_columns
        while cells and not cells[-1]:
            cells.pop()
        is_hidden = node.attribute("visibility") in _HIDDEN_STATES
        shown = self.hidden.visible_rows(cells, is_hidden=is_hidden)
        self.rows += shown * min(repeated_rows if cells else 1, sheets.MAX_ROWS + 1)


PACKAGE_READERS: Final = {"ods": read_ods}
