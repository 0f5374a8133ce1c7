"""Documents that are one XML file: Flat ODF, Word 2003 and Excel 2003."""

import pytest

from tests.features.documents.flat_files import (
    WORD,
    book_2003,
    cells,
    flat_odf,
    said,
    word_2003,
    worksheet,
)
from tests.features.documents.read import error, page
from webseam.ports.errors import ParseFailed


def test_a_flat_text_is_read_as_one_in_parts() -> None:
    margin = "<office:master-styles><style><text:p>Not here</text:p></style></office:master-styles>"
    picture = "<office:binary-data>iVBORw0KGgo=\nAAAA</office:binary-data>"
    text = f'<text:h text:outline-level="2">Ebb</text:h><text:p>{picture}Twice a day.</text:p>'

    document = page(flat_odf("text", f"<office:text>{text}</office:text>", margin))

    assert (document.kind, document.title) == ("odt", "Of tides")
    assert document.content == "## Ebb\n\nTwice a day."


def test_a_flat_sheet_is_a_table() -> None:
    row = "<table:table-row><table:table-cell><text:p>Ebb</text:p></table:table-cell></table:table-row>"
    table = (
        f'<office:spreadsheet><table:table table:name="T">{row}</table:table></office:spreadsheet>'
    )

    assert page(flat_odf("spreadsheet", table)).content == "## T\n\n| Ebb |\n| --- |"


def test_a_flat_text_in_another_charset_keeps_its_letters() -> None:
    text = flat_odf("text", "<office:text><text:p>Größe</text:p></office:text>")

    assert page(text.replace("UTF-8", "ISO-8859-1").encode("latin-1")).content == "Größe"


def test_a_flat_text_without_its_end_says_so() -> None:
    text = "<office:text><text:p>Twice a day.</text:p><text:p>Cut"
    whole = flat_odf("text", text)

    document = page(whole[: whole.index("Cut")])

    assert document.content == "Twice a day."
    assert document.notes == ("it is damaged: some of it may be missing",)


def test_word_2003_has_headings_lists_links_and_notes() -> None:
    levels = (
        '<w:lvl w:ilvl="0"><w:start w:val="1"/><w:nfc w:val="4"/><w:lvlText w:val="%1)"/></w:lvl>'
    )
    before = (
        "<o:DocumentProperties><o:Title>Of tides</o:Title><o:Author>Ann</o:Author></o:DocumentProperties>"
        f'<w:lists><w:listDef w:listDefId="7">{levels}</w:listDef>'
        '<w:list w:ilfo="3"><w:ilst w:val="7"/></w:list></w:lists>'
        '<w:styles><w:style w:type="paragraph" w:styleId="a"><w:name w:val="heading 2"/></w:style></w:styles>'
    )
    item = '<w:pPr><w:listPr><w:ilvl w:val="0"/><w:ilfo w:val="3"/></w:listPr></w:pPr>'
    link = '<w:hlink w:dest="https://e.org/a" w:bookmark="b"><w:r><w:t>this</w:t></w:r></w:hlink>'
    note = f"<w:r><w:footnote>{said('A note.')}</w:footnote></w:r>"
    foot = f'<w:sectPr><w:ftr w:type="odd">{said("The foot")}</w:ftr></w:sectPr>'
    body = (
        said("Ebb", '<w:pPr><w:pStyle w:val="a"/></w:pPr>')
        + said("First", item)
        + said("Second", item)
        + f"<w:p>{link}{note}</w:p>{foot}"
    )

    document = page(word_2003(body, before), "application/msword", "https://e.org/a.doc")

    assert (document.kind, document.title, document.author) == ("docx", "Of tides", "Ann")
    assert document.content == (
        "## Ebb\n\n- a) First\n- b) Second\n\n[this](https://e.org/a#b)[^1]\n\n[^1]: A note.\n\n"
        "Footer: The foot"
    )


def test_comments_of_word_2003_stand_after_the_text() -> None:
    mark = '<aml:annotation aml:id="4" w:type="Word.Comment.{}"/>'
    remark = (
        '<w:r><aml:annotation aml:id="4" aml:author="Ann" w:type="Word.Comment"><aml:content>'
        f"{said('Which?')}</aml:content></aml:annotation></w:r>"
    )
    run = "<w:r><w:t>the tide</w:t></w:r>"
    gone = '<aml:annotation w:type="Word.Deletion"><aml:content><w:r><w:delText>gone</w:delText></w:r></aml:content></aml:annotation>'
    body = f"<w:p>{mark.format('Start')}{run}{mark.format('End')}{remark}{gone}</w:p>"

    content = page(word_2003(body)).content

    assert content == "the tide\n\n## Comments\n\n- Ann on “the tide”: Which?"


def test_word_2003_without_a_body_stays_xml() -> None:
    assert page(f'<w:wordDocument xmlns:w="{WORD}"><w:p/></w:wordDocument>').kind == "xml"


@pytest.mark.parametrize("name", ["a.xls", "a.xml", "a"])
def test_excel_2003_has_a_table_for_each_sheet(name: str) -> None:
    percent = (
        '<Style ss:ID="p"><NumberFormat ss:Format="Percent"/></Style>'
        '<Style ss:ID="s"><NumberFormat ss:Format="Standard"/></Style>'
    )
    rows = (
        cells("Port", "Tide")
        + '<Row ss:Index="5"><Cell ss:MergeAcross="1"><Data ss:Type="String">Kiel</Data></Cell>'
        '<Cell ss:StyleID="p"><Data ss:Type="Number">0.07</Data></Cell></Row>'
        + '<Row><Cell ss:Index="3"><Data ss:Type="DateTime">2024-03-05T00:00:00.000</Data></Cell></Row>'
        + cells("1899-12-31T10:30:00.000", "2024-03-05T10:30:00.000", kind="DateTime")
        + cells("1", "0", "7", kind="Boolean")
        + cells("3", "x", kind="Number")
        + '<Row><Cell ss:StyleID="s"><Data ss:Type="Number">2.5</Data></Cell><Cell ss:Index="9"/></Row>'
    )
    hidden = "<WorksheetOptions><Visible>SheetHidden</Visible></WorksheetOptions>"
    sheets = (
        worksheet(rows, "Ports")
        + f'<Worksheet ss:Name="Old"><Table>{cells("x")}</Table>{hidden}</Worksheet>'
    )

    document = page(book_2003(sheets, percent), "", f"https://e.org/{name}")

    assert document.kind == "xls"
    assert document.content == (
        "## Ports\n\n| Port | Tide |  |\n| --- | --- | --- |\n| Kiel |  | 7.00% |\n|  |  | 2024-03-05 |\n"
        "| 10:30:00 | 2024-03-05 10:30:00 |  |\n| TRUE | FALSE | 7 |\n| 3 | x |  |\n| 2.50 |  |  |\n\n"
        "## Old (hidden)\n\n| x |\n| --- |"
    )


def test_excel_2003_tells_comments_and_who_wrote_it() -> None:
    remark = '<Comment ss:Author="Ann"><ss:Data>Which?</ss:Data></Comment>'
    row = f'<Row><Cell ss:Index="2"><Data ss:Type="String">x</Data>{remark}</Cell></Row>'
    about = "<DocumentProperties><Author>Bob</Author><Title>Ports</Title></DocumentProperties>"
    sheet = f'<Worksheet ss:Name="S"><Table>{row}</Table></Worksheet>'

    document = page(book_2003(about + sheet))

    assert (document.title, document.author) == ("Ports", "Bob")
    assert document.content.endswith("- Ann on “B1”: Which?")


def test_excel_2003_that_is_cut_short_says_so() -> None:
    sheet = f'<Worksheet ss:Name="S"><Table>{cells("x", "y")}{cells("cut")}'
    whole = book_2003(sheet)

    document = page(whole[: whole.index("cut")], "", "https://e.org/a.xls")

    assert document.content == "## S\n\n| x | y |\n| --- | --- |"
    assert document.notes == ("it is damaged: some of it may be missing",)


def test_excel_2003_without_a_sheet_stays_xml_and_a_long_one_is_cut() -> None:
    assert page(book_2003("")).content.startswith("```xml")
    many = f'<Worksheet ss:Name="S"><Table>{cells("x") * 70_000}</Table></Worksheet>'
    assert "only the first rows and sheets" in page(book_2003(many)).notes


def test_a_flat_text_without_words_of_its_kind_is_broken() -> None:
    failure = error(flat_odf("text", "<office:text>")[:-40])

    assert isinstance(failure, ParseFailed)


@pytest.mark.parametrize("tag", ["<w:hlink ", "<aml:annotation ", "<w:footnote>"])
def test_tags_without_an_end_are_looked_at_once(tag: str) -> None:
    assert isinstance(error(word_2003(tag * 50_000)), ParseFailed)
