"""RTF: labels of lists, letters of fonts, comments, tracked changes, tables, fields."""

import pytest

from tests.features.documents.read import page

FONTS = (
    rb"{\fonttbl{\f0\fcharset0 Times;}{\f1\fcharset204 Arial;}{\f2\fcharset128 Mincho;}"
    rb"{\f3\fcharset134 SimSun;}{\f4\fcharset161 Arial;}{\f5\ftech\fcharset2 Symbol;}"
    rb"{\f6\fcharset2 Wingdings{\*\falt Dings};}{\f7\fcharset254 Terminal;}{\f8\fcharset2 Rare;}}"
)
STYLES = rb"{\stylesheet{\s1\outlinelevel0 heading 1;}{\s2\ls1\outlinelevel1 heading 2;}}"
LEVELS = (
    rb"{\listlevel\levelnfc0\levelnfcn0\levelstartat1"
    rb"{\leveltext\leveltemplateid7\'02\'00.;}{\levelnumbers\'01;}}"
    rb"{\listlevel\levelnfc4\levelstartat1{\leveltext\'03(\'01);}{\levelnumbers\'02;}}"
    rb"{\listlevel\levelnfc2\levellegal1\levelstartat1{\leveltext\'05\'00.\'01.\'02;}}"
)
DOTS = rb"{\listlevel\levelnfc23{\leveltext\'01\u8226 ?;}{\levelnumbers;}}"
LISTS = (
    rb"{\*\listtable{\list\listtemplateid1" + LEVELS + rb"{\listname ;}\listid11}"
    rb"{\list" + DOTS + rb"{\listname ;}\listid-12}}"
    rb"{\*\listoverridetable{\listoverride\listid11\listoverridecount0\ls1}"
    rb"{\listoverride\listid-12\listoverridecount0\ls2}"
    rb"{\listoverride\listid11\listoverridecount1{\lfolevel\listoverridestartat\levelstartat5}\ls3}"
    rb"{\listoverride\listid11\listoverridecount1{\lfolevel\listoverrideformat" + DOTS + rb"}\ls4}"
    rb"{\listoverride\listid99\ls5}}"
)
PAGE = rb"{\field{\*\fldinst PAGEREF x}{\fldrslt 3}}"


def said(body: bytes, head: bytes = rb"\ansi\ansicpg1252\deff0") -> str:
    return page(rb"{\rtf1" + head + FONTS + STYLES + LISTS + body + b"}").content


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (
            rb"\pard{\listtext\pard 1.\tab}\pard\ls1 one\par{\listtext 2.\tab}two\par",
            "1. one\n2. two",
        ),
        (rb"\pard\ilvl1\ls1{\listtext (a)\tab}sub\par", "   - (a) sub"),
        (rb"\pard{\listtext iv)\tab}four\par", "- iv) four"),
        (rb"\pard{\pntext Article 3\tab}three\par", "- Article 3 three"),
        (rb"\pard{\listtext 2.1.3\tab}deep\par", "- 2.1.3 deep"),
        (rb"\pard{\pntext\f5\'b7\tab}dot\par", "- dot"),
        (rb"\pard{\listtext\f6\'d8\tab}arrow\par", "- arrow"),
        (rb"\pard{\listtext\f0 o\tab}ring\par", "- ring"),
        (
            rb"\pard\s1{\listtext 1\tab}Scope\par\pard\s2{\listtext 1.1\tab}Deep\par",
            "# 1 Scope\n\n## 1.1 Deep",
        ),
        (rb"\pard\s1{\listtext\'b7\tab}Scope\par", "# Scope"),
        (rb"\pard{\listtext 1.\tab}one\par\pard plain\par", "1. one\n\nplain"),
        (rb"\pard b)\tab second {\b bold}\par", "- b) second **bold**"),
        (rb"\pard \bullet\tab {\b bold} dot\par", "- **bold** dot"),
    ],
)
def test_items_and_headings_have_their_labels(body: bytes, text: str) -> None:
    assert said(body) == text


def test_lists_without_labels_are_counted_by_their_tables() -> None:
    body = (
        rb"\pard\ls1 one\par\ilvl1 sub\par sub\par\ilvl2 deep\par\pard\ls1 two\par\pard\ls2 dot\par"
        rb"\pard\ls3 five\par six\par\pard\ls4 dot\par\pard\ls5 odd\par\pard\ls9 none\par\pard\ls0 no\par"
    )

    assert said(body) == (
        "1. one\n   - (a) sub\n   - (b) sub\n      - 1.2.1 deep\n2. two\n- dot\n5. five\n6. six\n"
        "- dot\n- odd\n\nnone\n\nno"
    )


def test_a_list_that_writes_nothing_before_its_items_still_is_one() -> None:
    assert said(rb"\pard\s2{\listtext\tab}Two\par\pard\ls1{\listtext\tab}one\par") == (
        "## Two\n\n- one"
    )


def test_labels_in_cells_stand_before_their_words() -> None:
    body = (
        rb"\trowd\pard\intbl{\listtext 1.\tab}\cell\pard\intbl{\listtext 2.\tab}B\par"
        rb"{\listtext\'b7\tab}C\cell\row\pard end\par"
    )

    assert said(body) == "| 1. | 2. B C |\n| --- | --- |\n\nend"


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb"\f1\'cf\'f0\f0\'e9", "Прé"),
        (rb"\f2\'93\'fa\'96\'7b\'8c\'ea \'83A\'83\\\'83\{", "日本語 アソボ"),
        (rb"\f3\'d6\'d0\'ce\'c4 {\f4\'e1}\'d6\'d0", "中文 α中"),
        (rb"{\f5 \'61 \'b3 \u-4000\'60\u-3999?}a", "α ≥ ‾αa"),
        (rb"{\f6 \'fc\'01}!", "✓!"),
        (rb"{\f7 \'82}{\f8 \'e9}", "éé"),
        (rb"\uc2\u26085\'93\'fa\uc1 x {\uc0\u233 y}\u233?z", "日x éyéz"),
        (rb"\u128512?x \u-10179?\u-8704? \u4294957117?\u4294958592?", "😀x 😀 😀"),
        (rb"\u-10179?b\u-8704?c", "bc"),
        (rb"\u8217\rquote s \u233{?}", "’s é?"),
        (rb"{\upr{ansi ?}{\*\ud{\u26085 ?}}} end", "日 end"),
    ],
)
def test_letters_are_read_by_their_fonts(body: bytes, text: str) -> None:
    assert said(body) == text


@pytest.mark.parametrize(
    ("head", "text"),
    [
        (rb"\ansi\deff1", "Пр Пр"),
        (rb"\ansi\ansicpg1251\deff0", "Пр Пр"),
        (rb"\ansi\ansicpg1253", "Οπ Οπ"),
        (rb"\pc", "╧≡ ╧≡"),
        (rb"\pca", "¤\xad ¤\xad"),
        (rb"\ansi\ansicpg437", "╧≡ ╧≡"),
    ],
)
def test_letters_of_no_font_are_those_of_the_first(head: bytes, text: str) -> None:
    assert said(rb"\'cf\'f0 \f6\plain\'cf\'f0", head) == text.replace("\xad", "")


def test_the_title_is_in_the_code_page_of_the_file() -> None:
    body = rb"{\rtf1\ansi\deff1" + FONTS + rb"{\info{\title caf\'e9}}\'cf}"

    assert page(body).title == "café"


def test_comments_follow_the_text() -> None:
    body = (
        rb"The {\*\atrfstart 0}tide {\b rises}{\*\atrfend 0}{\*\atnid AB}{\*\atnauthor Ann B}\chatn"
        rb"{\*\annotation{\*\atnref 0}{\*\atndate -1}\pard\plain{\chatn}Which \b tide\b0 ?\par And when?}"
        rb" twice.\par next{\*\atnid CD}{\*\atnauthor Bo}\chatn{\*\annotation\pard Why?}"
        rb"{\*\atnid EF}{\*\annotation  }{\footnote A note.} end\par"
    )

    assert said(body) == (
        "The tide **rises** twice.\n\nnext[^1] end\n\n[^1]: A note.\n\n"
        "## Comments\n\n- Ann B on “tide rises”: Which tide? And when?\n- Bo: Why?"
    )


def test_comments_whose_marks_are_hidden_are_told() -> None:
    body = (
        rb"The tide.{\cs15\v\fs16 {\*\atnid AB}{\*\atnauthor Ann}\chatn {\*\annotation{\*\atndate 1}"
        rb"{\cs15\fs16 \chatn }{Which?}} x}\par"
    )

    assert said(body) == "The tide.\n\n## Comments\n\n- Ann: Which?"


def test_a_document_shows_so_many_comments_and_no_more() -> None:
    assert said(rb"x" + rb"{\*\annotation y}" * 700).count("- y") == 500


def test_deleted_text_is_left_out_and_the_paragraphs_it_parted_are_one() -> None:
    body = rb"a {\deleted\revauthdel1 gone }{\revised new }b \deleted x\deleted0 y {\deleted z\par}c\par"

    assert said(body) == "a new b y c"


def test_tables_in_cells_are_told_as_their_words() -> None:
    row = rb"{\*\nesttableprops\trowd\cellx500\nestrow}{\nonesttables\par}"
    body = (
        rb"\trowd\pard\intbl A\cell\pard\intbl\itap2 n1\nestcell n2\nestcell"
        + row
        + rb"\pard\intbl"
        rb"\itap2 n3\nestcell n4\nestcell"
        + row
        + rb"\pard\intbl after\cell\row\trowd\pard\intbl C\cell"
        rb" D\cell\row\pard end\par"
    )

    assert said(body) == "| A | n1 n2 n3 n4 after |\n| --- | --- |\n| C | D |\n\nend"


def test_a_row_that_is_never_ended_is_told() -> None:
    assert said(rb"\pard text\par\trowd\pard\intbl a\cell b\par c") == (
        "text\n\n| a | b c |\n| --- | --- |"
    )


def test_heads_of_pages_may_have_tables() -> None:
    assert said(rb"{\header\trowd\pard\intbl Tide\cell Ltd\cell\row\pard\par}text\par") == (
        "text\n\nHeader: Tide Ltd"
    )


@pytest.mark.parametrize(
    ("body", "text"),
    [
        (rb'{\field{\*\fldinst{HYPERLINK \\l "here"}}{\fldrslt jump}}', "jump"),
        (
            rb'{\field{\*\fldinst HYPERLINK "https://e.org/" \\o "tip"}{\fldrslt tip}}',
            "[tip](https://e.org/)",
        ),
        (
            rb'{\field{\*\fldinst HYPERLINK "https://e.org/a"}{\fldrslt{page '
            + PAGE
            + rb" on}}} so",
            "[page 3 on](https://e.org/a) so",
        ),
        (rb'a{\field{\*\fldinst SYMBOL 97 \\f "Symbol" \\s 10}{\fldrslt\f5}}', "aα"),
        (
            rb"a{\field{\*\fldinst SYMBOL 0x41}{\fldrslt}}{\field{\*\fldinst SYMBOL}{\fldrslt}}b",
            "aAb",
        ),
        (rb"a{\field{\*\fldinst SYMBOL 99999999}{\fldrslt}}b", "ab"),
        (
            rb"{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\fftype1\ffres1}}}{\fldrslt}} yes",
            "[x] yes",
        ),
        (
            rb"{\field{\*\fldinst FORMCHECKBOX {\*\formfield{\ffres25\ffdefres0}}}{\fldrslt}} no",
            "[ ] no",
        ),
        (rb"tide{\xe tide:high}{\tc Tides\tcl1}s", "tides"),
        (
            rb"x {\object\objemb{\*\objclass Word}{\*\objdata 0105}{\result {result}}} y",
            "x result y",
        ),
        (rb"x{\footnote A {\object{\result {note}}} here.} y", "x[^1] y\n\n[^1]: A note here."),
        (rb"{{\NeXTGraphic pic.png \width1}} end", "end"),
        (rb"one\column two", "one\n\ntwo"),
    ],
)
def test_fields_and_objects_are_told_as_what_they_show(body: bytes, text: str) -> None:
    assert said(body) == text


def test_texts_in_texts_beyond_counting_are_read() -> None:
    assert "deep" in said(rb"{\footnote" * 2000 + rb" deep" + b"}" * 2000)
