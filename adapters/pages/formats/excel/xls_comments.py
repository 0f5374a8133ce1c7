"""The comments on the cells of an Excel workbook before 2007.

After [MS-XLS], Note, Obj and TxO: since Excel 97 a note names its cell and a box, whose text stands
in the records after the box; before, it holds the text itself, a long one in several notes.
"""

import struct
from collections.abc import Iterator
from typing import Final

from ..office.package import BrokenFileError
from ..sheets import Note, cell_name
from .cells import own_records
from .xls_globals import ListedSheet, WorkbookGlobals
from .xls_records import CONTINUE, continued_text, read_xls_text

_NOTE, _SHAPE, _BOX = 0x001C, 0x005D, 0x01B6
# How the shape of a note begins; a workbook without it has none.
_NOTE_SHAPE: Final = b"\x15\x00\x12\x00\x19\x00"
_SAME: Final = 0xFFFF
_MAX_TEXT_BOXES: Final = 2_000
_MAX_COMMENT_CHARS: Final = 32_767


def cell_comments(stream: bytes, sheet: ListedSheet, book: WorkbookGlobals) -> Iterator[Note]:
    """Yield the comments on the cells of a sheet, in their order in the file."""
    if book.codec:
        yield from _early_notes(stream, sheet, book)
    elif _NOTE_SHAPE in stream:
        yield from _notes(stream, sheet)


def _notes(stream: bytes, sheet: ListedSheet) -> Iterator[Note]:
    boxes: dict[int, tuple[int, list[bytes]]] = {}
    shape = 0
    is_in_box = False
    for sort, data, _ in own_records(stream, sheet.start):
        if sort == _SHAPE:
            shape = int.from_bytes(data[6:8], "little")
        elif sort == _BOX and len(boxes) < _MAX_TEXT_BOXES:
            boxes[shape] = (int.from_bytes(data[10:12], "little"), [])
        elif sort == CONTINUE and is_in_box and shape in boxes:
            boxes[shape][1].append(data)
        elif sort == _NOTE:
            yield from _note(data, boxes)
        is_in_box = sort == _BOX or (sort == CONTINUE and is_in_box)


def _note(data: bytes, boxes: dict[int, tuple[int, list[bytes]]]) -> Iterator[Note]:
    try:
        row, column, _, shape = struct.unpack_from("<4H", data)
        count, pieces = boxes.get(shape, (0, []))
        yield Note(read_xls_text(data, 8), cell_name(row, column), continued_text(pieces, count))
    except (struct.error, IndexError, BrokenFileError):
        return


def _early_notes(stream: bytes, sheet: ListedSheet, book: WorkbookGlobals) -> Iterator[Note]:
    cell, text = "", b""
    for sort, data, _ in own_records(stream, sheet.start):
        if sort == _NOTE and len(data) >= 6:  # noqa: PLR2004  two places and a length
            row, column = struct.unpack_from("<2H", data)
            if row != _SAME:
                yield Note("", cell, text.decode(book.codec, "replace"))
                cell, text = cell_name(row, column), b""
            text = (text + data[6:])[:_MAX_COMMENT_CHARS]
    yield Note("", cell, text.decode(book.codec, "replace"))
