"""Hidden and empty sheets are in their places and say so, alike in every kind of workbook."""

import struct
from collections.abc import Callable, Mapping
from typing import TypeAlias

import pytest

from tests.features.documents import build
from tests.features.documents.containers import compound, open_document
from tests.features.documents.read import error, page
from tests.features.documents.workbooks import place, record, text, workbook
from webseam.adapters.features.documents.formats.office import xlsx as shared_texts_of_office
from webseam.adapters.features.documents.formats.office.package import BrokenFileError
from webseam.adapters.features.documents.formats.office.xlsx import shared_texts
from webseam.ports.errors import EmptyContent

# The one cell of each sheet.
Make: TypeAlias = Callable[[Mapping[str, str]], bytes]


def as_xlsx(sheets: Mapping[str, str]) -> bytes:
    row = '<row><c t="str"><v>{}</v></c></row>'
    return build.xlsx({name: row.format(cell) for name, cell in sheets.items()})


def as_xls(sheets: Mapping[str, str]) -> bytes:
    cells = {
        name.rstrip("~"): record(0x204, place(0, 0) + text(cell)) for name, cell in sheets.items()
    }
    return workbook(cells, hidden=[name.rstrip("~") for name in sheets if name.endswith("~")])


def as_ods(sheets: Mapping[str, str]) -> bytes:
    cell = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"
    tables = (
        f'<table:table table:name="{name.rstrip("~")}" table:style-name="ta{name.endswith("~"):d}">'
        f"{cell.format(said)}</table:table>"
        for name, said in sheets.items()
    )
    return open_document("spreadsheet", "".join(tables), STYLES)


STYLES = (
    '<style:style style:name="ta0" style:family="table"><style:table-properties table:display="true"/></style:style>'
    '<style:style style:name="ta1" style:family="table"><style:table-properties table:display="false"/></style:style>'
)
KINDS = [
    pytest.param(make, f"https://e.org/book.{make.__name__[3:]}", id=make.__name__[3:])
    for make in (as_xlsx, as_xls, as_ods)
]


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_empty_sheets_stand_in_their_place_and_say_so(make: Make, url: str) -> None:
    document = page(make({"One": "x", "Sheet2": "", "Sheet3": "y"}), "", url)

    assert document.content == (
        "## One\n\n| x |\n| --- |\n\n## Sheet2 (empty)\n\n## Sheet3\n\n| y |\n| --- |"
    )
    assert document.notes == ()


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_a_workbook_of_empty_sheets_alone_has_their_names(make: Make, url: str) -> None:
    document = page(make({"Plan": "", "Lists~": ""}), "", url)

    assert document.content == "## Plan (empty)\n\n## Lists (hidden, empty)"


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_hidden_sheets_stand_in_their_place_and_are_told(make: Make, url: str) -> None:
    document = page(make({"Lists~": "a", "One": "x", "Old~": "b"}), "", url)

    assert document.content == (
        "## Lists (hidden)\n\n| a |\n| --- |\n\n## One\n\n| x |\n| --- |\n\n## Old (hidden)\n\n| b |\n| --- |"
    )
    assert document.notes == ("hidden sheets: 2 (Lists, Old)",)


@pytest.mark.parametrize(("make", "url"), KINDS)
def test_hidden_sheets_take_no_room_from_the_others(make: Make, url: str) -> None:
    many = {f"H{number}~": "h" for number in range(60)} | {
        f"S{number}": "s" for number in range(50)
    }

    document = page(make(many), "", url)

    assert (document.content.count("## S"), document.content.count("## H")) == (50, 50)
    assert document.notes == (
        "hidden sheets that were left out: 10",
        "hidden sheets: 60 (H0, H1, H2, H3, H4, H5, H6, H7, H8, H9 and 50 more)",
    )


def test_large_sheets_leave_hidden_ones_no_room() -> None:
    row = f"<row>{'<c><v>1</v></c>' * 24}</row>"

    document = page(build.xlsx({"H~": row * 9, "S": row * 5000}))

    assert document.content.startswith("## S\n")
    assert document.notes == ("hidden sheets that were left out: 1", "hidden sheets: 1 (H)")


def test_a_hidden_sheet_has_as_many_rows_as_there_is_room_for() -> None:
    row = f"<row>{'<c><v>1</v></c>' * 24}</row>"

    document = page(build.xlsx({"S": row * 4900, "H~": row * 200}))

    assert document.notes == ("only the first 100 rows of sheet H", "hidden sheets: 1 (H)")


def test_many_large_sheets_are_cut_and_say_so() -> None:
    row = f"<row>{'<c><v>1</v></c>' * 24}</row>"

    document = page(build.xlsx({f"S{number}": row * 4000 for number in range(4)}))

    assert document.content.count("## S") == 3
    assert document.notes == ("only the first 2,000 rows of sheet S2", "only the first 3 sheets")


def test_rows_of_hidden_open_sheets_have_an_allowance_of_their_own() -> None:
    row = "<table:table-row><table:table-cell><text:p>{}</text:p></table:table-cell></table:table-row>"
    sheets = (
        f'<table:table table:name="H" table:style-name="ta1">{row.format("early")}{"<table:table-row/>" * 31_000}'
        f'{row.format("late")}</table:table><table:table table:name="I" table:style-name="ta1">{row.format("late")}'
        f'</table:table><table:table table:name="S">{row.format("seen")}</table:table>'
    )

    document = page(open_document("spreadsheet", sheets, STYLES))

    assert document.content == "## H (hidden)\n\n| early |\n| --- |\n\n## S\n\n| seen |\n| --- |"
    assert document.notes == (
        "only the first rows of hidden sheets",
        "only the first 10,002 rows of sheet H, most of them empty",
        "hidden sheets that were left out: 1",
        "hidden sheets: 2 (H, I)",
    )


def test_a_sheet_is_not_called_empty_where_its_rows_were_not_read() -> None:
    row = (
        "<table:table-row><table:table-cell><text:p>x</text:p></table:table-cell></table:table-row>"
    )
    blank = "<row/>" * 10_001 + '<row><c t="str"><v>x</v></c></row>'
    many = f'<table:table table:name="S">{"<table:table-row/>" * 119_998}</table:table><table:table table:name="T">{row}</table:table>'

    assert page(build.xlsx({"S": blank})).content == "## S"
    assert page(open_document("spreadsheet", many)).content == "## S"


def test_rows_in_which_nothing_stands_take_no_room() -> None:
    row = '<row><c t="str"><v>{}</v></c></row>'
    blank = "<table:table-row/>" * 6000
    late = "<table:table-row><table:table-cell><text:p>late</text:p></table:table-cell></table:table-row>"
    formula = record(0x06, place(0, 0) + b"\x03" + b"\0" * 5 + b"\xff\xff" + b"\0" * 8)
    old = formula * 6000 + record(0x204, place(6000, 0) + text("late"))

    for body in (
        build.xlsx({"S": "<row/>" * 6000 + row.format("late")}),
        open_document("spreadsheet", f'<table:table table:name="S">{blank}{late}</table:table>'),
        workbook({"S": old}),
    ):
        document = page(body, "", "")
        assert (document.content, document.notes) == ("## S\n\n| late |\n| --- |", ())


def test_very_hidden_sheets_are_hidden() -> None:
    book = build.xlsx({"One": "", "Two~": ""})

    assert "## Two (hidden, empty)" in page(book).content
    very = '<workbook xmlns:r="r"><sheets><sheet name="V" r:id="s0" state="veryHidden"/></sheets></workbook>'
    row = '<row><c t="str"><v>x</v></c></row>'
    assert (
        page(build.xlsx({"V": row}, {"xl/workbook.xml": very})).content
        == "## V (hidden)\n\n| x |\n| --- |"
    )


@pytest.mark.parametrize(
    "body",
    [
        build.xlsx({}),
        build.xlsx({"One": ""}, build.relations("xl/workbook.xml", {"s0": "worksheets/none.xml"})),
    ],
    ids=["no sheets", "a sheet that is not there"],
)
def test_a_workbook_without_sheets_is_empty(body: bytes) -> None:
    assert error(body) == EmptyContent(reason="no_text")


def test_an_old_workbook_whose_sheets_are_cut_off_is_empty() -> None:
    listed = record(0x85, struct.pack("<IBB", 1 << 20, 0, 0) + text("One", long=False))
    stream = record(0x809, b"\x00\x06\x05\x00") + listed + record(0x0A)

    body = compound({"Workbook": stream.ljust(4096, b"\0")})

    assert error(body, "", "https://e.org/old.xls") == EmptyContent(reason="no_text")


def test_a_sheet_that_is_a_chart_is_not_called_blank() -> None:
    charts = build.relations(
        "xl/workbook.xml", {"s0": "worksheets/s0.xml", "s1": "chartsheets/sheet1.xml"}
    )
    row = '<row><c t="str"><v>x</v></c></row>'

    assert "Chart" not in page(build.xlsx({"One": row, "Chart": ""}, charts)).content


def test_a_name_cannot_leave_its_heading_or_its_note() -> None:
    document = page(as_xlsx({"a\u202eb![x](https://e.org/p)~": "x"}))

    assert document.content == "## ab!\\[x](https://e.org/p) (hidden)\n\n| x |\n| --- |"
    assert document.notes[0] == "hidden sheets: 1 (ab![x](https://e.org/p))"


def test_shared_texts_are_read_by_any_prefix_and_without_reading_aids() -> None:
    part = (
        '<x:sst xmlns:x="s"><x:si><x:r><x:t>to</x:t></x:r><x:r><x:t>kyo</x:t></x:r>'
        "<x:rPh><x:t>aid</x:t></x:rPh></x:si><x:si/><x:si><x:t> b </x:t></x:si></x:sst>"
    )

    assert shared_texts([part.encode()]) == ["tokyo", "", " b "]
    assert shared_texts([]) == []


def test_no_more_shared_texts_are_read_than_there_is_time_for(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(shared_texts_of_office, "_MAX_SHARED_TEXTS", 2)
    pieces = [b"<sst>", *[b"<si><t>x</t></si>"] * 5]

    assert shared_texts(pieces) == ["x", "x"]


@pytest.mark.parametrize("part", ["<sst><si><t>x</t>", '<!DOCTYPE sst SYSTEM "x"><sst/>'])
def test_shared_texts_that_are_not_whole_are_broken(part: str) -> None:
    with pytest.raises(BrokenFileError):
        shared_texts([part.encode()])
