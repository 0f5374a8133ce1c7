"""Binary Excel workbooks, made by hand of their records."""

import struct
from collections.abc import Mapping

from .build import relations, zipped


def number(value: int) -> bytes:
    """A number of seven bits a byte, the lowest first."""
    done = b""
    while value > 0x7F:
        done += bytes([value & 0x7F | 0x80])
        value >>= 7
    return done + bytes([value])


def record(sort: int, data: bytes = b"") -> bytes:
    """A record of a binary workbook."""
    return number(sort) + number(len(data)) + data


def text(words: str) -> bytes:
    """A text behind its length."""
    return struct.pack("<I", len(words)) + words.encode("utf-16-le")


def row(place: int) -> bytes:
    """The begin of a row."""
    return record(0, struct.pack("<I", place) + b"\0" * 13)


def cell(sort: int, column: int, value: bytes, style: int = 0) -> bytes:
    """A cell of a row."""
    return record(sort, struct.pack("<II", column, style) + value)


def short(sort: int, value: bytes) -> bytes:
    """A cell right after the last one, which does not name its column."""
    return record(sort, struct.pack("<I", 0) + value)


def shared(*texts: str) -> dict[str, bytes]:
    """The table of texts that cells refer to."""
    return {"xl/sharedStrings.bin": b"".join(record(19, b"\0" + text(words)) for words in texts)}


def styles(*forms: int, named: Mapping[int, str] | None = None) -> dict[str, bytes]:
    """The styles of cells, by the numbers of their formats."""
    own = b"".join(
        record(44, struct.pack("<H", place) + text(code)) for place, code in (named or {}).items()
    )
    looks = b"".join(record(47, struct.pack("<HH", 0, form) + b"\0" * 12) for form in forms)
    return {"xl/styles.bin": own + record(47, b"\0" * 16) + record(617) + looks + record(618)}


def xlsb(
    sheets: Mapping[str, bytes], parts: Mapping[str, bytes] | None = None, *, book: bytes = b""
) -> bytes:
    """A workbook; each sheet is its rows, and one whose name ends in ~ is hidden."""
    listed = b"".join(
        record(
            156,
            struct.pack("<II", 2 if name.endswith("~") else 0, place)
            + text(f"s{place}")
            + text(name.rstrip("~")),
        )
        for place, name in enumerate(sheets)
    )
    contents = {
        f"xl/worksheets/s{place}.bin": record(129) + record(145) + rows + record(146) + row(9)
        for place, rows in enumerate(sheets.values())
    }
    targets = {f"s{place}": f"worksheets/s{place}.bin" for place in range(len(sheets))}
    return zipped(
        {
            "xl/workbook.bin": record(131) + book + listed,
            **relations("xl/workbook.bin", targets),
            **contents,
            **(parts or {}),
        }
    )
