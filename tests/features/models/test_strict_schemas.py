"""Schemas for strict structured output."""

import copy
from typing import Any

import pytest

from webseam.adapters.features.models.declaration.rules import output_schema_fields
from webseam.adapters.features.models.schemas import strict_schema
from webseam.ports import OutputSchema

ROW: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string"},
        "age": {"type": "integer", "default": 3},
        "tag": {"type": ["string", "null"]},
        "note": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
        "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
    },
    "required": ["name", "rows"],
    "$defs": {"Row": {"properties": {"url": {"type": "string"}}, "required": ["url"]}},
}


def test_nothing_is_optional_and_nothing_open_in_a_strict_schema() -> None:
    before = copy.deepcopy(ROW)

    assert strict_schema(ROW) == {
        "type": "object",
        "properties": {
            "name": {"type": "string"},
            "age": {"anyOf": [{"type": "integer"}, {"type": "null"}]},
            "tag": {"type": ["string", "null"]},
            "note": {"anyOf": [{"type": "string"}, {"type": "null"}]},
            "rows": {"type": "array", "items": {"$ref": "#/$defs/Row"}},
        },
        "required": ["name", "age", "tag", "note", "rows"],
        "$defs": {
            "Row": {
                "properties": {"url": {"type": "string"}},
                "required": ["url"],
                "additionalProperties": False,
            }
        },
        "additionalProperties": False,
    }
    assert before == ROW


def test_a_strict_schema_stays_as_it_is() -> None:
    once = strict_schema(ROW)

    assert once is not None
    assert strict_schema(once) == once


@pytest.mark.parametrize(
    "opened",
    [
        {"type": "object", "additionalProperties": True},
        {"type": "object", "additionalProperties": {"type": "string"}},
        {"type": "array", "items": {"type": "object", "patternProperties": {"^x": {}}}},
    ],
)
def test_a_schema_that_is_open_on_purpose_is_sent_as_it_is(opened: dict[str, Any]) -> None:
    assert strict_schema(opened) is None
    assert output_schema_fields(OutputSchema(schema=opened)) == {
        "name": "answer",
        "strict": False,
        "schema": opened,
    }


def test_a_schema_that_is_not_meant_to_be_strict_is_sent_as_it_is() -> None:
    assert output_schema_fields(OutputSchema(schema=ROW, strict=False))["schema"] is ROW
