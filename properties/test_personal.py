"""Masking personal data: what is masked stays masked, and nothing else is touched."""

from hypothesis import given, strategies as st

from webseam.kernel.text.personal_data import redact_personal_data

_PARTS = st.sampled_from(
    ["ada@example.org", "+44 20 7946 0958", "4111 1111 1111 1111", "DE89 3704 0044 0532 0130 00"]
)


@given(st.text())
def test_masking_twice_is_masking_once(text: str) -> None:
    once = redact_personal_data(text)

    assert redact_personal_data(once) == once


@given(st.lists(_PARTS | st.sampled_from(["who is", "weather", "in Ghent"]), max_size=6))
def test_no_part_that_is_known_to_be_personal_is_left(parts: list[str]) -> None:
    masked = redact_personal_data(", ".join(parts))

    assert "@" not in masked
    assert not any(each.isdigit() for each in masked)


@given(st.text(alphabet="abcdefghijklmnopqrstuvwxyz ,.?!-"))
def test_words_alone_stay_as_they_are(text: str) -> None:
    assert redact_personal_data(text) == text
