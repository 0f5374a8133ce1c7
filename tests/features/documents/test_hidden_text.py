"""Text that a viewer of a document cannot see is left out and counted; what is visible stays."""

import io
import struct
import zipfile
from collections.abc import Callable

import pytest

from tests.features.documents import binary_workbooks, workbooks
from tests.features.documents.build import docx, pptx, raw_pdf, styles, xlsx, zipped
from tests.features.documents.read import error, page
from webseam.ports.errors import EmptyContent
from webseam.ports.pages import LeftOut

SHOWN = "BT /F1 12 Tf 72 720 Td (Shown words) Tj ET "
SECRET = "BT /F1 12 Tf {} (secret plan) Tj ET "
LETTER = "[0 0 612 792]"
PICTURE = "q {} cm BI /W 1 /H 1 /CS /G /BPC 8 ID \x00 EI Q "
SCAN = PICTURE.format("600 0 0 780 0 0")
SHADES = "<< /ShadingType 2 /ColorSpace /DeviceGray /Coords [0 0 9 0] >>"
FORM = "0 0 0.4 rg 10 10 50 30 re f BT /F1 12 Tf 1 g 20 20 Td (form) Tj 0 60 Td (secret plan) Tj ET"


def stream(text: str, about: str = "") -> str:
    return f"<< {about} /Length {len(text)} >>\nstream\n{text}\nendstream"


def drawn(content: str, boxes: str = f"/MediaBox {LETTER}", patterns: str = "") -> bytes:
    """A page with this content; /X is a form of twice the size, /G a state without ink, /M one that multiplies."""
    font = "/Font << /F1 3 0 R >>"
    about = f"/Type /XObject /Subtype /Form /BBox [0 0 90 90] /Matrix [2 0 0 2 0 0] /Resources << {font} >>"
    more = (
        f"{patterns} /XObject << /X 6 0 R >> /ExtGState << /G << /ca 0 >> /M << /BM /Multiply >> >>"
    )
    return raw_pdf(
        [
            "<< /Type /Catalog /Pages 2 0 R >>",
            "<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
            "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
            f"<< /Type /Page /Parent 2 0 R {boxes} /Resources << {font} {more} >> /Contents 5 0 R >>",
            stream(content),
            stream(FORM, about),
        ]
    )


HIDDEN_IN_PDF = {
    "below the page": SHOWN + SECRET.format("72 -50 Td"),
    "beside the page": SHOWN + SECRET.format("900 300 Td"),
    "without ink": SHOWN + SECRET.format("3 Tr 72 600 Td"),
    "without ink over a small picture": SHOWN
    + PICTURE.format("100 0 0 40 70 590")
    + SECRET.format("3 Tr 72 600 Td"),
    "transparent": SHOWN + "/G gs " + SECRET.format("72 600 Td"),
    "white": SHOWN + SECRET.format("1 g 72 600 Td"),
    "nearly white": SHOWN + SECRET.format("0.99 0.99 1 rg 72 600 Td"),
    "white ink of a printer": SHOWN + SECRET.format("0 0 0 0 k 72 600 Td"),
    "white outlines": SHOWN + SECRET.format("1 Tr 0 g 1 G 72 600 Td"),
    "white inside a frame": SHOWN + "30 30 500 700 re S " + SECRET.format("1 g 72 600 Td"),
    "white on white on blue": SHOWN
    + "0 0 1 rg 60 590 200 30 re f 1 g 50 580 300 50 re f "
    + SECRET.format("72 600 Td"),
    "blue on blue": SHOWN + "0 0 1 rg 60 590 200 30 re f " + SECRET.format("72 600 Td"),
    "half a point": SHOWN + SECRET.replace("12", "0.5").format("72 600 Td"),
    "scaled to half a point": SHOWN + "q .04 0 0 .04 72 600 cm " + SECRET.format("0 0 Td") + "Q",
    "clipped": SHOWN + "q 0 0 50 50 re W n " + SECRET.format("72 600 Td") + "Q",
    "clipped to nothing": SHOWN + "q 80 602 0 0 re W n " + SECRET.format("72 600 Td") + "Q",
    "under a white rectangle": SHOWN + SECRET.format("72 600 Td") + "1 g 60 590 300 40 re f",
    "under a black rectangle": SHOWN + SECRET.format("72 600 Td") + "0 g 60 590 300 40 re f",
    "white in a form": SHOWN + "q 1 0 0 1 90 90 cm /X Do Q",
}
VISIBLE_IN_PDF = {
    "dark": SECRET.format("72 600 Td"),
    "white on blue": "0 0 1 rg 60 590 200 30 re f " + SECRET.format("1 g 72 600 Td"),
    "white on a thick line": "30 w 60 603 m 300 603 l S " + SECRET.format("1 g 72 600 Td"),
    "white on a curve": "60 550 m 60 700 300 700 300 550 c f " + SECRET.format("1 g 72 600 Td"),
    "white on a picture": PICTURE.format("100 0 0 40 70 590") + SECRET.format("1 g 72 600 Td"),
    "white with dark outlines": SECRET.format("2 Tr 1 g 0 G 72 600 Td"),
    "white beside a white rectangle": "0 0 1 rg 60 590 200 30 re f 1 g 300 590 50 30 re f "
    + SECRET.format("72 600 Td"),
    "the text of a scan": SCAN + SECRET.format("3 Tr 72 600 Td") + "0 Tr ",
    "on a rectangle": "0 1 0 rg 60 590 300 40 re f 0 g " + SECRET.format("72 600 Td"),
    "under a transparent rectangle": SECRET.format("72 600 Td") + "/M gs 60 590 300 40 re f ",
    "under a part of a rectangle": SECRET.format("72 600 Td") + "0 g 60 590 30 40 re f ",
    "under a curve": SECRET.format("72 600 Td") + "0 g 60 550 m 60 700 300 700 300 550 c f ",
    "inside its clip": "q 60 500 300 300 re W n " + SECRET.format("72 600 Td") + "Q ",
    "over the edge": SECRET.format("560 600 Td"),
    "on a blue form": "/X Do ",
}


@pytest.mark.parametrize("content", HIDDEN_IN_PDF.values(), ids=HIDDEN_IN_PDF)
def test_hidden_text_of_a_pdf_is_left_out_and_counted(content: str) -> None:
    document = page(drawn(content), "application/pdf")

    assert "Shown words" in document.content
    assert "secret" not in document.content
    assert document.left_out == (LeftOut(kind="hidden", words=2),)
    assert document.notes == ("removed 2 hidden words",)


@pytest.mark.parametrize("content", VISIBLE_IN_PDF.values(), ids=VISIBLE_IN_PDF)
def test_visible_text_of_a_pdf_stays(content: str) -> None:
    document = page(drawn(SHOWN + content), "application/pdf")

    assert "Shown words" in document.content
    assert "form" in document.content or "secret plan" in document.content


def test_pdf_text_outside_the_crop_box_is_hidden() -> None:
    body = drawn(SHOWN + SECRET.format("72 50 Td"), f"/MediaBox {LETTER} /CropBox [0 99 612 792]")

    assert page(body, "application/pdf").left_out == (LeftOut(kind="hidden", words=2),)


def test_a_pdf_of_a_scan_without_other_text_keeps_what_stands_over_a_small_picture() -> None:
    picture = PICTURE.format("100 0 0 40 70 590")

    assert "secret" in page(drawn(picture + SECRET.format("3 Tr 72 600 Td")), "").content


def test_white_text_of_a_pdf_on_a_pattern_of_shades_stays() -> None:
    content = "/Pattern cs /P scn 60 590 200 30 re f " + SECRET.format("1 g 72 600 Td")
    patterns = f"/Pattern << /P << /PatternType 2 /Shading {SHADES} >> >>"

    assert "secret" in page(drawn(content, patterns=patterns), "application/pdf").content


def test_a_pdf_in_which_all_text_is_hidden_is_empty() -> None:
    assert error(drawn(SECRET.format("1 g 72 600 Td"))) == EmptyContent(reason="no_text")


def test_letters_of_a_small_page_may_be_small() -> None:
    body = drawn("BT /F1 0.2 Tf 1 9 Td (Shown words) Tj ET", "/MediaBox [0 0 8.5 11]")

    assert "Shown words" in page(body, "application/pdf").content


def test_objects_beyond_the_room_of_a_page_leave_its_text_visible() -> None:
    body = drawn(SHOWN + "0 0 1 rg 0 0 600 780 re f " * 3000 + SECRET.format("0 0 1 rg 72 600 Td"))

    assert "secret" in page(body, "application/pdf").content


CELL = '<c t="inlineStr"><is><t>{}</t></is></c>'
TABLE = [["fruit", "secret", "price"], ["secret", "secret plan", "secret"], ["fig", "secret", "2"]]


def xlsx_table() -> bytes:
    rows = [
        f"<row hidden='{int(number == 1)}'>{''.join(map(CELL.format, row))}</row>"
        for number, row in enumerate(TABLE)
    ]
    columns = (
        '<cols><col min="2" max="2" hidden="1"/><col min="9" max="16384" hidden="true"/></cols>'
    )
    sheet = f"<worksheet>{columns}<sheetData>{''.join(rows)}</sheetData></worksheet>"
    return xlsx({"A": ""}, {"xl/worksheets/s0.xml": sheet})


def xls_table() -> bytes:
    cells = workbooks.record(0x7D, struct.pack("<5H", 1, 1, 0, 0, 1) + b"\0\0")
    cells += workbooks.record(0x208, struct.pack("<8H", 1, 0, 3, 0, 0, 0, 0x20, 0))
    for number, row in enumerate(TABLE):
        for column, text in enumerate(row):
            cells += workbooks.record(0x204, workbooks.place(number, column) + workbooks.text(text))
    return workbooks.workbook({"A": cells})


def xlsb_table() -> bytes:
    rows = binary_workbooks.record(60, struct.pack("<4IH", 1, 1, 0, 0, 1))
    for number, row in enumerate(TABLE):
        flags = b"\0\x10" if number == 1 else b"\0\0"
        rows += binary_workbooks.record(0, struct.pack("<IIH", number, 0, 0) + flags + b"\0" * 5)
        for column, text in enumerate(row):
            rows += binary_workbooks.cell(6, column, binary_workbooks.text(text))
    return binary_workbooks.xlsb({"A": rows})


def ods_table() -> bytes:
    rows = [
        f"<table:table-row table:visibility='{'filter' if number == 1 else 'visible'}'>"
        + "".join(f"<table:table-cell><text:p>{text}</text:p></table:table-cell>" for text in row)
        + "</table:table-row>"
        for number, row in enumerate(TABLE)
    ]
    columns = '<table:table-column/><table:table-column table:visibility="collapse"/>'
    names = 'xmlns:office="o" xmlns:table="t" xmlns:text="x"'
    body = f'<table:table table:name="A">{columns}{"".join(rows)}</table:table>'
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    content = f"<office:document-content {names}><office:body>{body}</office:body></office:document-content>"
    return zipped({"mimetype": kind, "content.xml": content})


@pytest.mark.parametrize("make", [xlsx_table, xls_table, xlsb_table, ods_table])
def test_hidden_rows_and_columns_of_a_sheet_are_left_out_and_counted(
    make: Callable[[], bytes],
) -> None:
    document = page(make())

    assert document.content == "## A\n\n| fruit | price |\n| --- | --- |\n| fig | 2 |"
    assert document.left_out == (LeftOut(kind="hidden", words=6),)
    assert "removed 6 hidden words" in document.notes


def test_many_hidden_rows_before_the_visible_ones_do_not_end_a_sheet() -> None:
    rows = ("<row hidden='1'>" + CELL.format("a") + "</row>") * 12_000
    document = page(xlsx({"A": rows + f"<row>{CELL.format('fig')}</row>"}))

    assert "fig" in document.content
    assert document.left_out == (LeftOut(kind="hidden", words=12_000),)


RUN = "<w:r><w:rPr>{}</w:rPr><w:t>{}</w:t></w:r>"
WHITE = '<w:color w:val="FFFFFF"/>'
PARAGRAPH = "<w:p><w:pPr>{}</w:pPr>" + RUN.format("", "Shown words ") + "{}</w:p>"
BLUE = '<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>'
SHEET = styles(
    '<w:style w:styleId="Ghost"><w:rPr><w:vanish/></w:rPr></w:style>'
    f'<w:style w:styleId="Pale"><w:rPr>{WHITE}</w:rPr></w:style>'
    f'<w:style w:styleId="Banner"><w:pPr>{BLUE}</w:pPr><w:rPr>{WHITE}</w:rPr></w:style>'
    f'<w:style w:styleId="Plain"><w:basedOn w:val="Grid"/></w:style><w:style w:styleId="Grid"/>'
    f'<w:style w:styleId="Bands"><w:tblStylePr><w:tcPr>{BLUE}</w:tcPr></w:tblStylePr></w:style>'
)


def run(properties: str) -> str:
    return RUN.format(properties, "secret plan")


def table(cell: str, style: str, properties: str = "") -> str:
    text = f"<w:tc><w:tcPr>{properties}</w:tcPr>{cell}</w:tc><w:tc><w:p/></w:tc>"
    return f'<w:tbl><w:tblPr><w:tblStyle w:val="{style}"/></w:tblPr><w:tr>{text}</w:tr></w:tbl>'


HIDDEN_IN_DOCX = {
    "hidden": PARAGRAPH.format("", run("<w:vanish/>")),
    "hidden by a style": PARAGRAPH.format("", run('<w:rStyle w:val="Ghost"/>')),
    "white": PARAGRAPH.format("", run(WHITE)),
    "nearly white": PARAGRAPH.format("", run('<w:color w:val="fefefe"/>')),
    "white by a style": PARAGRAPH.format("", run('<w:rStyle w:val="Pale"/>')),
    "white in a link": PARAGRAPH.format("", f"<w:hyperlink>{run(WHITE)}</w:hyperlink>"),
    "half a point": PARAGRAPH.format("", run('<w:sz w:val="1"/>')),
    "blue on blue": PARAGRAPH.format("", run(f'<w:color w:val="1F3864"/>{BLUE}')),
    "white in a table": table(PARAGRAPH.format("", run(WHITE)), "Plain"),
    "white on white in a blue table": table(
        PARAGRAPH.format("", run(WHITE)), "Bands", '<w:shd w:val="clear" w:fill="FFFFFF"/>'
    ),
}
VISIBLE_IN_DOCX = {
    "not hidden": run('<w:vanish w:val="0"/>'),
    "white on blue": run(WHITE + BLUE),
    "white and marked": run(WHITE + '<w:highlight w:val="black"/>'),
    "white on a pattern": run(WHITE + '<w:shd w:val="solid" w:color="000000" w:fill="FFFFFF"/>'),
    "automatic": run('<w:color w:val="auto"/>'),
}


@pytest.mark.parametrize("body", HIDDEN_IN_DOCX.values(), ids=HIDDEN_IN_DOCX)
def test_hidden_text_of_a_word_document_is_left_out_and_counted(body: str) -> None:
    document = page(docx(body, SHEET))

    assert "Shown words" in document.content
    assert "secret" not in document.content
    assert document.left_out == (LeftOut(kind="hidden", words=2),)


def test_visible_text_of_a_word_document_stays() -> None:
    paragraphs = {name: PARAGRAPH.format("", text) for name, text in VISIBLE_IN_DOCX.items()}
    white = PARAGRAPH.format("", run(WHITE))
    box = f"<w:pict><w:txbxContent>{white}</w:txbxContent></w:pict>"
    paragraphs |= {
        "in a blue paragraph": PARAGRAPH.format(BLUE, run(WHITE)),
        "a link in it": PARAGRAPH.format(BLUE, f"<w:hyperlink>{run(WHITE)}</w:hyperlink>"),
        "in a banner": PARAGRAPH.format('<w:pStyle w:val="Banner"/>', run("")),
        "in a blue cell": table(white, "Plain", BLUE),
        "in a table with bands": table(white, "Bands"),
        "in a blue cell of an inner table": table(table(white, "Plain", BLUE) + "<w:p/>", "Plain"),
        "in a text box": f"<w:p><w:r>{box}</w:r></w:p>",
        "in a text box of a cell": table(f"<w:p><w:r>{box}</w:r></w:p>", "Plain"),
    }
    for name, body in paragraphs.items():
        document = page(docx(body, SHEET))
        assert "secret plan" in document.content, name
        assert document.left_out == (), name


def test_white_text_of_word_stays_where_a_picture_is_behind_the_text() -> None:
    cover = '<w:p><w:r><w:drawing><wp:anchor xmlns:wp="wp" behindDoc="1"/></w:drawing></w:r></w:p>'

    assert "secret plan" in page(docx(PARAGRAPH.format("", run(WHITE)) + cover)).content


def test_white_text_on_a_blue_page_of_word_stays() -> None:
    body = docx(PARAGRAPH.format("", run(WHITE)))
    blue = body_part(body).replace("<w:body>", '<w:background w:color="1F3864"/><w:body>')

    assert "secret plan" in page(zipped({"word/document.xml": blue})).content


def body_part(body: bytes) -> str:
    with zipfile.ZipFile(io.BytesIO(body)) as package:
        return package.read("word/document.xml").decode()


def test_hidden_and_tiny_text_of_rich_text_is_left_out_and_counted() -> None:
    document = page(rb"{\rtf1 Shown words {\v secret plan} {\fs1 secret too}\par}")

    assert document.content == "Shown words"
    assert document.left_out == (LeftOut(kind="hidden", words=4),)


def odt(text: str, shade: str = "") -> bytes:
    named = {
        "Ghost": 'text:display="none"',
        "Pale": 'fo:color="#ffffff"',
        "Dust": 'fo:font-size="0.5pt"',
    }
    looks = "".join(
        f'<style:style style:name="{name}" style:family="text"><style:text-properties {look}/></style:style>'
        for name, look in named.items()
    )
    layout = f"<style:page-layout><style:page-layout-properties {shade}/></style:page-layout>"
    names = 'xmlns:office="o" xmlns:text="t" xmlns:style="s" xmlns:fo="f"'
    body = f"<office:body><text:p>Shown words {text}</text:p></office:body>"
    content = f"<office:document-content {names}>{layout}{looks}{body}</office:document-content>"
    return zipped({"mimetype": "application/vnd.oasis.opendocument.text", "content.xml": content})


def test_hidden_tiny_and_white_text_of_an_opendocument_is_left_out_and_counted() -> None:
    for name in ("Ghost", "Pale", "Dust"):
        document = page(odt(f'<text:span text:style-name="{name}">secret plan</text:span>'))
        assert document.content == "Shown words", name
        assert document.left_out == (LeftOut(kind="hidden", words=2),), name


def test_white_text_of_an_opendocument_with_a_dark_page_stays() -> None:
    span = '<text:span text:style-name="Pale">secret plan</text:span>'

    assert "secret" in page(odt(span, 'fo:background-color="#1f3864"')).content


def test_hidden_shapes_and_tiny_runs_of_a_slide_are_left_out_and_counted() -> None:
    tiny = '<a:r><a:rPr sz="50"/><a:t>secret plan</a:t></a:r>'
    shown = f"<p:sp><p:txBody><a:p><a:r><a:t>Shown words</a:t></a:r>{tiny}</a:p></p:txBody></p:sp>"
    text = "<p:txBody><a:p><a:r><a:t>secret too</a:t></a:r></a:p></p:txBody>"
    hidden = f'<p:sp><p:nvSpPr><p:cNvPr hidden="1"/></p:nvSpPr>{text}</p:sp>'
    document = page(pptx([shown + hidden]))

    assert document.content == "## Slide 1\n\n- Shown words"
    assert document.left_out == (LeftOut(kind="hidden", words=4),)
