"""Tables that a page makes of boxes and calls tables by their roles, as tables."""

from typing import Final

from turbohtml import Element

_GRIDS: Final = "div[role=table],div[role=grid],div[role=treegrid]"
_HEADS: Final = frozenset({"columnheader", "rowheader"})
_CELLS: Final = "[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]"
_MOST: Final = 100
_MOST_ROWS: Final = 2_000
_LEAST: Final = 2


def set_grids(root: Element) -> None:
    """Make a table of each grid of boxes, in place; one that holds a table stays."""
    for grid in root.select(_GRIDS)[:_MOST]:
        if grid.find("table") is None:
            rows = [row.select(_CELLS) for row in grid.select("[role=row]")[:_MOST_ROWS]]
            told = [cells for cells in rows if cells]
            if len(told) >= _LEAST and max(map(len, told)) >= _LEAST:
                grid.replace_with(_table(told))


def _table(rows: list[list[Element]]) -> Element:
    table = Element("table")
    for cells in rows:
        row = Element("tr")
        row.extend(_cell(cell) for cell in cells)
        table.append(row)
    return table


def _cell(cell: Element) -> Element:
    made = Element("th" if cell.attr("role") in _HEADS else "td")
    made.extend(list(cell.children))
    return made
