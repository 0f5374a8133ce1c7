"""Laws of what a person sees: no line too wide, no letter lost, no escape from outside."""

from hypothesis import given, strategies as st

from webseam.composition.terminal.styled_lines import (
    Span,
    display_width,
    paint_spans,
    spans_width,
    truncate_middle,
    wrap_spans,
)
from webseam.composition.terminal.terminal_look import TerminalLook
from webseam.kernel.text.display import one_line

texts = st.text(st.characters(codec="utf-8"), max_size=200).map(lambda text: one_line(text, 1000))


@given(st.lists(texts, max_size=4), st.integers(2, 120))
def test_no_wrapped_line_is_wider_than_asked_and_no_letter_is_lost(
    pieces: list[str], width: int
) -> None:
    lines = wrap_spans([Span(piece) for piece in pieces], width)

    assert all(spans_width(line) <= width for line in lines)
    written = "".join(span.text for line in lines for span in line)
    assert written.replace(" ", "") == "".join(pieces).replace(" ", "")


@given(texts, st.integers(5, 120))
def test_a_text_cut_in_the_middle_fits(text: str, room: int) -> None:
    assert display_width(truncate_middle(text, room)) <= room


@given(texts)
def test_foreign_text_brings_no_terminal_escape(text: str) -> None:
    assert "\x1b" not in paint_spans([Span(text)], TerminalLook(person=True))
