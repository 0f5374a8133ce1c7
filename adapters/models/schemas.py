"""JSON schemas in the part of the language that a model API takes; the given one stays."""

from collections.abc import Mapping

from ..values.json import listed, mapping, text, write
from .tool_schemas import Schema, change_schema

_UNIONS = ("anyOf", "oneOf")
_TOP = frozenset({"anyOf", "oneOf", "allOf"})
# Laws that structured output refuses to enforce. They are told in the description instead.
_UNENFORCED = frozenset(
    {
        "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
        "prefixItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minLength", "maxLength", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
        "unevaluatedProperties", "unevaluatedItems", "if", "then", "else", "not",
    }
)  # fmt: skip


def tool_schema(given: object) -> Schema:
    """Return the schema of a tool's arguments: an object, no union at the top, no nullable ones.

    >>> tool_schema({"anyOf": [{"required": ["a"]}]})
    {'type': 'object', 'properties': {}}
    """
    changed = mapping(change_schema(mapping(given), _without_null))
    kept = {name: value for name, value in changed.items() if name not in _TOP}
    properties = dict(mapping(kept.get("properties")))
    return {"type": "object", **kept, "properties": properties} | {"type": "object"}


def closed_schema(given: Mapping[str, object]) -> Schema:
    """Return the schema of an answer: every object closed, and no law that cannot be enforced.

    >>> closed_schema({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})[
    ...     "properties"
    ... ]
    {'n': {'type': 'integer', 'description': '(minimum: 1)'}}
    """
    return dict(mapping(change_schema(given, _closed)))


def _without_null(node: Schema) -> Schema:
    """Replace a union of one schema and null by that schema."""
    for name in _UNIONS:
        branches = [mapping(branch) for branch in listed(node.get(name))]
        kept = [branch for branch in branches if branch.get("type") != "null"]
        if len(kept) == 1 and len(branches) > 1:
            rest = {key: value for key, value in node.items() if key != name}
            return {**kept[0], **rest}
    return node


def _closed(node: Schema) -> Schema:
    told = [f"{name}: {write(node[name])}" for name in node if name in _UNENFORCED]
    kept = {name: value for name, value in node.items() if name not in _UNENFORCED}
    if "oneOf" in kept:
        kept["anyOf"] = [*listed(kept.pop("oneOf")), *listed(kept.get("anyOf"))]
    if told:
        words = (text(kept.get("description")), f"({', '.join(told)})")
        kept["description"] = " ".join(word for word in words if word)
    if kept.get("type") == "object" or "properties" in kept:
        kept["additionalProperties"] = False
    return kept
