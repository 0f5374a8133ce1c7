"""What is sealed for one caller is nothing to another, and nobody can change it."""

import base64

from hypothesis import given, strategies as st

from webseam.adapters.features.gateway.sealed_turns import caller_secret, open_turns, seal_turns
from webseam.ports.models import Message

_TEXTS = st.text(st.characters(codec="utf-8"), max_size=200)
_PAIRS = st.lists(st.tuples(_TEXTS, _TEXTS), max_size=12)


def conversation(pairs: list[tuple[str, str]]) -> list[Message]:
    return [
        message
        for question, answer in pairs
        for message in (
            {"role": "user", "content": question},
            {"role": "assistant", "content": answer},
        )
    ]


@given(_PAIRS, _TEXTS)
def test_a_caller_gets_the_last_turns_back(pairs: list[tuple[str, str]], key: str) -> None:
    turns = conversation(pairs)
    secret = caller_secret(key)

    assert open_turns(seal_turns(turns, secret), secret) == tuple(turns[-20:])


@given(_PAIRS, _TEXTS, _TEXTS)
def test_another_caller_gets_nothing_and_reads_nothing(
    pairs: list[tuple[str, str]], key: str, other: str
) -> None:
    sealed = seal_turns(
        conversation([*pairs, ("a question of ann", "an answer")]), caller_secret(key)
    )

    assert b"question of ann" not in base64.urlsafe_b64decode(sealed)
    assert (open_turns(sealed, caller_secret(other)) is None) == (key != other)


@given(_PAIRS, st.integers(0), st.integers(1, 255))
def test_a_changed_byte_opens_nothing(
    pairs: list[tuple[str, str]], position: int, change: int
) -> None:
    secret = caller_secret("key")
    sealed = bytearray(base64.urlsafe_b64decode(seal_turns(conversation(pairs), secret)))
    sealed[position % len(sealed)] ^= change

    assert open_turns(base64.urlsafe_b64encode(sealed).decode(), secret) is None


@given(st.text() | st.binary().map(lambda data: base64.urlsafe_b64encode(data).decode()))
def test_a_text_that_was_never_sealed_opens_nothing(text: str) -> None:
    assert open_turns(text, caller_secret("")) is None


def test_a_long_conversation_keeps_its_end() -> None:
    turns = conversation([(f"question {number}", "x" * 5_000) for number in range(8)])
    secret = caller_secret("key")

    kept = open_turns(seal_turns(turns, secret), secret)

    assert kept == tuple(turns[-len(kept or ()) :])
    assert len(kept or ()) == 6
