"""Turn boxes with the roles or classes of a table into tables."""

from typing import Final

from turbohtml import Element

_GRID_SELECTOR: Final = "div[role=table],div[role=grid],div[role=treegrid]"
_HEADER_ROLES: Final = frozenset({"columnheader", "rowheader"})
_CELL_SELECTOR: Final = "[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]"
# Javadoc writes cells without rows around them.
_SUMMARY_SELECTOR: Final = "div.two-column-summary,div.three-column-summary"
_HEADER_CLASS: Final = "table-header"
_LAST_CELL_CLASS: Final = "col-last"
_MAX_GRIDS: Final = 100
_MAX_ROWS: Final = 2_000
_MIN_TABLE_SIZE: Final = 2


def grids_to_tables(root: Element) -> None:
    """Replace each grid of boxes with a table, in place; a grid with a table inside stays."""
    for grid in root.select(_GRID_SELECTOR)[:_MAX_GRIDS]:
        if grid.find("table") is None:
            rows = [row.select(_CELL_SELECTOR) for row in grid.select("[role=row]")[:_MAX_ROWS]]
            filled = [cells for cells in rows if cells]
            if len(filled) >= _MIN_TABLE_SIZE and max(map(len, filled)) >= _MIN_TABLE_SIZE:
                grid.replace_with(_render_box_table(filled))
    for summary in root.select(_SUMMARY_SELECTOR)[:_MAX_GRIDS]:
        rows = _summary_rows(summary)
        if len(rows) >= _MIN_TABLE_SIZE and {len(row) for row in rows} == {len(rows[0])}:
            summary.replace_with(_render_box_table(rows))


def _summary_rows(summary: Element) -> list[list[Element]]:
    """Return the cells of a summary by rows; a cell with the class of a last one ends a row."""
    rows: list[list[Element]] = []
    row: list[Element] = []
    for cell in (node for node in summary.children if isinstance(node, Element)):
        row.append(cell)
        if _LAST_CELL_CLASS in _cell_classes(cell):
            rows.append(row)
            row = []
    return [*rows, row] if row else rows


def _render_box_table(rows: list[list[Element]]) -> Element:
    table = Element("table")
    for cells in rows:
        row = Element("tr")
        row.extend(_make_table_cell(cell) for cell in cells)
        table.append(row)
    return table


def _make_table_cell(cell: Element) -> Element:
    is_head = cell.attr("role") in _HEADER_ROLES or _HEADER_CLASS in _cell_classes(cell)
    table_cell = Element("th" if is_head else "td")
    table_cell.extend(list(cell.children))
    return table_cell


def _cell_classes(cell: Element) -> list[str]:
    return (cell.attr("class") or "").split()
