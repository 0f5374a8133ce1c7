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
from ..compound.compound_file import CompoundFile
from ..compound.kinds import LOCKED
from ..compound.summary import add_summary_properties
from ..draft import Draft, Source, corrupt_error, encrypted_error, finish_page
from ..office.package import BrokenFileError, EncryptedError
from ..sheets import Notes, Sheet, workbook_draft
from .cells import xls_sheet_rows
from .spreadsheet_xml import read_spreadsheet_xml
from .xls_comments import cell_comments
from .xls_globals import BEGINNING, ListedSheet, WorkbookGlobals, read_globals

_XML: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*+<")
# As they are called in capitals by some programs; the last is that of Excel 5 and 95.
_STREAMS: Final = ("workbook", "book")


def read_xls(source: Source) -> Result[ReadPage, WebError]:
    """Return a workbook as markdown, its hidden sheets too."""
    if _XML.match(source.body):
        return read_spreadsheet_xml(source)
    try:
        if int.from_bytes(source.body[:2], "little") == BEGINNING:
            return finish_page(msgspec.structs.replace(_draft(source.body), title=source.file_name))
        file = CompoundFile(source.body)
        return finish_page(add_summary_properties(file, _draft(_stream(file)), source.file_name))
    except EncryptedError:
        return encrypted_error()
    except (BrokenFileError, struct.error, IndexError, MemoryError):
        return corrupt_error("it is not a whole xls file")


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
    book = read_globals(stream)
    # One that begins behind the end is not there, which is not the same as empty.
    there = (sheet for sheet in book.sheets if sheet.start < len(stream))
    notes = Notes()
    return workbook_draft([_sheet(stream, one, book, notes) for one in there])


def _sheet(stream: bytes, listed: ListedSheet, book: WorkbookGlobals, notes: Notes) -> Sheet:
    rows = partial(xls_sheet_rows, stream, listed, book)
    return Sheet(
        listed.name, listed.hidden, rows, lambda: notes.told(cell_comments(stream, listed, book))
    )
