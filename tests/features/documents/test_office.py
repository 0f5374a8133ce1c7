"""Word, Excel and PowerPoint as markdown."""

import io
import re
import zipfile

import pytest

from tests.features.documents import build
from tests.features.documents.build import docx, paragraph, pptx, shape, xlsx
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent, ParseFailed
from webseam.ports.pages import ReadPage

WORD = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
STYLES = build.styles(
    '<w:style w:styleId="H1"><w:name w:val="heading 1"/></w:style>'
    '<w:style w:styleId="H9"><w:name w:val="heading 9"/></w:style>'
    '<w:style w:styleId="T"><w:name w:val="Title"/></w:style>'
    '<w:style w:styleId="S"><w:name w:val="Subtitle"/></w:style>'
    '<w:style w:styleId="Own"><w:name w:val="Mine"/><w:basedOn w:val="H1"/></w:style>'
    '<w:style w:styleId="Out"><w:name w:val="x"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>'
    '<w:style w:styleId="Ring"><w:name w:val="x"/><w:basedOn w:val="Ring"/></w:style>'
    '<w:style w:styleId="LB2"><w:name w:val="List Bullet 2"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:styleId="LB"><w:name w:val="List"/><w:pPr><w:numPr><w:ilvl w:val="1"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
    '<w:style w:styleId="None"/>'
)
LISTS = build.numbering(
    '<w:abstractNum w:abstractNumId="7"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/></w:lvl>'
    '<w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="x"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"/><w:num w:numId="2"><w:abstractNumId w:val="7"/></w:num>'
)


def styled(name: str) -> str:
    return f'<w:pStyle w:val="{name}"/>'


def listed(number: int, level: str = "") -> str:
    depth = f'<w:ilvl w:val="{level}"/>' if level else ""
    return f'<w:numPr>{depth}<w:numId w:val="{number}"/></w:numPr>'


@pytest.mark.parametrize(
    ("properties", "line"),
    [
        ("", "x"),
        (styled("H1"), "# x"),
        (styled("H9"), "###### x"),
        (styled("T"), "# x"),
        (styled("S"), "## x"),
        (styled("Own"), "# x"),
        (styled("Out"), "### x"),
        (styled("Ring"), "x"),
        (styled("None"), "x"),
        (styled("Unheard"), "x"),
        ('<w:outlineLvl w:val="1"/>', "## x"),
        ('<w:outlineLvl w:val="9"/>', "x"),
        (listed(1), "- x"),
        (listed(2), "1. x"),
        (listed(2, "1"), "   - x"),
        (listed(2, "999999999999"), "1. x"),
        (listed(0), "x"),
        (styled("LB2"), "   - x"),
        (styled("LB"), "   - x"),
        (styled("LB") + listed(0), "x"),
    ],
)
def test_a_paragraph_of_word_is_what_its_style_says(properties: str, line: str) -> None:
    body = docx(paragraph("before") + paragraph("x", properties), {**STYLES, **LISTS})

    assert page(body).content == f"before\n\n{line}"


def test_a_word_document_keeps_text_lists_links_and_tables() -> None:
    runs = (
        "<w:p><w:r><w:t>See </w:t></w:r><w:hyperlink r:id='l1'><w:r><w:t>this</w:t></w:r></w:hyperlink>"
        "<w:r><w:tab/><w:t>and</w:t><w:br/><w:t>that</w:t><w:noBreakHyphen/></w:r>"
        "<w:hyperlink r:id='l2'><w:r><w:t>bad</w:t></w:r></w:hyperlink></w:p>"
    )
    grid = (
        f"<w:tbl><w:tr><w:tc>{paragraph('a')}</w:tc><w:tc>{paragraph('b|c')}</w:tc></w:tr>"
        f"<w:tr><w:tc>{paragraph('1')}{paragraph('2')}{paragraph('')}</w:tc></w:tr></w:tbl>"
    )
    items = paragraph("one", listed(1)) + paragraph("two", listed(1))
    links = build.relations(
        "word/document.xml", {"l1": "https://e.org/a(1)", "l2": "file:///etc/passwd"}
    )
    about = build.core(
        "<dc:title>Report</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2024-03-05T10:00:00Z</dcterms:created>"
        "<dc:language>en</dc:language><dc:subject>Bread</dc:subject>"
    )

    document = page(docx(runs + items + grid, {**links, **about, **LISTS}))

    assert document == ReadPage(
        title="Report",
        content="See [this](https://e.org/a%281%29)\tand\nthat-bad\n\n- one\n- two\n\n"
        "| a | b\\|c |\n| --- | --- |\n| 1 2 |  |",
        author="Ann",
        published_at="2024-03-05T10:00:00+00:00",
        language="en",
        description="Bread",
        kind="docx",
        links=1,
    )


def test_an_author_is_no_heading_though_its_style_is_based_on_the_title() -> None:
    sheet = build.styles(
        '<w:style w:styleId="T"><w:name w:val="Title"/></w:style>'
        '<w:style w:styleId="A"><w:name w:val="Author"/><w:basedOn w:val="T"/></w:style>'
    )
    body = paragraph("Notes", styled("T")) + paragraph("Ann", styled("A"))

    assert page(docx(body, sheet)).content == "# Notes\n\nAnn"


def test_cells_and_rows_that_are_fields_of_a_form_are_cells_and_rows() -> None:
    def field(inside: str) -> str:
        return f"<w:sdt><w:sdtPr/><w:sdtContent>{inside}</w:sdtContent></w:sdt>"

    name = field(f"<w:tc>{paragraph('name')}</w:tc>")
    one = f"<w:tr>{name}</w:tr>"
    other = field(f"<w:tr><w:tc>{paragraph('Ann')}</w:tc></w:tr>")

    assert page(docx(f"<w:tbl>{one}{other}</w:tbl>")).content == "| name |\n| --- |\n| Ann |"


def test_deleted_and_hidden_text_of_word_is_left_out() -> None:
    body = (
        "<w:p><w:r><w:t>kept</w:t></w:r><w:del><w:r><w:delText>deleted</w:delText></w:r></w:del>"
        "<w:moveFrom><w:r><w:t>moved</w:t></w:r></w:moveFrom>"
        "<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
        "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> shown</w:t></w:r>"
        "<mc:AlternateContent><mc:Choice><w:r><w:t> once</w:t></w:r></mc:Choice>"
        "<mc:Fallback><w:r><w:t> twice</w:t></w:r></mc:Fallback></mc:AlternateContent></w:p>"
    )

    assert page(docx(body)).content == "kept shown once"


def test_a_word_document_without_a_title_has_its_first_heading_or_its_file_name() -> None:
    headed = docx(paragraph("Bread", styled("H1")), STYLES)
    plain = docx(paragraph("words"))

    assert page(headed).title == "Bread"
    assert page(plain, "", "https://e.org/a.docx").title == "a.docx"


def test_a_very_long_word_document_is_cut_and_says_so() -> None:
    file = docx(paragraph("x") * 200_000)
    document = page(file)

    assert document.content.startswith("x\n\nx\n\n")
    (note,) = document.notes
    assert re.fullmatch(r"only the first [23]\d,\d{3} paragraphs and tables", note)
    # The same place each time: work is counted, not time.
    assert page(file) == document


def cell(kind: str, value: str, style: str = "", at: str = "") -> str:
    place = f' r="{at}"' if at else ""
    return f'<c t="{kind}" s="{style}"{place}><v>{value}</v></c>'


XLSX_PARTS = {
    "xl/sharedStrings.xml": "<sst><si><t>Name</t></si><si><r><t>Ri</t></r><r><t>ch</t></r><rPh><t>aid</t></rPh></si></sst>",
    "xl/styles.xml": '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm &quot;d&quot;"/>'
    '<numFmt numFmtId="165" formatCode="[Red]0 &quot;days&quot;"/><numFmt numFmtId="166" formatCode="[h]:mm"/>'
    '<numFmt numFmtId="167" formatCode="0.0%;[Red]-0.0%"/><numFmt numFmtId="168" formatCode="00000"/>'
    '<numFmt numFmtId="169" formatCode="0.0&quot;%&quot;"/></numFmts>'
    '<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="165"/><xf numFmtId="166"/>'
    '<xf numFmtId="167"/><xf numFmtId="168"/><xf numFmtId="169"/><xf numFmtId="46"/><xf numFmtId="9"/></cellXfs></styleSheet>',
}


@pytest.mark.parametrize(
    ("held", "shown"),
    [
        (cell("s", "0"), "Name"),
        (cell("s", "1"), "Rich"),
        (cell("s", "99"), ""),
        (cell("s", "-1"), ""),
        ('<c t="inlineStr"><is><t>in</t></is></c>', "in"),
        (cell("str", "formula"), "formula"),
        (cell("e", "#DIV/0!"), "#DIV/0!"),
        (cell("b", "1"), "TRUE"),
        (cell("b", "0"), "FALSE"),
        (cell("n", "0.30000000000000004"), "0.3"),
        (cell("n", "12345678901234567890"), "12345678901234567890"),
        (cell("n", "not a number"), "not a number"),
        (cell("n", "45356", "1"), "2024-03-05"),
        (cell("n", "45356.5625", "2"), "2024-03"),
        (cell("n", "0.5", "1"), "12:00:00"),
        (cell("n", "99999999", "1"), "99999999"),
        (cell("n", "7", "3"), "7 days"),
        (cell("n", "1.2534722222", "4"), "30:05"),
        (cell("n", "-0.5", "4"), "-12:00"),
        (cell("n", "1e300", "4"), "1e+300"),
        (cell("n", "0.07", "5"), "7.0%"),
        (cell("n", "-0.256", "5"), "-25.6%"),
        (cell("n", "1234", "6"), "01234"),
        (cell("n", "123456", "6"), "123456"),
        (cell("n", "-12", "6"), "-00012"),
        (cell("n", "1.5", "6"), "00002"),
        (cell("n", "7.5", "7"), "7.5%"),
        (cell("n", "1.5", "8"), "36:00:00"),
        (cell("n", "1", "9"), "100%"),
        ("<c/>", ""),
        ('<x:c xmlns:x="x" t="str"><x:f>A1</x:f><x:v>prefixed</x:v></x:c>', "prefixed"),
        ('<c t="inlineStr"><is><r><t>in</t></r><rPh><t>aid</t></rPh></is></c>', "in"),
    ],
)
def test_a_cell_of_excel_shows_what_excel_shows(held: str, shown: str) -> None:
    rows = f'<row><c t="str"><v>head</v></c></row><row>{held}<c t="str"><v>x</v></c></row>'

    document = page(xlsx({"S": rows}, XLSX_PARTS))

    assert document.content == f"## S\n\n| head |  |\n| --- | --- |\n| {shown} | x |"


@pytest.mark.parametrize(
    ("days", "shown"),
    [("43894", "2024-03-05"), ("2957003", "9999-12-31"), ("2957004", "2957004")],
)
def test_days_are_counted_from_1904_where_the_workbook_says_so(days: str, shown: str) -> None:
    body = xlsx(
        {"S": f"<row>{cell('n', days, '1')}</row>"}, XLSX_PARTS, book='<workbookPr date1904="1"/>'
    )

    assert page(body).content == f"## S\n\n| {shown} |\n| --- |"


def test_cells_stand_in_their_columns_and_empty_rows_are_left_out() -> None:
    rows = f"<row>{cell('str', 'a', at='A1')}{cell('str', 'c', at='C1')}{cell('str', '', at='F1')}</row><row/><row>{cell('str', 'b', at='B3')}</row>"

    assert (
        page(xlsx({"S": rows})).content == "## S\n\n| a |  | c |\n| --- | --- | --- |\n|  | b |  |"
    )


def test_sheets_stand_under_their_names_and_very_many_are_cut() -> None:
    row = f"<row>{cell('n', '1')}</row>"
    many = {f"S{number}": row for number in range(51)}

    document = page(xlsx({"One": row, **many}))

    assert document.content.startswith("## One\n\n| 1 |\n| --- |\n\n## S0\n\n")
    assert document.notes == ("only the first 50 sheets",)


def test_a_sheet_with_a_document_type_is_corrupt_and_an_endless_row_too_complex() -> None:
    entity = '<!DOCTYPE w [<!ENTITY a "x">]><worksheet><row><c><v>&a;</v></c></row></worksheet>'
    endless = f"<row>{'<c/>' * 300_001}</row>"

    assert error(xlsx({"S": ""}, {"xl/worksheets/s0.xml": entity})) == ParseFailed(
        reason="corrupt", detail="it is not a whole xlsx file"
    )
    assert error(xlsx({"S": endless})) == ParseFailed(
        reason="too_complex", detail="it unpacks to too much"
    )


def test_a_large_sheet_is_cut_in_both_directions_and_says_so() -> None:
    rows = f"<row>{cell('n', '1')}</row>" * 600 + f"<row>{cell('n', '1', at='XFD1')}</row>"
    wide = f"<row>{cell('n', '1', at='A1')}{cell('n', '2', at='XFD1')}</row>"

    document = page(xlsx({"Long": rows, "Wide": wide}))

    assert document.content.splitlines().count("| 1 |") == 600
    assert document.notes == (
        "only the first 600 rows of sheet Long",
        "only the first 250 columns of sheet Wide",
    )


def test_each_slide_is_a_section_with_lists_tables_and_notes() -> None:
    grid = "<a:tbl><a:tr><a:tc><a:p><a:r><a:t>h</a:t></a:r></a:p></a:tc></a:tr><a:tr><a:tc><a:p><a:r><a:t>1</a:t></a:r></a:p></a:tc></a:tr></a:tbl>"
    first = (
        shape("Welcome", role="ctrTitle") + shape("one", "\ttwo", "") + shape("7", role="sldNum")
    )
    second = f"<p:grpSp>{shape('grouped')}<p:graphicFrame>{grid}</p:graphicFrame></p:grpSp><mc:Fallback xmlns:mc='mc'>{shape('twice')}</mc:Fallback>"
    parts = {
        **build.relations("ppt/slides/s0.xml", {"n": "../notesSlides/n0.xml"}),
        "ppt/notesSlides/n0.xml": build.notes("Say hello"),
    }

    document = page(pptx([first, second, f"~{shape('unseen')}"], parts))

    assert document == ReadPage(
        title="Welcome",
        content="## Slide 1: Welcome\n\n- one\n  - two\n\nNotes: Say hello\n\n## Slide 2\n\n- grouped\n\n| h |\n| --- |\n| 1 |\n\n## Slide 3 (hidden)\n\n- unseen",
        kind="pptx",
        notes=("hidden slides: 1 (3)",),
    )


def test_a_chart_is_its_title_and_its_figures_and_a_diagram_is_its_words() -> None:
    def cache(name: str, *values: str) -> str:
        points = "".join(f'<pt idx="{at}"><v>{value}</v></pt>' for at, value in enumerate(values))
        return f"<{name}><ref><cache>{points}</cache></ref></{name}>"

    sales = f"<ser>{cache('tx', 'Sales')}{cache('cat', 'North', 'South')}{cache('val', '8.200000000000001', '3')}</ser>"
    costs = "<ser><val><pt idx='1'><v>2</v></pt><pt idx='x'><v>9</v></pt></val></ser>"
    title = "<title><t>Tides</t></title>"
    frames = '<c:chart xmlns:c="c" r:id="c"/><d:relIds xmlns:d="d" r:dm="d"/><c:chart xmlns:c="c" r:id="e"/>'
    targets = {"c": "../charts/c.xml", "d": "../diagrams/d.xml", "e": "../charts/e.xml"}
    parts = {
        **build.relations("ppt/slides/s0.xml", targets),
        "ppt/charts/c.xml": f"<chart>{title}{sales}{costs}<axis><title><t>no</t></title></axis></chart>",
        "ppt/charts/e.xml": "<chart><ser/></chart>",
        "ppt/diagrams/d.xml": "<m><pt><p><t>first</t></p></pt><pt><p/></pt><pt><p><t>then</t></p></pt></m>",
    }

    assert page(pptx([frames], parts)).content == (
        "## Slide 1\n\nTides\n\n|  | Sales |  |\n| --- | --- | --- |\n| North | 8.2 |  |\n| South | 3 | 2 |"
        "\n\n- first\n- then"
    )


def test_names_of_a_chart_in_levels_are_told_from_the_outermost_on() -> None:
    def points(*texts: str) -> str:
        return "".join(
            f"<pt idx='{place}'><v>{text}</v></pt>" for place, text in enumerate(texts) if text
        )

    levels = f"<lvl>{points('SF', 'LA', 'NY')}</lvl><lvl>{points('CA', '', 'NY')}</lvl>"
    chart = f"<chart><ser><cat><ref>{levels}</ref></cat><val>{points('1', '2', '3', '4')}</val></ser></chart>"
    parts = {
        **build.relations("ppt/slides/s0.xml", {"c": "../charts/c.xml"}),
        "ppt/charts/c.xml": chart,
    }

    content = page(pptx(['<c:chart xmlns:c="c" r:id="c"/>'], parts)).content

    assert content.endswith("| CA / SF | 1 |\n| CA / LA | 2 |\n| NY / NY | 3 |\n| NY | 4 |")


def test_a_long_presentation_is_cut_and_says_so() -> None:
    document = page(pptx([shape("x")] * 501))

    assert document.content.endswith("## Slide 500\n\n- x")
    assert document.notes == ("only the first 500 of 501 slides",)


def test_styles_that_are_not_described_are_those_of_their_names() -> None:
    body = paragraph("Top", styled("Title")) + paragraph("Part", styled("Heading2"))
    own = build.styles('<w:style w:styleId="Heading2"><w:name w:val="Body"/></w:style>')

    assert page(docx(body)).content == "# Top\n\n## Part"
    assert page(docx(body, own)).content == "# Top\n\nPart"


def test_the_lines_of_an_item_stay_in_it() -> None:
    listed = "<w:numPr><w:ilvl w:val='1'/><w:numId w:val='9'/></w:numPr>"
    body = paragraph("one</w:t><w:br/><w:t>more", listed) + paragraph("text</w:t><w:br/><w:t>on")

    assert page(docx(body)).content == "   - one\n     more\n\ntext\non"


def test_a_document_without_words_is_empty() -> None:
    assert error(docx("")) == EmptyContent(reason="no_text")
    assert error(pptx([])) == EmptyContent(reason="no_text")


CORRUPT = ParseFailed(reason="corrupt", detail="it is not a whole docx file")
TOO_MUCH = ParseFailed(reason="too_complex", detail="it unpacks to too much")


@pytest.mark.parametrize(
    "body",
    [
        docx(paragraph("x"))[:100],
        docx("<unclosed>"),
        build.zipped({"word/document.xml": b"\xff\xfe\x00"}),
        build.zipped({"word/document.xml": "<!DOCTYPE d [<!ENTITY e 'x'>]><d>&e;</d>"}),
        build.zipped({"word/document.xml": '<!DOCTYPE d SYSTEM "http://127.0.0.1/x.dtd"><d/>'}),
        docx(paragraph("x")).replace(b"word/document.xml", b"word/document.xm_", 1),
    ],
)
def test_a_broken_document_is_corrupt(body: bytes) -> None:
    assert error(body, WORD) == CORRUPT


def test_a_zip_bomb_is_cut_off_as_it_unfolds() -> None:
    bomb = build.zipped({"word/document.xml": b"<d><p>" + b" " * (70 << 20)})

    assert error(bomb) == TOO_MUCH


def test_a_directory_of_very_many_parts_is_not_read() -> None:
    body = bytearray(docx(paragraph("x")))
    body[-12:-10] = (60_000).to_bytes(2, "little")

    assert error(bytes(body), WORD) == TOO_MUCH


@pytest.mark.parametrize("body", ["<w:p>" + "<w:r>" * 100_000, "<w:p>" + "<w:r/>" * 310_000])
def test_xml_too_deep_or_too_full_is_too_complex(body: str) -> None:
    assert error(docx(body)) == TOO_MUCH


def test_a_footnote_stands_where_it_is_referred_to_and_below() -> None:
    body = (
        '<w:p><w:r><w:t>Text</w:t><w:footnoteReference w:id="2"/></w:r><w:r><w:t> more</w:t>'
        '<w:endnoteReference w:id="1"/></w:r></w:p>'
    )
    parts = {
        "word/footnotes.xml": '<w:footnotes xmlns:w="w"><w:footnote w:id="-1"><w:p><w:r><w:t>no</w:t></w:r></w:p></w:footnote>'
        '<w:footnote w:id="2"><w:p><w:r><w:t>why</w:t></w:r></w:p></w:footnote></w:footnotes>',
    }

    assert page(docx(body, parts)).content == "Text[^1] more[^2]\n\n[^1]: why\n[^2]: "


def test_picture_description_stands_for_the_picture() -> None:
    picture = (
        '<w:p><w:r><w:drawing><wp:docPr xmlns:wp="wp" descr="A red  boat"/></w:drawing></w:r></w:p>'
    )
    shown = '<p:pic><p:nvPicPr><p:cNvPr descr="A cat"/></p:nvPicPr></p:pic><p:pic/>'

    assert page(docx(picture)).content == "[IMAGE: A red boat]"
    assert page(pptx([shown])).content == "## Slide 1\n\n[IMAGE: A cat]"


def test_the_main_part_may_be_called_anything() -> None:
    types = (
        '<Types><Override ContentType="application/x.wordprocessingml.document.main+xml"/></Types>'
    )
    relations = '<Relationships><Relationship Type="http://e/officeDocument" Target="/word/document2.xml"/></Relationships>'
    body = build.zipped(
        {
            "[Content_Types].xml": types,
            "_rels/.rels": relations,
            "word/document2.xml": f'<w:document xmlns:w="w">{paragraph("words")}</w:document>',
        }
    )

    assert (page(body).kind, page(body).content) == ("docx", "words")


def test_a_footer_of_a_presentation_is_told_once() -> None:
    slides = [shape("x") + shape("Secret", role="ftr") + shape("7", role="sldNum")] * 2

    assert page(pptx(slides)).content.endswith("## Slide 2\n\n- x\n\nFooter: Secret")


def test_sections_that_list_the_slides_again_hide_none() -> None:
    body = pptx([shape("One")])
    with zipfile.ZipFile(io.BytesIO(body)) as package:
        main = package.read("ppt/presentation.xml").decode()
    again = main.replace("</p:sldIdLst>", '</p:sldIdLst><p:extLst><p:sldId id="300"/></p:extLst>')

    document = page(pptx([shape("One")], {"ppt/presentation.xml": again}))

    assert (document.content, document.notes) == ("## Slide 1\n\n- One", ())
