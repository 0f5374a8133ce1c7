"""Moonshot's stricter schemas, for its models on any host."""

from typing import Any

import pytest

from tests.features.models.providers.asking import parameters
from webseam.adapters.features.models.schemas import is_moonshot

TEXT = {"type": "string"}


@pytest.mark.parametrize(
    ("value", "strict"),
    [
        ({}, TEXT),
        ({"type": "object"}, {"type": "object", "required": []}),
        ({"properties": {"a": {}}}, {"type": "object", "properties": {"a": TEXT}, "required": []}),
        (
            {"properties": {"a": True}},
            {"type": "object", "properties": {"a": TEXT}, "required": []},
        ),
        (
            {"type": "object", "properties": {"a": TEXT}, "required": ["a", "gone", ["a"]]},
            {"type": "object", "properties": {"a": TEXT}, "required": ["a"]},
        ),
        ({"items": {}}, {"type": "array", "items": TEXT}),
        (
            {"items": [{}, {"enum": [1, 2]}]},
            {"type": "array", "items": [TEXT, {"type": "integer", "enum": [1, 2]}]},
        ),
        ({"type": "string", "nullable": True}, TEXT),
        ({"type": ["string", "null"]}, TEXT),
        ({"type": ["null"]}, TEXT),
        ({"type": ["string", "number"]}, {"anyOf": [TEXT, {"type": "number"}]}),
        (
            {"type": "string", "anyOf": [TEXT, {"type": "null", "title": "x"}], "title": "t"},
            {"type": "string", "title": "t"},
        ),
        (
            {"type": "object", "anyOf": [TEXT, {"enum": [True]}]},
            {"anyOf": [TEXT, {"type": "boolean", "enum": [True]}]},
        ),
        ({"anyOf": [{"type": "null"}]}, TEXT),
        ({"anyOf": "odd"}, TEXT),
        ({"oneOf": [TEXT]}, TEXT),
        ({"allOf": [TEXT]}, {"allOf": [TEXT]}),
        ({"anyOf": [TEXT], "oneOf": [{"type": "integer"}]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        ({"oneOf": [TEXT, {"type": "integer"}]}, {"anyOf": [TEXT, {"type": "integer"}]}),
        ({"enum": ["a", "", None]}, {"type": "string", "enum": ["a"]}),
        ({"type": "string", "enum": ["", None]}, TEXT),
        ({"type": "array", "enum": [[]]}, {"type": "array", "enum": [[]]}),
        ({"const": 1.5}, {"type": "number", "const": 1.5}),
        ({"$ref": "#/$defs/a", "$defs": {"a": {}}}, {"$ref": "#/$defs/a", "$defs": {"a": TEXT}}),
        (
            {"type": "object", "properties": {"enum": {}}},
            {"type": "object", "properties": {"enum": TEXT}, "required": []},
        ),
        (
            {"additionalProperties": {"enum": [None, 3]}},
            {
                "type": "object",
                "additionalProperties": {"type": "integer", "enum": [3]},
                "required": [],
            },
        ),
    ],
)
def test_a_schema_is_made_strict(value: dict[str, Any], strict: dict[str, Any]) -> None:
    whole = {"type": "object", "properties": {"it": value}, "required": ["it"]}
    schema = {"type": "object", "properties": {"it": strict}, "required": ["it"]}

    assert parameters("kimi", whole, "kimi-k2.5") == schema
    assert parameters("openrouter", whole, "moonshotai/kimi-k2") == schema
    assert parameters("openrouter", whole, "openai/gpt-5") == whole


def test_parameters_are_an_object_even_if_they_do_not_say_so() -> None:
    assert parameters("kimi", {}, "k3") == {"type": "object", "properties": {}, "required": []}


@pytest.mark.parametrize(
    ("model", "expected"),
    [
        ("Kimi-K2", True),
        ("moonshot-v1-8k", True),
        ("k3", True),
        ("x/k2-0905", True),
        ("k8s", False),
        ("task3", False),
    ],
)
def test_moonshots_models_are_known_by_name(model: str, *, expected: bool) -> None:
    assert is_moonshot(model) is expected
