"""An Excel workbook before 2007: each sheet as a table under its name.

[MS-XLS] 2.4 (read 2026-11-16). Formulas show the results that were stored with them.
"""

import struct
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from typing import Final

import msgspec
from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..compound.container import CompoundFile
from ..compound.kinds import LOCKED
from ..compound.summary import described
from ..detection.charset import codec_of_page
from ..draft import Draft, Source, corrupt, encrypted, page_of
from ..office.package import BrokenFileError, EncryptedError
from ..sheets import Sheet, workbook
from ..tables import MOST_COLUMNS, MOST_ROWS
from .records import CONTINUE, records, shared_texts, text_at
from .values import (
    BUILT_IN_DATES,
    DAY_ZERO,
    DAY_ZERO_1904,
    ERRORS,
    is_date_format,
    number_text,
    unpacked,
)

# As they are called in capitals by some programs; the last is that of Excel 5 and 95.
_STREAMS: Final = ("workbook", "book")
_BEGIN, _END, _LOCK, _TEXTS = 0x0809, 0x000A, 0x002F, 0x00FC
_OLDER: Final = 0x0500
_USUAL_CODEC: Final = "cp1252"
_OTHER_PAGES: Final = {
    367: "ascii", 437: "cp437", 1200: "utf-16-le", 32768: codec_of_page(10000),
}  # fmt: skip
_SHARED, _NUMBER, _SHORT, _SHORTS, _FORMULA, _LABEL, _RICH, _TRUTH, _RESULT = (
    0x00FD, 0x0203, 0x027E, 0x00BD, 0x0006, 0x0204, 0x00D6, 0x0205, 0x0207,
)  # fmt: skip


def read_xls(source: Source) -> Result[ReadPage, WebError]:
    """Return a workbook as markdown, its hidden sheets too."""
    try:
        file = CompoundFile(source.body)
        return page_of(described(file, _draft(_stream(file)), source.file_name))
    except EncryptedError:
        return encrypted()
    except (BrokenFileError, struct.error, IndexError, MemoryError):
        return corrupt("it is not a whole xls file")


def _stream(file: CompoundFile) -> bytes:
    """Return the workbook; where there are two, the newer."""
    names = {path.lower(): path for path in file.paths}
    if LOCKED in names:
        raise EncryptedError
    stream = file.stream(next((names[name] for name in _STREAMS if name in names), ""))
    if not stream:
        raise BrokenFileError
    return stream


class _Listed(msgspec.Struct, frozen=True):
    name: str
    start: int
    hidden: bool


class _Book(msgspec.Struct):
    """What the cells of all sheets refer to."""

    texts: list[str]
    formats: dict[int, str]
    styles: list[int]
    sheets: list[_Listed]
    day_zero: datetime = DAY_ZERO
    # Of texts in records, before Excel 97; from then on they say it themselves.
    codec: str = ""

    def number(self, value: float, style: int) -> str:
        """Return what a number shows as: a date where its style says so."""
        form = self.styles[style] if style < len(self.styles) else 0
        is_date = form in BUILT_IN_DATES or is_date_format(self.formats.get(form, ""))
        return number_text(value, self.day_zero if is_date else None)

    def label(self, data: bytes) -> str:
        """Return the text of a cell that holds it."""
        return text_at(data, 6, codec=self.codec)

    def text(self, place: int) -> str:
        """Return a text of the shared table, empty where there is none."""
        return self.texts[place] if place < len(self.texts) else ""


def _draft(stream: bytes) -> Draft:
    book = _book(stream)
    # One that begins behind the end is not there, which is not the same as empty.
    there = (sheet for sheet in book.sheets if sheet.start < len(stream))
    return workbook(
        [Sheet(one.name, one.hidden, partial(_rows, stream, one, book)) for one in there]
    )


def _book(stream: bytes) -> _Book:
    book = _Book([], {}, [], [])
    pieces: list[bytes] = []
    for sort, data, _ in records(stream):
        if sort == _END:
            break
        if sort == _LOCK:
            raise EncryptedError
        if sort == _TEXTS or (sort == CONTINUE and pieces):
            pieces.append(data)
            continue
        if pieces and not book.texts:
            book.texts = shared_texts(pieces)
        pieces = pieces if not book.texts else []
        _NOTED.get(sort, _note_nothing)(book, data)
    book.texts = book.texts or (shared_texts(pieces) if pieces else [])
    return book


def _note_nothing(_book: _Book, _data: bytes) -> None:
    """Leave a record alone."""


def _note_sheet(book: _Book, data: bytes) -> None:
    start, state, kind = struct.unpack_from("<IBB", data)
    name = " ".join(text_at(data, 6, wide_length=False, codec=book.codec).split())
    # Of the other kinds are charts and macros.
    if kind == 0:
        book.sheets.append(_Listed(name, start, hidden=bool(state & 3)))


def _note_dates(book: _Book, data: bytes) -> None:
    book.day_zero = DAY_ZERO_1904 if data[:1] == b"\x01" else DAY_ZERO


def _note_format(book: _Book, data: bytes) -> None:
    text = text_at(data, 2, wide_length=not book.codec, codec=book.codec)
    book.formats[struct.unpack_from("<H", data)[0]] = text


def _note_style(book: _Book, data: bytes) -> None:
    book.styles.append(struct.unpack_from("<H", data, 2)[0])


def _note_begin(book: _Book, data: bytes) -> None:
    book.codec = _USUAL_CODEC if struct.unpack_from("<H", data)[0] == _OLDER else ""


def _note_code_page(book: _Book, data: bytes) -> None:
    book.codec = book.codec and _codec(struct.unpack_from("<H", data)[0])


_NOTED: Final[dict[int, Callable[[_Book, bytes], None]]] = {
    0x0085: _note_sheet,
    0x0022: _note_dates,
    0x041E: _note_format,
    0x00E0: _note_style,
    _BEGIN: _note_begin,
    0x0042: _note_code_page,
}


def _codec(code_page: int) -> str:
    return _OTHER_PAGES.get(code_page) or codec_of_page(code_page) or _USUAL_CODEC


def _rows(stream: bytes, sheet: _Listed, book: _Book, most: int) -> list[list[str]]:
    """Return the rows of a sheet, one more than is shown where there are more."""
    rows: dict[int, list[str]] = {}
    filled = 0
    for row, column, text in _cells(stream, sheet.start, book):
        if text:
            cells = rows.setdefault(row, [])
            place = min(column, MOST_COLUMNS)
            cells.extend([""] * (place + 1 - len(cells)))
            cells[place] = text
            filled += 1
        if len(rows) > MOST_ROWS or filled > most:
            break
    return [cells for _, cells in sorted(rows.items())]


def _cells(stream: bytes, start: int, book: _Book) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and text of the cells of a sheet that have any."""
    place = (0, 0)
    for sort, data in _own_records(stream, start):
        if sort in _SINGLE:
            row, column, style = struct.unpack_from("<HHH", data)
            place = (row, column)
            yield row, column, _SINGLE[sort](data, style, book)
        elif sort == _SHORTS:
            yield from _short_numbers(data, book)
        elif sort == _RESULT:
            # The text that a formula gives stands in a record of its own, after it.
            yield *place, text_at(data, 0, codec=book.codec)


def _own_records(stream: bytes, start: int) -> Iterator[tuple[int, bytes]]:
    """Yield the records of a sheet, but those of a chart in it, which has cells of its own."""
    depth = 0
    for sort, data, _ in records(stream, start):
        depth += (sort == _BEGIN) - (sort == _END)
        if sort == _END and depth <= 0:
            return
        if depth <= 1:
            yield sort, data


def _short_numbers(data: bytes, book: _Book) -> Iterator[tuple[int, int, str]]:
    row, first = struct.unpack_from("<HH", data)
    for number in range((len(data) - 6) // 6):
        style, packed = struct.unpack_from("<HI", data, 4 + 6 * number)
        yield row, first + number, book.number(unpacked(packed), style)


def _formula(data: bytes, style: int, book: _Book) -> str:
    """Return the result that a formula was stored with; nothing for a text, which follows."""
    if data[12:14] != b"\xff\xff":
        return book.number(struct.unpack_from("<d", data, 6)[0], style)
    kinds = {1: str(bool(data[8])).upper(), 2: ERRORS.get(data[8], "#ERROR")}
    return kinds.get(data[6], "")


def _truth(data: bytes, _style: int, _book: _Book) -> str:
    return ERRORS.get(data[6], "#ERROR") if data[7] else str(bool(data[6])).upper()


_SINGLE: Final[dict[int, Callable[[bytes, int, _Book], str]]] = {
    _SHARED: lambda data, _, book: book.text(struct.unpack_from("<I", data, 6)[0]),
    _NUMBER: lambda data, style, book: book.number(struct.unpack_from("<d", data, 6)[0], style),
    _SHORT: lambda data, style, book: book.number(
        unpacked(struct.unpack_from("<I", data, 6)[0]), style
    ),
    _FORMULA: _formula,
    _LABEL: lambda data, _style, book: book.label(data),
    _RICH: lambda data, _style, book: book.label(data),
    _TRUTH: _truth,
}
