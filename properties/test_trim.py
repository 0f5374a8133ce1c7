"""Trimmed texts: within budget, deterministic, and nothing lost."""

import re

import msgspec
from hypothesis import given, strategies as st

from webseam.kernel.text.trim import (
    Budget,
    max_text_tokens,
    read_text_piece,
    rough_max_tokens,
    trim_further,
    trim_text,
)

TEXTS = st.text(st.sampled_from("ab \n\té東"), max_size=300)
BUDGETS = st.builds(
    Budget,
    characters=st.none() | st.integers(1, 300),
    tokens=st.none() | st.integers(1, 200),
)


@given(text=TEXTS, budget=BUDGETS)
def test_pages_join_to_the_whole_text(text: str, budget: Budget) -> None:
    pieces = [read_text_piece(text, 0, budget)]
    while (cursor := pieces[-1].next_cursor) is not None:
        assert cursor > pieces[-1].cursor
        pieces.append(read_text_piece(text, cursor, budget))

    assert "".join(piece.text for piece in pieces) == text


@given(text=TEXTS, budget=BUDGETS)
def test_a_trimmed_text_is_within_budget_and_its_ends_are_the_texts(
    text: str, budget: Budget
) -> None:
    trimmed = trim_text(text, budget)

    assert budget.characters is None or len(trimmed.text) <= budget.characters
    assert trimmed == trim_text(text, budget)
    assert (trimmed.omitted == 0) == (trimmed.text == text) or not trimmed.text
    if trimmed.next_cursor is not None:
        left_out = text[trimmed.next_cursor :][: trimmed.omitted]
        assert trimmed.text.startswith(text[: trimmed.next_cursor])
        assert trimmed.text.endswith(text[trimmed.next_cursor + len(left_out) :])


LINK = "[tide tables](https://a.example/tides_(2026)?a=b)"
PARTS = st.lists(st.sampled_from(["word ", "\n\n", LINK, f"![x](https://a.example/x.png) {LINK} "]))


@given(parts=PARTS, budget=BUDGETS)
def test_no_cut_falls_inside_a_link_that_fits_the_budget(parts: list[str], budget: Budget) -> None:
    text = "".join(parts)
    trimmed = trim_text(text, budget)
    piece = read_text_piece(text, 0, budget)

    for shown in (text[: trimmed.next_cursor], piece.text):
        # Only a link at the very start may be cut: nothing would be left.
        links = shown.count(LINK) + shown.count("![x](https://a.example/x.png)")
        assert shown.count("[") == links or shown.rindex("[") <= 1


WORDS = st.sampled_from(("abcdefg", "Abcdefg", "abc", "ABC", "123", "-")) | st.text(max_size=9)


@given(words=st.lists(WORDS, max_size=5), times=st.integers(1, 50))
def test_a_token_has_at_most_three_and_a_half_bytes_beside_blanks(
    words: list[str], times: int
) -> None:
    # MCP does not count the tokens of a result that is longer than that.
    text = " ".join(words * times).encode("utf-8", "replace").decode()
    encoded = msgspec.json.encode([text])

    assert len(encoded) - encoded.count(b" ") <= 3.5 * max_text_tokens(encoded.decode())


# The pieces of a text as o200k splits it, and the tokens of each: what ``max_text_tokens`` counts.
PIECE = re.compile(r"[a-z]+|[A-Z]+[a-z]*|[0-9]{1,3}|[^\sA-Za-z0-9]+|\s{2,}|[^\S ]")


def piece_tokens(piece: str) -> int:
    size = len(piece)
    if piece.isspace():
        return 1 + size // 16
    if piece[1:].islower() and size <= 7:
        return 1 + size // 4
    return 1 if piece.isdigit() else (2 * size + 2) // 3


@given(st.text() | st.text(st.sampled_from("abcXYZ019 \n\t\x1c\x7f-<_é東"), max_size=60))
def test_the_tokens_of_a_text_are_those_of_its_pieces(text: str) -> None:
    ascii_tokens = sum(map(piece_tokens, PIECE.findall(text.encode("ascii", "ignore").decode())))
    other_tokens = len(text.encode("utf-8", "replace")) - len(text)

    expected = -(-ascii_tokens * 11 // 10) + -(-other_tokens * 6 // 5)
    assert max_text_tokens(text) == expected


@given(
    st.text()
    | st.text(st.sampled_from("abcXYZ019 \n\t\x1c\x7f-<_é東"), max_size=60)
    | st.lists(WORDS, max_size=20).map("".join)
    | st.lists(WORDS, max_size=20).map("  ".join)
)
def test_the_rough_count_is_never_less_than_the_count(text: str) -> None:
    assert max_text_tokens(text) <= rough_max_tokens(text)


MARKER = re.compile(r"\[\.\.\. (\d+) characters left out, from (\d+) on \.\.\.\]")


@given(
    text=st.text(st.sampled_from("ab \n\té東"), max_size=900),
    first=st.integers(1, 600),
    second=st.integers(1, 400),
)
def test_second_trim_states_one_marker_with_the_sum(text: str, first: int, second: int) -> None:
    once = trim_text(text, Budget(characters=first))
    budget = Budget(characters=second)

    twice = trim_further(once.text, once.omitted, once.next_cursor or 0, budget)

    markers = MARKER.findall(twice.text)
    assert len(twice.text) <= second or twice.omitted == 0
    assert len(markers) <= 1
    assert twice.total == len(text)
    if twice.omitted:
        cursor = twice.next_cursor or 0
        assert markers in ([], [(str(twice.omitted), str(cursor))])
        assert twice.text.startswith(text[:cursor])
        assert twice.text.endswith(text[cursor + twice.omitted :])
    else:
        assert twice.text == text


@given(budget=BUDGETS)
def test_passages_that_are_trimmed_again_go_on_where_their_text_begins(budget: Budget) -> None:
    passages = "one passage\n\nanother passage " * 20

    trimmed = trim_further(passages, 1_000, 0, budget)

    assert trimmed.next_cursor == 0
    assert trimmed.omitted >= 1_000
    assert [count for count, _ in MARKER.findall(trimmed.text)] in ([], [str(trimmed.omitted)])


HEAD = "| Tide | Metres |\n| --- | --- |\n"
TABLE = HEAD + "".join(f"| {n} | {n}.5 |\n" for n in range(12))
FENCE = "```python\n" + "".join(f"line_{n} = {n}\n" for n in range(12)) + "```\n"
QUOTED = "> ~~~\n" + "> in a quote\n" * 6 + "> ~~~\n"
BLOCKS = st.lists(
    st.sampled_from(["word ", "Words of a line.\n\n", LINK, TABLE, FENCE, QUOTED, "\n\n", "|\n"]),
    max_size=8,
)
LARGE_BUDGETS = st.builds(Budget, characters=st.integers(260, 900))


def open_fences(text: str) -> int:
    return len(re.findall(r"^[ >]*(?:```|~~~)", text, re.MULTILINE)) % 2


def rows_without_head(shown: str) -> list[str]:
    """Return the rows of tables that stand under no head."""
    rows: list[str] = []
    is_headed = False
    for above, line in zip(["", *shown.split("\n")], shown.split("\n"), strict=False):
        is_headed = is_headed and line.startswith("|")
        is_headed = is_headed or (line.startswith("| --- ") and above.startswith("| Tide"))
        if re.match(r"\| \d", line) and not is_headed:
            rows.append(line)
    return rows


@given(parts=BLOCKS, budget=LARGE_BUDGETS)
def test_pieces_of_blocks_join_to_the_text_and_stand_alone(
    parts: list[str], budget: Budget
) -> None:
    text = "\n".join(parts)
    pieces = [read_text_piece(text, 0, budget)]
    while (cursor := pieces[-1].next_cursor) is not None:
        pieces.append(read_text_piece(text, cursor, budget))

    assert "".join(piece.text for piece in pieces) == text
    for piece in pieces:
        assert len(piece.shown) <= (budget.characters or 0)
        assert not open_fences(piece.shown)
        assert rows_without_head(piece.shown) == []
        assert LINK.count("[") * piece.text.count("[tide") == piece.text.count(LINK)


@given(parts=BLOCKS, budget=LARGE_BUDGETS, second=st.integers(260, 900))
def test_trimmed_blocks_stand_alone_before_and_after_the_marker(
    parts: list[str], budget: Budget, second: int
) -> None:
    text = "\n".join(parts)
    once = trim_text(text, budget)
    twice = trim_further(once.text, once.omitted, once.next_cursor or 0, Budget(characters=second))

    for trimmed, room in ((once, budget.characters or 0), (twice, second)):
        assert len(trimmed.text) <= room or not trimmed.omitted
        assert trimmed.total == len(text)
        head, *rest = re.split(r"\n\n\[\.\.\. .* \.\.\.\]\n\n", trimmed.text)
        for shown in (head, *rest):
            assert not open_fences(shown)
            assert rows_without_head(shown) == []
            assert shown.count("[tide") == shown.count(LINK)
        if trimmed.omitted:
            cursor = trimmed.next_cursor or 0
            assert trimmed.text.startswith(text[:cursor])
            assert trimmed.text.endswith(text[cursor + trimmed.omitted :])
