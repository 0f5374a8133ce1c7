"""What is drawn in a Word document: text boxes, charts, tables with wide cells, readings above letters."""

from tests.features.documents import build
from tests.features.documents.build import docx, paragraph
from tests.features.documents.read import page


def box(content: str) -> str:
    return f"<w:pict><v:textbox xmlns:v='v'><w:txbxContent>{content}</w:txbxContent></v:textbox></w:pict>"


def test_text_boxes_follow_the_paragraph_they_are_in_block_by_block() -> None:
    grid = f"<w:tbl><w:tr><w:tc>{paragraph('cell')}</w:tc></w:tr></w:tbl>"
    inner = paragraph("one", "<w:outlineLvl w:val='0'/>") + paragraph("two") + grid
    twice = (
        f"<mc:AlternateContent><mc:Choice>{box(inner)}</mc:Choice>"
        f"<mc:Fallback>{box(inner)}</mc:Fallback></mc:AlternateContent>"
    )
    body = f"<w:p><w:r><w:t>be</w:t>{twice}<w:t>fore</w:t></w:r></w:p>{paragraph('after')}"

    assert page(docx(body)).content == "before\n\n# one\n\ntwo\n\n| cell |\n| --- |\n\nafter"


def test_a_text_box_in_a_cell_is_read_once_in_the_cell() -> None:
    inner = f"<w:p><w:r><w:t>out</w:t>{box(paragraph('in'))}</w:r></w:p>"
    body = f"<w:tbl><w:tr><w:tc>{inner}</w:tc></w:tr></w:tbl>"

    assert page(docx(body)).content == "| out in |\n| --- |"


def test_cells_beside_one_that_spans_columns_stay_in_theirs() -> None:
    def cell(text: str, span: str = "") -> str:
        width = f"<w:tcPr><w:gridSpan w:val='{span}'/></w:tcPr>" if span else ""
        return f"<w:tc>{width}{paragraph(text)}</w:tc>"

    rows = (
        f"<w:tr>{cell('wide', '2')}{cell('x', '?')}</w:tr><w:tr><w:trPr><w:gridBefore w:val='1'/>"
        f"</w:trPr>{cell('b')}{cell('c')}</w:tr>"
    )

    assert page(docx(f"<w:tbl>{rows}</w:tbl>")).content == (
        "| wide |  | x |\n| --- | --- | --- |\n|  | b | c |"
    )


def test_readings_above_letters_stand_behind_them() -> None:
    said = (
        "<w:ruby><w:rubyPr/><w:rt><w:r><w:t>はだ</w:t></w:r></w:rt>"
        "<w:rubyBase><w:r><w:t>肌</w:t></w:r></w:rubyBase></w:ruby>"
    )

    assert page(docx(f"<w:p><w:r>{said}</w:r></w:p>")).content == "肌(はだ)"


def test_charts_and_diagrams_of_a_document_follow_their_paragraph() -> None:
    chart = (
        '<c:chart xmlns:c="c"><c:title><c:t>Tides</c:t></c:title><c:ser><c:tx><c:v>high</c:v></c:tx><c:cat>'
        '<c:pt idx="0"><c:v>May</c:v></c:pt></c:cat><c:val><c:pt idx="0"><c:v>4</c:v></c:pt></c:val></c:ser></c:chart>'
    )
    diagram = '<d:m xmlns:d="d" xmlns:a="a"><a:p><a:r><a:t>step</a:t></a:r></a:p></d:m>'
    drawn = (
        "<w:drawing><g:graphicData xmlns:g='g'><c:chart xmlns:c='c' r:id='c'/></g:graphicData></w:drawing>"
        "<w:drawing><d:relIds xmlns:d='d' r:dm='d'/></w:drawing>"
    )
    parts = {
        "word/charts/chart1.xml": chart,
        "word/diagrams/data1.xml": diagram,
        **build.relations(
            "word/document.xml", {"c": "charts/chart1.xml", "d": "diagrams/data1.xml"}
        ),
    }

    body = f"<w:p><w:r><w:t>see</w:t>{drawn}</w:r></w:p>"
    assert page(docx(body, parts)).content == (
        "see\n\nTides\n\n|  | high |\n| --- | --- |\n| May | 4 |\n\n- step"
    )


def test_the_axes_of_a_chart_name_its_columns_and_its_title_may_come_last() -> None:
    named = "<c:title><c:t>{}</c:t></c:title>"
    point = '<c:pt idx="0"><c:v>{}</c:v></c:pt>'
    figures = f"<c:cat>{point.format('May')}</c:cat><c:val>{point.format(4)}</c:val>"
    chart = (
        f'<c:chart xmlns:c="c"><c:plotArea><c:ser><c:tx><c:v>high</c:v></c:tx>{figures}</c:ser>'
        f"<c:catAx>{named.format('Month')}</c:catAx><c:valAx>{named.format('Metres')}</c:valAx><c:valAx/>"
        f"</c:plotArea>{named.format('Tides')}</c:chart>"
    )
    parts = {
        "word/charts/chart1.xml": chart,
        **build.relations("word/document.xml", {"c": "charts/chart1.xml"}),
    }
    drawn = "<w:drawing><g:graphicData xmlns:g='g'><c:chart xmlns:c='c' r:id='c'/></g:graphicData></w:drawing>"

    assert page(docx(f"<w:p><w:r>{drawn}</w:r></w:p>", parts)).content == (
        "Tides\n\nMetres\n\n| Month | high |\n| --- | --- |\n| May | 4 |"
    )


def test_words_on_both_sides_of_a_picture_are_not_one() -> None:
    shown = "<w:drawing><wp:inline xmlns:wp='wp'/></w:drawing>"
    beside = "<w:drawing><wp:anchor xmlns:wp='wp'/></w:drawing>"
    runs = f"<w:t>a</w:t>{shown}<w:t>b</w:t><w:object/><w:t>c</w:t>{beside}<w:t>d</w:t>"

    assert page(docx(f"<w:p><w:r>{runs}</w:r></w:p>")).content == "a b cd"
