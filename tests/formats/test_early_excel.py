"""Excel before version 5: one sheet, no container, older records."""

import struct

from tests.formats.read import page
from tests.formats.workbooks import place, record, text, workbook_stream

URL = "https://e.org/early.xls"


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
