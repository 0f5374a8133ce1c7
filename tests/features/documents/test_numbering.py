"""The numbers that programs set before headings and items, which are not among their words."""

from collections.abc import Sequence

import pytest

from tests.features.documents import build
from tests.features.documents.build import docx, paragraph
from tests.features.documents.containers import open_document
from tests.features.documents.read import page


def level(place: int, text: str, form: str = "decimal", more: str = "") -> str:
    return (
        f'<w:lvl w:ilvl="{place}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>{more}'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
    )


def numbered(text: str, number: int, place: int, more: str = "") -> str:
    own = f'<w:numPr><w:ilvl w:val="{place}"/><w:numId w:val="{number}"/></w:numPr>'
    return paragraph(text, own + more)


def lists(*patterns: str, more: str = "") -> dict[str, str]:
    """Lists 1, 2, … of these patterns."""
    told = "".join(
        f'<w:abstractNum w:abstractNumId="{at}">{levels}</w:abstractNum>'
        for at, levels in enumerate(patterns)
    )
    used = "".join(
        f'<w:num w:numId="{at + 1}"><w:abstractNumId w:val="{at}"/></w:num>'
        for at in range(len(patterns))
    )
    return build.numbering(told + used + more)


def shown(levels: str, places: Sequence[int], more: str = "") -> list[str]:
    """What stands before items of a list at these levels."""
    body = "".join(numbered("x", 1, place) for place in places)
    content = page(docx(paragraph("before") + body, lists(levels, more=more))).content
    return [line.removesuffix(" x") for line in content.splitlines()[2:]]


OUTLINE = level(0, "%1") + level(1, "%1.%2") + level(2, "(%3)", "lowerLetter")


def test_headings_have_the_numbers_that_word_sets() -> None:
    names = {f"H{at}": at for at in (1, 2)}
    sheet = "".join(
        f'<w:style w:styleId="{name}"><w:name w:val="heading {at}"/><w:pPr><w:numPr>'
        f'<w:ilvl w:val="{at - 1}"/><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        for name, at in names.items()
    )
    body = "".join(
        paragraph(text, f'<w:pStyle w:val="{name}"/>')
        for name, text in [("H1", "Aims"), ("H1", "Work"), ("H2", "Scope"), ("H1", "End")]
    )

    content = page(docx(body, {**build.styles(sheet), **lists(OUTLINE)})).content

    assert content == "# 1 Aims\n\n# 2 Work\n\n## 2.1 Scope\n\n# 3 End"


@pytest.mark.parametrize(
    ("levels", "places", "marks"),
    [
        (
            OUTLINE,
            [0, 1, 2, 2, 1, 0],
            ["1.", "   - 1.1", "      - (a)", "      - (b)", "   - 1.2", "2."],
        ),
        # A level that is left out counts as begun.
        (OUTLINE, [1, 0, 2, 1], ["   - 1.1", "2.", "      - (a)", "   - 2.2"]),
        (
            level(0, "Article %1") + level(1, "%1.%2", "decimal", "<w:isLgl/>"),
            [0, 1],
            ["- Article 1", "   - 1.1"],
        ),
        (
            level(0, "%1.", "upperRoman") + level(1, "%1.%2", "decimal", "<w:isLgl/>"),
            [0, 0, 1],
            ["- I.", "- II.", "   - 2.1"],
        ),
        (
            level(0, "%1") + level(1, "(%2)", "lowerRoman", '<w:lvlRestart w:val="0"/>'),
            [0, 1, 1, 0, 1],
            ["1.", "   - (i)", "   - (ii)", "2.", "   - (iii)"],
        ),
        (
            level(0, "%1")
            + level(1, "%2")
            + level(2, "%3", "upperLetter", '<w:lvlRestart w:val="1"/>'),
            [0, 1, 2, 1, 2, 0, 2],
            ["1.", "   1.", "      - A", "   2.", "      - B", "2.", "      - A"],
        ),
        (level(0, "%1)"), [0, 0], ["1.", "2."]),
        (level(0, "o", "bullet") + level(1, "%2.%1.", "lowerLetter"), [0, 1], ["-", "   - a.."]),
        (level(0, "§") + level(1, "") + level(2, "%9x"), [0, 2], ["-", "      - x"]),
        (level(0, "![%1](http://e)"), [0], ["- !\\[1](http://e)"]),
        (level(0, "%1" * 200), [0], [f"- {'1' * 30}"]),
    ],
)
def test_items_have_the_labels_that_word_shows(
    levels: str, places: list[int], marks: list[str]
) -> None:
    assert shown(levels, places) == marks


@pytest.mark.parametrize(
    ("form", "number", "label"),
    [
        ("decimalZero", 7, "07"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("upperRoman", 4000, "4000"),
        ("lowerLetter", 27, "aa"),
        ("lowerLetter", 99_999, "99999"),
        ("lowerLetter", 0, "0"),
        ("ordinal", 22, "22nd"),
        ("ordinal", 113, "113th"),
        ("ordinalText", 2, "Second"),
        ("russianUpper", 3, "В"),
        ("japaneseCounting", 21, "二十一"),
        ("japaneseCounting", 100, "100"),
        ("decimalEnclosedCircle", 3, "③"),
        ("decimalEnclosedCircle", 30, "30"),
        ("unheard", 3, "3"),
        ("none", 3, ""),
    ],
)
def test_numbers_are_written_in_the_form_of_their_level(form: str, number: int, label: str) -> None:
    own = f'<w:lvl w:ilvl="0"><w:start w:val="{number}"/><w:numFmt w:val="{form}"/>'

    assert shown(f'{own}<w:lvlText w:val="No. %1"/></w:lvl>', [0]) == [f"- No. {label}".rstrip()]


def test_a_form_of_ones_own_has_its_zeros() -> None:
    own = (
        '<w:lvl w:ilvl="0"><w:start w:val="9"/><mc:AlternateContent><mc:Choice>'
        '<w:numFmt w:val="custom" w:format="001, 002, 003, ..."/></mc:Choice><mc:Fallback>'
        '<w:numFmt w:val="decimal"/></mc:Fallback></mc:AlternateContent>'
        '<w:lvlText w:val="R%1"/></w:lvl>'
    )

    assert shown(own, [0, 0]) == ["- R009", "- R010"]


def test_a_list_begins_anew_once_and_those_of_its_pattern_count_on_from_it() -> None:
    again = (
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
        '<w:startOverride w:val="1"/></w:lvlOverride></w:num>'
    )
    body = "".join(numbered("x", number, 0) for number in (1, 1, 1, 2, 2, 1, 2))

    content = page(docx(paragraph("before") + body, lists(OUTLINE, more=again))).content

    numbers = [line.removesuffix(". x") for line in content.splitlines()[2:]]
    assert numbers == ["1", "2", "3", "1", "2", "3", "4"]


def test_a_list_may_write_a_level_of_its_own() -> None:
    own = (
        '<w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
        f"{level(0, 'Rule %1')}</w:lvlOverride></w:num>"
    )

    content = page(docx(numbered("x", 2, 0), lists(OUTLINE, more=own))).content

    assert content == "- Rule 1 x"


@pytest.mark.parametrize("kept", ['<w:styleLink w:val="Legal"/>', ""])
def test_levels_may_be_kept_by_a_style(kept: str) -> None:
    sheet = (
        '<w:style w:type="numbering" w:styleId="Legal"><w:pPr><w:numPr><w:numId w:val="1"/>'
        "</w:numPr></w:pPr></w:style>"
    )
    told = lists(kept + level(0, "Rule %1"), '<w:numStyleLink w:val="Legal"/>')

    content = page(docx(numbered("x", 2, 0), {**build.styles(sheet), **told})).content

    assert content == "- Rule 1 x"


def styled(name: str, own: str, base: str = "", more: str = "") -> str:
    return (
        f'<w:style w:type="paragraph" w:styleId="{name}"{more}><w:basedOn w:val="{base}"/>'
        f"<w:pPr><w:numPr>{own}</w:numPr></w:pPr></w:style>"
    )


ID = '<w:numId w:val="1"/>'


@pytest.mark.parametrize(
    ("sheet", "mark"),
    [
        (styled("S", ID), "- (a)"),
        (styled("S", f'{ID}<w:ilvl w:val="0"/>'), "1."),
        (styled("S", '<w:ilvl w:val="1"/>', "T") + styled("T", ID), "- 1.1"),
        (styled("S", "", "T") + styled("T", f'{ID}<w:ilvl w:val="1"/>'), "- (a)"),
        (styled("S", '<w:numId w:val="0"/>', "T") + styled("T", ID), ""),
    ],
)
def test_a_style_puts_its_paragraphs_into_a_list(sheet: str, mark: str) -> None:
    linked = (
        level(0, "%1")
        + level(1, "%1.%2")
        + level(2, "(%3)", "lowerLetter", '<w:pStyle w:val="S"/>')
    )
    body = paragraph("x", '<w:pStyle w:val="S"/>')

    content = page(docx(body, {**build.styles(sheet), **lists(linked)})).content

    assert content.strip() == f"{mark} x".strip()


def test_paragraphs_without_a_style_have_the_usual_one() -> None:
    sheet = styled("Normal", ID, more=' w:default="1"')

    content = page(docx(paragraph("x"), {**build.styles(sheet), **lists(OUTLINE)})).content

    assert content == "1. x"


@pytest.mark.parametrize(
    ("more", "then"),
    [("", "3."), ("<w:rPr><w:del/></w:rPr>", "2."), ("<w:rPr><w:vanish/></w:rPr>", "2.")],
)
def test_an_empty_paragraph_counts_if_it_was_not_deleted(more: str, then: str) -> None:
    body = numbered("x", 1, 0) + numbered("", 1, 0, more) + numbered("y", 1, 0)

    content = page(docx(body, lists(OUTLINE))).content

    assert content == f"1. x\n{then} y"


def test_the_end_of_a_section_alone_is_no_item() -> None:
    own = '<w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr><w:sectPr/>'
    body = f"<w:p><w:pPr>{own}</w:pPr></w:p>{numbered('x', 1, 0)}"

    assert page(docx(body, lists(OUTLINE))).content == "1. x"


def test_cells_have_their_numbers_and_no_dots() -> None:
    dots = level(0, "o", "bullet")
    cells = [numbered("", 1, 0), numbered("Dig", 2, 0), numbered("So", 1, 2) + paragraph("it is")]
    row = "".join(f"<w:tc>{cell}</w:tc>" for cell in cells)
    body = f"<w:tbl><w:tr>{row}</w:tr></w:tbl>{numbered('x', 1, 0)}"

    content = page(docx(body, lists(OUTLINE, dots))).content

    assert content == "| 1 | Dig | (a) So it is |\n| --- | --- | --- |\n\n2. x"


def test_lines_of_a_labelled_item_stay_in_it() -> None:
    text = "<w:r><w:t>so</w:t><w:br/><w:br/><w:t>it is</w:t></w:r>"
    own = '<w:numPr><w:ilvl w:val="2"/><w:numId w:val="1"/></w:numPr>'

    content = page(docx(f"<w:p><w:pPr>{own}</w:pPr>{text}</w:p>", lists(OUTLINE))).content

    assert content == "      - (a) so\n        \n        it is"


def test_numbers_without_end_are_bounded() -> None:
    own = '<w:start w:val="999999999"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1%1)"/>'

    assert shown(f'<w:lvl w:ilvl="0">{own}</w:lvl>', [0, 0]) == ["- 999999999999999999)"] * 2


def outline(*levels: str) -> str:
    return (
        "<text:outline-style>"
        + "".join(
            f'<text:outline-level-style text:level="{place}" {level}/>'
            for place, level in enumerate(levels, start=1)
        )
        + "</text:outline-style>"
    )


def heading(level: int, text: str, more: str = "") -> str:
    return f'<text:h text:outline-level="{level}" {more}>{text}</text:h>'


def test_headings_of_opendocument_have_the_numbers_of_the_outline() -> None:
    styles = outline(
        'style:num-format="1" style:num-suffix="."', 'style:num-format="1" text:display-levels="2"'
    )
    styles += '<style:style style:name="Bare" style:list-style-name=""/>'
    styles += '<style:style style:name="Own" style:parent-style-name="Bare"/>'
    body = heading(1, "Aims") + heading(2, "Scope") + heading(3, "Deep") + heading(2, "")
    body += heading(1, "Preface", 'text:style-name="Own"')
    body += heading(1, "Header", 'text:is-list-header="true"')
    body += heading(1, "Work", 'text:restart-numbering="true" text:start-value="7"')
    body += heading(2, "End")

    content = page(open_document("text", body, styles)).content

    assert content.split("\n\n") == [
        "# 1. Aims",
        "## 1.1 Scope",
        "### Deep",
        "# Preface",
        "# Header",
        "# 7. Work",
        "## 7.1 End",
    ]


def odt_list(style: str, *items: str, more: str = "") -> str:
    return f'<text:list text:style-name="{style}" {more}>{"".join(items)}</text:list>'


def odt_item(text: str, *lists: str, more: str = "") -> str:
    return f"<text:list-item {more}><text:p>{text}</text:p>{''.join(lists)}</text:list-item>"


LETTERED = (
    '<text:list-style style:name="L"><text:list-level-style-number text:level="1" '
    'style:num-format="I" style:num-suffix=")"/><text:list-level-style-number text:level="2" '
    'style:num-format="a" style:num-prefix="(" style:num-suffix=")" text:display-levels="2"/>'
    '<text:list-level-style-number text:level="3" style:num-format="1" '
    'loext:num-list-format="No %1%-%3%"/>'
    '<text:list-level-style-number text:level="4" style:num-format=""/>'
    '<text:list-level-style-number text:level="99"/></text:list-style>'
)


def test_items_of_opendocument_have_their_labels() -> None:
    deep = odt_list("", odt_item("c", odt_list("", odt_item("bare"))))
    body = odt_list("L", odt_item("a", odt_list("", odt_item("b", deep))), odt_item("d"))

    content = page(open_document("text", body, LETTERED)).content

    assert content == ("- I) a\n   - (I.a) b\n      - No I-1 c\n            bare\n- II) d")


def test_lists_of_opendocument_go_on_or_begin_where_they_say() -> None:
    body = "<text:p>x</text:p>".join(
        [
            odt_list("L", odt_item("a"), odt_item("b"), more='xml:id="one"'),
            odt_list("L", odt_item("c")),
            odt_list("L", odt_item("c")),
            odt_list("L", odt_item("d"), more='text:continue-list="one"'),
            # An item that only holds a list is none of its own.
            odt_list(
                "L",
                f"<text:list-item>{odt_list('', odt_item('e'))}</text:list-item>",
                odt_item("f", more='text:start-value="9"'),
                "<text:list-header><text:p>g</text:p></text:list-header>",
                more='text:continue-numbering="true"',
            ),
        ]
    )

    content = page(open_document("text", body, LETTERED)).content

    lines = [line for line in content.splitlines() if line not in ("", "x")]
    assert lines == [
        "- I) a",
        "- II) b",
        "- I) c",
        "- I) c",
        "- III) d",
        "   - (III.a) e",
        "- IX) f",
        "   g",
    ]


def test_headings_in_a_list_are_headings_with_its_labels() -> None:
    top = f"<text:list-item>{heading(1, 'Aims')}</text:list-item>"
    deep = f"<text:list-item>{odt_list('', f'<text:list-item>{heading(2, chr(65))}</text:list-item>')}</text:list-item>"

    content = page(open_document("text", odt_list("L", top, deep, odt_item("x")), LETTERED)).content

    assert content == "# I) Aims\n\n## (I.a) A\n\n- II) x"
