"""An Excel workbook before 2007: each sheet as a table under its name.

Formulas show the results that were stored with them. It is a stream of a
compound file; where a program left the container out, the file is the stream.
"""

import re
import struct
from functools import partial
from typing import Final

import msgspec
from returns.result import Result

from .....ports.errors import WebError
from .....ports.pages import ReadPage
from ..compound.container import CompoundFile
from ..compound.kinds import LOCKED
from ..compound.summary import described
from ..draft import Draft, Source, corrupt, encrypted, page_of
from ..office.package import BrokenFileError, EncryptedError
from ..sheets import Notes, Sheet, workbook
from .book import BEGINNING, Book, Listed, read_book
from .cells import rows_of
from .notes import notes_of
from .spreadsheet_xml import read_spreadsheet_xml

_XML: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<")
# As they are called in capitals by some programs; the last is that of Excel 5 and 95.
_STREAMS: Final = ("workbook", "book")


def read_xls(source: Source) -> Result[ReadPage, WebError]:
    """Return a workbook as markdown, its hidden sheets too."""
    if _XML.match(source.body):
        return read_spreadsheet_xml(source)
    try:
        if int.from_bytes(source.body[:2], "little") == BEGINNING:
            return page_of(msgspec.structs.replace(_draft(source.body), title=source.file_name))
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


def _draft(stream: bytes) -> Draft:
    book = read_book(stream)
    # One that begins behind the end is not there, which is not the same as empty.
    there = (sheet for sheet in book.sheets if sheet.start < len(stream))
    notes = Notes()
    return workbook([_sheet(stream, one, book, notes) for one in there])


def _sheet(stream: bytes, listed: Listed, book: Book, notes: Notes) -> Sheet:
    rows = partial(rows_of, stream, listed, book)
    return Sheet(
        listed.name, listed.hidden, rows, lambda: notes.told(notes_of(stream, listed, book))
    )
