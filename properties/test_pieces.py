"""Laws of cutting a page for a model: nothing is lost, nothing is too long."""

from hypothesis import given, strategies as st

from webseam.adapters.compressors.model_compressor import split_page_text
from webseam.adapters.values.think_tags import strip_thoughts


@given(st.text("a. \n\u3002", max_size=300) | st.text(max_size=100), st.integers(1, 40))
def test_pieces_are_the_text_and_none_is_too_long(text: str, most: int) -> None:
    cut = split_page_text(text, most)

    assert "".join(cut) == text
    assert all(0 < len(piece) <= most for piece in cut)


@given(
    st.text(max_size=60)
    | st.lists(st.sampled_from(["<think>", "</think>\n", "a", "\n", "```"])).map("".join)
)
def test_taking_thoughts_off_only_ever_takes_off(said: str) -> None:
    left = iter(said)

    assert all(each in left for each in strip_thoughts(said))


@given(st.text("ab \n.", max_size=40), st.sampled_from(["think", "Thought", "reasoning"]))
def test_a_block_of_thoughts_leaves_what_is_around_it(around: str, tag: str) -> None:
    said = f"{around}\n<{tag}>hidden</{tag}>\n{around}"

    assert strip_thoughts(said) == f"{around}\n{around}".strip()
