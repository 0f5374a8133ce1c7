"""Formulas of Word and PowerPoint."""

import pytest

from tests.formats.build import docx, paragraph
from tests.formats.read import page


def run(text: str, properties: str = "") -> str:
    return f"<m:r><m:rPr>{properties}</m:rPr><m:t>{text}</m:t></m:r>"


def base(content: str) -> str:
    return f"<m:e>{content}</m:e>"


def math(content: str) -> bytes:
    return docx(f'<w:p xmlns:m="m"><w:r><w:t>so </w:t></w:r><m:oMath>{content}</m:oMath></w:p>')


A, B, C = (base(run(letter)) for letter in "abc")
SUB = f"<m:sub>{run('i')}</m:sub>"
SUP = f"<m:sup>{run('n')}</m:sup>"


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
        (f"<m:rad><m:deg>{run('3')}</m:deg>{A}</m:rad>", r"\sqrt[3]{a}"),
        (f"<m:rad><m:radPr><m:degHide m:val='1'/></m:radPr><m:deg/>{A}</m:rad>", r"\sqrt{a}"),
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
