"""JSON out of what a model says."""

import pytest

from webseam.kernel.features.models.structured_output import parse_model_json


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        (" [1, 2]\n", [1, 2]),
        ('```json\n{"a": 1}\n```', {"a": 1}),
        ('Sure!\n```\n{"a": 1}\n```\nAnything else?', {"a": 1}),
        ('The answer {as asked} is {"a": [1]} .', {"a": [1]}),
        ("3", 3),
        ("no JSON here", None),
        ("{" * 100, None),
        ("[" * 100_000, None),
        ("", None),
    ],
)
def test_the_value_is_found_wherever_it_stands(text: str, value: object) -> None:
    assert parse_model_json(text, anywhere=True).value_or(None) == value
