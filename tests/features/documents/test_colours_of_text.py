"""Text in the colour behind it, in formats whose colours come from tables and themes."""

import pytest

from tests.features.documents.build import pptx, relations, xlsx
from tests.features.documents.read import page
from webseam.ports.pages import LeftOut, ReadPage

HIDDEN = (LeftOut(kind="hidden", words=2),)
RTF = r"{{\rtf1{{\colortbl;\red255\green255\blue255;\red0\green0\blue0;\red31\green56\blue100;}}Shown words {}\par}}"
HIDDEN_IN_RTF = {
    "white": r"{\cf1 secret plan}",
    "white without a mark": r"{\cf1\highlight0 secret plan}",
    "blue on blue": r"{\cf3\chcbpat3 secret plan}",
    "blue and marked in blue": r"{\cf3\highlight3 secret plan}",
}
VISIBLE_IN_RTF = {
    "black": r"{\cf2 secret plan}",
    "automatic": r"{\cf0 secret plan}",
    "of an unknown colour": r"{\cf9 secret plan}",
    "white and marked": r"{\cf1\highlight2 secret plan}",
    "white in a shaded paragraph": r"\pard\cbpat3{\cf1 secret plan}",
    "white in a shaded cell": r"\trowd\clcbpat3\cellx99\intbl{\cf1 secret plan}\cell\row",
    "plain again": r"{\cf1\plain secret plan}",
}


@pytest.mark.parametrize("text", HIDDEN_IN_RTF.values(), ids=HIDDEN_IN_RTF)
def test_rich_text_in_the_colour_behind_it_is_left_out_and_counted(text: str) -> None:
    document = page(RTF.format(text))

    assert (document.content, document.left_out) == ("Shown words", HIDDEN)


@pytest.mark.parametrize("text", VISIBLE_IN_RTF.values(), ids=VISIBLE_IN_RTF)
def test_rich_text_in_another_colour_than_behind_it_stays(text: str) -> None:
    document = page(RTF.format(text))

    assert "secret plan" in document.content
    assert document.left_out == ()


CELL = '<c r="{}" t="inlineStr" s="{}"><is><t>{}</t></is></c>'
ROW = f"<row>{CELL.format('A1', 0, 'fig')}{CELL.format('B1', 1, 'secret plan')}</row>"
WHITE_FONT = '<color rgb="FFFFFFFF"/>'
SOLID = '<patternFill patternType="solid"><fgColor {}/></patternFill>'
THEME = (
    '<a:theme xmlns:a="a"><a:clrScheme><a:dk1><a:sysClr lastClr="000000"/></a:dk1>'
    '<a:lt1><a:srgbClr val="{}"/></a:lt1></a:clrScheme></a:theme>'
)


def workbook(font: str, fill: str = "", *, form: int = 0, more: str = "") -> ReadPage:
    fill = fill or '<patternFill patternType="none"/>'
    formats = '<numFmts><numFmt numFmtId="170" formatCode=";;;"/></numFmts>'
    style = f'<xf/><xf fontId="1" fillId="0" numFmtId="{form}"/>'
    parts = {
        "xl/styles.xml": (
            f"<styleSheet>{formats}<fonts><font/><font>{font}</font></fonts>"
            f"<fills><fill>{fill}</fill></fills><cellXfs>{style}</cellXfs></styleSheet>"
        ),
        "xl/theme/theme1.xml": THEME.format("FEFEFE"),
        "xl/worksheets/s0.xml": f"<worksheet><sheetData>{ROW}</sheetData>{more}</worksheet>",
    }
    return page(xlsx({"A": ""}, parts))


HIDDEN_IN_XLSX = {
    "white": workbook(WHITE_FONT),
    "white of the palette": workbook('<color indexed="9"/>'),
    "light by the theme": workbook('<color theme="0"/>'),
    "blue on blue": workbook('<color rgb="FF1F3864"/>', SOLID.format('rgb="FF1F3864"')),
    "dark on dark by the theme": workbook('<color theme="1"/>', SOLID.format('theme="1"')),
    "of a format that shows nothing": workbook("", form=170),
}
VISIBLE_IN_XLSX = {
    "automatic": workbook(""),
    "dark by the theme": workbook('<color theme="1"/>'),
    "of a colour without a name": workbook('<color theme="99"/>'),
    "of a theme's tint": workbook('<color theme="0" tint="-0.5"/>'),
    "white on blue": workbook(WHITE_FONT, SOLID.format('rgb="FF1F3864"')),
    "white on a pattern": workbook(WHITE_FONT, '<patternFill patternType="gray125"/>'),
    "white on a gradient": workbook(WHITE_FONT, "<gradientFill/>"),
    "white where rules colour cells": workbook(WHITE_FONT, more="<conditionalFormatting/>"),
    "white in a table": workbook(WHITE_FONT, more="<tableParts><tablePart/></tableParts>"),
}


@pytest.mark.parametrize("document", HIDDEN_IN_XLSX.values(), ids=HIDDEN_IN_XLSX)
def test_cell_in_the_colour_of_its_text_is_left_out_and_counted(document: ReadPage) -> None:
    assert "secret" not in document.content
    assert "fig" in document.content
    assert document.left_out == HIDDEN


@pytest.mark.parametrize("document", VISIBLE_IN_XLSX.values(), ids=VISIBLE_IN_XLSX)
def test_cell_in_another_colour_than_its_text_stays(document: ReadPage) -> None:
    assert "secret plan" in document.content
    assert document.left_out == ()


def test_white_text_of_a_sheet_that_is_too_large_to_look_through_stays() -> None:
    rows = f"<row>{CELL.format('A1', 0, 'x' * 30_000)}</row>" * 300

    document = workbook(WHITE_FONT, more=f"<!--{rows}-->")

    assert "secret plan" in document.content


WHITE_INK = '<a:solidFill><a:srgbClr val="FFFFFF"/></a:solidFill>'
BLUE_INK = '<a:solidFill><a:srgbClr val="1F3864"/></a:solidFill>'
NAMED_INK = '<a:solidFill><a:schemeClr val="bg1"/></a:solidFill>'
PLACEHOLDER = "<p:nvSpPr><p:nvPr><p:ph/></p:nvPr></p:nvSpPr>"


def box(left: int) -> str:
    return f'<a:xfrm><a:off x="{left}" y="0"/><a:ext cx="100" cy="100"/></a:xfrm>'


def text_shape(ink: str, properties: str = "", more: str = "") -> str:
    run = f"<a:r><a:rPr>{ink}</a:rPr><a:t>secret plan</a:t></a:r>"
    return f"<p:sp>{more}<p:spPr>{properties}</p:spPr><p:txBody><a:p>{run}</a:p></p:txBody></p:sp>"


def table(ink: str, fill: str) -> str:
    run = f"<a:r><a:rPr>{ink}</a:rPr><a:t>secret plan</a:t></a:r>"
    cell = f"<a:tc><a:txBody><a:p>{run}</a:p></a:txBody><a:tcPr>{fill}</a:tcPr></a:tc>"
    return f"<p:graphicFrame><a:tbl><a:tr>{cell}</a:tr></a:tbl></p:graphicFrame>"


BLUE_BOX = f"<p:sp><p:spPr>{box(0)}{BLUE_INK}</p:spPr></p:sp>"
NOTHING = "<p:sp><p:txBody><a:p><a:r><a:t>Shown words</a:t></a:r></a:p></p:txBody></p:sp>"
HIDDEN_IN_PPTX = {
    "white": text_shape(WHITE_INK),
    "white in a group": f"<p:grpSp>{text_shape(WHITE_INK)}</p:grpSp>",
    "blue on blue": text_shape(BLUE_INK, BLUE_INK),
    "white on white on blue": BLUE_BOX + text_shape(WHITE_INK, WHITE_INK),
    "white beside a blue shape": BLUE_BOX + text_shape(WHITE_INK, box(200)),
    "blue on a blue slide": f"<p:bg><p:bgPr>{BLUE_INK}</p:bgPr></p:bg>{text_shape(BLUE_INK)}",
}
VISIBLE_IN_PPTX = {
    "blue": text_shape(BLUE_INK),
    "of an unknown colour": text_shape(NAMED_INK),
    "white on blue": text_shape(WHITE_INK, BLUE_INK),
    "white on a gradient": text_shape(WHITE_INK, "<a:gradFill/>"),
    "white over a blue shape": BLUE_BOX + text_shape(WHITE_INK, box(50)),
    "white in a group with a blue shape": f"<p:grpSp>{BLUE_BOX}{text_shape(WHITE_INK, box(200))}</p:grpSp>",
    "white on a picture": f"<p:pic/>{text_shape(WHITE_INK, box(50))}",
    "white on a blue slide": f"<p:bg><p:bgPr>{BLUE_INK}</p:bgPr></p:bg>{text_shape(WHITE_INK)}",
    "white on a slide with a picture": "<p:bg><p:bgPr><a:blipFill/></p:bgPr></p:bg>"
    + text_shape(WHITE_INK),
    "white in the style of a shape": text_shape(WHITE_INK).replace(
        "</p:spPr>", '</p:spPr><p:style><a:fillRef idx="1"/></p:style>'
    ),
    "white with a frame": text_shape(f"{WHITE_INK}<a:ln/>"),
    "white in a cell of a style": table(WHITE_INK, ""),
    "white in a tint": text_shape(
        WHITE_INK.replace("/></a:solid", "><a:alpha/></a:srgbClr></a:solid")
    ),
    "white with colours exchanged": f"<p:overrideClrMapping/>{text_shape(WHITE_INK)}",
    "white among too many shapes": BLUE_BOX * 301 + text_shape(WHITE_INK, box(200)),
}


@pytest.mark.parametrize("shapes", HIDDEN_IN_PPTX.values(), ids=HIDDEN_IN_PPTX)
def test_text_of_a_slide_in_the_colour_behind_it_is_left_out_and_counted(shapes: str) -> None:
    document = page(pptx([NOTHING + shapes]))

    assert (document.content, document.left_out) == ("## Slide 1\n\n- Shown words", HIDDEN)


def test_white_text_in_a_white_cell_of_a_slide_is_left_out_and_counted() -> None:
    document = page(pptx([NOTHING + table(WHITE_INK, WHITE_INK)]))

    assert "secret" not in document.content
    assert document.left_out == HIDDEN


@pytest.mark.parametrize("shapes", VISIBLE_IN_PPTX.values(), ids=VISIBLE_IN_PPTX)
def test_text_of_a_slide_in_another_colour_than_behind_it_stays(shapes: str) -> None:
    document = page(pptx([NOTHING + shapes]))

    assert "secret plan" in document.content
    assert document.left_out == ()


def themed(shapes: str, master: str, light: str = "FFFFFF") -> ReadPage:
    """A slide with a layout, and a master with this content over a theme."""
    names = 'xmlns:a="a" xmlns:p="p"'
    parts = {
        **relations("ppt/slides/s0.xml", {"l": "../slideLayouts/l.xml"}),
        **relations("ppt/slideLayouts/l.xml", {"m": "../slideMasters/m.xml"}),
        **relations("ppt/slideMasters/m.xml", {"t": "../theme/t.xml"}),
        "ppt/slideLayouts/l.xml": f"<p:sldLayout {names}/>",
        "ppt/slideMasters/m.xml": f'<p:sldMaster {names}>{master}<p:clrMap bg1="lt1"/></p:sldMaster>',
        "ppt/theme/t.xml": THEME.format(light),
    }
    return page(pptx([NOTHING + shapes], parts))


LIGHT_PAGE = '<p:bg><p:bgRef idx="1001"><a:schemeClr val="bg1"/></p:bgRef></p:bg>'
THEMED = {
    "light on a light page": (themed(text_shape(NAMED_INK), LIGHT_PAGE), True),
    "white on a light page": (themed(text_shape(WHITE_INK), LIGHT_PAGE), True),
    "white on a page without a colour": (themed(text_shape(WHITE_INK), ""), True),
    "white on a dark page": (themed(text_shape(WHITE_INK), LIGHT_PAGE, "1F3864"), False),
    "white on a theme's picture": (
        themed(text_shape(WHITE_INK), LIGHT_PAGE.replace("1001", "1003")),
        False,
    ),
    "white over a shape of the master": (themed(text_shape(WHITE_INK), BLUE_BOX), False),
    "white in a placeholder": (
        themed(text_shape(WHITE_INK, box(300), PLACEHOLDER), BLUE_BOX),
        False,
    ),
    "white in a bare placeholder": (
        themed(text_shape(WHITE_INK, f"{box(300)}<a:noFill/>", PLACEHOLDER), BLUE_BOX),
        True,
    ),
}


@pytest.mark.parametrize(("document", "is_hidden"), THEMED.values(), ids=THEMED)
def test_background_of_a_slide_is_that_of_its_master(
    document: ReadPage, *, is_hidden: bool
) -> None:
    assert ("secret plan" not in document.content) is is_hidden
    assert document.left_out == (HIDDEN if is_hidden else ())


def test_slide_whose_layout_is_missing_keeps_its_white_text() -> None:
    parts = relations("ppt/slides/s0.xml", {"l": "../slideLayouts/l.xml"})

    assert "secret plan" in page(pptx([text_shape(WHITE_INK)], parts)).content
