"""Laws of cutting a page for a model: nothing is lost, nothing is too long."""

from hypothesis import given, strategies as st

from webseam.adapters.compressors.pieces import pieces
from webseam.adapters.compressors.prompts import without_thoughts


@given(st.text("a. \n\u3002", max_size=300) | st.text(max_size=100), st.integers(1, 40))
def test_pieces_are_the_text_and_none_is_too_long(text: str, most: int) -> None:
    cut = pieces(text, most)

    assert "".join(cut) == text
    assert all(0 < len(piece) <= most for piece in cut)


@given(
    st.text(max_size=60) | st.lists(st.sampled_from(["<think>", "</think>\n", "a"])).map("".join)
)
def test_taking_thoughts_off_only_ever_takes_off(said: str) -> None:
    assert said.rstrip().endswith(without_thoughts(said))
