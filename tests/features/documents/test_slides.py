"""Links, formulas and titles of charts on slides."""

from tests.features.documents import build
from tests.features.documents.build import pptx, shape
from tests.features.documents.read import page

LINKS = {"a": "https://e.org/tides", "b": "../slides/s1.xml", "c": "javascript:alert(1)"}


def linked(text: str, name: str) -> str:
    return f"<a:r><a:rPr><a:hlinkClick r:id='{name}'/></a:rPr><a:t>{text}</a:t></a:r>"


def test_links_on_a_slide_are_links_and_not_in_its_title() -> None:
    runs = f"<a:p>{linked('Tides', 'a')}<a:r><a:t> and </a:t></a:r>{linked('on', 'b')}{linked('!', 'c')}</a:p>"
    body = f"<p:sp><p:txBody>{runs}</p:txBody></p:sp>"
    head = f"<p:sp><p:nvSpPr><p:nvPr><p:ph type='title'/></p:nvPr></p:nvSpPr><p:txBody><a:p>{linked('Sea', 'a')}</a:p></p:txBody></p:sp>"

    content = page(pptx([head + body], build.relations("ppt/slides/s0.xml", LINKS))).content

    assert content == "## Slide 1: Sea\n\n- [Tides](https://e.org/tides) and on!"


def test_a_formula_on_a_slide_is_latex() -> None:
    formula = (
        "<a:p><a14:m xmlns:a14='a14' xmlns:m='m'><m:oMath><m:sSup><m:e><m:r><m:t>a</m:t></m:r></m:e>"
        "<m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></a14:m></a:p>"
    )

    content = page(pptx([f"<p:sp><p:txBody>{formula}</p:txBody></p:sp>"])).content

    assert content == "## Slide 1\n\n- $a^{2}$"


def test_the_lines_of_a_chart_s_title_are_parted() -> None:
    chart = (
        '<c:chart xmlns:c="c" xmlns:a="a"><c:title><a:p><a:r><a:t>First</a:t></a:r></a:p><a:p><a:r><a:t>second</a:t></a:r>'
        "<a:br/><a:r><a:t>third</a:t></a:r></a:p></c:title></c:chart>"
    )
    drawn = '<p:graphicFrame><c:chart xmlns:c="c" r:id="c"/></p:graphicFrame>'
    parts = {
        "ppt/charts/chart1.xml": chart,
        **build.relations("ppt/slides/s0.xml", {"c": "../charts/chart1.xml"}),
    }

    content = page(pptx([shape("see") + drawn], parts)).content

    assert content == "## Slide 1\n\n- see\n\nFirst second third"


def test_a_shape_drawn_in_very_many_points_hides_no_text() -> None:
    points = "<a:custGeom><a:pathLst>" + "<a:pt/>" * 310_000 + "</a:pathLst></a:custGeom>"
    drawn = f"<p:sp><p:spPr>{points}<a:ln/></p:spPr></p:sp>"

    assert page(pptx([drawn + shape("Tides")])).content == "## Slide 1\n\n- Tides"


def test_a_drawing_that_is_cut_off_leaves_what_was_before_it() -> None:
    slide = shape("Tides") + "<p:sp><p:spPr><a:custGeom><a:pathLst><a:pt/></a:oops>"

    assert page(pptx([slide + shape("Ebb")])).content.startswith("## Slide 1\n\n- Tides")


def test_letters_of_a_font_of_signs_are_these_signs() -> None:
    run = "<a:r><a:rPr>{}</a:rPr><a:t>{}</a:t></a:r>"
    arrow = run.format('<a:latin typeface="Arial"/><a:sym typeface="Wingdings"/>', "so \uf0e0 it")
    degree = run.format("", " is 4\uf0b0")

    slide = f"<p:sp><p:txBody><a:p>{arrow}{degree}</a:p></p:txBody></p:sp>"

    assert page(pptx([slide])).content == "## Slide 1\n\n- so → it is 4°"
