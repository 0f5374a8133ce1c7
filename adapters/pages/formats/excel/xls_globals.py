"""What the cells of an Excel workbook before 2007 refer to: texts, formats, styles, sheets.

[MS-XLS] 2.4 (read 2026-11-16).
"""

import struct
from collections.abc import Callable
from datetime import datetime
from typing import Final

import msgspec

from ..detection.charset import code_page_codec
from ..office.package import EncryptedError
from .number_formats import BUILT_IN_FORMATS, DAY_ZERO, DAY_ZERO_1904, number_form, number_text
from .xls_records import CONTINUE, read_xls_records, read_xls_text, shared_texts

# How a part begins, in the workbook as in each sheet.
BEGINNING: Final = 0x0809
END: Final = 0x000A
_LOCK, _TEXTS = 0x002F, 0x00FC
_OLDER: Final = 0x0500
_DEFAULT_CODEC: Final = "cp1252"
_OTHER_PAGES: Final = {
    367: "ascii", 437: "cp437", 1200: "utf-16-le", 32768: code_page_codec(10000),
}  # fmt: skip


class ListedSheet(msgspec.Struct, frozen=True):
    """A sheet, and where its records begin."""

    name: str
    start: int
    hidden: bool


class WorkbookGlobals(msgspec.Struct):
    """What the cells of all sheets refer to."""

    texts: list[str]
    formats: dict[int, str]
    styles: list[int]
    sheets: list[ListedSheet]
    day_zero: datetime = DAY_ZERO
    # Of texts in records, before Excel 97; from then on they say it themselves.
    codec: str = ""

    def number(self, value: float, style: int) -> str:
        """Return what a number shows as: a date where its style says so."""
        form = self.styles[style] if style < len(self.styles) else 0
        # What is described in a file may be in its writer's language: TT.MM.JJJJ.
        built_in = BUILT_IN_FORMATS.get(form)
        told = built_in or number_form(self.formats.get(form, ""))
        return number_text(value, told, self.day_zero)

    def label(self, data: bytes) -> str:
        """Return the text of a cell that holds it."""
        return read_xls_text(data, 6, codec=self.codec)

    def text(self, place: int) -> str:
        """Return a text of the shared table, empty where there is none."""
        return self.texts[place] if place < len(self.texts) else ""


def read_globals(stream: bytes) -> WorkbookGlobals:
    """Read what stands before the sheets."""
    book = WorkbookGlobals([], {}, [], [])
    pieces: list[bytes] = []
    for sort, data, _ in read_xls_records(stream):
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


def _note_nothing(_book: WorkbookGlobals, _data: bytes) -> None:
    """Leave a record alone."""


def _note_sheet(book: WorkbookGlobals, data: bytes) -> None:
    start, state, kind = struct.unpack_from("<IBB", data)
    name = " ".join(read_xls_text(data, 6, wide_length=False, codec=book.codec).split())
    # Of the other kinds are charts and macros.
    if kind == 0:
        book.sheets.append(ListedSheet(name, start, hidden=bool(state & 3)))


def _note_dates(book: WorkbookGlobals, data: bytes) -> None:
    book.day_zero = DAY_ZERO_1904 if data[:1] == b"\x01" else DAY_ZERO


def _note_format(book: WorkbookGlobals, data: bytes) -> None:
    text = read_xls_text(data, 2, wide_length=not book.codec, codec=book.codec)
    book.formats[struct.unpack_from("<H", data)[0]] = text


def _note_style(book: WorkbookGlobals, data: bytes) -> None:
    book.styles.append(struct.unpack_from("<H", data, 2)[0])


def _note_begin(book: WorkbookGlobals, data: bytes) -> None:
    book.codec = _DEFAULT_CODEC if struct.unpack_from("<H", data)[0] == _OLDER else ""


def _note_code_page(book: WorkbookGlobals, data: bytes) -> None:
    book.codec = book.codec and _codec(struct.unpack_from("<H", data)[0])


_NOTED: Final[dict[int, Callable[[WorkbookGlobals, bytes], None]]] = {
    0x0085: _note_sheet,
    0x0022: _note_dates,
    0x041E: _note_format,
    0x00E0: _note_style,
    0x0809: _note_begin,
    0x0042: _note_code_page,
}


def _codec(code_page: int) -> str:
    return _OTHER_PAGES.get(code_page) or code_page_codec(code_page) or _DEFAULT_CODEC
