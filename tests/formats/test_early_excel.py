"""Excel before version 5: one sheet, no container, older records."""

import struct

import pytest

from tests.formats.read import error, page
from tests.formats.workbooks import place, record, text, workbook_stream
from webseam.ports.errors import ParseFailed

URL = "https://e.org/early.xls"
SHEET = b"\x00\x00\x10\x00"


def early_text(words: bytes, *, wide: bool = True) -> bytes:
    return struct.pack("<H" if wide else "<B", len(words)) + words


@pytest.mark.parametrize(
    ("begin", "style", "form", "formula"),
    [(0x209, 0x243, b"", 0x206), (0x409, 0x443, b"\0\0", 0x406)],
)
def test_a_sheet_of_excel_3_or_4_is_a_table(
    begin: int, style: int, form: bytes, formula: int
) -> None:
    formats = b"".join(
        record(0x41E if form else 0x1E, form + early_text(words, wide=False))
        for words in (b"General", b"yyyy-mm-dd")
    )
    cells = (
        record(0x42, struct.pack("<H", 32768))
        + formats
        + record(style, b"\0\0\0\0")
        + record(style, b"\0\1\0\0")
        # In later versions this number is that of a date.
        + record(style, b"\0\x0e\0\0")
        + record(0x204, place(0, 0) + early_text(b"caf\x8e"))
        + record(0x203, place(0, 1, 1) + struct.pack("<d", 45000.0))
        + record(0x27E, place(1, 0) + struct.pack("<I", 7 << 2 | 2))
        + record(formula, place(1, 1) + b"\0" * 6 + b"\xff\xff" + b"\0" * 8)
        + record(0x207, early_text(b"found"))
        + record(0x205, place(2, 0) + b"\x01\x00")
        + record(0x203, place(2, 1, 2) + struct.pack("<d", 45000.0))
    )
    chart = record(begin, b"\x00\x00\x20\x00\0\0") + record(0x0A)

    body = record(begin, SHEET + b"\0\0") + cells + record(0x0A) + chart

    assert page(body, "", URL).content == (
        "## Sheet1\n\n| café | 2023-03-15 |\n| --- | --- |\n| 7 | found |\n| TRUE | 45000 |"
    )
    assert (page(body, "", URL).kind, page(body, "", URL).title) == ("xls", "early.xls")


def test_a_sheet_of_excel_2_has_the_look_of_each_cell_in_it() -> None:
    def at(row: int, column: int, form: int = 0) -> bytes:
        return struct.pack("<HHBBB", row, column, 0, form, 0)

    cells = (
        record(0x1E, early_text(b"General", wide=False))
        + record(0x1E, early_text(b"yyyy-mm-dd", wide=False))
        + record(0x04, at(0, 0) + early_text(b"name", wide=False))
        + record(0x02, at(0, 1) + struct.pack("<H", 12))
        + record(0x03, at(1, 0, 0x41) + struct.pack("<d", 45000.0))
        + record(0x05, at(1, 1) + b"\x00\x00")
        + record(0x06, at(2, 0) + b"\0" * 6 + b"\xff\xff" + b"\0" * 8)
        + record(0x07, early_text(b"found", wide=False))
        + record(0x06, at(2, 1) + struct.pack("<d", 1.5) + b"\0" * 8)
    )

    body = record(0x09, SHEET) + cells + record(0x0A)

    assert page(body, "", URL).content == (
        "## Sheet1\n\n| name | 12 |\n| --- | --- |\n| 2023-03-15 | FALSE |\n| found | 1.5 |"
    )


def test_a_workbook_without_its_container_is_read() -> None:
    stream = workbook_stream({"Tides": record(0x204, place(0, 0) + text("high"))})
    begin = record(0x809, b"\x00\x06\x05\x00" + b"\0" * 12)
    short = record(0x809, b"\x00\x06\x05\x00")
    place_told = struct.pack(
        "<I", len(short) + len(record(0x85, b"\0" * 6 + text("Tides", long=False))) + 4
    )
    moved = struct.pack("<I", int.from_bytes(place_told, "little") + 12)

    body = begin + stream[len(short) :].replace(place_told, moved, 1)

    assert page(body, "", URL).content == "## Tides\n\n| high |\n| --- |"


def test_an_early_sheet_that_is_locked_says_so() -> None:
    body = record(0x409, SHEET + b"\0\0") + record(0x2F, b"\0" * 4) + record(0x0A)

    assert error(body, "", URL) == ParseFailed(reason="encrypted")
