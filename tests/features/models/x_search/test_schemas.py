"""A value against a schema: clear reasons, and bounds on both."""

import pytest
from returns.result import Failure, Success

from webseam.adapters.values.json_schema import explain_schema_mismatch

HANDLE = {"type": "object", "required": ["handle"], "properties": {"handle": {"type": "string"}}}


def doubling(word: str, steps: int = 40) -> dict[str, object]:
    parts = {f"d{n}": {word: [{"$ref": f"#/$defs/d{n + 1}"}] * 2} for n in range(steps)}
    return {"$defs": {**parts, f"d{steps}": {"type": "string"}}, "$ref": "#/$defs/d0"}


@pytest.mark.parametrize(
    ("value", "schema", "reason"),
    [
        ({"handle": "a"}, HANDLE, None),
        (
            {"rows": [{}, {"handle": 3}]},
            {"properties": {"rows": {"items": {"properties": {"handle": {"type": "string"}}}}}},
            '$.rows[1].handle: 3 is not of type "string"',
        ),
        (
            {"a": {}},
            {"properties": {"a": {"anyOf": [{"type": "null"}, HANDLE]}}},
            '$.a: "handle" is a required property',
        ),
        (
            {"a": 1},
            {"properties": {"a": {"anyOf": [{"type": "null"}, HANDLE]}}},
            "$.a: 1 is not valid under any of the schemas listed in the 'anyOf' keyword",
        ),
        (
            {"b": 1},
            {"properties": {"a": {}}, "additionalProperties": False},
            "Additional properties are not allowed ('b' was unexpected)",
        ),
        (1, {"$ref": "#"}, None),
        (
            1,
            {"$ref": "#text", "$defs": {"a": {"$anchor": "text", "type": "string"}}},
            '1 is not of type "string"',
        ),
        (1, {"$ref": "#/allOf/0", "allOf": [{"type": "integer"}]}, None),
        (
            1,
            {"$ref": "#/$defs/a%20~1b", "$defs": {"a /b": {"type": "string"}}},
            '1 is not of type "string"',
        ),
        (
            1,
            {
                "$id": "https://a.example/b",
                "$ref": "c",
                "$defs": {"c": {"$id": "c", "type": "null"}},
            },
            '1 is not of type "null"',
        ),
        ([[1]], {"items": {"$ref": "#"}, "type": "array"}, '$[0][0]: 1 is not of type "array"'),
        (
            "a" * 2000,
            {"pattern": "(a|a)*(?=b)(a|a)*$"},
            "Error executing regex: Max limit for backtracking count exceeded",
        ),
    ],
)
def test_a_value_is_valid_or_the_reason_names_the_place(
    value: object, schema: dict[str, object], reason: str | None
) -> None:
    assert explain_schema_mismatch(value, schema) == Success(reason)


@pytest.mark.parametrize(
    ("value", "schema", "reason"),
    [
        (1, doubling("anyOf"), "the schema repeats its parts too often"),
        (1, doubling("allOf"), "the schema repeats its parts too often"),
        (1, {"$ref": "#/nowhere"}, "the schema refers to another one, which is not fetched"),
        (
            1,
            {"$ref": "#/allOf/1", "allOf": [{}]},
            "the schema refers to another one, which is not fetched",
        ),
        (
            1,
            {"$ref": f"#/allOf/{'9' * 5_000}", "allOf": [{}]},
            "the schema refers to another one, which is not fetched",
        ),
        (
            1,
            {"$ref": "http://127.0.0.1:9/a.json"},
            "the schema refers to another one, which is not fetched",
        ),
        (1, {"pattern": "["}, 'the schema is not valid: $.pattern: "[" is not a "regex"'),
        ("\ud800", {}, "the schema, or the answer, holds what cannot be written as JSON"),
    ],
    ids=["any", "all", "nowhere", "index", "far index", "remote", "regex", "surrogate"],
)
def test_a_hostile_schema_or_value_is_refused_before_it_costs_anything(
    value: object, schema: dict[str, object], reason: str
) -> None:
    assert explain_schema_mismatch(value, schema) == Failure(reason)


def test_a_schema_or_value_that_goes_too_deep_is_refused() -> None:
    deep: object = 1
    for _ in range(100_000):
        deep = [deep]

    for value, schema in ((deep, {}), (1, {"const": deep})):
        refused = explain_schema_mismatch(value, schema)
        assert refused == Failure("the schema, or the answer, goes too deep")
