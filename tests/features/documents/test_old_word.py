"""Word before 2007, from tables made by hand."""

import struct

import pytest
from returns.result import Result

from tests.features.documents.containers import compound
from tests.features.documents.read import error, page, read
from tests.features.documents.word_files import (
    HEADING,
    IN_CELL,
    PLAIN,
    ROW_END,
    item,
    list_level,
    list_table,
    outline_table,
    own_level,
    style,
    style_sheet,
    word,
    word_95,
    word_95_wide,
    word_streams,
)
from webseam.ports.errors import EmptyContent, ParseFailed
from webseam.ports.pages import ReadPage

URL = "https://e.org/old.doc"
STYLES = {1: style_sheet(style(0), style(1))}


def content(streams: dict[str, bytes]) -> str:
    return page(compound(streams), "", URL).content


def test_a_document_is_headings_and_paragraphs() -> None:
    streams = word_streams(
        [("Tides\r", HEADING), ("Höhe 日本 😀.\r", PLAIN), ("Next\x0bline\x0c", PLAIN)],
        tables=STYLES,
    )

    assert page(compound(streams), "", URL) == ReadPage(
        title="Tides", content="# Tides\n\nHöhe 日本 😀.\n\nNext\nline", kind="doc"
    )


def test_a_style_is_a_heading_by_what_it_is_based_on_or_by_its_outline() -> None:
    sheet = style_sheet(
        style(0), style(2), style(0xFFE, 1), style(0xFFE, said=b"\x40\x26\x02"), style(62)
    )
    words = [("a\r", (2, b"")), ("b\r", (3, b"")), ("c\r", (0, b"\x40\x26\x00"))]
    words += [("d\r", (1, b"\x40\x26\x09")), ("e\r", (4, b""))]

    assert content(word_streams(words, tables={1: sheet})) == "## a\n\n### b\n\n# c\n\nd\n\n# e"


def test_items_have_dots_or_numbers_by_their_list() -> None:
    words = [("one\r", item(1)), ("deep\r", item(2, 1)), ("two\r", item(2)), ("no\r", item(0))]

    assert (
        content(word_streams(words, tables=list_table(0, 23))) == "1. one\n   - deep\n- two\n\nno"
    )


LEGAL, UNBROKEN = 4, 8
OUTLINE = [
    list_level(1, "Part \0"),
    list_level(0, "\0.\1", flags=LEGAL),
    list_level(4, "(\2)", flags=UNBROKEN),
]


def test_headings_items_and_cells_have_the_numbers_that_word_sets() -> None:
    number, level = b"\x0b\x46\x01\x00", b"\x0a\x26"
    words = [
        ("Aims\r", (1, number + level + b"\0")),
        ("\r", item(1)),
        ("Scope\r", item(1, 1)),
        ("dig\r", item(1, 2)),
        ("fill\r", item(1, 2)),
        ("Next\r", item(1)),
        ("pour\r", item(1, 2)),
        ("hid\r", item(1, 3)),
        ("x\r", (0, IN_CELL[1] + item(1, 1)[1])),
        ("y\x07", IN_CELL),
        ("\x07", (0, IN_CELL[1] + item(1, 1)[1])),
        ("\x07", ROW_END),
    ]

    streams = word_streams(words, tables={**STYLES, **outline_table(*OUTLINE)})

    assert content(streams) == (
        "# Part I Aims\n\n   - 2.1 Scope\n      - (a) dig\n      - (b) fill\n- Part III Next\n"
        "      - (c) pour\n\nhid\n\n| 3.2 x y | 3.3 |\n| --- | --- |"
    )


def test_a_use_of_a_list_may_begin_anew_and_write_otherwise() -> None:
    own = [own_level(0, 5), own_level(1, 3, list_level(2, "\1)"))]
    words = [("a\r", item(1)), ("b\r", item(2)), ("c\r", item(2, 1)), ("d\r", item(1))]

    streams = word_streams(words, tables=outline_table(*OUTLINE, own=own))

    assert content(streams) == "- Part I a\n- Part V b\n   - iii) c\n- Part VI d"


def test_uses_of_lists_that_are_cut_off_count_as_far_as_they_are_told() -> None:
    tables = outline_table(*OUTLINE, own=[own_level(0, 5)])
    tables[74] = tables[74][:-3]

    assert content(word_streams([("a\r", item(2))], tables=tables)) == "- Part I a"


def test_a_table_has_its_rows_and_cells() -> None:
    words = [("a\r", IN_CELL), ("b\x07", IN_CELL), ("c\x07", IN_CELL), ("\x07", ROW_END)]
    words += [("d\x07", IN_CELL), ("\x07", IN_CELL), ("\x07", ROW_END), ("After\r", PLAIN)]

    assert content(word_streams(words)) == "| a b | c |\n| --- | --- |\n| d |  |\n\nAfter"


def test_commands_too_long_for_their_page_are_found_elsewhere() -> None:
    end = (0, struct.pack("<HI", 0x6646, 2))
    streams = word_streams([("a\x07", IN_CELL), ("b\x07", IN_CELL), ("\x07", end), ("c\r", PLAIN)])
    streams["Data"] = (b"xx" + struct.pack("<H", 3) + b"\x17\x24\x01").ljust(4096, b"\0")

    assert content(streams) == "| a | b |\n| --- | --- |\n\nc"


def test_of_fields_only_what_they_show_is_read_and_links_stay_links() -> None:
    words = [
        ('See \x13HYPERLINK "https://e.org/x"\x14the \x13PAGE\x14page\x15\x15.\r', PLAIN),
        ("\x13TOC \\o\x14First\r", PLAIN),
        ('second\x15 \x13 HYPERLINK \\l "mark"\x14here\x15\x13XE gone\x15!\r', PLAIN),
        ("\x15 stray \x14 signs\r", PLAIN),
    ]

    assert content(word_streams(words)) == (
        "See [the page](https://e.org/x).\n\nFirst\n\nsecond here!\n\nstray  signs"
    )


def test_a_field_that_never_ends_hides_no_text() -> None:
    text = content(word_streams([("\x13" + "words " * 2000 + "\r", PLAIN), ("After\r", PLAIN)]))

    assert text.count("words") == 2000
    assert text.endswith("After")


@pytest.mark.parametrize("command", [b"\x3c\x08", b"\x00\x08"], ids=["hidden", "deleted"])
@pytest.mark.parametrize("yes", [b"\x01", b"\x81"])
def test_hidden_and_deleted_text_goes(command: bytes, yes: bytes) -> None:
    words = [("seen secret end\r", PLAIN)]

    assert content(word_streams(words, letters={"secret ": command + yes})) == "seen end"


def test_a_letter_of_a_font_of_signs_is_the_sign() -> None:
    font = b"\0" * 39 + "Symbol\0".encode("utf-16-le")
    fonts = struct.pack("<HH", 1, 0) + bytes([len(font)]) + font
    sign = struct.pack("<HHH", 0x6A09, 0, 0xF0B0)
    words = [("at 160(C\r", PLAIN)]

    assert content(word_streams(words, letters={"(": sign}, tables={15: fonts})) == "at 160°C"


def test_emphasis_is_marked_at_the_words_and_not_in_headings() -> None:
    bold, leaning, struck = b"\x35\x08\x01", b"\x36\x08\x01", b"\x37\x08\x01"
    words = [("Tides\r", HEADING), ("so it is and was, indeed not\r", PLAIN)]
    said = {"Tides": bold, "it": bold, "and ": bold + leaning, "indeed": struck}
    said["was"] = bold + b"\x35\x08\x00"

    assert content(word_streams(words, letters=said, tables=STYLES)) == (
        "# Tides\n\nso **it** is ***and*** was, ~~indeed~~ not"
    )


def test_a_link_keeps_its_emphasis() -> None:
    words = [('See \x13HYPERLINK "https://e.org/x"\x14all of it\x15.\r', PLAIN)]

    assert content(word_streams(words, letters={"all": b"\x35\x08\x01"})) == (
        "See [**all** of it](https://e.org/x)."
    )


def test_notes_and_text_in_boxes_follow() -> None:
    words = [("The tide\x02 rises\x02.\r", PLAIN), ("Odd\x02\r", PLAIN)]
    notes = {"tide": "\x02 Of the sea.\r", "rises": "Twice\ra day.\r"}

    assert content(word_streams(words, notes=notes, beside=((), "In a box\r"))) == (
        "The tide[^1] rises[^2].\n\nOdd\n\nIn a box\n\n[^1]: Of the sea.\n[^2]: Twice a day."
    )


def test_letters_of_one_byte_and_pieces_in_any_order() -> None:
    streams = word_streams([("later\r", PLAIN)])
    raw = bytearray(streams["WordDocument"])
    raw[3000:3006] = b"caf\xe9 \x93"
    pieces = struct.pack("<IIIHIHHIH", 0, 6, 12, 0, 1 << 30 | 6000, 0, 0, 1024, 0)
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    struct.pack_into("<II", raw, 154 + 8 * 33, 0, len(table))
    struct.pack_into("<I", raw, 76, 12)

    body = compound({"WordDocument": bytes(raw), "0Table": table.ljust(4096, b"\0")})

    assert page(body, "", URL).content == "café “later"


def test_a_document_of_word_95_has_its_letters_in_its_code_page() -> None:
    text = "Привет#мир|знак||вид#".translate({ord("#"): "\r", ord("|"): "\x07"}).encode("cp1251")

    assert page(word_95(text, 0x419), "", URL).content == (
        "Привет\n\n| мир | знак |\n| --- | --- |\n\nвид"
    )


def test_letters_of_word_95_that_are_mostly_not_latin_are_looked_at() -> None:
    text = ("Прилив поднимается и опускается дважды в день. " * 5).encode("cp1251")

    assert "Прилив поднимается" in page(word_95(text, 0x409), "", URL).content


def test_document_properties_are_read() -> None:
    values = [(1, struct.pack("<IHxx", 2, 1251)), (2, _text("Приливы")), (4, _text("Ann"))]
    values += [(12, struct.pack("<IQ", 64, 133_800_000_000_000_000)), (9, b"\0" * 8)]
    heads, raw = b"", b""
    for name, value in values:
        heads += struct.pack("<II", name, 8 + 8 * len(values) + len(raw))
        raw += value
    about = b"\xfe\xff".ljust(44, b"\0") + struct.pack("<III", 48, 0, len(values)) + heads + raw
    streams = word_streams([("Words\r", PLAIN)]) | {"\x05SummaryInformation": about.ljust(4096)}

    document = page(compound(streams), "", URL)

    assert (document.title, document.author) == ("Приливы", "Ann")
    assert document.published_at == "2024-12-30T02:40:00+00:00"


def _text(words: str) -> bytes:
    raw = words.encode("cp1251") + b"\0"
    return struct.pack("<II", 30, len(raw)) + raw


def test_a_document_that_wants_a_password_says_so() -> None:
    streams = word_streams([("x\r", PLAIN)])
    stream = streams["WordDocument"]
    locked = stream[:10] + struct.pack("<H", 0x100) + stream[12:]

    assert error(compound(streams | {"WordDocument": locked}), "", URL) == ParseFailed(
        reason="encrypted"
    )


def test_a_document_without_words_is_empty() -> None:
    assert error(word("", ""), "", URL) == EmptyContent(reason="no_text")


@pytest.mark.parametrize("stream", [b"", b"x" * 5000, b"\xec\xa5" + b"\0" * 5000])
def test_a_broken_document_is_corrupt(stream: bytes) -> None:
    body = compound({"WordDocument": stream, "Workbook": b"x" * 5000})

    assert error(body, "application/msword") == ParseFailed(
        reason="corrupt", detail="it is not a whole file of Word 6 or later"
    )


def test_a_table_that_names_more_sectors_than_there_are_leads_nowhere_for_long() -> None:
    body = bytearray(word("words"))
    # Every table of sectors is the first sector of the document, and so is that of more tables.
    body[68:72] = struct.pack("<I", 1)
    body[76 : 76 + 109 * 4] = struct.pack("<I", 1) * 109

    assert isinstance(read(bytes(body), "", URL), Result)


def test_a_document_of_nothing_but_signs_is_cut_and_says_so() -> None:
    streams = word_streams([("\x13\x14w\x15\r" * 200, PLAIN)])
    # The same piece again and again.
    bounds = [1000 * number for number in range(401)]
    pieces = struct.pack("<401I", *bounds) + struct.pack("<HIH", 0, 1024, 0) * 400
    table = b"\x02" + struct.pack("<I", len(pieces)) + pieces
    stream = bytearray(streams["WordDocument"])
    struct.pack_into("<II", stream, 154 + 8 * 33, 0, len(table))
    struct.pack_into("<I", stream, 76, bounds[-1])

    body = compound({"WordDocument": bytes(stream), "0Table": table})

    assert page(body, "", URL).notes == ("only the first 80,000 paragraphs and tables",)


@pytest.mark.parametrize(
    ("text", "mark", "codec"),
    [
        ("Namazu は手軽に使えることを第一に目指した", 0xA697, "cp932"),
        ("새 문서를 만들려면 [파일] 메뉴에서", 0xA698, "cp949"),
        ("创建新文档，单击要创建的文件类型", 0xA699, "gbk"),
        ("建立新文件，按一下您要建立的檔案", 0xA699, "big5"),
    ],
)
def test_word_95_for_east_asia_has_letters_of_its_code_page(
    text: str, mark: int, codec: str
) -> None:
    assert page(word_95_wide(f"{text}\r", mark, codec)).content == text


def test_a_note_that_damaged_tables_name_again_and_again_is_told_once() -> None:
    ends = [0 if number % 2 else 6 for number in range(60)]
    tables = {
        2: struct.pack("<60I", *range(60)) + b"\1\0" * 59,
        3: struct.pack("<60I", *reversed(ends)),
    }
    body = "x" * 90 + "\r"
    streams = word_streams([(body, PLAIN)], notes={"x": "a note\r"}, tables=tables)

    assert page(compound(streams)).content.count("a note") == 1
