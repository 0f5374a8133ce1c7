"""An Excel workbook in binary, ``.xlsb``: the parts of an XLSX file, made of records.

[MS-XLSB] 2.4 (read 2026-11-16). Formulas show the results that were stored with them.
"""

import re
import struct
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from functools import partial
from itertools import islice
from typing import Final

import msgspec

from ..draft import Draft
from ..office.cell_comments import CellComments
from ..office.package import BrokenFileError, Package, TooLargeError
from ..office.package_parts import main_part, part_relations
from ..sheets import MAX_COLUMNS, CellNote, Sheet, TableRoom, cell_name, take_rows, workbook_draft
from .number_formats import (
    BUILT_IN_FORMATS,
    DAY_ZERO,
    DAY_ZERO_1904,
    ERROR_TEXTS,
    PLAIN_NUMBER,
    NumberForm,
    number_form,
    number_text,
    unpack_rk,
)

# About a second (measured 2026-11-16: a microsecond each, and as much again for a text).
MAX_XLSB_RECORDS: Final = 600_000
# No record of cells or texts is longer; others are passed over unread.
MAX_RECORD_BYTES: Final = 1 << 18
_GOES_ON: Final = 0x80
_SORT_BYTES, _LENGTH_BYTES = 2, 4


class WorkbookParts:
    """The parts of one workbook; all records that are read from them count."""

    def __init__(self, package: Package) -> None:
        """Have read none."""
        self._package = package
        self._left = MAX_XLSB_RECORDS

    def records(self, part: str) -> Iterator[tuple[int, bytes]]:
        """Yield what each record is and holds, as far as they are whole; none where none is.

        Stop asking and nothing more is unpacked.
        """
        held, skip = b"", 0
        for chunk in self._package.chunks(part):
            passed = min(skip, len(chunk))
            skip -= passed
            held += chunk[passed:]
            at = 0
            while head := _head(held, at):
                sort, begin, length = head
                end = begin + length
                if end > len(held) and length <= MAX_RECORD_BYTES:
                    break
                self._left -= 1
                if self._left < 0:
                    raise TooLargeError
                if length <= MAX_RECORD_BYTES:
                    yield sort, held[begin:end]
                at = min(end, len(held))
                skip = end - at
            held = held[at:]


def _head(held: bytes, at: int) -> tuple[int, int, int] | None:
    """Return what a record is, where it begins and how long it is; None where that is cut."""
    if at + 1 < len(held) and held[at] < _GOES_ON and held[at + 1] < _GOES_ON:
        # As most are, of a byte each.
        return held[at], at + 2, held[at + 1]
    sort, place = _number(held, at, _SORT_BYTES)
    length, begin = _number(held, place, _LENGTH_BYTES) if place else (0, 0)
    return (sort, begin, length) if begin else None


def _number(held: bytes, at: int, most: int) -> tuple[int, int]:
    """Return a number and where it ends, 0 where it is cut: seven bits a byte, the lowest first."""
    number = 0
    for place, byte in enumerate(held[at : at + most], start=1):
        number |= (byte & ~_GOES_ON) << 7 * (place - 1)
        if not byte & _GOES_ON or place == most:
            return number, at + place
    return 0, 0


def read_xlsb_text(data: bytes, offset: int) -> tuple[str, int]:
    """Return a text behind its length, and where it ends."""
    (length,) = struct.unpack_from("<I", data, offset)
    # The longest length says that there is no text.
    end = offset + 4 + (2 * length if length <= MAX_RECORD_BYTES else 0)
    return data[offset + 4 : end].decode("utf-16-le", "replace"), end


# An Excel workbook in binary, ``.xlsb``: the parts of an XLSX file, made of records.

_PART: Final = "xl/workbook.bin"
_ROW, _ROWS_END = 0, 146
_TEXT, _STYLE, _FORMAT, _STYLES, _STYLES_END = 19, 47, 44, 617, 618
_BOOK, _SHEET = 153, 156
_AUTHOR, _COMMENT, _COMMENT_TEXT = 632, 635, 637
# These cells do not name their column, which is the next one; else they are those of 1 to 7.
_SHORT: Final = range(12, 19)
_LESS: Final = 11
_BLANK: Final = 1
_OF_STYLE: Final = 0xFFFFFF
_OTHER_KINDS: Final = re.compile(r"/(?:chart|dialog|macro)sheets/")


class _Book(msgspec.Struct, frozen=True):
    """What the cells of all sheets refer to."""

    texts: list[str]
    forms: list[NumberForm]
    day_zero: datetime

    def number(self, value: float, style: int) -> str:
        """Return what a number shows as: a date where its style says so."""
        form = self.forms[style] if style < len(self.forms) else PLAIN_NUMBER
        return number_text(value, form, self.day_zero)

    def text(self, place: int) -> str:
        """Return a text of the shared table, empty where there is none."""
        return self.texts[place] if place < len(self.texts) else ""


def read_xlsb(package: Package, _url: str) -> Draft:
    """Return a workbook as markdown, its hidden sheets too."""
    try:
        return workbook_draft(list(_sheets(package)))
    except (struct.error, IndexError) as error:
        raise BrokenFileError from error


def _sheets(package: Package) -> Iterator[Sheet]:
    parts = WorkbookParts(package)
    main = main_part(package, _PART)
    places = part_relations(package, main)
    day_zero = DAY_ZERO
    listed: list[tuple[str, str, bool]] = []
    for sort, data in parts.records(main):
        if sort == _BOOK:
            day_zero = DAY_ZERO_1904 if data[0] & 1 else DAY_ZERO
        elif sort == _SHEET:
            key, end = read_xlsb_text(data, 8)
            # Before it was released, Excel 2007 wrote four bytes more.
            key, end = (key, end) if key in places else read_xlsb_text(data, 12)
            name = " ".join(read_xlsb_text(data, end)[0].split())
            listed.append((name, places.get(key, ""), data[0] != 0))
    book = _Book(_texts(parts), _forms(parts), day_zero)
    comments = CellComments(package, partial(_notes, parts))
    for name, part, is_hidden in listed:
        # Of the other kinds are charts and macros; one that is not there is not empty either.
        if _OTHER_KINDS.search(part) is None and package.has(part):
            rows = partial(_rows, parts, part, book)
            yield Sheet(name, is_hidden, rows, partial(comments.of, part))


def _notes(parts: WorkbookParts, part: str) -> Iterator[CellNote]:
    """Yield the comments of a part: first who wrote any, then the place and the text of each."""
    authors: list[str] = []
    author = cell = ""
    for sort, data in parts.records(part):
        if sort == _AUTHOR:
            authors.append(read_xlsb_text(data, 0)[0])
        elif sort == _COMMENT:
            number, row, _, column = struct.unpack_from("<4I", data)
            author = authors[number] if number < len(authors) else ""
            cell = cell_name(row, column)
        elif sort == _COMMENT_TEXT:
            yield CellNote(author, cell, read_xlsb_text(data, 1)[0].strip())


def _texts(parts: WorkbookParts) -> list[str]:
    found = parts.records("xl/sharedStrings.bin")
    return [read_xlsb_text(data, 1)[0] for sort, data in found if sort == _TEXT]


def _forms(parts: WorkbookParts) -> list[NumberForm]:
    """Return how the cell styles show numbers."""
    told = dict(BUILT_IN_FORMATS)
    forms: list[NumberForm] = []
    is_within = False
    for sort, data in parts.records("xl/styles.bin"):
        if sort == _FORMAT:
            told.setdefault(
                struct.unpack_from("<H", data)[0], number_form(read_xlsb_text(data, 2)[0])
            )
        elif sort in (_STYLES, _STYLES_END):
            is_within = sort == _STYLES
        elif sort == _STYLE and is_within:
            forms.append(told.get(struct.unpack_from("<H", data, 2)[0], PLAIN_NUMBER))
    return forms


def _rows(parts: WorkbookParts, part: str, book: _Book, most: int) -> list[list[str]]:
    """Return the rows of a sheet, one more than is shown where there are more."""
    # What comes before the first row is none.
    return take_rows(islice(_filled(parts.records(part), book), 1, None), TableRoom(cells=most))


def _filled(found: Iterable[tuple[int, bytes]], book: _Book) -> Iterator[list[str]]:
    row: list[str] = []
    column = -1
    for sort, data in found:
        if sort in (_ROW, _ROWS_END):
            yield row
            row, column = [], -1
        elif sort in _SHOWN or sort in _SHORT or sort == _BLANK:
            column, text = _cell(sort, data, column, book)
            place = min(column, MAX_COLUMNS)
            if text:
                row.extend([""] * (place + 1 - len(row)))
                row[place] = text
        if sort == _ROWS_END:
            return
    yield row


def _cell(sort: int, data: bytes, before: int, book: _Book) -> tuple[int, str]:
    """Return the column of a cell, and what it shows; ``before`` is that of the last one."""
    if sort in _SHORT:
        data = struct.pack("<I", before + 1) + data
        sort -= _LESS
    column, style = struct.unpack_from("<II", data)
    return column, _SHOWN[sort](data, style & _OF_STYLE, book) if sort in _SHOWN else ""


def _real(data: bytes, style: int, book: _Book) -> str:
    return book.number(struct.unpack_from("<d", data, 8)[0], style)


def _short_number(data: bytes, style: int, book: _Book) -> str:
    return book.number(unpack_rk(struct.unpack_from("<I", data, 8)[0]), style)


def _error(data: bytes, _style: int, _book: _Book) -> str:
    return ERROR_TEXTS.get(data[8], "#ERROR")


def _truth(data: bytes, _style: int, _book: _Book) -> str:
    return str(bool(data[8])).upper()


def _own_text(data: bytes, _style: int, _book: _Book) -> str:
    return read_xlsb_text(data, 8)[0]


# What is in a cell, or what its formula gave.
_SHOWN: Final[dict[int, Callable[[bytes, int, _Book], str]]] = {
    2: _short_number,
    3: _error,
    4: _truth,
    5: _real,
    6: _own_text,
    7: lambda data, _, book: book.text(struct.unpack_from("<I", data, 8)[0]),
    8: _own_text,
    9: _real,
    10: _truth,
    11: _error,
    # Behind marks of what is beside the text: runs and readings.
    62: lambda data, _style, _book: read_xlsb_text(data, 9)[0],
}


PACKAGE_READERS: Final = {"xlsb": read_xlsb}
