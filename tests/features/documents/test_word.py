"""What is emphasised, counted and ticked in a Word document."""

import pytest

from tests.features.documents import build
from tests.features.documents.build import docx, paragraph
from tests.features.documents.read import page


def run(text: str, *looks: str) -> str:
    said = "".join(f"<w:{look}/>" for look in looks)
    return f"<w:r><w:rPr>{said}</w:rPr><w:t>{text}</w:t></w:r>"


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        (run("a ") + run("b", "b") + run(" c"), "a **b** c"),
        (run("a") + run(" b ", "i") + run("c"), "a *b* c"),
        (run("a", "b", "i") + run("b", "strike") + run("c", "dstrike"), "***a***~~bc~~"),
        (run("all", "b") + run(" ") + run("of it", "b"), "**all of it**"),
        (run("a", 'b w:val="0"') + run("b", 'i w:val="false"'), "ab"),
        (run("2 * 3", "b") + run("a ~ b", "i"), "2 * 3a ~ b"),
        (
            run("one", "b") + "<w:r><w:rPr><w:b/></w:rPr><w:br/><w:br/></w:r>" + run("two", "b"),
            "**one**\n\n**two**",
        ),
        (
            run("s", 'rStyle w:val="Strong"') + run("n", 'rStyle w:val="Strong"', 'b w:val="0"'),
            "**s**n",
        ),
        (run("d", 'rStyle w:val="Derived"') + run("u", 'rStyle w:val="Unheard"'), "***d***u"),
        (f"<w:hyperlink r:id='l'>{run('x', 'b')}</w:hyperlink>", "[**x**](https://e.org/)"),
    ],
)
def test_emphasis_is_marked_right_at_the_words(runs: str, line: str) -> None:
    sheet = build.styles(
        '<w:style w:styleId="Strong"><w:rPr><w:b/></w:rPr></w:style>'
        '<w:style w:styleId="Derived"><w:basedOn w:val="Strong"/><w:rPr><w:i/></w:rPr></w:style>'
    )
    links = build.relations("word/document.xml", {"l": "https://e.org/"})
    body = f"{paragraph('before')}<w:p>{runs}</w:p>"

    assert page(docx(body, {**sheet, **links})).content == f"before\n\n{line}"


def test_headings_and_heads_of_tables_are_emphasis_enough() -> None:
    top = f'<w:p><w:pPr><w:outlineLvl w:val="0"/></w:pPr>{run("Top", "b")}</w:p>'
    grid = f"<w:tbl><w:tr><w:tc><w:p>{run('head', 'b')}</w:p></w:tc></w:tr></w:tbl>"

    assert page(docx(top + grid)).content == "# Top\n\n| head |\n| --- |"


def levels(*starts: str) -> str:
    return "".join(
        f'<w:lvl w:ilvl="{level}">{start}<w:numFmt w:val="decimal"/></w:lvl>'
        for level, start in enumerate(starts)
    )


FIRST = '<w:start w:val="1"/>'
FIFTH = '<w:start w:val="5"/>'
LISTS = build.numbering(
    f'<w:abstractNum w:abstractNumId="0">{levels(FIRST, FIRST)}</w:abstractNum>'
    f'<w:abstractNum w:abstractNumId="1">{levels(FIFTH)}</w:abstractNum>'
    '<w:abstractNum w:abstractNumId="2"><w:lvl w:ilvl="0"><w:start w:val="1"/><mc:AlternateContent xmlns:mc="mc">'
    '<mc:Choice><w:numFmt w:val="custom"/></mc:Choice></mc:AlternateContent></w:lvl></w:abstractNum>'
    '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="2"><w:abstractNumId w:val="0"/></w:num>'
    '<w:num w:numId="3"><w:abstractNumId w:val="0"/>'
    '<w:lvlOverride w:ilvl="0"><w:startOverride w:val="1"/></w:lvlOverride>'
    '<w:lvlOverride w:ilvl="x"><w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    '<w:num w:numId="4"><w:abstractNumId w:val="1"/></w:num>'
    '<w:num w:numId="5"><w:abstractNumId w:val="2"/></w:num>'
)


@pytest.mark.parametrize(
    ("items", "marks"),
    [
        ([(1, 0), (1, 0), (1, 0)], ["1.", "2.", "3."]),
        ([(1, 0), (1, 1), (1, 1), (1, 0), (1, 1)], ["1.", "   1.", "   2.", "2.", "   1."]),
        ([(1, 0), (2, 0), (3, 0), (3, 0), (1, 0)], ["1.", "2.", "1.", "2.", "3."]),
        ([(4, 0), (4, 0), (5, 0), (9, 0)], ["5.", "6.", "1.", "-"]),
    ],
)
def test_a_list_counts_as_word_does(items: list[tuple[int, int]], marks: list[str]) -> None:
    body = "".join(
        paragraph("x", f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{number}"/></w:numPr>')
        for number, level in items
    )

    content = page(docx(paragraph("before") + body, LISTS)).content

    assert content == "before\n\n" + "\n".join(f"{mark} x" for mark in marks)


@pytest.mark.parametrize(
    ("field", "box"),
    [
        ('<w:default w:val="0"/>', "[ ]"),
        ('<w:default w:val="1"/>', "[x]"),
        ('<w:default w:val="0"/><w:checked/>', "[x]"),
        ('<w:default w:val="1"/><w:checked w:val="0"/>', "[ ]"),
        ("", "[ ]"),
    ],
)
def test_a_box_of_a_form_is_ticked_or_not(field: str, box: str) -> None:
    drawn = (
        f"<w:r><w:fldChar><w:ffData><w:checkBox>{field}</w:checkBox></w:ffData></w:fldChar></w:r>"
    )

    assert page(docx(f"<w:p>{run('Agreed ')}{drawn}</w:p>")).content == f"Agreed {box}"


@pytest.mark.parametrize(
    ("font", "code", "text"),
    [
        ("Symbol", "F0B0", "25°C"),
        ("Wingdings", "F0FC", "25\u2713C"),
        ("Arial", "0041", "25AC"),
        ("Webdings", "F041", "25C"),
        ("Symbol", "none", "25C"),
        ("Arial", "FFFFFFFFF", "25C"),
    ],
)
def test_a_letter_of_a_font_of_signs_is_the_sign(font: str, code: str, text: str) -> None:
    sign = f'<w:r><w:sym w:font="{font}" w:char="{code}"/></w:r>'

    assert page(docx(f"<w:p>{run('25')}{sign}{run('C')}</w:p>")).content == text


def mark(kind: str) -> str:
    return f'<w:r><w:fldChar w:fldCharType="{kind}"/></w:r>'


def made_by(instruction: str) -> str:
    return f"<w:r><w:instrText>{instruction}</w:instrText></w:r>"


LINK = 'HYPERLINK "https://e.org/x"'


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        (
            mark("begin")
            + made_by("HYPERLINK ")
            + made_by('"https://e.org/x" \\l "a"')
            + mark("separate")
            + run("the ")
            + run("page", "b")
            + mark("end"),
            "[the **page**](https://e.org/x#a)",
        ),
        (
            f"<w:fldSimple w:instr='{LINK}'>{run('simple')}</w:fldSimple>",
            "[simple](https://e.org/x)",
        ),
        (f"<w:fldSimple w:instr='DATE'>{run('today')}</w:fldSimple>", "today"),
        (mark("begin") + made_by("PAGE") + mark("separate") + run("7") + mark("end"), "7"),
        (mark("begin") + made_by(LINK) + mark("separate") + mark("end") + run("x"), "x"),
        (mark("begin") + made_by(LINK) + mark("end") + mark("end") + run("y"), "y"),
        (made_by(LINK) + mark("separate") + mark("odd") + run("z"), "z"),
        (
            mark("begin")
            + made_by(LINK)
            + mark("separate")
            + run("on ")
            + mark("begin")
            + made_by("DATE")
            + mark("separate")
            + run("day")
            + mark("end")
            + mark("end"),
            "[on day](https://e.org/x)",
        ),
        ((mark("begin") + made_by(LINK) + mark("separate")) * 30 + run("deep"), "deep"),
    ],
)
def test_of_fields_what_they_show_is_read_and_links_are_links(runs: str, line: str) -> None:
    assert page(docx(f"{paragraph('before')}<w:p>{runs}</w:p>")).content == f"before\n\n{line}"


@pytest.mark.parametrize(
    ("looks", "shown"),
    [
        ("<w:rFonts w:ascii='Symbol' w:hAnsi='Symbol'/>", "α ° = 1"),
        ("<w:rFonts w:ascii='Arial' w:cs='Wingdings'/>", "  = 1"),
        ("", "α ° = 1"),
        ("<w:rFonts w:ascii='Logos'/>", "  = 1"),
    ],
)
def test_letters_of_a_font_of_signs_are_these_signs(looks: str, shown: str) -> None:
    body = f"<w:p><w:r><w:rPr>{looks}</w:rPr><w:t>x \uf061 \uf0b0 = 1</w:t></w:r></w:p>"

    assert page(docx(body)).content == f"x {shown}"
