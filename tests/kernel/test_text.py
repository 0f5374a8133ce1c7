"""Text from outside, made fit to be shown."""

import pytest

from webseam.kernel.text.display import (
    are_plain_texts,
    encode_address,
    hidden_offsets,
    is_plain_text,
    one_line,
    quote_value,
    strip_hidden,
    strip_hidden_values,
)
from webseam.ports.text import sign_border, truncate

HIDDEN = (
    "\x00\x08\x1b\x7f\x80\x9f\xad\u115f\u1160\u180e\u200b\u200e\u200f\u202a\u202e\u2060\u2064\u2066"
    "\u2069\u3164\ufe00\ufe0e\ufeff\uffa0\ud800\udfff\U000e0000\U000e007f\U000e0100\U000e01ef"
)


@pytest.mark.parametrize("hidden", HIDDEN, ids=ascii)
def test_a_character_that_hides_is_dropped(hidden: str) -> None:
    assert strip_hidden(f"a{hidden}b") == "ab"


@pytest.mark.parametrize(
    "kept",
    [
        "\n",
        "\t",
        " ",
        "\xa0",
        "\u200c",
        "\u200d",
        "é",
        "中",
        "👩\u200d💻",
        "❤\ufe0f",
        "\u0915\u094d\u200d\u0937",
    ],
    ids=ascii,
)
def test_a_character_that_readers_need_stays(kept: str) -> None:
    assert strip_hidden(f"a{kept}b") == f"a{kept}b"


FLAG_OF_ENGLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f"


def test_signs_of_several_characters_stay_whole() -> None:
    signs = [
        FLAG_OF_ENGLAND,
        FLAG_OF_ENGLAND * 3,
        "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466",
        "\U0001f1eb\U0001f1f7",
        "\u845b\U000e0100 \u8fbb\U000e0101",
        "\u2229\ufe00",
        "\u1820\u180b",
        "\u2764\ufe0e \u2764\ufe0f",
    ]

    assert [strip_hidden(sign) for sign in signs] == signs


def test_tags_and_selectors_that_belong_to_no_sign_are_dropped() -> None:
    tags = "\U000e0069\U000e0067\U000e006e\U000e006f\U000e0072\U000e0065"
    flag = "\U0001f3f4"
    black_flags = [
        f"{flag}{tags}",
        f"{flag}{tags}{tags}\U000e007f",
        f"{flag}\U000e0067\U000e0062\U000e007f",
        f"{flag}\u200b{FLAG_OF_ENGLAND[1:]}",
        f"{flag}\U000e0031\U000e0032\U000e0033\U000e007f",
    ]

    assert [strip_hidden(text) for text in black_flags] == [flag] * 5
    assert strip_hidden(f"{FLAG_OF_ENGLAND}{tags}") == FLAG_OF_ENGLAND
    assert strip_hidden("\u845b\U000e0100\U000e0101\ufe00") == "\u845b\U000e0100"


def test_every_line_break_becomes_one() -> None:
    text = "High 6.5\u2028Low 1.2\fPage 2\rnot safe\r\nend\x85a\x1cb\u2029c\x0bd\x1fe"

    assert strip_hidden(text) == "High 6.5\nLow 1.2\nPage 2\nnot safe\nend\na\nb\nc\nd e"


def test_hidden_offsets_are_those_of_the_characters_that_go() -> None:
    text = f"a\u200b{FLAG_OF_ENGLAND}\r\nb\U000e0067\u2028c"

    assert hidden_offsets(text) == [1, 9, 12]
    assert len(strip_hidden(text)) == len(text) - 3


@pytest.mark.parametrize(
    ("text", "offset", "border"),
    [
        ("ab", 1, 1),
        ("a\r\nb", 2, 1),
        ("e\u0301e", 1, 0),
        ("a\U0001f468\u200d\U0001f469\u200d\U0001f467", 3, 1),
        ("a\U0001f468\u200d\U0001f469\u200d\U0001f467", 6, 6),
        ("\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", 3, 2),
        ("\U0001f1eb\U0001f1f7\U0001f1e9\U0001f1ea", 2, 2),
        (f"a{FLAG_OF_ENGLAND}", 5, 1),
        ("\U0001f44d\U0001f3fd", 1, 0),
        ("\u0915\u094d\u0937", 2, 0),
        ("\u0915\u094d.", 2, 2),
        ("\u1112\u1161\u11ab", 2, 0),
        ("\ud558\u11ab", 1, 0),
        ("a\u1161", 1, 1),
        ("中文", 1, 1),
        ("a" + "\u0301" * 90, 80, 80),
        ("\U0001f1eb" * 4001, 1001, 1000),
        ("\U0001f1eb" * 4001, 3001, 3001),
    ],
)
def test_a_cut_parts_no_sign(text: str, offset: int, border: int) -> None:
    assert sign_border(text, offset) == border


def test_a_truncated_text_ends_with_a_whole_sign() -> None:
    assert truncate("Lyon \U0001f1eb\U0001f1f7 and more", 7) == "Lyon…"


@pytest.mark.parametrize(
    ("text", "most", "line"),
    [
        ("", 9, ""),
        (" a\r\n\tb \u2003c ", 9, "a b c"),
        ("a\u200bb", 9, "ab"),
        ("123456789", 9, "123456789"),
        ("1234567890", 9, "12345678…"),
        ("1234567 90", 9, "1234567…"),
    ],
)
def test_a_line_is_one_line_of_bounded_length(text: str, most: int, line: str) -> None:
    assert one_line(text, most) == line


def test_a_line_has_at_most_300_characters_unless_told() -> None:
    assert one_line("x" * 300) == "x" * 300
    assert one_line("x" * 301) == "x" * 299 + "…"


@pytest.mark.parametrize(
    ("value", "quoted"),
    [
        ("a\n\u202e", "'a\\n\\u202e'"),
        ("x" * 80, f"'{'x' * 80}'"),
        ("x" * 81, f"'{'x' * 80}…'"),
        (5, "5"),
        (-2.5, "-2.5"),
        (True, "a value of type bool"),
        (2**64, "a value of type int"),
        (type("N" * 50, (), {})(), f"a value of type {'N' * 40}"),
    ],
)
def test_a_value_in_an_error_is_escaped_and_bounded(value: object, quoted: str) -> None:
    assert quote_value(value) == quoted


def test_plain_text_is_a_real_str_of_whole_characters() -> None:
    assert is_plain_text("")
    assert is_plain_text("aé中😀")
    assert not is_plain_text("a\ud800")
    assert not is_plain_text(type("Liar", (str,), {})("a"))


def test_texts_are_plain_only_if_every_one_is() -> None:
    liar = type("Liar", (str,), {})

    assert are_plain_texts([])
    assert are_plain_texts(["a", "aé中😀"])
    assert not are_plain_texts(["a", "\ud83d", "\ude00"])
    assert not are_plain_texts(["é", liar("a")])
    assert not are_plain_texts(["é", liar("é")])


# DerivedCoreProperties.txt, Default_Ignorable_Code_Point, of Unicode 16.
IGNORABLE = (
    (0xAD, 0xAD), (0x34F, 0x34F), (0x61C, 0x61C), (0x115F, 0x1160), (0x17B4, 0x17B5),
    (0x180B, 0x180F), (0x200B, 0x200F), (0x202A, 0x202E), (0x2060, 0x206F), (0x3164, 0x3164),
    (0xFE00, 0xFE0F), (0xFEFF, 0xFEFF), (0xFFA0, 0xFFA0), (0xFFF0, 0xFFF8), (0x1BCA0, 0x1BCA3),
    (0x1D173, 0x1D17A), (0xE0000, 0xE0FFF),
)  # fmt: skip
NEEDED = {"\u200c", "\u200d", "\ufe0f"}


def test_no_default_ignorable_character_is_shown_but_joiners() -> None:
    ignorable = {chr(code) for first, last in IGNORABLE for code in range(first, last + 1)}

    assert {character for character in ignorable if strip_hidden(character)} == NEEDED


def test_values_are_cleaned_wherever_a_text_stands_in_them() -> None:
    value = {"na\x9bme": ["a\u200bb", {"c": "\x1bd"}, 1, None], "t": ("\u2066e",)}

    assert strip_hidden_values(value) == {"name": ["ab", {"c": "d"}, 1, None], "t": ["e"]}


def test_an_address_of_the_other_side_is_encoded_and_cut() -> None:
    shown = encode_address("https://a.example/obey me\n" + "x" * 900)

    assert shown.startswith("https://a.example/obey%20me%0Ax")
    assert len(shown) == 200
