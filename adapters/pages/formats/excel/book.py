"""What the cells of an Excel workbook before 2007 refer to: texts, formats, styles, sheets.

[MS-XLS] 2.4 (read 2026-11-16). Before Excel 5 a file is one sheet, its records are older ones, and
formats are counted, not numbered (OpenOffice's "Microsoft Excel File Format", read 2026-11-16).
"""

import struct
from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from ..detection.charset import codec_of_page
from ..office.package import EncryptedError
from .records import CONTINUE, records, shared_texts, text_at
from .values import BUILT_IN, DAY_ZERO, DAY_ZERO_1904, number_form, number_text

# How a part begins, by the version of what wrote it.
BEGINNINGS: Final = {0x0009: 2, 0x0209: 3, 0x0409: 4, 0x0809: 5}
END: Final = 0x000A
FIRST_VERSION, _WORKBOOKS = 2, 5
_LOCK, _TEXTS = 0x002F, 0x00FC
_OLDER: Final = 0x0500
_A_SHEET: Final = 0x0010
_USUAL_CODEC: Final = "cp1252"
_OTHER_PAGES: Final = {
    367: "ascii", 437: "cp437", 1200: "utf-16-le", 32768: codec_of_page(10000),
}  # fmt: skip


class Listed(msgspec.Struct, frozen=True):
    """A sheet, and where its records begin."""

    name: str
    start: int
    hidden: bool


class Book(msgspec.Struct):
    """What the cells of all sheets refer to."""

    texts: list[str]
    formats: dict[int, str]
    styles: list[int]
    sheets: list[Listed]
    day_zero: datetime = DAY_ZERO
    # Of texts in records, before Excel 97; from then on they say it themselves.
    codec: str = ""
    version: int = _WORKBOOKS

    def number(self, value: float, style: int) -> str:
        """Return what a number shows as: a date where its style says so."""
        form = self.styles[style] if style < len(self.styles) else 0
        # What is described in a file may be in its writer's language: TT.MM.JJJJ.
        built_in = BUILT_IN.get(form) if self.version == _WORKBOOKS else None
        told = built_in or number_form(self.formats.get(form, ""))
        return number_text(value, told, self.day_zero)

    def plain(self, value: float, look: int) -> str:
        """Return what a number of Excel 2 shows as, by the look that its cell has."""
        return number_text(value, number_form(self.formats.get(look & 0x3F, "")), self.day_zero)

    def label(self, data: bytes) -> str:
        """Return the text of a cell that holds it."""
        return text_at(data, 6, codec=self.codec)

    def text(self, place: int) -> str:
        """Return a text of the shared table, empty where there is none."""
        return self.texts[place] if place < len(self.texts) else ""


def read_book(stream: bytes) -> Book:
    """Read what stands before the sheets; before Excel 5 it stands in the sheet."""
    book = Book([], {}, [], [])
    book.version = BEGINNINGS.get(int.from_bytes(stream[:2], "little"), _WORKBOOKS)
    return _early_book(stream, book) if book.version < _WORKBOOKS else _later_book(stream, book)


def _later_book(stream: bytes, book: Book) -> Book:
    pieces: list[bytes] = []
    for sort, data, _ in records(stream):
        if sort == END:
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


def _early_book(stream: bytes, book: Book) -> Book:
    """Read all records: a file of several sheets has their beginnings among the others."""
    book.codec = _USUAL_CODEC
    for sort, data, end in records(stream):
        if sort == _LOCK:
            raise EncryptedError
        if sort in BEGINNINGS and data[2:4] == _A_SHEET.to_bytes(2, "little"):
            name = f"Sheet{len(book.sheets) + 1}"
            book.sheets.append(Listed(name, end - len(data) - 4, hidden=False))
        _NOTED_EARLY.get(sort, _note_nothing)(book, data)
    return book


def _note_nothing(_book: Book, _data: bytes) -> None:
    """Leave a record alone."""


def _note_sheet(book: Book, data: bytes) -> None:
    start, state, kind = struct.unpack_from("<IBB", data)
    name = " ".join(text_at(data, 6, wide_length=False, codec=book.codec).split())
    # Of the other kinds are charts and macros.
    if kind == 0:
        book.sheets.append(Listed(name, start, hidden=bool(state & 3)))


def _note_dates(book: Book, data: bytes) -> None:
    book.day_zero = DAY_ZERO_1904 if data[:1] == b"\x01" else DAY_ZERO


def _note_format(book: Book, data: bytes) -> None:
    text = text_at(data, 2, wide_length=not book.codec, codec=book.codec)
    book.formats[struct.unpack_from("<H", data)[0]] = text


def _note_style(book: Book, data: bytes) -> None:
    book.styles.append(struct.unpack_from("<H", data, 2)[0])


def _note_begin(book: Book, data: bytes) -> None:
    book.codec = _USUAL_CODEC if struct.unpack_from("<H", data)[0] == _OLDER else ""


def _note_code_page(book: Book, data: bytes) -> None:
    book.codec = book.codec and _codec(struct.unpack_from("<H", data)[0])


_NOTED: Final[dict[int, Callable[[Book, bytes], None]]] = {
    0x0085: _note_sheet,
    0x0022: _note_dates,
    0x041E: _note_format,
    0x00E0: _note_style,
    0x0809: _note_begin,
    0x0042: _note_code_page,
}


def _note_counted_format(book: Book, data: bytes) -> None:
    book.formats[len(book.formats)] = text_at(data, 0, wide_length=False, codec=book.codec)


_NOTED_EARLY: Final[dict[int, Callable[[Book, bytes], None]]] = {
    0x001E: _note_counted_format,
    0x041E: lambda book, data: _note_counted_format(book, data[2:]),
    0x0243: lambda book, data: book.styles.append(data[1]),
    0x0443: lambda book, data: book.styles.append(data[1]),
    0x0022: _note_dates,
    0x0042: _note_code_page,
}


def _codec(code_page: int) -> str:
    return _OTHER_PAGES.get(code_page) or codec_of_page(code_page) or _USUAL_CODEC
