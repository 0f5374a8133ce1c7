"""The cells of a sheet of an Excel workbook before 2007."""

import struct
from collections.abc import Callable, Iterator
from typing import Final

from ..table_limits import MAX_COLUMNS, MAX_ROWS, TableRoom, take_rows
from .number_formats import ERROR_TEXTS, unpack_rk
from .xls_globals import BEGINNING, END, ListedSheet, WorkbookGlobals
from .xls_records import XlsRecord, formula_result, read_xls_records, read_xls_text

_SHARED, _NUMBER, _SHORT, _SHORTS, _FORMULA, _LABEL, _RICH, _TRUTH, _RESULT = (
    0x00FD, 0x0203, 0x027E, 0x00BD, 0x0006, 0x0204, 0x00D6, 0x0205, 0x0207,
)  # fmt: skip
_FORMULAS_EARLY: Final = (0x0206, 0x0406)


def xls_sheet_rows(
    stream: bytes, sheet: ListedSheet, book: WorkbookGlobals, max_cells: int
) -> list[list[str]]:
    """Return the rows of a sheet, one more than is shown where there are more."""
    rows: dict[int, list[str]] = {}
    filled = 0
    for row, column, text in _cells(stream, sheet.start, book):
        if text:
            cells = rows.setdefault(row, [])
            place = min(column, MAX_COLUMNS)
            cells.extend([""] * (place + 1 - len(cells)))
            cells[place] = text
            filled += 1
        if len(rows) > MAX_ROWS or filled > max_cells:
            break
    return take_rows((cells for _, cells in sorted(rows.items())), TableRoom(cells=max_cells))


def _cells(stream: bytes, start: int, book: WorkbookGlobals) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and text of the cells of a sheet that have any."""
    place = (0, 0)
    for sort, data, end in own_records(stream, start):
        if sort in _SINGLE:
            row, column, style = struct.unpack_from("<HHH", data)
            place = (row, column)
            yield row, column, _SINGLE[sort](data, style, book)
        elif sort == _SHORTS:
            yield from _short_numbers(data, book)
        elif sort == _RESULT:
            # The text that a formula gives stands in a record of its own, after it.
            whole = (
                read_xls_text(data, 0, codec=book.codec)
                if book.codec
                else formula_result(stream, data, end)
            )
            yield *place, whole


def own_records(stream: bytes, start: int) -> Iterator[XlsRecord]:
    """Yield the records of a sheet, but those of a chart in it, which has cells of its own."""
    depth = 0
    for record in read_xls_records(stream, start):
        depth += (record.sort == BEGINNING) - (record.sort == END)
        if record.sort == END and depth <= 0:
            return
        if depth <= 1:
            yield record


def _short_numbers(data: bytes, book: WorkbookGlobals) -> Iterator[tuple[int, int, str]]:
    row, first = struct.unpack_from("<HH", data)
    for number in range((len(data) - 6) // 6):
        style, packed = struct.unpack_from("<HI", data, 4 + 6 * number)
        yield row, first + number, book.number(unpack_rk(packed), style)


def _formula(data: bytes, style: int, book: WorkbookGlobals) -> str:
    """Return the result that a formula was stored with; nothing for a text, which follows."""
    if data[12:14] != b"\xff\xff":
        return book.number(struct.unpack_from("<d", data, 6)[0], style)
    kinds = {1: str(bool(data[8])).upper(), 2: ERROR_TEXTS.get(data[8], "#ERROR")}
    return kinds.get(data[6], "")


def _truth(data: bytes, _style: int, _book: WorkbookGlobals) -> str:
    return ERROR_TEXTS.get(data[6], "#ERROR") if data[7] else str(bool(data[6])).upper()


_SINGLE: Final[dict[int, Callable[[bytes, int, WorkbookGlobals], str]]] = {
    _SHARED: lambda data, _, book: book.text(struct.unpack_from("<I", data, 6)[0]),
    _NUMBER: lambda data, style, book: book.number(struct.unpack_from("<d", data, 6)[0], style),
    _SHORT: lambda data, style, book: book.number(
        unpack_rk(struct.unpack_from("<I", data, 6)[0]), style
    ),
    **dict.fromkeys((_FORMULA, *_FORMULAS_EARLY), _formula),
    _LABEL: lambda data, _style, book: book.label(data),
    _RICH: lambda data, _style, book: book.label(data),
    _TRUTH: _truth,
}
