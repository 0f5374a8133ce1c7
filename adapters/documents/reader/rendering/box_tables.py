"""Tables that a page makes of boxes, and calls tables by their roles or classes, as tables."""

from typing import Final

from turbohtml import Element

_GRIDS: Final = "div[role=table],div[role=grid],div[role=treegrid]"
_HEADS: Final = frozenset({"columnheader", "rowheader"})
_CELLS: Final = "[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]"
# As javadoc sets them: cells without rows around them.
_SUMMARIES: Final = "div.two-column-summary,div.three-column-summary"
_HEAD: Final = "table-header"
_LAST: Final = "col-last"
_MAX_GRIDS: Final = 100
_MAX_ROWS: Final = 2_000
_MIN_TABLE_SIZE: Final = 2


def set_grids(root: Element) -> None:
    """Make a table of each grid of boxes, in place; one that holds a table stays."""
    for grid in root.select(_GRIDS)[:_MAX_GRIDS]:
        if grid.find("table") is None:
            rows = [row.select(_CELLS) for row in grid.select("[role=row]")[:_MAX_ROWS]]
            told = [cells for cells in rows if cells]
            if len(told) >= _MIN_TABLE_SIZE and max(map(len, told)) >= _MIN_TABLE_SIZE:
                grid.replace_with(_table(told))
    for summary in root.select(_SUMMARIES)[:_MAX_GRIDS]:
        rows = _rows(summary)
        if len(rows) >= _MIN_TABLE_SIZE and {len(row) for row in rows} == {len(rows[0])}:
            summary.replace_with(_table(rows))


def _rows(summary: Element) -> list[list[Element]]:
    """Return the cells of a summary by rows, each of which ends with a last one."""
    rows: list[list[Element]] = []
    row: list[Element] = []
    for cell in (node for node in summary.children if isinstance(node, Element)):
        row.append(cell)
        if _LAST in _names(cell):
            rows.append(row)
            row = []
    return [*rows, row] if row else rows


def _table(rows: list[list[Element]]) -> Element:
    table = Element("table")
    for cells in rows:
        row = Element("tr")
        row.extend(_cell(cell) for cell in cells)
        table.append(row)
    return table


def _cell(cell: Element) -> Element:
    is_head = cell.attr("role") in _HEADS or _HEAD in _names(cell)
    made = Element("th" if is_head else "td")
    made.extend(list(cell.children))
    return made


def _names(cell: Element) -> list[str]:
    return (cell.attr("class") or "").split()
