"""JSON schemas cut down to what each API takes."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ...ports.models.chat import Tool
from ..values.json_values import as_list, as_mapping, as_objects, text, write_json

Schema: TypeAlias = dict[str, object]
Change: TypeAlias = Callable[[Schema], Schema]
_BY_NAME = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_BELOW = frozenset(
    {
        "additionalProperties",
        "allOf",
        "anyOf",
        "contains",
        "else",
        "if",
        "items",
        "not",
        "oneOf",
        "prefixItems",
        "propertyNames",
        "then",
    }
)


def change_parameters(tools: Sequence[Tool], change: Change) -> Sequence[Tool]:
    """Return the tools with every node of their parameters' schemas changed, leaves first."""
    return tuple(_changed_tool(tool, change) for tool in tools)


def _changed_tool(tool: Tool, change: Change) -> Tool:
    function = tool.get("function")
    if isinstance(function, Mapping):
        return {**tool, "function": _changed_function(function, change)}
    # Responses has them flat.
    return _changed_function(tool, change) if tool.get("type") == "function" else tool


def _changed_function(function: Mapping[str, object], change: Change) -> Mapping[str, object]:
    parameters = function.get("parameters")
    if not isinstance(parameters, Mapping):
        return function
    # Parameters are an object, even if they do not say so.
    whole = {"type": "object", "properties": {}, **parameters}
    return {**function, "parameters": change_schema(whole, change)}


def change_schema(node: object, change: Change) -> object:
    """Return a schema with each of its nodes changed; what is no object stays as it is."""
    if isinstance(node, list | tuple):
        return [change_schema(part, change) for part in node]
    if not isinstance(node, Mapping):
        return node
    return change({key: _changed_value(key, value, change) for key, value in node.items()})


def _changed_value(key: str, value: object, change: Change) -> object:
    if key in _BY_NAME and isinstance(value, Mapping):
        return {name: change_schema(part, change) for name, part in value.items()}
    return change_schema(value, change) if key in _BELOW else value


_SUBSET_UNIONS = ("anyOf", "oneOf")
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


def tool_schema(schema: object) -> Schema:
    """Return the schema of a tool's arguments: an object, no union at the top, no nullable ones.

    >>> tool_schema({"anyOf": [{"required": ["a"]}]})
    {'type': 'object', 'properties': {}}
    """
    changed = as_mapping(change_schema(as_mapping(schema), _without_null))
    plain = {name: value for name, value in changed.items() if name not in _TOP}
    properties = dict(as_mapping(plain.get("properties")))
    return {"type": "object", **plain, "properties": properties} | {"type": "object"}


def closed_schema(schema: Mapping[str, object]) -> Schema:
    """Return the schema of an answer: every object closed, and no law that cannot be enforced.

    >>> closed_schema({"type": "object", "properties": {"n": {"type": "integer", "minimum": 1}}})[
    ...     "properties"
    ... ]
    {'n': {'type': 'integer', 'description': '(minimum: 1)'}}
    """
    return dict(as_mapping(change_schema(schema, _closed)))


def _without_null(node: Schema) -> Schema:
    """Replace a union of one schema and null by that schema."""
    for name in _SUBSET_UNIONS:
        branches = [as_mapping(branch) for branch in as_list(node.get(name))]
        others = [branch for branch in branches if branch.get("type") != "null"]
        if len(others) == 1 and len(branches) > 1:
            rest = {key: value for key, value in node.items() if key != name}
            return {**others[0], **rest}
    return node


def _closed(node: Schema) -> Schema:
    laws = [f"{name}: {write_json(node[name])}" for name in node if name in _UNENFORCED]
    closed = {name: value for name, value in node.items() if name not in _UNENFORCED}
    if "oneOf" in closed:
        closed["anyOf"] = [*as_list(closed.pop("oneOf")), *as_list(closed.get("anyOf"))]
    if laws:
        words = (text(closed.get("description")), f"({', '.join(laws)})")
        closed["description"] = " ".join(word for word in words if word)
    if closed.get("type") == "object" or "properties" in closed:
        closed["additionalProperties"] = False
    return closed


_NULL: Schema = {"type": "null"}


def strict_schema(schema: Mapping[str, object]) -> Schema | None:
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

    change_schema(schema, look)
    return None if opened else dict(as_mapping(change_schema(schema, _subset_strict)))


def _subset_strict(node: Schema) -> Schema:
    closed = {name: value for name, value in node.items() if name != "default"}
    if closed.get("type") != "object" and "properties" not in closed:
        return closed
    properties = as_mapping(closed.get("properties"))
    required = as_list(closed.get("required"))
    closed["properties"] = {
        name: part if name in required or _may_be_null(part) else {"anyOf": [part, _NULL]}
        for name, part in properties.items()
    }
    return {**closed, "required": list(properties), "additionalProperties": False}


def _may_be_null(part: object) -> bool:
    kind = as_mapping(part).get("type")
    branches = (as_mapping(branch) for branch in as_list(as_mapping(part).get("anyOf")))
    return kind == "null" or "null" in as_list(kind) or _NULL in [dict(each) for each in branches]


# Moonshot's stricter tool schemas, which its models want on any host.

_MODEL = re.compile(r"kimi|moonshot|(^|/)k\d(\b|-)")
_UNIONS = ("anyOf", "oneOf")
_OBJECT_WORDS = ("properties", "required", "additionalProperties")
_TYPES = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def is_moonshot(model: str) -> bool:
    """Tell whether a model is one of Moonshot's, whoever serves it.

    >>> is_moonshot("moonshotai/Kimi-K2"), is_moonshot("k3"), is_moonshot("task3")
    (True, True, False)
    """
    return _MODEL.search(model.lower()) is not None


def moonshot_tools(tools: Sequence[Tool], model: str) -> Sequence[Tool]:
    """Return the tools as Moonshot's models want them; for other models, as they are."""
    return change_parameters(tools, _strict) if is_moonshot(model) else tools


def _strict(node: Schema) -> Schema:
    if "$ref" in node:
        return node
    plain = {key: value for key, value in node.items() if key != "nullable"}
    return _required(_listed(_typed(_single(_united(plain)))))


def _united(node: Schema) -> Schema:
    """Drop the branches for null; one branch that is left takes the node's place."""
    unions = [node[word] for word in _UNIONS if word in node]
    if not unions:
        return node
    branches = [branch for union in unions for branch in as_objects(union)]
    others = [branch for branch in branches if branch.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key not in (*_UNIONS, "type")}
    return (
        {**rest, "anyOf": others} if len(others) > 1 else {**rest, **(others[0] if others else {})}
    )


def _single(node: Schema) -> Schema:
    """Turn a list of types into one type, or into a union of them."""
    kinds = node.get("type")
    if not isinstance(kinds, list):
        return node
    others = [kind for kind in kinds if kind != "null"]
    rest = {key: value for key, value in node.items() if key != "type"}
    if len(others) > 1:
        return {**rest, "anyOf": [{"type": kind} for kind in others]}
    return {**rest, "type": others[0]} if others else rest


def _typed(node: Schema) -> Schema:
    if node.get("type") or "anyOf" in node or "allOf" in node:
        return node
    return {**node, "type": _guessed(node)}


def _guessed(node: Schema) -> str:
    if any(word in node for word in _OBJECT_WORDS):
        return "object"
    if "items" in node or "prefixItems" in node:
        return "array"
    values = node.get("enum")
    constants = [*values, node.get("const")] if isinstance(values, list) else [node.get("const")]
    value = next((value for value in constants if value is not None), "")
    return _TYPES.get(type(value), "string")


def _listed(node: Schema) -> Schema:
    values = node.get("enum")
    if not isinstance(values, list) or node.get("type") in ("array", "object"):
        return node
    others = [value for value in values if value is not None and value != ""]
    rest = {key: value for key, value in node.items() if key != "enum"}
    return {**rest, "enum": others} if others else rest


def _required(node: Schema) -> Schema:
    if node.get("type") != "object":
        return node
    held, wanted = node.get("properties"), node.get("required")
    properties = _all_typed(held) if isinstance(held, Mapping) else {}
    names = wanted if isinstance(wanted, list) else []
    known = {**node, "properties": properties} if properties else node
    return {**known, "required": [name for name in names if str(name) in properties]}


def _all_typed(properties: Mapping[str, object]) -> Schema:
    """Give a type to properties that may be anything (``true`` in a schema)."""
    return {
        name: part if isinstance(part, Mapping) else {"type": "string"}
        for name, part in properties.items()
    }
