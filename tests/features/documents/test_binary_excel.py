"""Excel in binary, from records made by hand."""

import struct

import pytest

from tests.features.documents.binary_workbooks import (
    cell,
    record,
    row,
    shared,
    short,
    styles,
    text,
    xlsb,
)
from tests.features.documents.build import relations
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent, ParseFailed
from webseam.ports.pages import ReadPage

URL = "https://e.org/book.xlsb"
CORRUPT = ParseFailed(reason="corrupt", detail="it is not a whole xlsb file")


def real(value: float) -> bytes:
    return struct.pack("<d", value)


def whole(value: int) -> bytes:
    return struct.pack("<I", value)


def test_a_binary_workbook_is_tables_under_the_names_of_its_sheets() -> None:
    rows = (
        row(0)
        + cell(7, 0, whole(0))
        + cell(62, 2, b"\x01" + text("Höhe 日本") + b"runs")
        + row(1)
        + cell(2, 0, whole(7 << 2 | 2))
        + cell(1, 1, b"")
        + cell(5, 2, real(2.5))
        + row(3)
        + cell(9, 0, real(45000.5), style=1)
        + cell(8, 1, text("found") + b"formula")
        + cell(10, 2, b"\x01")
        + row(4)
        + cell(3, 0, b"\x2a")
        + short(14, b"\x07")
        + short(12, b"")
        + short(18, whole(0))
        + row(5)
        + cell(11, 0, b"\x99")
        + cell(4, 1, b"\x00")
        + cell(6, 2, text("own"))
        + cell(7, 3, whole(99))
        + record(500, b"other")
    )
    parts = {**shared("Height"), **styles(0, 200, named={200: "yyyy-mm-dd hh:mm", 201: "0.00"})}

    assert page(xlsb({"Tides": rows, "Old~": b""}, parts), "", URL) == ReadPage(
        title="book.xlsb",
        content="## Tides\n\n| Height |  | Höhe 日本 |  |\n| --- | --- | --- | --- |\n| 7 |  | 2.5 |  |\n"
        "| 2023-03-15 12:00 | found | TRUE |  |\n| #N/A | #DIV/0! |  | Height |\n"
        "| #ERROR | FALSE | own |  |\n\n## Old (hidden, empty)",
        kind="xlsb",
        notes=("hidden sheets: 1 (Old)",),
    )


@pytest.mark.parametrize(("days", "shown"), [(1.0, "1904-01-02"), (2957004.0, "2957004")])
def test_days_may_count_from_1904(days: float, shown: str) -> None:
    rows = row(0) + cell(5, 0, real(days))

    body = xlsb({"A": rows}, styles(14), book=record(153, b"\x01\0\0\0"))

    assert shown in page(body).content


def test_numbers_are_shown_as_their_formats_say() -> None:
    rows = row(0) + b"".join(cell(5, place, real(1.25), place) for place in range(3))
    parts = styles(9, 46, 200, named={9: "0", 200: "[h]"})

    assert page(xlsb({"A": rows}, parts)).content.startswith("## A\n\n| 125% | 30:00:00 | 30 |")


def test_sheets_are_found_where_excel_wrote_more_before_it_was_released() -> None:
    listed = record(156, struct.pack("<III", 0, 0, 1) + text("s0") + text("Beta"))
    body = xlsb({"A": row(0) + cell(6, 0, text("x"))}, {"xl/workbook.bin": listed})

    assert page(body).content == "## Beta\n\n| x |\n| --- |"


def test_charts_and_macros_are_no_sheets() -> None:
    targets = {"s0": "worksheets/s0.bin", "s1": "chartsheets/s1.bin", "s2": "macrosheets/s2.bin"}
    rows = row(0) + cell(6, 0, text("x"))

    body = xlsb({"A": rows, "B": rows, "C": rows}, relations_of(targets))

    assert page(body).content == "## A\n\n| x |\n| --- |"


def relations_of(targets: dict[str, str]) -> dict[str, bytes]:
    return {name: said.encode() for name, said in relations("xl/workbook.bin", targets).items()}


def test_a_large_sheet_is_cut_and_says_so() -> None:
    rows = b"".join(row(place) + cell(5, 0, real(place)) for place in range(50_001))
    exact = b"".join(row(place) + cell(5, 0, real(place)) for place in range(50_000))
    wide = row(0) + cell(5, 0, real(1)) + cell(5, 16_000, real(1))

    document = page(xlsb({"Long": rows, "Exact": exact, "Wide": wide}))

    assert document.notes == (
        "only the first 50,000 rows of sheet Long",
        "only the first 250 columns of sheet Wide",
    )


def test_a_record_of_any_length_is_passed_over() -> None:
    rows = row(0) + record(500, b"x" * 400_000) + cell(6, 0, text("after"))

    assert page(xlsb({"A": rows})).content == "## A\n\n| after |\n| --- |"


def test_a_record_that_never_ends_is_the_last() -> None:
    rows = row(0) + cell(6, 0, text("before")) + b"\xf4\x03\xff\xff\xff\xff"

    assert page(xlsb({"A": rows})).content == "## A\n\n| before |\n| --- |"


def test_a_cell_whose_text_is_said_to_be_very_long_has_none() -> None:
    rows = row(0) + cell(6, 0, b"\xff\xff\xff\xff") + cell(6, 1, text("x"))

    assert page(xlsb({"A": rows})).content == "## A\n\n|  | x |\n| --- | --- |"


@pytest.mark.parametrize(
    "body",
    [
        xlsb({"A": row(0) + record(5, b"\0" * 9)}),
        xlsb({"A": row(0) + record(4, b"\0" * 8)}),
        xlsb({"A": b""}, book=record(156, b"\0" * 6)),
        xlsb({"A": b""}, book=record(153)),
        xlsb({"A": b""}, {"xl/styles.bin": record(617) + record(47, b"\0")}),
    ],
)
def test_a_record_that_is_too_short_makes_it_corrupt(body: bytes) -> None:
    assert error(body) == CORRUPT


def test_very_many_records_are_too_complex() -> None:
    body = xlsb({"A": b""}, {"xl/sharedStrings.bin": record(1) * 600_001})

    assert error(body) == ParseFailed(reason="too_complex", detail="it unpacks to too much")


def test_a_binary_workbook_without_sheets_is_empty() -> None:
    assert error(xlsb({})) == EmptyContent(reason="no_text")
