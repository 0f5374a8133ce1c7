"""Make tables plain: a grid of cells for data, simple blocks for one that only lays things out."""

import re
from itertools import islice
from typing import Final

from turbohtml import Element, Text

_LAYOUT: Final = "table,pre,blockquote,form,section,article,li p,ol,dl"
_HEADINGS: Final = "td h1,td h2,td h3,td h4,td h5,td h6"
_NAMES: Final = "b,strong,h1,h2,h3,h4,h5,h6"
# So many rows of several cells for each heading, where headings head columns or parts of a table.
_ROWS_TO_HEADING: Final = 2
_MAX_NAMED_PARTS: Final = 10
_MAX_HEAD_ROWS: Final = 5
_MAX_COLUMN_ROWS: Final = 50
_MAX_DATA_CELL_CHARS: Final = 300
_PARTS: Final = "thead,tbody,tfoot,tr,td,th,caption,colgroup"
_MAX_COLUMNS: Final = 100
_MAX_CELLS: Final = 20_000
_MAX_SPANNED: Final = 4_000
_ENDS: Final = ".,;:!?。"
_NUMBER: Final = re.compile("[0-9]{1,5}")


def tidy_tables(root: Element) -> None:
    """Tidy every table inside ``root`` in place."""
    tables = root.find_all("table")
    if not tables:
        return
    _open_layouts(root, tables)
    cells_left = _MAX_CELLS
    too_large: set[Element] = set()
    for table in tables:
        if table.tag == "table":
            _name_columns(table)
            cells = _square(table, cells_left)
            cells_left -= cells or 0
            if cells is None:
                too_large.add(table)
    _flatten(root, too_large)
    _drop_blank_rows(root)
    _level_lists(root)
    for cell in root.select("[colspan],[rowspan]"):
        cell.attrs.pop("colspan", None)
        cell.attrs.pop("rowspan", None)


def _open_layouts(root: Element, tables: list[Element]) -> None:
    leveled = _level_code(root)
    layouts = {table for table in tables if _is_layout(table)}
    for block in leveled:
        if block.closest("table") in layouts:
            block.tag = "pre"
    _flatten(root, layouts)


def _drop_blank_rows(root: Element) -> None:
    """Take out rows in which nothing is said: they only part others."""
    for row in root.find_all("tr"):
        if not row.text.strip():
            row.decompose()


def _is_layout(table: Element) -> bool:
    """Tell a table that only lays things out: a column, blocks in cells, lists in its only row."""
    if table.select_one(_LAYOUT) is not None or _is_column(table):
        return True
    headings = table.select(_HEADINGS)
    if headings and not _head_rows(headings, table):
        return True
    return len(table.find_all("tr", limit=2)) == 1 and table.select_one("ul") is not None


def _is_column(table: Element) -> bool:
    """Tell a table of one filled cell, or of one column of long texts: neither is a grid."""
    rows = [_filled(row) for row in table.find_all("tr", limit=_MAX_COLUMN_ROWS + 1)]
    cells = [cell for row in rows for cell in row]
    if len(rows) > _MAX_COLUMN_ROWS or any(len(row) > 1 for row in rows):
        return False
    return len(cells) == 1 or any(len(cell.text) > _MAX_DATA_CELL_CHARS for cell in cells)


def _filled(row: Element) -> list[Element]:
    cells = row.select(":scope > td, :scope > th")
    return [cell for cell in cells if cell.text.strip()]


def _head_rows(headings: list[Element], table: Element) -> bool:
    """Tell whether headings head the columns or the parts of a table, and nothing else."""
    rows = sum(_is_row(row) for row in table.find_all("tr"))
    return rows >= _ROWS_TO_HEADING * len(headings) and all(map(_fills_cell, headings))


def _is_row(row: Element) -> bool:
    return len(_filled(row)) > 1


def _fills_cell(heading: Element) -> bool:
    cell = heading.closest("td")
    return cell is not None and cell.text.strip() == heading.text.strip()


def _name_columns(table: Element) -> None:
    """Let the first row name the columns where it is set as names are: as headings, or bold."""
    if table.find("th") is not None:
        return
    told = (row for row in table.find_all("tr", limit=_MAX_HEAD_ROWS) if row.text.strip())
    rows = [row.select(":scope > td") for row in islice(told, 2)]
    if len(rows) > 1 and _are_names(rows[0]) and not _are_names(rows[1]):
        for cell in rows[0]:
            cell.tag = "th"


def _are_names(cells: list[Element]) -> bool:
    return len(cells) > 1 and all(map(_is_name, cells))


def _is_name(cell: Element) -> bool:
    """Tell whether all that a cell says is set as a name, in one part or in few."""
    parts = cell.select(_NAMES)[:_MAX_NAMED_PARTS]
    inside = {inner for part in parts for inner in part.select(_NAMES)}
    named = "".join(part.text for part in parts if part not in inside)
    return bool(named) and "".join(named.split()) == "".join(cell.text.split())


def _level_code(root: Element) -> list[Element]:
    """Let code of one line in a cell be a part of the line: as a block it would end the table.

    Return what was code; where the table is none, it is a block after all.
    """
    blocks = root.select("td:not(:only-child) pre,th:not(:only-child) pre")
    short = [block for block in blocks if "\n" not in block.text.strip()]
    for block in short:
        block.tag = "span" if block.find("code") is not None else "code"
    return short


def _level_lists(root: Element) -> None:
    """Let the items of a list in a cell follow each other: its line has no room for marks."""
    for item in root.select("td > ul > li:not(:last-child)"):
        if text := item.text.rstrip():
            item.append(Text(" " if text[-1] in _ENDS else "; "))
    for item in root.select("td > ul > li"):
        item.tag = "span"
    for items in root.select("td > ul"):
        items.tag = "div"


def _flatten(root: Element, tables: set[Element]) -> None:
    """Turn tables into plain blocks; one inside of another may stay a table."""
    for part in root.select(_PARTS) if tables else ():
        if part.closest("table") in tables:
            part.tag = "div"
    for table in tables:
        table.tag = "div"


def _square(table: Element, most: int) -> int | None:
    """Give every row the same cells, empty ones where a cell spans; return how many it took.

    A grid of more than ``most`` cells is not made.
    """
    rows = [(row, row.select(":scope > td, :scope > th")) for row in table.select("tr")]
    if any(_spans(cell) for _, cells in rows for cell in cells):
        _open_spans(rows)
        rows = [(row, row.select(":scope > td, :scope > th")) for row, _ in rows]
    width = max((len(cells) for _, cells in rows), default=0)
    missing = width * len(rows) - sum(len(cells) for _, cells in rows)
    if missing > most:
        return None
    for row, cells in rows if missing else ():
        row.extend(Element("td") for _ in range(width - len(cells)))
    return missing


def _spans(cell: Element) -> bool:
    attributes = cell.attrs
    return "colspan" in attributes or "rowspan" in attributes


def _open_spans(rows: list[tuple[Element, list[Element]]]) -> None:
    """Put an empty cell wherever a cell of this row or of one above reaches."""
    reach: dict[int, int] = {}
    spans_left = _MAX_SPANNED
    for _, cells in rows:
        column = 0
        for cell in cells:
            before = _covered(reach, column)
            across, down = _number(cell, "colspan"), _number(cell, "rowspan")
            if before + across - 1 <= spans_left:
                spans_left -= before + across - 1
                cell.insert_before(*[Element("td") for _ in range(before)])
                cell.insert_after(*[Element("td") for _ in range(across - 1)])
            column += before + across
            if down > 1:
                reach.update((place, down - 1) for place in range(column - across, column))
        _covered(reach, column)


def _covered(reach: dict[int, int], column: int) -> int:
    """Count the cells from ``column`` on that a row above reaches into, and use them up."""
    place = column
    while place < _MAX_COLUMNS and reach.get(place, 0) > 0:
        reach[place] -= 1
        place += 1
    return place - column


def _number(cell: Element, name: str) -> int:
    text = cell.attr(name) or "1"
    return min(max(int(text), 1), _MAX_COLUMNS) if _NUMBER.fullmatch(text) else 1
