"""Schemas for tools and answers: what an API takes, without a change to what was given."""

import copy

import pytest

from webseam.adapters.features.models.schemas import closed_schema, tool_schema

TEXT = {"type": "string"}


def test_arguments_are_an_object_without_a_union_at_the_top() -> None:
    schema = {
        "type": ["object", "null"],
        "oneOf": [{"required": ["a"]}],
        "allOf": [{}],
        "properties": {"anyOf": TEXT},
        "required": ["anyOf"],
    }

    assert tool_schema(schema) == {
        "type": "object",
        "properties": {"anyOf": TEXT},
        "required": ["anyOf"],
    }


@pytest.mark.parametrize("value", [None, [], "text", {}, {"properties": None}])
def test_no_schema_is_that_of_an_empty_object(value: object) -> None:
    assert tool_schema(value) == {"type": "object", "properties": {}}


def test_a_union_with_null_is_the_other_one_and_real_unions_stay() -> None:
    nullable = {"anyOf": [TEXT, {"type": "null"}], "description": "maybe", "default": None}
    either = {"oneOf": [TEXT, {"type": "integer"}]}
    schema = {"properties": {"a": nullable, "b": {"type": "array", "items": nullable}, "c": either}}

    once = {"type": "string", "description": "maybe", "default": None}
    assert tool_schema(schema)["properties"] == {
        "a": once,
        "b": {"type": "array", "items": once},
        "c": either,
    }


def test_every_object_of_an_answer_is_closed_and_laws_are_told_in_words() -> None:
    schema = {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "description": "At least.", "minimum": 1, "maximum": 9},
            "inner": {"oneOf": [{"properties": {}, "additionalProperties": True}, TEXT]},
            "list": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/x"}},
        },
        "$defs": {"x": {"type": "object", "not": {}}},
    }
    before = copy.deepcopy(schema)

    closed = closed_schema(schema)

    assert schema == before
    assert closed == {
        "type": "object",
        "properties": {
            "minimum": {"type": "integer", "description": "At least. (minimum: 1, maximum: 9)"},
            "inner": {"anyOf": [{"properties": {}, "additionalProperties": False}, TEXT]},
            "list": {
                "type": "array",
                "items": {"$ref": "#/$defs/x"},
                "description": "(minItems: 1)",
            },
        },
        "$defs": {
            "x": {"type": "object", "description": "(not: {})", "additionalProperties": False}
        },
        "additionalProperties": False,
    }


def test_closing_twice_changes_nothing_more() -> None:
    once = closed_schema({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})

    assert closed_schema(once) == once
