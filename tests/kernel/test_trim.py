"""A text over budget: what stays, what is left out, how to go on."""

import pytest

from webseam.kernel.text.trim import (
    Budget,
    Piece,
    TrimmedText,
    budgeted_characters,
    estimate_tokens,
    read_text_piece,
    trim_further,
    trim_text,
)

PARAGRAPHS = "".join(f"Paragraph {i:02} has some words.\n\n" for i in range(40))


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        ("", 0),
        ("a", 1),
        ("a b c d", 4),
        ("abcdefgh", 2),
        ("abcdefghi", 3),
        ("東", 2),
        ("東京", 3),
        ("a東京", 4),
    ],
)
def test_tokens_are_estimated_on_the_safe_side(text: str, tokens: int) -> None:
    assert estimate_tokens(text) == tokens


@pytest.mark.parametrize(
    ("budget", "characters"),
    [
        (Budget(), 40),
        (Budget(characters=30), 30),
        (Budget(characters=50), 40),
        (Budget(characters=-1), 0),
        (Budget(tokens=5), 20),
        (Budget(tokens=-5), 0),
        (Budget(tokens=100), 40),
        (Budget(characters=8, tokens=5), 8),
        (Budget(characters=30, tokens=5), 20),
    ],
)
def test_a_budget_pays_for_so_many_characters(budget: Budget, characters: int) -> None:
    assert budgeted_characters("x" * 40, budget) == characters


def test_nothing_costs_nothing() -> None:
    assert budgeted_characters("", Budget(tokens=5)) == 0


def test_a_text_within_budget_stays_whole() -> None:
    assert trim_text("abc", Budget(characters=3)) == TrimmedText(
        text="abc", omitted=0, next_cursor=None, total=3
    )


def test_a_text_over_budget_keeps_head_and_tail_on_paragraph_borders() -> None:
    trimmed = trim_text(PARAGRAPHS, Budget(characters=400))

    head, _, rest = trimmed.text.partition("[... ")
    _, _, tail = rest.partition(" ...]\n\n")
    assert len(trimmed.text) <= 400
    assert head.rstrip("\n").endswith("Paragraph 07 has some words.")
    assert tail == "".join(f"Paragraph {i:02} has some words.\n\n" for i in (38, 39))
    assert f"{trimmed.omitted} characters left out, from {trimmed.next_cursor} on" in trimmed.text
    assert trimmed.next_cursor == 240
    assert trimmed.total == len(PARAGRAPHS)
    assert PARAGRAPHS[trimmed.next_cursor :].startswith("Paragraph 08")
    assert PARAGRAPHS[trimmed.next_cursor + trimmed.omitted :] == tail


def test_a_budget_too_small_for_a_marker_keeps_the_beginning() -> None:
    assert trim_text("x" * 200, Budget(characters=80)) == TrimmedText(
        text="x" * 80, omitted=120, next_cursor=80, total=200
    )
    assert "left out" in trim_text("x" * 200, Budget(characters=81)).text


def test_a_text_without_borders_is_cut_where_the_budget_ends() -> None:
    trimmed = trim_text("x" * 1000, Budget(characters=180))

    assert trimmed.text.count("x") == 100
    assert trimmed.next_cursor == 75


def test_a_second_trim_states_both_cuts_in_one_marker() -> None:
    text = "a" * 10_000
    once = trim_text(text, Budget(characters=2_000))

    twice = trim_further(once.text, once.omitted, once.next_cursor or 0, Budget(characters=500))

    head = int((500 - 80) * 0.75)
    omitted = 10_000 - (500 - 80)
    marker = f"\n\n[... {omitted} characters left out, from {head} on ...]\n\n"
    shown = "a" * head + marker + "a" * (500 - 80 - head)
    assert twice == TrimmedText(text=shown, omitted=omitted, next_cursor=head, total=10_000)


@pytest.mark.parametrize(
    ("shown", "cursor", "room", "expected"),
    [
        # It fits: nothing changes.
        ("abc", 3, 9, TrimmedText(text="abc", omitted=7, next_cursor=3, total=10)),
        # The beginning of a text, of passages, and of a head and a tail.
        ("abc", 3, 2, TrimmedText(text="ab", omitted=8, next_cursor=2, total=10)),
        ("abc", 0, 2, TrimmedText(text="ab", omitted=8, next_cursor=0, total=10)),
        (
            "ab\n\n[... 7 characters left out, from 2 on ...]\n\nc",
            2,
            9,
            TrimmedText(text="ab", omitted=8, next_cursor=2, total=10),
        ),
    ],
)
def test_earlier_omission_counts_in_a_second_trim(
    shown: str, cursor: int, room: int, expected: TrimmedText
) -> None:
    assert trim_further(shown, 7, cursor, Budget(characters=room)) == expected


def test_a_text_that_is_whole_is_trimmed_as_ever() -> None:
    text, budget = "word " * 100, Budget(characters=200)

    assert trim_further(text, 0, 0, budget) == trim_text(text, budget)


def test_the_beginning_of_a_text_has_no_tail_after_a_second_trim() -> None:
    trimmed = trim_further("a" * 300, 700, 300, Budget(characters=200))

    assert trimmed.text == "a" * 90 + "\n\n[... 910 characters left out, from 90 on ...]\n\n"


def test_lines_and_then_words_are_the_next_best_borders() -> None:
    assert read_text_piece("aaaa bbbb\ncccc dddd", 0, Budget(characters=12)).text == "aaaa bbbb\n"
    assert read_text_piece("aaaa bbbb cccc", 0, Budget(characters=12)).text == "aaaa bbbb "


def test_a_border_in_the_first_half_is_too_early() -> None:
    assert read_text_piece("a\n\n" + "b" * 20, 0, Budget(characters=12)).text == "a\n\n" + "b" * 9


def test_pages_follow_each_other() -> None:
    first = read_text_piece("aaaa\n\nbbbb", 0, Budget(characters=8))
    second = read_text_piece("aaaa\n\nbbbb", 6, Budget(characters=8))

    assert first == Piece(text="aaaa\n\n", cursor=0, next_cursor=6, total=10)
    assert second == Piece(text="bbbb", cursor=6, next_cursor=None, total=10)


def test_a_page_moves_on_even_without_a_budget_to_pay_for_it() -> None:
    assert read_text_piece("abc", 0, Budget(characters=0)) == Piece(
        text="a", cursor=0, next_cursor=1, total=3
    )


def test_a_cursor_outside_the_text_is_brought_inside() -> None:
    assert read_text_piece("abc", -5, Budget()).text == "abc"
    assert read_text_piece("abc", 9, Budget()) == Piece(
        text="", cursor=3, next_cursor=None, total=3
    )


def test_a_cut_falls_before_a_link_and_not_inside() -> None:
    text = "see [a label](https://example.com/a/long/path) and more"

    for room in range(5, len(text) - len(" and more")):
        assert trim_text(text, Budget(characters=room)).text == "see "
