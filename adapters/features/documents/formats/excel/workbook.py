"""An Excel workbook before 2007: each sheet as a table under its name.

Formulas show their stored results. The workbook is a stream of a compound file; some programs
write the stream without the container.
"""

import re
import struct
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Final

import msgspec

from .. import charset, compound
from ..draft import Draft, PageResult, Source, corrupt_failure, encrypted_failure, finish_draft
from ..office.package import BrokenFileError, EncryptedError
from ..sheets import (
    MAX_ROWS,
    CellNote,
    CellNoteWriter,
    HiddenCells,
    Sheet,
    cell_name,
    place_cell,
    take_sheet_rows,
    workbook_draft,
)
from . import spreadsheet_xml, xls_records
from .number_formats import (
    DAY_ZERO,
    DAY_ZERO_1904,
    ERROR_TEXTS,
    number_text,
    style_number_form,
    unpack_rk_number,
)

# The first record of the workbook and of each sheet.
BOF_RECORD: Final = 0x0809
EOF_RECORD: Final = 0x000A
_FILE_PASS_RECORD, _SST_RECORD = 0x002F, 0x00FC
_EXCEL_95_VERSION: Final = 0x0500
_DEFAULT_CODEC: Final = "cp1252"
_MORE_CODE_PAGES: Final = {
    367: "ascii", 437: "cp437", 1200: "utf-16-le", 32768: charset.code_page_codec(10000),
}  # fmt: skip
_ROW_RECORD, _COL_INFO_RECORD, _HIDDEN_ROW_FLAG = 0x0208, 0x007D, 0x20
_SHARED_CELL, _NUMBER_CELL, _RK_CELL, _RK_CELLS, _FORMULA_CELL = 0x00FD, 0x0203, 0x027E, 0x00BD, 6
_LABEL_CELL, _RICH_CELL, _BOOLEAN_CELL, _FORMULA_TEXT = 0x0204, 0x00D6, 0x0205, 0x0207
_NOTE_RECORD, _OBJ_RECORD, _TXO_RECORD = 0x001C, 0x005D, 0x01B6
# The start of a note's shape; a workbook without it has no notes.
_NOTE_SHAPE: Final = b"\x15\x00\x12\x00\x19\x00"
_SAME_NOTE_ROW: Final = 0xFFFF
_MAX_TEXT_BOXES: Final = 2_000
_MAX_COMMENT_CHARS: Final = 32_767
_XML_PATTERN: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<")
# In lower case, because some programs write capitals; Excel 5 and 95 use the last.
_WORKBOOK_STREAMS: Final = ("workbook", "book")


class ListedSheet(msgspec.Struct, frozen=True):
    """A sheet, and the offset of its records."""

    name: str
    start: int
    hidden: bool
    cells: HiddenCells


class WorkbookGlobals(msgspec.Struct):
    """Shared texts, formats and styles, to which cells refer."""

    texts: list[str]
    formats: dict[int, str]
    styles: list[int]
    sheets: list[ListedSheet]
    day_zero: datetime = DAY_ZERO
    # The codec of texts before Excel 97; later texts have a flag of their own.
    codec: str = ""

    def styled_number_text(self, value: float, style: int) -> str:
        """Return the text of a number in the form of its style."""
        format_id = self.styles[style] if style < len(self.styles) else 0
        form = style_number_form(format_id, self.formats.get(format_id, ""))
        return number_text(value, form, self.day_zero)

    def shared_text_at(self, index: int) -> str:
        """Return a text of the shared table, empty where there is none."""
        return self.texts[index] if index < len(self.texts) else ""


def read_globals(stream: bytes) -> WorkbookGlobals:
    """Read the records before the sheets."""
    book = WorkbookGlobals([], {}, [], [])
    pieces: list[bytes] = []
    is_shared = False
    for sort, data, _ in xls_records.read_records(stream):
        is_shared = sort == _SST_RECORD or (sort == xls_records.CONTINUE and is_shared)
        if is_shared:
            pieces.append(data)
        elif sort == EOF_RECORD:
            break
        elif sort == _FILE_PASS_RECORD:
            raise EncryptedError
        elif sort in _GLOBAL_READERS:
            _GLOBAL_READERS[sort](book, data)
    book.texts = xls_records.shared_texts(pieces) if pieces else []
    return book


def _take_sheet(book: WorkbookGlobals, data: bytes) -> None:
    start, state, kind = struct.unpack_from("<IBB", data)
    name = " ".join(xls_records.read_text(data, 6, wide_length=False, codec=book.codec).split())
    # Other kinds are charts and macros.
    if kind == 0:
        book.sheets.append(ListedSheet(name, start, bool(state & 3), HiddenCells()))


def _take_day_zero(book: WorkbookGlobals, data: bytes) -> None:
    book.day_zero = DAY_ZERO_1904 if data[:1] == b"\x01" else DAY_ZERO


def _take_format(book: WorkbookGlobals, data: bytes) -> None:
    text = xls_records.read_text(data, 2, wide_length=not book.codec, codec=book.codec)
    book.formats[struct.unpack_from("<H", data)[0]] = text


def _take_version(book: WorkbookGlobals, data: bytes) -> None:
    book.codec = _DEFAULT_CODEC if struct.unpack_from("<H", data)[0] == _EXCEL_95_VERSION else ""


def _take_code_page(book: WorkbookGlobals, data: bytes) -> None:
    (page,) = struct.unpack_from("<H", data)
    codec = _MORE_CODE_PAGES.get(page) or charset.code_page_codec(page) or _DEFAULT_CODEC
    book.codec = book.codec and codec


_GLOBAL_READERS: Final[dict[int, Callable[[WorkbookGlobals, bytes], None]]] = {
    0x0085: _take_sheet,
    0x0022: _take_day_zero,
    0x041E: _take_format,
    0x00E0: lambda book, data: book.styles.append(struct.unpack_from("<H", data, 2)[0]),
    0x0809: _take_version,
    0x0042: _take_code_page,
}


def xls_sheet_rows(
    stream: bytes, sheet: ListedSheet, book: WorkbookGlobals, max_cells: int
) -> list[list[str]]:
    """Return the rows of a sheet, plus one where there are more."""
    rows: dict[int, list[str]] = {}
    filled = 0
    hidden_rows: set[int] = set()
    for row, column, text in _cells(stream, sheet, book, hidden_rows):
        if text:
            place_cell(rows.setdefault(row, []), column, text)
            filled += 1
        if len(rows) > MAX_ROWS or filled > max_cells:
            break
    shown = (
        sheet.cells.visible_rows(cells, is_hidden=row in hidden_rows)
        for row, cells in sorted(rows.items())
    )
    return take_sheet_rows(chain.from_iterable(shown), max_cells)


def _cells(
    stream: bytes, sheet: ListedSheet, book: WorkbookGlobals, hidden_rows: set[int]
) -> Iterator[tuple[int, int, str]]:
    """Yield row, column and text of the cells of a sheet; note its hidden rows and columns."""
    cell = (0, 0)
    for sort, data, end in xls_sheet_records(stream, sheet.start):
        if sort in (_ROW_RECORD, _COL_INFO_RECORD):
            _note_hidden_cells(data, sheet.cells, hidden_rows if sort == _ROW_RECORD else None)
        elif sort in _CELL_READERS:
            row, column, style = struct.unpack_from("<HHH", data)
            cell = (row, column)
            yield row, column, _CELL_READERS[sort](data, style, book)
        elif sort == _RK_CELLS:
            yield from _rk_cells(data, book)
        elif sort == _FORMULA_TEXT:
            # The text result of a formula is in a separate record after it.
            yield *cell, xls_records.formula_result(stream, data, end, book.codec)


def _note_hidden_cells(data: bytes, cells: HiddenCells, hidden_rows: set[int] | None) -> None:
    """Note the row of a record, or its columns, where they are hidden."""
    if hidden_rows is None and any(byte & 1 for byte in data[8:9]):
        cells.hide_columns(*struct.unpack_from("<HH", data))
    elif hidden_rows is not None and any(byte & _HIDDEN_ROW_FLAG for byte in data[12:13]):
        hidden_rows.add(struct.unpack_from("<H", data)[0])


def xls_sheet_records(stream: bytes, start: int) -> Iterator[xls_records.Record]:
    """Yield the records of a sheet without those of its charts, which have cells too."""
    depth = 0
    for record in xls_records.read_records(stream, start):
        depth += (record.sort == BOF_RECORD) - (record.sort == EOF_RECORD)
        if record.sort == EOF_RECORD and depth <= 0:
            return
        if depth <= 1:
            yield record


def _rk_cells(data: bytes, book: WorkbookGlobals) -> Iterator[tuple[int, int, str]]:
    row, first = struct.unpack_from("<HH", data)
    for number in range((len(data) - 6) // 6):
        style, packed = struct.unpack_from("<HI", data, 4 + 6 * number)
        yield row, first + number, book.styled_number_text(unpack_rk_number(packed), style)


def _formula_result(data: bytes, style: int, book: WorkbookGlobals) -> str:
    """Return the stored result of a formula; empty for a text, which follows."""
    if data[12:14] != b"\xff\xff":
        return book.styled_number_text(struct.unpack_from("<d", data, 6)[0], style)
    kinds = {1: str(bool(data[8])).upper(), 2: ERROR_TEXTS.get(data[8], "#ERROR")}
    return kinds.get(data[6], "")


_CELL_READERS: Final[dict[int, Callable[[bytes, int, WorkbookGlobals], str]]] = {
    _SHARED_CELL: lambda data, _, book: book.shared_text_at(struct.unpack_from("<I", data, 6)[0]),
    _NUMBER_CELL: lambda data, style, book: book.styled_number_text(
        struct.unpack_from("<d", data, 6)[0], style
    ),
    _RK_CELL: lambda data, style, book: book.styled_number_text(
        unpack_rk_number(struct.unpack_from("<I", data, 6)[0]), style
    ),
    _FORMULA_CELL: _formula_result,
    _LABEL_CELL: lambda data, _style, book: xls_records.read_text(data, 6, codec=book.codec),
    _RICH_CELL: lambda data, _style, book: xls_records.read_text(data, 6, codec=book.codec),
    _BOOLEAN_CELL: lambda data, _style, _book: (
        ERROR_TEXTS.get(data[6], "#ERROR") if data[7] else str(bool(data[6])).upper()
    ),
}


def xls_cell_comments(data: bytes, sheet: ListedSheet, book: WorkbookGlobals) -> Iterator[CellNote]:
    """Yield the comments on the cells of a sheet in file order."""
    if book.codec:
        yield from _excel_95_notes(data, sheet, book)
    elif _NOTE_SHAPE in data:
        yield from _excel_97_notes(data, sheet)


def _excel_97_notes(stream: bytes, sheet: ListedSheet) -> Iterator[CellNote]:
    boxes: dict[int, tuple[int, list[bytes]]] = {}
    shape = 0
    is_in_box = False
    for sort, data, _ in xls_sheet_records(stream, sheet.start):
        if sort == _OBJ_RECORD:
            shape = int.from_bytes(data[6:8], "little")
        elif sort == _TXO_RECORD and len(boxes) < _MAX_TEXT_BOXES:
            boxes[shape] = (int.from_bytes(data[10:12], "little"), [])
        elif sort == xls_records.CONTINUE and is_in_box and shape in boxes:
            boxes[shape][1].append(data)
        elif sort == _NOTE_RECORD:
            yield from _note(data, boxes)
        is_in_box = sort == _TXO_RECORD or (sort == xls_records.CONTINUE and is_in_box)


def _note(data: bytes, boxes: dict[int, tuple[int, list[bytes]]]) -> Iterator[CellNote]:
    try:
        row, column, _, shape = struct.unpack_from("<4H", data)
        count, pieces = boxes.get(shape, (0, []))
        text = xls_records.continued_text(pieces, count)
        yield CellNote(xls_records.read_text(data, 8), cell_name(row, column), text)
    except (struct.error, IndexError, BrokenFileError):
        return


def _excel_95_notes(stream: bytes, sheet: ListedSheet, book: WorkbookGlobals) -> Iterator[CellNote]:
    cell, text = "", b""
    for sort, data, _ in xls_sheet_records(stream, sheet.start):
        if sort == _NOTE_RECORD and len(data) >= 6:  # noqa: PLR2004  two places and a length
            row, column = struct.unpack_from("<2H", data)
            if row != _SAME_NOTE_ROW:
                yield CellNote("", cell, text.decode(book.codec, "replace"))
                cell, text = cell_name(row, column), b""
            text = (text + data[6:])[:_MAX_COMMENT_CHARS]
    yield CellNote("", cell, text.decode(book.codec, "replace"))


def read_xls(source: Source) -> PageResult:
    """Return a workbook as markdown, its hidden sheets too."""
    if _XML_PATTERN.match(source.body):
        return spreadsheet_xml.read_spreadsheet_xml(source)
    try:
        if int.from_bytes(source.body[:2], "little") == BOF_RECORD:
            draft = msgspec.structs.replace(_draft(source.body), title=source.file_name)
            return finish_draft(draft)
        file = compound.CompoundFile(source.body)
        draft = _draft(_workbook_stream(file))
        return finish_draft(compound.add_summary_properties(file, draft, source.file_name))
    except EncryptedError:
        return encrypted_failure()
    except (BrokenFileError, struct.error, IndexError, MemoryError):
        return corrupt_failure("it is not a whole xls file")


def _workbook_stream(file: compound.CompoundFile) -> bytes:
    """Return the workbook stream; the newer where there are two."""
    names = {path.lower(): path for path in file.paths}
    if compound.ENCRYPTED_PACKAGE_STREAM in names:
        raise EncryptedError
    paths = (names[name] for name in _WORKBOOK_STREAMS if name in names)
    stream = file.read_stream(next(paths, ""))
    if not stream:
        raise BrokenFileError
    return stream


def _draft(stream: bytes) -> Draft:
    book = read_globals(stream)
    notes = CellNoteWriter()
    shown: list[Sheet] = []
    # Leave out sheets that begin after the end: they would be shown as empty.
    for sheet in (sheet for sheet in book.sheets if sheet.start < len(stream)):
        read_rows = partial(xls_sheet_rows, stream, sheet, book)
        comments = partial(notes.cell_notes_list, xls_cell_comments(stream, sheet, book))
        shown.append(Sheet(sheet.name, sheet.hidden, read_rows, comments, sheet.cells))
    return workbook_draft(shown)


READERS: Final = {"xls": read_xls}
