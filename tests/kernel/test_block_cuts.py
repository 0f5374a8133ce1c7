"""What a cut inside a block of markdown needs, and texts that are cut there."""

from webseam.kernel.text.block_cuts import BlockCut, find_block_cut, strip_fence_end
from webseam.kernel.text.trim import Budget, read_text_piece, trim_further, trim_text

HEAD = "| Tide | Metres |\n| --- | --- |\n"
TABLE = HEAD + "".join(f"| {n} | {n}.5 |\n" for n in range(60))
FENCE = "```python\n" + "".join(f"line_{n} = {n}\n" for n in range(60)) + "```\n"
PROSE = "The tide table is printed each year.\n\n" * 20


def cut_at(text: str, mark: str) -> BlockCut:
    return find_block_cut(text, text.index(mark))


def test_cut_in_a_fence_closes_it_and_opens_it_again() -> None:
    lead = "```python\n"

    assert cut_at(FENCE, "line_7 ") == BlockCut(close="```", lead=lead)
    assert cut_at(FENCE, " = 7") == BlockCut(close="\n```", lead=lead)
    assert find_block_cut(FENCE, len(FENCE) - 2) == BlockCut(close="\n```", lead=lead)
    assert cut_at(FENCE, "line_0 ") == BlockCut(head=0)
    assert cut_at(FENCE, "ython") == BlockCut(head=0)
    assert cut_at(f"{FENCE}The end", "The end") == BlockCut()


def test_a_shorter_or_named_fence_inside_a_fence_does_not_end_it() -> None:
    inner = "````\n```\nx\n```\n```py\ny\n````\nz"

    assert cut_at(inner, "y\n````") == BlockCut(close="````", lead="````\n")
    assert cut_at(inner, "z") == BlockCut()


def test_cut_in_a_table_repeats_its_head() -> None:
    text = f"Words.\n\n{TABLE}"

    assert cut_at(text, "| 7 ") == BlockCut(lead=HEAD)
    assert cut_at(text, " 7.5") == BlockCut(lead=HEAD)
    assert cut_at(text, "| 0 ") == BlockCut(lead=HEAD)
    assert cut_at(text, "| --- ") == BlockCut(head=8)
    assert cut_at(text, "| Tide") == BlockCut()
    assert find_block_cut(TABLE, 3) == BlockCut(head=0)


def test_lines_with_bars_are_no_table() -> None:
    assert cut_at("| a\n| b\n| c", "| c") == BlockCut()
    assert find_block_cut("| a", 1) == BlockCut()
    assert find_block_cut("| a |\n| - |", 8) == BlockCut(head=0)


def test_only_the_end_of_a_fence_is_stripped() -> None:
    assert strip_fence_end("a\n```", 1) == "a"
    assert strip_fence_end("a\nb", 1) == "a\nb"


def test_a_piece_inside_a_block_is_shown_with_its_head_and_its_end() -> None:
    first = read_text_piece(FENCE, 0, Budget(characters=200))
    second = read_text_piece(FENCE, first.next_cursor or 0, Budget(characters=200))
    last = read_text_piece(TABLE, len(TABLE) - 11, Budget(characters=500))

    assert (first.before, first.after) == ("", "```")
    assert (second.before, second.after) == ("```python\n", "```")
    assert second.shown == f"```python\n{second.text}```"
    assert last.shown == f"{HEAD}{TABLE[-11:]}"


def test_a_piece_without_room_for_what_a_block_needs_is_its_text_alone() -> None:
    piece = read_text_piece(FENCE, 100, Budget(characters=12))

    assert (piece.before, piece.after) == ("", "")
    assert len(piece.text) <= 12


def test_a_trimmed_table_goes_on_under_its_head_however_often_it_is_trimmed() -> None:
    once = trim_text(TABLE, Budget(characters=500))
    twice = trim_further(once.text, once.omitted, once.next_cursor or 0, Budget(characters=400))

    for trimmed in (once, twice):
        assert (
            f"from {trimmed.next_cursor} on; the next {len(HEAD)} are repeated ...]\n\n{HEAD}| "
            in (trimmed.text)
        )
        assert trimmed.total == len(TABLE)


def test_a_trimmed_fence_is_closed_and_opened_again() -> None:
    once = trim_text(f"{PROSE}{FENCE}", Budget(characters=len(PROSE) + 700))
    inside = trim_text(FENCE, Budget(characters=500))

    assert "```\n\n[... " in inside.text
    assert "repeated ...]\n\n```python\nline_" in inside.text
    assert once.text.count("```") % 2 == 0


def test_blocks_without_room_for_what_they_need_keep_the_budget() -> None:
    fence = "~~~\n" + "a\n" * 100
    table = "word\n" * 60 + HEAD + "| 1 | 2 |\n" * 3

    for text in (fence, FENCE, table):
        for characters in range(81, 300):
            trimmed = trim_text(text, Budget(characters=characters))
            assert len(trimmed.text) <= characters
            assert trimmed.text.startswith(text[: trimmed.next_cursor])
            assert "| --- |" not in trimmed.text or HEAD in trimmed.text


def test_a_tail_begins_outside_of_links() -> None:
    link = "[tide tables](https://a.example/tides) "
    linked = trim_text(link * 40, Budget(characters=300))

    assert linked.text.count("[tide") == linked.text.count(link.strip())
