"""Tidy tables: an even grid of cells for data, plain blocks for layout."""

import re
from itertools import islice
from typing import Final

from turbohtml import Element, Text

_LAYOUT_SELECTOR: Final = "table,pre,blockquote,form,section,article,li p,ol,dl"
_CELL_HEADING_SELECTOR: Final = "td h1,td h2,td h3,td h4,td h5,td h6"
_HEADER_TEXT_SELECTOR: Final = "b,strong,h1,h2,h3,h4,h5,h6"
# The minimum of rows with several cells per heading in a table of data.
_MIN_ROWS_PER_HEADING: Final = 2
_MAX_NAMED_PARTS: Final = 10
_MAX_HEAD_ROWS: Final = 5
_MAX_COLUMN_ROWS: Final = 50
_MAX_DATA_CELL_CHARS: Final = 300
_TABLE_PART_SELECTOR: Final = "thead,tbody,tfoot,tr,td,th,caption,colgroup"
_MAX_COLUMNS: Final = 100
_MAX_CELLS: Final = 20_000
_MAX_SPANNED_CELLS: Final = 4_000
_SENTENCE_ENDS: Final = ".,;:!?。"
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
    _inline_lists_in_cells(root)
    for cell in root.select("[colspan],[rowspan]"):
        cell.attrs.pop("colspan", None)
        cell.attrs.pop("rowspan", None)


def _flatten_layout_tables(root: Element, tables: list[Element]) -> None:
    inlined = _inline_code_in_cells(root)
    layouts = {table for table in tables if _is_layout_table(table)}
    for block in inlined:
        if block.closest("table") in layouts:
            block.tag = "pre"
    _flatten_tables(root, layouts)


def _drop_blank_rows(root: Element) -> None:
    for row in root.find_all("tr"):
        if not row.text.strip():
            row.decompose()


def _is_layout_table(table: Element) -> bool:
    """Tell whether a table is only layout: a column, blocks in cells, a list in its only row."""
    if table.select_one(_LAYOUT_SELECTOR) is not None or _is_single_column(table):
        return True
    headings = table.select(_CELL_HEADING_SELECTOR)
    if headings and not _are_row_headings(headings, table):
        return True
    return len(table.find_all("tr", limit=2)) == 1 and table.select_one("ul") is not None


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


def _are_row_headings(headings: list[Element], table: Element) -> bool:
    """Tell whether headings only head the columns or parts of a table."""
    rows = sum(len(_filled_cells(row)) > 1 for row in table.find_all("tr"))
    return rows >= _MIN_ROWS_PER_HEADING * len(headings) and all(map(_fills_table_cell, headings))


def _fills_table_cell(heading: Element) -> bool:
    cell = heading.closest("td")
    return cell is not None and cell.text.strip() == heading.text.strip()


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
    parts = cell.select(_HEADER_TEXT_SELECTOR)[:_MAX_NAMED_PARTS]
    nested = {inner for part in parts for inner in part.select(_HEADER_TEXT_SELECTOR)}
    header_text = "".join(part.text for part in parts if part not in nested)
    return bool(header_text) and "".join(header_text.split()) == "".join(cell.text.split())


def _inline_code_in_cells(root: Element) -> list[Element]:
    """Make one-line code blocks in cells inline: a block would end the table.

    Return the changed blocks; in a layout table they become blocks again.
    """
    blocks = root.select("td:not(:only-child) pre,th:not(:only-child) pre")
    short = [block for block in blocks if "\n" not in block.text.strip()]
    for block in short:
        block.tag = "span" if block.find("code") is not None else "code"
    return short


def _inline_lists_in_cells(root: Element) -> None:
    """Join the items of a list in a cell into one line, which has no list marks."""
    for item in root.select("td > ul > li:not(:last-child)"):
        if text := item.text.rstrip():
            item.append(Text(" " if text[-1] in _SENTENCE_ENDS else "; "))
    for item in root.select("td > ul > li"):
        item.tag = "span"
    for items in root.select("td > ul"):
        items.tag = "div"


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


_GRID_SELECTOR: Final = "div[role=table],div[role=grid],div[role=treegrid]"
_HEADER_ROLES: Final = frozenset({"columnheader", "rowheader"})
_CELL_SELECTOR: Final = "[role=cell],[role=gridcell],[role=columnheader],[role=rowheader]"
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


def _render_box_table(rows: list[list[Element]]) -> Element:
    table = Element("table")
    for cells in rows:
        row = Element("tr")
        row.extend(_make_table_cell(cell) for cell in cells)
        table.append(row)
    return table


def _make_table_cell(cell: Element) -> Element:
    table_cell = Element("th" if cell.attr("role") in _HEADER_ROLES else "td")
    table_cell.extend(list(cell.children))
    return table_cell
