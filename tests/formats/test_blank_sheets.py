"""A sheet in which nothing is filled in is told in a note, alike in every kind of workbook."""

from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from tests.formats import build
from tests.formats.containers import open_document
from tests.formats.read import error, page
from tests.formats.workbooks import place, record, text, workbook
from webseam.ports.errors import EmptyContent

# The one cell of each sheet.
Make: TypeAlias = Callable[[Mapping[str, str]], bytes]


def as_xlsx(sheets: Mapping[str, str]) -> bytes:
    row = '<row><c t="str"><v>{}</v></c></row>'
    return build.xlsx({name: row.format(cell) for name, cell in sheets.items()})


def as_xls(sheets: Mapping[str, str]) -> bytes:
    return workbook(
        {name: record(0x204, place(0, 0) + text(cell)) for name, cell in sheets.items()}
    )


def as_ods(sheets: Mapping[str, str]) -> bytes:
    cell = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"
    tables = (
        f'<table:table table:name="{name}">{cell.format(said)}</table:table>'
        for name, said in sheets.items()
    )
    return open_document("spreadsheet", "".join(tables))


KINDS = [
    pytest.param(make, f"https://e.org/book.{make.__name__[3:]}", id=make.__name__[3:])
    for make in (as_xlsx, as_xls, as_ods)
]


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_sheets_without_a_filled_cell_are_named_in_a_note(make: Make, url: str) -> None:
    document = page(make({"One": "x", "Sheet2": "", "Sheet3": ""}), "", url)

    assert document.content == "## One\n\n| x |\n| --- |"
    assert document.notes == ("sheets without a filled cell: Sheet2, Sheet3",)


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_of_very_many_some_are_named(make: Make, url: str) -> None:
    document = page(make({"One": "x"} | {f"S{n}": "" for n in range(12)}), "", url)

    assert document.notes[0].endswith(", S8, S9 and 2 more")


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_a_workbook_of_such_sheets_alone_is_empty(make: Make, url: str) -> None:
    assert error(make({"One": "", "Two": ""}), "", url) == EmptyContent(reason="no_text")


def test_a_sheet_that_is_a_chart_is_not_called_blank() -> None:
    charts = build.relations(
        "xl/workbook.xml", {"s0": "worksheets/s0.xml", "s1": "chartsheets/sheet1.xml"}
    )
    row = '<row><c t="str"><v>x</v></c></row>'

    assert page(build.xlsx({"One": row, "Chart": ""}, charts)).notes == ()


def test_a_name_cannot_leave_its_note() -> None:
    document = page(as_xlsx({"One": "x", "a\u202eb": ""}))

    assert document.notes == ("sheets without a filled cell: ab",)
