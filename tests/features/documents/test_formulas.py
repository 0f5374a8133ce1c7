"""Formulas of Office, of OpenDocument files and of papers; and charts beside them."""

import pytest

from tests.features.documents.build import docx, paragraph
from tests.features.documents.containers import extended, open_document
from tests.features.documents.read import page


def run(text: str, properties: str = "") -> str:
    return f"<m:r><m:rPr>{properties}</m:rPr><m:t>{text}</m:t></m:r>"


def base(content: str) -> str:
    return f"<m:e>{content}</m:e>"


def math(content: str) -> bytes:
    return docx(f'<w:p xmlns:m="m"><w:r><w:t>so </w:t></w:r><m:oMath>{content}</m:oMath></w:p>')


A, B, C = (base(run(letter)) for letter in "abc")
SUB = f"<m:sub>{run('i')}</m:sub>"
SUP = f"<m:sup>{run('n')}</m:sup>"
THIRD = f"<m:deg>{run('3')}</m:deg>"


@pytest.mark.parametrize(
    ("content", "latex"),
    [
        (run("𝑥+α=50%"), r"x+α=50\%"),
        (run("if ", "<m:nor/>"), r"\text{if }"),
        (run("x", "<m:nor m:val='0'/>"), "x"),
        (
            f"<m:f><m:num>{run('a')}</m:num><m:den>{run('b')}</m:den></m:f>",
            r"\frac{a}{b}",
        ),
        (
            f"<m:f><m:fPr><m:type m:val='lin'/></m:fPr><m:num>{run('a')}</m:num><m:den>{run('b')}</m:den></m:f>",
            "a/b",
        ),
        (
            f"<m:f><m:fPr><m:type m:val='noBar'/></m:fPr><m:num>{run('a')}</m:num><m:den>{run('b')}</m:den></m:f>",
            r"\genfrac{}{}{0pt}{}{a}{b}",
        ),
        (f"<m:sSup>{A}{SUP}</m:sSup>", "a^{n}"),
        (f"<m:sSub>{base(run('ab'))}{SUB}</m:sSub>", "{ab}_{i}"),
        (f"<m:sSubSup>{A}{SUB}{SUP}</m:sSubSup>", "a_{i}^{n}"),
        (f"<m:sPre>{SUB}{SUP}{A}</m:sPre>", "{}_{i}^{n}a"),
        (f"<m:rad>{THIRD}{A}</m:rad>", r"\sqrt[3]{a}"),
        (f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/>{A}</m:rad>", r"\sqrt{a}"),
        (f"<m:rad><m:radPr><m:degHide m:val='on'/></m:radPr>{THIRD}{A}</m:rad>", r"\sqrt{a}"),
        (f"<m:rad><m:radPr><m:degHide m:val='off'/></m:radPr>{THIRD}{A}</m:rad>", r"\sqrt[3]{a}"),
        (f"<m:nary>{SUB}{SUP}{A}</m:nary>", r"\int_{i}^{n}{a}"),
        (f"<m:nary><m:naryPr><m:chr m:val='∑'/></m:naryPr>{SUB}{A}</m:nary>", r"\sum_{i}{a}"),
        (f"<m:d>{A}{B}</m:d>", r"\left( a|b \right)"),
        (
            f"<m:d><m:dPr><m:begChr m:val='{{'/><m:endChr m:val=''/></m:dPr>{A}</m:d>",
            r"\left\{ a \right.",
        ),
        (f"<m:acc>{A}</m:acc>", r"\hat{a}"),
        (f"<m:acc><m:accPr><m:chr m:val='\u20d7'/></m:accPr>{A}</m:acc>", r"\vec{a}"),
        (f"<m:bar>{A}</m:bar>", r"\underline{a}"),
        (f"<m:bar><m:barPr><m:pos m:val='top'/></m:barPr>{A}</m:bar>", r"\overline{a}"),
        (f"<m:borderBox>{A}</m:borderBox>", r"\boxed{a}"),
        (f"<m:func><m:fName>{run('sin')}</m:fName>{A}</m:func>", r"\sin{a}"),
        (f"<m:func><m:fName>{run('erf')}</m:fName>{A}</m:func>", r"\operatorname{erf}{a}"),
        (f"<m:func><m:fName>{run('f')}</m:fName>{A}</m:func>", "f{a}"),
        (
            f"<m:func><m:fName><m:limLow>{base(run('lim'))}<m:lim>{run('x→0')}</m:lim></m:limLow></m:fName>{A}</m:func>",
            r"\lim_{x→0}{a}",
        ),
        (f"<m:limUpp>{A}<m:lim>{run('n')}</m:lim></m:limUpp>", "a^{n}"),
        (f"<m:groupChr>{A}</m:groupChr>", r"\underbrace{a}"),
        (f"<m:groupChr><m:groupChrPr><m:chr m:val='?'/></m:groupChrPr>{A}</m:groupChr>", "a"),
        (
            f"<m:m><m:mr>{A}{B}</m:mr><m:mr>{C}{A}</m:mr></m:m>",
            r"\begin{matrix} a & b \\ c & a \end{matrix}",
        ),
        (f"<m:eqArr>{A}{B}</m:eqArr>", r"\begin{array}{l} a \\ b \end{array}"),
        (f"<m:box>{A}</m:box>", "a"),
    ],
)
def test_formulas_are_written_as_latex(content: str, latex: str) -> None:
    assert page(math(content)).content == f"so ${latex}$"


def test_a_formula_on_a_line_of_its_own_and_one_in_a_cell() -> None:
    alone = f'<w:p xmlns:m="m"><m:oMathPara><m:oMath>{run("a")}</m:oMath></m:oMathPara></w:p>'
    cell = f"<w:tbl><w:tr><w:tc>{alone}</w:tc></w:tr></w:tbl>"

    assert page(docx(alone + paragraph("text") + cell)).content == (
        "$$a$$\n\ntext\n\n| $$a$$ |\n| --- |"
    )


def test_an_empty_formula_says_nothing() -> None:
    assert page(math("<m:rad/>".replace("rad", "box"))).content == "so"


MATHML = "<math xmlns='http://www.w3.org/1998/Math/MathML'><msup><mi>x</mi><mn>2</mn></msup></math>"


def paper(body: str) -> str:
    whole = f"<article article-type='x' xmlns:mml='m'><body>{body}</body></article>"
    return page(whole, "text/xml").content


@pytest.mark.parametrize(
    ("formula", "written"),
    [
        (
            "<mml:math><mml:msup><mml:mi>x</mml:mi><mml:mn>2</mml:mn></mml:msup></mml:math>",
            "$x^{2}$",
        ),
        ("<tex-math>\\documentclass{x}\\begin{document}$$x^2$$\\end{document}</tex-math>", "$x^2$"),
        ("<tex-math>x^2</tex-math>", "$x^2$"),
        (f"<alternatives><graphic/><tex-math>y</tex-math>{MATHML}</alternatives>", "$x^{2}$"),
        (
            "<alternatives><graphic/><textual-form>x squared</textual-form></alternatives>",
            "x squared",
        ),
        ("<alternatives><inline-graphic/></alternatives>", ""),
        ("x<sup>2</sup>", "x²"),
    ],
)
def test_a_paper_has_the_form_of_a_formula_that_says_most(formula: str, written: str) -> None:
    assert paper(f"<p>so <inline-formula>{formula}</inline-formula> is</p>") == f"so {written} is"


def test_a_formula_of_a_paper_on_its_own_lines_has_its_number() -> None:
    shown = f"<disp-formula><label>(1)</label>{MATHML}</disp-formula>"

    assert paper(f"{shown}<p>so {shown} is</p>") == ("$$x^{2}$$ (1)\n\nso \n\n$$x^{2}$$ (1)\n\n is")


def test_several_formulas_on_their_own_lines_stay_as_they_are() -> None:
    assert paper(f"<disp-formula>{MATHML} or {MATHML}</disp-formula>") == "$x^{2}$ or $x^{2}$"


def open_text(body: str, parts: dict[str, str]) -> str:
    return page(extended(open_document("text", body), parts)).content


FRAME = '<draw:frame><svg:desc xmlns:svg="s">formula</svg:desc><draw:object xlink:href="./{}"/></draw:frame>'


def test_an_open_document_has_the_formulas_that_are_parts_of_it() -> None:
    doctype = (
        '<!DOCTYPE math PUBLIC "-//OpenOffice.org//DTD Modified W3C MathML 1.01//EN" "math.dtd">'
    )
    parts = {
        "Object 1/content.xml": MATHML,
        "Object 2/content.xml": doctype + MATHML,
        "Object 3/content.xml": "<math",
    }
    frames = [FRAME.format(f"Object {number}") for number in (1, 2, 3, 4)]

    assert open_text(f"<text:p>so {' and '.join(frames)}</text:p>", parts) == (
        "so $x^{2}$ and $x^{2}$ and [IMAGE: formula] and [IMAGE: formula]"
    )


def test_an_open_document_has_a_formula_that_stands_in_it() -> None:
    frame = f"<draw:frame><draw:object>{MATHML}</draw:object></draw:frame>"

    assert open_text(f"<text:p>so {frame}</text:p>", {}) == "so $x^{2}$"


CHART = (
    '<o:chart xmlns:o="o" xmlns:t="t" xmlns:x="x"><t:table><t:table-rows>'
    "<t:table-row><t:table-cell><x:p>Year</x:p></t:table-cell><t:table-cell><x:p>Ships</x:p></t:table-cell></t:table-row>"
    "<t:table-row><t:table-cell><x:p>1901</x:p></t:table-cell><t:table-cell><x:p>7</x:p></t:table-cell></t:table-row>"
    "</t:table-rows></t:table></o:chart>"
)
FIGURES = "| Year | Ships |\n| --- | --- |\n| 1901 | 7 |"


def test_the_figures_of_a_chart_follow_its_paragraph() -> None:
    body = f"<text:p>Ships: {FRAME.format('Object 1')}</text:p><text:p>After</text:p>"

    assert open_text(body, {"Object 1/content.xml": CHART}) == (
        f"Ships: [IMAGE: formula]\n\n{FIGURES}\n\nAfter"
    )


def test_slides_have_formulas_and_the_figures_of_charts() -> None:
    frames = "".join(FRAME.format(f"Object {number}") for number in (1, 2))
    parts = {"Object 1/content.xml": CHART, "Object 2/content.xml": MATHML}

    slides = open_document("presentation", f"<draw:page>{frames}</draw:page>")
    content = page(extended(slides, parts)).content

    assert FIGURES in content
    assert content.endswith("$x^{2}$")


def test_objects_past_the_allowance_are_left_out() -> None:
    row = "<t:table-row><t:table-cell><x:p>1</x:p></t:table-cell></t:table-row>"
    large = f'<t:table xmlns:t="t" xmlns:x="x">{row * 11_000}</t:table>'
    frames = "".join(FRAME.format(f"Object {number}") for number in (1, 2))
    parts = {"Object 1/content.xml": large, "Object 2/content.xml": MATHML}

    assert "x^{2}" not in open_text(f"<text:p>{frames}</text:p>", parts)
