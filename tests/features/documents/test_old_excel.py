"""Excel before 2007, from records made by hand."""

import struct

import pytest

from tests.features.documents.containers import compound
from tests.features.documents.read import error, page
from tests.features.documents.workbooks import (
    place,
    record,
    shared,
    text,
    workbook,
    workbook_stream,
)
from webseam.adapters.features.documents.formats.sheets import MAX_ROWS
from webseam.ports.errors import ParseFailed
from webseam.ports.pages import ReadPage

URL = "https://e.org/old.xls"


def test_a_workbook_is_tables_under_the_names_of_its_sheets() -> None:
    styles = record(0x41E, struct.pack("<H", 200) + text("yyyy-mm-dd"))
    styles += record(0xE0, struct.pack("<HH", 0, 0)) + record(0xE0, struct.pack("<HH", 0, 200))
    cells = (
        record(0xFD, place(0, 0) + struct.pack("<I", 0))
        + record(0xFD, place(0, 1) + struct.pack("<I", 1))
        + record(0x203, place(1, 0) + struct.pack("<d", 2.5))
        + record(0x27E, place(1, 1, 1) + struct.pack("<I", 45000 << 2 | 2))
        + record(0xBD, struct.pack("<HHHIHIH", 2, 0, 0, 7 << 2 | 2, 0, 1250 << 2 | 3, 1))
        + record(0x06, place(3, 0) + b"\0" * 6 + b"\xff\xff" + b"\0" * 8)
        + record(0x207, text("found"))
        + record(0x06, place(3, 1) + struct.pack("<d", 9.0) + b"\0" * 8)
        + record(0x205, place(4, 0) + b"\x01\x00")
        + record(0x205, place(4, 1) + b"\x2a\x01")
        + record(0x204, place(5, 0) + text("label"))
        + record(0x06, place(5, 1) + b"\x01\0\x01\0\0\0\xff\xff" + b"\0" * 8)
    )

    assert page(
        workbook({"Tides": cells}, styles + shared("Height", "Höhe 日本")), "", URL
    ) == ReadPage(
        title="old.xls",
        content="## Tides\n\n| Height | Höhe 日本 |\n| --- | --- |\n| 2.5 | 2023-03-15 |\n| 7 | 12.5 |\n"
        "| found | 9 |\n| TRUE | #N/A |\n| label | TRUE |",
        kind="xls",
    )


def test_a_text_goes_on_in_the_next_record_with_letters_of_another_width() -> None:
    table = record(0xFC, struct.pack("<IIHB", 1, 1, 6, 0) + b"tid")
    table += record(0x3C, b"\x01" + "es日".encode("utf-16-le"))
    cell = record(0xFD, place(0, 0) + struct.pack("<I", 0))

    assert "tides日" in page(workbook({"A": cell}, table), "", URL).content


def test_the_text_of_a_formula_goes_on_in_the_next_records() -> None:
    formula = record(0x06, place(0, 0) + b"\0" * 6 + b"\xff\xff" + b"\0" * 6)
    result = record(0x207, struct.pack("<HB", 9, 0) + b"tid")
    result += record(0x3C, b"\x01" + "es日".encode("utf-16-le")) + record(0x3C, b"\0ebb")
    other = record(0x204, place(0, 1) + text("flood"))

    assert (
        "| tides日ebb | flood |" in page(workbook({"A": formula + result + other}), "", URL).content
    )


def test_of_a_text_of_a_formula_that_is_cut_off_the_beginning_is_read() -> None:
    formula = record(0x06, place(0, 0) + b"\0" * 6 + b"\xff\xff" + b"\0" * 6)
    result = record(0x207, struct.pack("<HB", 90, 0) + b"tides")

    assert "| tides |" in page(workbook({"A": formula + result}), "", URL).content


def test_rich_texts_are_read_without_what_is_beside_them() -> None:
    rich = struct.pack("<HBHI", 3, 0x0C, 1, 2) + b"one" + b"runs" + b"xx"
    table = record(0xFC, struct.pack("<II", 2, 2) + rich + text("two"))
    cells = b"".join(
        record(0xFD, place(0, number) + struct.pack("<I", number)) for number in range(2)
    )

    assert "| one | two |" in page(workbook({"A": cells}, table), "", URL).content


def test_rows_past_the_last_are_noted_of_hidden_sheets_too() -> None:
    many = b"".join(
        record(0x203, place(row, 0) + struct.pack("<d", row)) for row in range(MAX_ROWS + 5)
    )

    document = page(workbook({"A": many, "B": many}, hidden=["B"]), "", URL)

    assert document.notes == (
        "only the first 50,000 rows of sheet A",
        "only the first 50,000 rows of sheet B",
        "hidden sheets: 1 (B)",
    )


@pytest.mark.parametrize(("days", "shown"), [(1.0, "1904-01-02"), (2957004.0, "2957004")])
def test_days_may_count_from_1904(days: float, shown: str) -> None:
    styles = record(0x22, b"\x01\x00") + record(0xE0, struct.pack("<HH", 0, 14))
    cell = record(0x203, place(0, 0) + struct.pack("<d", days))

    assert shown in page(workbook({"A": cell}, styles), "", URL).content


@pytest.mark.parametrize(
    ("number", "code", "shown"),
    [
        (14, "TT/JJJJ", "1901-03-04"),
        (46, "[h]:mm:ss", "10296:00:00"),
        (9, "0%", "42900%"),
        (200, "00000", "00429"),
    ],
)
def test_numbers_are_shown_as_their_formats_say(number: int, code: str, shown: str) -> None:
    styles = record(0x41E, struct.pack("<H", number) + text(code))
    styles += record(0xE0, struct.pack("<HH", 0, number))
    cell = record(0x203, place(0, 0) + struct.pack("<d", 429))

    assert shown in page(workbook({"A": cell}, styles), "", URL).content


def test_a_workbook_that_wants_a_password_says_so() -> None:
    failure = error(workbook({"A": b""}, record(0x2F, b"\0\0")), "", URL)

    assert failure == ParseFailed(reason="encrypted")


def test_a_document_of_office_that_is_kept_encrypted_wants_a_password() -> None:
    body = compound({"EncryptionInfo": b"\x04\x00\x04\x00", "EncryptedPackage": b"\0" * 5000})

    assert error(body, "", "https://e.org/a.docx") == ParseFailed(reason="encrypted")


def test_a_workbook_may_hold_a_document_and_be_called_in_capitals() -> None:
    stream = workbook_stream({"A": record(0x204, place(0, 0) + text("inside"))})

    body = compound({"WORKBOOK": stream, "MBD01/WordDocument": b"x" * 5000})

    assert page(body, "", URL).content == "## A\n\n| inside |\n| --- |"


def test_a_workbook_of_excel_95_has_its_texts_in_its_code_page() -> None:
    cells = record(0x204, place(0, 0) + struct.pack("<H", 4) + "мост".encode("cp1251"))
    cells += record(0x06, place(1, 0) + b"\0" * 6 + b"\xff\xff" + b"\0" * 8)
    cells += record(0x207, struct.pack("<H", 2) + b"ok") + record(0x0A, b"")
    head = record(0x809, struct.pack("<HH", 0x500, 5)) + record(0x42, struct.pack("<H", 1251))
    name = "Лист".encode("cp1251")
    length = len(head) + 4 + 7 + len(name) + len(record(0x0A))
    sheet = record(0x85, struct.pack("<IBBB", length, 0, 0, len(name)) + name)

    body = compound({"Book": (head + sheet + record(0x0A) + cells).ljust(4096, b"\0")})

    assert page(body, "", URL).content == "## Лист\n\n| мост |\n| --- |\n| ok |"


def test_a_code_page_that_nobody_knows_is_western() -> None:
    head = record(0x809, struct.pack("<HH", 0x500, 5)) + record(0x42, struct.pack("<H", 4711))
    sheet = record(0x85, struct.pack("<IBBB", len(head) + 16, 0, 0, 1) + b"\xc4")
    cells = record(0x204, place(0, 0) + struct.pack("<H", 1) + b"\xfc") + record(0x0A, b"")

    body = compound({"Book": (head + sheet + record(0x0A) + cells).ljust(4096, b"\0")})

    assert page(body, "", URL).content == "## Ä\n\n| ü |\n| --- |"


@pytest.mark.parametrize(
    "book",
    [record(0xFC, b"\x01"), record(0x41E, b"\x01"), record(0xE0, b"")],
)
def test_a_broken_workbook_is_corrupt(book: bytes) -> None:
    assert error(workbook({"A": b""}, book), "", URL) == ParseFailed(
        reason="corrupt", detail="it is not a whole xls file"
    )


def test_the_cells_of_a_chart_in_a_sheet_are_not_those_of_the_sheet() -> None:
    chart = record(0x809, b"\x00\x06\x20\x00") + record(0x203, place(0, 0) + struct.pack("<d", 9))
    before = record(0x204, place(0, 0) + text("before"))
    after = record(0x204, place(1, 0) + text("after"))

    content = page(workbook({"A": before + chart + record(0x0A) + after}), "", URL).content

    assert content == "## A\n\n| before |\n| --- |\n| after |"
