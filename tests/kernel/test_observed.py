"""What observers are shown: JSON, bounded, without secrets."""

import json

from webseam.kernel.middleware.observers import MOST_CHARACTERS, MOST_ITEMS, observed


def test_texts_are_redacted_and_names_of_secrets_are_masked() -> None:
    shown = observed(
        {"Authorization": "Bearer x", "x": "sk-abcdefghijklmnopqrstuvwxyz", "max_tokens": 5}
    )

    assert shown == {"Authorization": "***", "x": "***", "max_tokens": 5}


def test_what_is_long_is_cut_and_what_is_strange_is_named() -> None:
    shown = observed({"text": "a" * (MOST_CHARACTERS + 1), "many": [0] * 2000, "odd": object()})

    assert isinstance(shown, dict)
    assert len(shown["text"]) == MOST_CHARACTERS
    assert len(shown["many"]) == MOST_ITEMS
    assert shown["odd"] == "<object>"


def test_what_contains_itself_ends() -> None:
    inner: list[object] = []
    inner.append(inner)

    assert json.dumps(observed(inner)).count("[") == 20
