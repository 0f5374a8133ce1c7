"""Tidy tables: an even grid of cells for data, plain blocks for layout."""

import re
from itertools import islice
from typing import Final

from turbohtml import Element

_LAYOUT_SELECTOR: Final = "table,pre,blockquote,form,section,article,li p,ol,dl"
_CELL_HEADING_SELECTOR: Final = "td :is(h1,h2,h3,h4,h5,h6)"
# The minimum of rows per heading in a table of data.
_MIN_ROWS_PER_HEADING: Final = 2
_HEADER_TEXT_SELECTOR: Final = "b,strong,h1,h2,h3,h4,h5,h6"
_MAX_HEAD_ROWS: Final = 5
_MAX_COLUMN_ROWS: Final = 50
_MAX_DATA_CELL_CHARS: Final = 300
_TABLE_PART_SELECTOR: Final = "thead,tbody,tfoot,tr,td,th,caption,colgroup"
_MAX_COLUMNS: Final = 100
_MAX_CELLS: Final = 20_000
_MAX_SPANNED_CELLS: Final = 4_000
_SPAN_PATTERN: Final = re.compile("[0-9]{1,5}")


def tidy_tables(root: Element) -> None:
    """Tidy every table inside ``root`` in place."""
    tables = root.find_all("table")
    if not tables:
        return
    _flatten_layout_tables(root, tables)
    cells_left = _MAX_CELLS
    too_large: set[Element] = set()
    for table in tables:
        if table.tag == "table":
            _mark_header_row(table)
            cells = _pad_table_rows(table, cells_left)
            cells_left -= cells or 0
            if cells is None:
                too_large.add(table)
    _flatten_tables(root, too_large)
    _drop_blank_rows(root)
    for cell in root.select("[colspan],[rowspan]"):
        cell.attrs.pop("colspan", None)
        cell.attrs.pop("rowspan", None)


def _flatten_layout_tables(root: Element, tables: list[Element]) -> None:
    # A code block would end the table.
    for block in root.select("td:not(:only-child) pre,th:not(:only-child) pre"):
        if "\n" not in block.text.strip():
            block.tag = "span" if block.find("code") is not None else "code"
    _flatten_tables(root, {table for table in tables if _is_layout_table(table)})


def _drop_blank_rows(root: Element) -> None:
    for row in root.find_all("tr"):
        if not row.text.strip():
            row.decompose()


def _is_layout_table(table: Element) -> bool:
    """Tell whether a table is only layout: a column, blocks in cells, a list in its only row."""
    if table.select_one(_LAYOUT_SELECTOR) is not None or _is_single_column(table):
        return True
    rows = len(table.find_all("tr"))
    if rows < _MIN_ROWS_PER_HEADING * len(table.select(_CELL_HEADING_SELECTOR)):
        return True
    return rows == 1 and table.select_one("ul") is not None


def _is_single_column(table: Element) -> bool:
    """Tell whether a table is one filled cell, or one column with a long text."""
    rows = [_filled_cells(row) for row in table.find_all("tr", limit=_MAX_COLUMN_ROWS + 1)]
    cells = [cell for row in rows for cell in row]
    if len(rows) > _MAX_COLUMN_ROWS or any(len(row) > 1 for row in rows):
        return False
    return len(cells) == 1 or any(len(cell.text) > _MAX_DATA_CELL_CHARS for cell in cells)


def _filled_cells(row: Element) -> list[Element]:
    cells = row.select(":scope > td, :scope > th")
    return [cell for cell in cells if cell.text.strip()]


def _mark_header_row(table: Element) -> None:
    """Make the first row a header where all of its text is bold or a heading."""
    if table.find("th") is not None:
        return
    filled_rows = (row for row in table.find_all("tr", limit=_MAX_HEAD_ROWS) if row.text.strip())
    rows = [row.select(":scope > td") for row in islice(filled_rows, 2)]
    if len(rows) > 1 and _are_header_cells(rows[0]) and not _are_header_cells(rows[1]):
        for cell in rows[0]:
            cell.tag = "th"


def _are_header_cells(cells: list[Element]) -> bool:
    return len(cells) > 1 and all(map(_is_header_cell, cells))


def _is_header_cell(cell: Element) -> bool:
    """Tell whether all text of a cell is bold or a heading."""
    header_text = "".join(part.text for part in cell.select(_HEADER_TEXT_SELECTOR))
    return bool(header_text) and "".join(header_text.split()) == "".join(cell.text.split())


def _flatten_tables(root: Element, tables: set[Element]) -> None:
    """Turn tables into plain blocks; an inner table may stay a table."""
    for part in root.select(_TABLE_PART_SELECTOR) if tables else ():
        if part.closest("table") in tables:
            part.tag = "div"
    for table in tables:
        table.tag = "div"


def _pad_table_rows(table: Element, max_cells: int) -> int | None:
    """Pad every row to the same number of cells; return the number of added cells.

    Return None, and add none, where more than ``max_cells`` would be needed.
    """
    rows = [(row, row.select(":scope > td, :scope > th")) for row in table.select("tr")]
    if table.select_one("[colspan],[rowspan]") is not None:
        _fill_cell_spans(rows)
        rows = [(row, row.select(":scope > td, :scope > th")) for row, _ in rows]
    width = max((len(cells) for _, cells in rows), default=0)
    missing = width * len(rows) - sum(len(cells) for _, cells in rows)
    if missing > max_cells:
        return None
    for row, cells in rows if missing else ():
        row.extend(Element("td") for _ in range(width - len(cells)))
    return missing


def _fill_cell_spans(rows: list[tuple[Element, list[Element]]]) -> None:
    """Insert an empty cell wherever a cell of this row or a row above spans."""
    covered: dict[int, int] = {}
    spans_left = _MAX_SPANNED_CELLS
    for _, cells in rows:
        column = 0
        for cell in cells:
            before = _use_covered_cells(covered, column)
            columns, depth = _cell_span(cell, "colspan"), _cell_span(cell, "rowspan")
            if before + columns - 1 <= spans_left:
                spans_left -= before + columns - 1
                cell.insert_before(*[Element("td") for _ in range(before)])
                cell.insert_after(*[Element("td") for _ in range(columns - 1)])
            column += before + columns
            if depth > 1:
                covered.update((index, depth - 1) for index in range(column - columns, column))
        _use_covered_cells(covered, column)


def _use_covered_cells(rows_covered: dict[int, int], column: int) -> int:
    """Count the cells from ``column`` on that a row above covers, and use them up."""
    end = column
    while end < _MAX_COLUMNS and rows_covered.get(end, 0) > 0:
        rows_covered[end] -= 1
        end += 1
    return end - column


def _cell_span(cell: Element, name: str) -> int:
    text = cell.attr(name) or "1"
    return min(max(int(text), 1), _MAX_COLUMNS) if _SPAN_PATTERN.fullmatch(text) else 1
