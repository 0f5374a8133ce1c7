"""What observers are shown: JSON, bounded, without secrets."""

import json

from webseam.kernel.middleware.hooks import (
    MAX_OBSERVED_CHARS,
    MAX_OBSERVED_ITEMS,
    hook_observable_value,
)


def test_texts_are_redacted_and_names_of_secrets_are_masked() -> None:
    shown = hook_observable_value(
        {"Authorization": "Bearer x", "x": "sk-abcdefghijklmnopqrstuvwxyz", "max_tokens": 5}
    )

    assert shown == {"Authorization": "***", "x": "***", "max_tokens": 5}


def test_observed_values_are_cut_and_unknown_types_named() -> None:
    shown = hook_observable_value(
        {"text": "a" * (MAX_OBSERVED_CHARS + 1), "many": [0] * 2000, "odd": object()}
    )

    assert isinstance(shown, dict)
    assert len(shown["text"]) == MAX_OBSERVED_CHARS
    assert len(shown["many"]) == MAX_OBSERVED_ITEMS
    assert shown["odd"] == "<object>"


def test_observed_value_that_contains_itself_is_cut() -> None:
    inner: list[object] = []
    inner.append(inner)

    assert json.dumps(hook_observable_value(inner)).count("[") == 20
