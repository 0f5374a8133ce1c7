from webseam.adapters.features.documents.formats.charset import source_to_utf8
from webseam.adapters.features.documents.formats.csv_table import detect_delimiter, read_csv_records
from webseam.adapters.features.documents.formats.draft import Source
from webseam.adapters.features.documents.formats.embedded_html import html_to_markdown
from webseam.adapters.features.documents.formats.excel.number_formats import (
    DAY_ZERO,
    number_form,
    number_text,
)
from webseam.adapters.features.documents.formats.feeds import feed_text
from webseam.adapters.features.documents.formats.json_text import _bracket_depth
from webseam.adapters.features.documents.formats.mail.outlook import decode_mail_header
from webseam.adapters.features.documents.formats.markdown_writing import (
    Cell,
    code_block,
    emphasise_markdown,
    field_target,
    join_blocks,
    join_spans,
    make_cell,
    markdown_link,
    markdown_list_item,
    markdown_table_row,
)
from webseam.adapters.features.documents.formats.numbering import _han_numeral
from webseam.adapters.features.documents.formats.office.comments_and_margins import (
    comment_line,
    margin_line,
)
from webseam.adapters.features.documents.formats.office.package import relative_part
from webseam.adapters.features.documents.formats.office.xlsx import column_index
from webseam.adapters.features.documents.formats.office.xml_elements import (
    unread_xml_rest,
    xml_named_character,
)
from webseam.adapters.features.documents.formats.rtf.control_words import typed_item_label
from webseam.adapters.features.documents.formats.sheets import cell_name, hidden_parts_note
from webseam.adapters.features.documents.formats.sniff import xml_vocabulary_kind
from webseam.adapters.features.documents.formats.subtitles import _cue_clock
from webseam.adapters.features.documents.formats.symbols import (
    font_symbol,
    replace_private_letters,
    word_field_symbol,
)
from webseam.ports.text import disarm_pictures


def test_an_example_of_source_to_utf8() -> None:
    assert source_to_utf8(Source(body="words\n".encode("utf-16-le"))).body == b"\xef\xbb\xbfwords\n"


def test_an_example_of_read_csv_records() -> None:
    assert list(read_csv_records('a,"b\nc"\n1,"x\n2,y\n', ",")) == [
        ["a", "b\nc"],
        ["1", "x"],
        ["2", "y"],
    ]


def test_an_example_of_detect_delimiter() -> None:
    assert (
        detect_delimiter("a;b,c\n1;2\n3;4\n"),
        detect_delimiter("0,5;1,5;2,5\n1,0;2,0;3,0\n"),
    ) == (";", ";")


def test_an_example_of_html_markdown() -> None:
    assert (
        html_to_markdown("<h1>Bread</h1><p>Flour &amp; <b>water</b><script>x()</script>")
        == "# Bread\n\nFlour & **water**"
    )


def test_an_example_of_excel_number_text() -> None:
    assert [
        number_text(1599.991, number_form(code), DAY_ZERO)
        for code in ('"$"#,##0.00', "0.0%", "0.00E+00", "# ?/?", "0,", "General")
    ] == ["$1,599.99", "159999.1%", "1.60E+03", "1600", "2", "1599.991"]
    assert [
        number_text(45000.5, number_form(code), DAY_ZERO)
        for code in ("d.m.yy", "h:mm AM/PM", "yyyy-mm-dd hh:mm", "[h]:mm:ss", "mmm yy")
    ] == ["2023-03-15", "12:00 PM", "2023-03-15 12:00", "1080012:00:00", "2023-03"]
    assert [
        number_text(-7, number_form(code), DAY_ZERO)
        for code in ("0.0", "0;(0)", "000-00", "0;;", "[Red]-0 \\€")
    ] == ["-7.0", "(7)", "-000-07", "-7", "--7 €"]


def test_an_example_of_feed_text() -> None:
    assert feed_text("<p>Bread &amp; <b>wine</b></p>") == "Bread & wine"


def test_an_example_of_json_bracket_depth() -> None:
    assert _bracket_depth(b"[{}[[]]]") == 3


def test_an_example_of_decode_mail_header() -> None:
    assert (
        decode_mail_header("=?utf-8?q?Gr=C3=BC=C3=9Fe?= from =?big5?b?pKSk5Q==?=")
        == "Grüße from 中文"
    )


def test_an_example_of_code_block() -> None:
    assert code_block("a\n", "py") == "```py\na\n```"


def test_an_example_of_disarm_pictures() -> None:
    assert disarm_pictures("see ![x](http://e/?q=secret)") == "see !\\[x](http://e/?q=secret)"


def test_an_example_of_join_emphasised() -> None:
    assert join_spans([("so ", ""), ("it", "**"), (" ", ""), ("is", "**")]) == "so **it is**"


def test_an_example_of_emphasise_markdown() -> None:
    assert (emphasise_markdown(" so \nit is", "**"), emphasise_markdown("2 * 3", "*")) == (
        " **so** \n**it is**",
        "2 * 3",
    )


def test_an_example_of_markdown_list_item() -> None:
    assert markdown_list_item("  - ", "so\nit is") == "  - so\n    it is"


def test_an_example_of_markdown_table_row() -> None:
    assert markdown_table_row(["a|b", "c\nd"]) == "| a\\|b | c d |"


def test_an_example_of_join_blocks() -> None:
    assert (
        join_blocks([("so", False), ("- it", True), ("", False), ("- is", True)])
        == "so\n\n- it\n- is"
    )


def test_an_example_of_make_cell() -> None:
    assert make_cell([[("so ", ""), ("it", "**")], [("is", "")]]) == Cell(
        plain="so it is", marked="so **it** is"
    )


def test_an_example_of_markdown_link() -> None:
    assert (
        markdown_link("a]b", "/x y", "https://e.org/"),
        markdown_link("x", "javascript:alert(1)"),
    ) == ("[a\\]b](https://e.org/x%20y)", "x")


def test_an_example_of_field_target() -> None:
    assert (
        field_target(' HYPERLINK "https://e.org/" '),
        field_target(r'HYPERLINK \l "here"'),
    ) == (
        "https://e.org/",
        "",
    )
    assert field_target(r' HYPERLINK "https://e.org/" \l "there" ') == "https://e.org/#there"


def test_an_example_of_han_numeral() -> None:
    assert [_han_numeral(number) for number in (3, 10, 12, 20, 45)] == [
        "三",
        "十",
        "十二",
        "二十",
        "四十五",
    ]


def test_an_example_of_office_comment_line() -> None:
    assert (
        comment_line("Ann", "the tide", "Which?"),
        comment_line("", "", "Why?"),
    ) == ("- Ann on “the tide”: Which?", "- Why?")


def test_an_example_of_office_margin_line() -> None:
    assert (
        margin_line("Footer", ["Tides", "3", "Tides", "[IMAGE: logo] Draft"])
        == "Footer: Tides · Draft"
    )
    assert margin_line("Header", ["iv"]) == ""


def test_an_example_of_relative_office_part() -> None:
    assert (
        relative_part("xl/workbook.xml", "worksheets/sheet1.xml"),
        relative_part("ppt/a.xml", "/ppt/b.xml"),
    ) == ("xl/worksheets/sheet1.xml", "ppt/b.xml")


def test_an_example_of_xlsx_column_index() -> None:
    assert (
        column_index("A", 5),
        column_index("AB", 0),
        column_index("", 5),
        column_index("a", 5),
    ) == (0, 27, 5, 5)


def test_an_example_of_office_xml_character() -> None:
    assert (
        xml_named_character("mdash"),
        xml_named_character("bgr"),
        xml_named_character("OHgr"),
    ) == ("—", "β", "Ω")
    assert xml_named_character("chapter1") == "&chapter1;"


def test_an_example_of_unread_xml_rest() -> None:
    assert (
        unread_xml_rest(b"<a><b/ ></a>", 6),
        unread_xml_rest(b"<a>x&y</a>", 4),
    ) == (
        b"<b/ ></a>",
        b"&y</a>",
    )


def test_an_example_of_typed_rtf_label() -> None:
    assert (
        typed_item_label("\u2022\tone"),
        typed_item_label("2.\ttwo"),
        typed_item_label("two"),
    ) == (
        ("-", 2),
        ("2.", 3),
        ("", 0),
    )


def test_an_example_of_cell_name() -> None:
    assert (cell_name(0, 0), cell_name(9, 27), cell_name(0, 16383)) == ("A1", "AB10", "XFD1")


def test_an_example_of_hidden_parts_note() -> None:
    assert (
        list(hidden_parts_note("sheets", ["Lists", "Old"])),
        list(hidden_parts_note("slides", [])),
    ) == (["hidden sheets: 2 (Lists, Old)"], [])


def test_an_example_of_xml_vocabulary_kind() -> None:
    assert (xml_vocabulary_kind(b"<rss version='2.0'>"), xml_vocabulary_kind(b"<ports>")) == (
        "feed",
        None,
    )


def test_an_example_of_subtitle_cue_clock() -> None:
    assert (_cue_clock(3725), _cue_clock(59)) == ("1:02:05", "0:59")


def test_an_example_of_font_symbol() -> None:
    assert (
        font_symbol("Symbol", 0xF0B0),
        font_symbol("Arial", 0x41),
        font_symbol("Webdings", 0xF041),
    ) == ("°", "A", "")


def test_an_example_of_with_symbols() -> None:
    assert (
        replace_private_letters("4\uf0b0", ["Symbol"]),
        replace_private_letters("\uf0fc", ["Arial", "Wingdings"]),
    ) == ("4°", "✓")


def test_an_example_of_word_field_symbol() -> None:
    assert (word_field_symbol(r'SYMBOL 97 \f "Symbol" \s 10'), word_field_symbol("PAGE")) == (
        "\u03b1",
        "",
    )
