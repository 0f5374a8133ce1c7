"""Excel workbooks before 2007, made by hand of their records."""

import struct
from collections.abc import Sequence

from .containers import compound

_BEGIN = b"\x00\x06\x05\x00"


def record(sort: int, data: bytes = b"") -> bytes:
    """A record of a workbook."""
    return struct.pack("<HH", sort, len(data)) + data


def text(words: str, *, long: bool = True) -> bytes:
    """A text with its length, and letters of two bytes where it needs them."""
    wide = not words.isascii()
    length = struct.pack("<H" if long else "<B", len(words))
    return length + bytes([wide]) + words.encode("utf-16-le" if wide else "latin-1")


def shared(*texts: str) -> bytes:
    """The table of texts that cells refer to."""
    return record(0xFC, struct.pack("<II", len(texts), len(texts)) + b"".join(map(text, texts)))


def place(row: int, column: int, style: int = 0) -> bytes:
    """Where a cell is, and its style."""
    return struct.pack("<HHH", row, column, style)


def workbook(sheets: dict[str, bytes], book: bytes = b"", hidden: Sequence[str] = ()) -> bytes:
    """A workbook; ``book`` are the records before the sheets."""
    return compound({"Workbook": workbook_stream(sheets, book, hidden)})


def workbook_stream(
    sheets: dict[str, bytes], book: bytes = b"", hidden: Sequence[str] = ()
) -> bytes:
    """The records of a workbook."""
    size = sum(len(record(0x85, b"\0" * 6 + text(name, long=False))) for name in sheets)
    start = len(record(0x809, _BEGIN)) + len(book) + size + len(record(0x0A))
    heads = b""
    bodies = b""
    for name, cells in sheets.items():
        about = struct.pack("<IBB", start + len(bodies), name in hidden, 0)
        heads += record(0x85, about + text(name, long=False))
        bodies += record(0x809, _BEGIN) + cells + record(0x0A)
    stream = record(0x809, _BEGIN) + book + heads + record(0x0A) + bodies
    return stream.ljust(4096, b"\0")


def simple(words: str) -> bytes:
    """A workbook of one cell."""
    return workbook({"A": record(0x204, place(0, 0) + text(words))})


def excel_95(name: bytes, words: bytes, page: int) -> bytes:
    """A workbook of one cell of Excel 95, with its letters in a code page."""
    head = record(0x809, struct.pack("<HH", 0x500, 5)) + record(0x42, struct.pack("<H", page))
    start = len(head) + 4 + 7 + len(name) + len(record(0x0A))
    sheet = record(0x85, struct.pack("<IBBB", start, 0, 0, len(name)) + name)
    cell = record(0x204, place(0, 0) + struct.pack("<H", len(words)) + words) + record(0x0A)
    return compound({"Book": (head + sheet + record(0x0A) + cell).ljust(4096, b"\0")})
