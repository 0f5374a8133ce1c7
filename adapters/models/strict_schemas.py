"""Schemas for strict structured output: nothing in them is optional, and nothing open."""

from collections.abc import Mapping

from ..values.json import listed, mapping
from .tool_schemas import Schema, change_schema

_NULL: Schema = {"type": "null"}


def strict_schema(given: Mapping[str, object]) -> Schema | None:
    """Return a schema that strict mode takes, None if it is open on purpose and cannot be one.

    Every object is closed and all its properties are required; what was optional may be null.

    >>> strict_schema({"type": "object", "properties": {"a": {"type": "string"}}})["properties"]
    {'a': {'anyOf': [{'type': 'string'}, {'type': 'null'}]}}
    """
    opened: list[Schema] = []

    def look(node: Schema) -> Schema:
        if node.get("patternProperties") or node.get("additionalProperties") not in (None, False):
            opened.append(node)
        return node

    change_schema(given, look)
    return None if opened else dict(mapping(change_schema(given, _strict)))


def _strict(node: Schema) -> Schema:
    kept = {name: value for name, value in node.items() if name != "default"}
    if kept.get("type") != "object" and "properties" not in kept:
        return kept
    properties = mapping(kept.get("properties"))
    required = listed(kept.get("required"))
    kept["properties"] = {
        name: part if name in required or _may_be_null(part) else {"anyOf": [part, _NULL]}
        for name, part in properties.items()
    }
    return {**kept, "required": list(properties), "additionalProperties": False}


def _may_be_null(part: object) -> bool:
    kind = mapping(part).get("type")
    branches = (mapping(branch) for branch in listed(mapping(part).get("anyOf")))
    return kind == "null" or "null" in listed(kind) or _NULL in [dict(each) for each in branches]
