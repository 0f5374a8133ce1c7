"""Excel without its container, and Excel before version 5, which is refused."""

import struct

from tests.features.documents.read import error, page
from tests.features.documents.workbooks import place, record, text, workbook_stream
from webseam.ports.errors import UnsupportedContent

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


def test_a_workbook_before_excel_5_is_refused_by_its_version() -> None:
    body = b"\x09\x02\x06\x00" + b"\x00\x00\x10\x00\x00\x00\x0a\x00\x00\x00"

    assert error(body, "", URL) == UnsupportedContent(
        content_type="application/vnd.ms-excel; version=3"
    )
