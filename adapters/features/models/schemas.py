"""JSON schemas, reduced to what each API accepts."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from webseam.ports.models import Tool

from ...values.json_values import as_list, as_mapping, as_objects, text, write_json

Schema: TypeAlias = dict[str, object]
Change: TypeAlias = Callable[[Schema], Schema]
_NAMED_SUBSCHEMA_KEYS = frozenset({"properties", "patternProperties", "$defs", "definitions"})
_SUBSCHEMA_KEYS = frozenset({
    "additionalProperties", "allOf", "anyOf", "contains", "else", "if", "items", "not", "oneOf",
    "prefixItems", "propertyNames", "then",
})  # fmt: skip
_TOP_UNION_KEYS = frozenset({"anyOf", "oneOf", "allOf"})
# Keywords that structured output does not enforce; they go into the description instead.
_UNENFORCED_KEYWORDS = frozenset(
    {
        "minItems", "maxItems", "uniqueItems", "contains", "minContains", "maxContains",
        "prefixItems", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf",
        "minLength", "maxLength", "patternProperties", "propertyNames", "minProperties",
        "maxProperties", "dependentRequired", "dependentSchemas", "dependencies",
        "unevaluatedProperties", "unevaluatedItems", "if", "then", "else", "not",
    }
)  # fmt: skip
_NULL_SCHEMA: Schema = {"type": "null"}
# Moonshot's models want stricter tool schemas, on any host.
_MOONSHOT_MODEL_PATTERN = re.compile(r"kimi|moonshot|(^|/)k\d(\b|-)")
_UNION_KEYS = ("anyOf", "oneOf")
_SCHEMA_TYPES = {bool: "boolean", int: "integer", float: "number", list: "array", dict: "object"}


def change_tool_parameters(tools: Sequence[Tool], change: Change) -> Sequence[Tool]:
    """Return the tools with every node of their parameters' schemas changed, leaves first."""
    return tuple(_change_tool_schema(tool, change) for tool in tools)


def _change_tool_schema(tool: Tool, change: Change) -> Tool:
    function = tool.get("function")
    if isinstance(function, Mapping):
        return {**tool, "function": _change_function_schema(function, change)}
    # The Responses API has no ``function`` object around them.
    return _change_function_schema(tool, change) if tool.get("type") == "function" else tool


def _change_function_schema(function: Mapping[str, object], change: Change) -> Mapping[str, object]:
    parameters = function.get("parameters")
    if not isinstance(parameters, Mapping):
        return function
    # Parameters are always an object, even without a type.
    parameter_schema = {"type": "object", "properties": {}, **parameters}
    return {**function, "parameters": change_schema(parameter_schema, change)}


def change_schema(node: object, change: Change) -> object:
    """Return a schema with each of its nodes changed; values that are not objects stay."""
    if isinstance(node, list | tuple):
        return [change_schema(part, change) for part in node]
    if not isinstance(node, Mapping):
        return node
    return change({key: _change_schema_value(key, value, change) for key, value in node.items()})


def _change_schema_value(key: str, value: object, change: Change) -> object:
    if key in _NAMED_SUBSCHEMA_KEYS and isinstance(value, Mapping):
        return {name: change_schema(part, change) for name, part in value.items()}
    return change_schema(value, change) if key in _SUBSCHEMA_KEYS else value


def tool_schema(schema: object) -> Schema:
    """Return the schema of a tool's arguments: an object, without a union at the top or null."""
    changed = as_mapping(change_schema(as_mapping(schema), _drop_null))
    without_unions = {name: value for name, value in changed.items() if name not in _TOP_UNION_KEYS}
    properties = dict(as_mapping(without_unions.get("properties")))
    return {"type": "object", **without_unions, "properties": properties} | {"type": "object"}


def closed_schema(schema: Mapping[str, object]) -> Schema:
    """Return the schema of an answer: every object closed, no keyword that cannot be enforced."""
    return dict(as_mapping(change_schema(schema, _close_object)))


def _drop_null(node: Schema) -> Schema:
    """Replace a union of one schema and null by that schema."""
    for name in ("anyOf", "oneOf"):
        branches = [as_mapping(branch) for branch in as_list(node.get(name))]
        non_null = [branch for branch in branches if branch.get("type") != "null"]
        if len(non_null) == 1 and len(branches) > 1:
            rest = {key: value for key, value in node.items() if key != name}
            return {**non_null[0], **rest}
    return node


def _close_object(node: Schema) -> Schema:
    dropped = [f"{name}: {write_json(node[name])}" for name in node if name in _UNENFORCED_KEYWORDS]
    closed = {name: value for name, value in node.items() if name not in _UNENFORCED_KEYWORDS}
    if "oneOf" in closed:
        closed["anyOf"] = [*as_list(closed.pop("oneOf")), *as_list(closed.get("anyOf"))]
    if dropped:
        parts = (text(closed.get("description")), f"({', '.join(dropped)})")
        closed["description"] = " ".join(part for part in parts if part)
    if closed.get("type") == "object" or "properties" in closed:
        closed["additionalProperties"] = False
    return closed


def strict_schema(schema: Mapping[str, object]) -> Schema | None:
    """Return a schema for strict mode; None if it allows additional properties.

    Every object is closed and all its properties are required; optional ones may be null.
    """
    open_nodes: list[Schema] = []

    def collect_open_node(node: Schema) -> Schema:
        if node.get("patternProperties") or node.get("additionalProperties") not in (None, False):
            open_nodes.append(node)
        return node

    change_schema(schema, collect_open_node)
    return None if open_nodes else dict(as_mapping(change_schema(schema, _make_strict)))


def _make_strict(node: Schema) -> Schema:
    closed = {name: value for name, value in node.items() if name != "default"}
    if closed.get("type") != "object" and "properties" not in closed:
        return closed
    properties = as_mapping(closed.get("properties"))
    required = as_list(closed.get("required"))
    closed["properties"] = {
        name: part if name in required or _allows_null(part) else {"anyOf": [part, _NULL_SCHEMA]}
        for name, part in properties.items()
    }
    return {**closed, "required": list(properties), "additionalProperties": False}


def _allows_null(part: object) -> bool:
    kind = as_mapping(part).get("type")
    branches = (as_mapping(branch) for branch in as_list(as_mapping(part).get("anyOf")))
    return (
        kind == "null"
        or "null" in as_list(kind)
        or _NULL_SCHEMA in [dict(branch) for branch in branches]
    )


def is_moonshot(model: str) -> bool:
    """Tell whether a model is one of Moonshot's, on any host."""
    return _MOONSHOT_MODEL_PATTERN.search(model.lower()) is not None


def moonshot_tools(tools: Sequence[Tool], model: str) -> Sequence[Tool]:
    """Return the tools with strict schemas for Moonshot's models; unchanged for others."""
    return change_tool_parameters(tools, _moonshot_schema) if is_moonshot(model) else tools


def _moonshot_schema(node: Schema) -> Schema:
    if "$ref" in node:
        return node
    plain = {key: value for key, value in node.items() if key != "nullable"}
    return _limit_moonshot_required(
        _clean_moonshot_enum(
            _add_moonshot_type(_split_moonshot_types(_merge_moonshot_unions(plain)))
        )
    )


def _merge_moonshot_unions(node: Schema) -> Schema:
    """Drop the union branches for null; a single branch left replaces the node."""
    unions = [node[keyword] for keyword in _UNION_KEYS if keyword in node]
    if not unions:
        return node
    branches = [branch for union in unions for branch in as_objects(union)]
    non_null = [branch for branch in branches if branch.get("type") != "null"]
    rest = {key: value for key, value in node.items() if key not in (*_UNION_KEYS, "type")}
    return (
        {**rest, "anyOf": non_null}
        if len(non_null) > 1
        else {**rest, **(non_null[0] if non_null else {})}
    )


def _split_moonshot_types(node: Schema) -> Schema:
    """Turn a list of types into one type, or into a union of them."""
    kinds = node.get("type")
    if not isinstance(kinds, list):
        return node
    types = [kind for kind in kinds if kind != "null"]
    rest = {key: value for key, value in node.items() if key != "type"}
    if len(types) > 1:
        return {**rest, "anyOf": [{"type": kind} for kind in types]}
    return {**rest, "type": types[0]} if types else rest


def _add_moonshot_type(node: Schema) -> Schema:
    if node.get("type") or "anyOf" in node or "allOf" in node:
        return node
    return {**node, "type": _guess_moonshot_type(node)}


def _guess_moonshot_type(node: Schema) -> str:
    if any(keyword in node for keyword in ("properties", "required", "additionalProperties")):
        return "object"
    if "items" in node or "prefixItems" in node:
        return "array"
    values = node.get("enum")
    constants = [*values, node.get("const")] if isinstance(values, list) else [node.get("const")]
    value = next((value for value in constants if value is not None), "")
    return _SCHEMA_TYPES.get(type(value), "string")


def _clean_moonshot_enum(node: Schema) -> Schema:
    values = node.get("enum")
    if not isinstance(values, list) or node.get("type") in ("array", "object"):
        return node
    constants = [value for value in values if value is not None and value != ""]
    rest = {key: value for key, value in node.items() if key != "enum"}
    return {**rest, "enum": constants} if constants else rest


def _limit_moonshot_required(node: Schema) -> Schema:
    if node.get("type") != "object":
        return node
    raw_properties, required_names = node.get("properties"), node.get("required")
    properties = (
        _typed_moonshot_properties(raw_properties) if isinstance(raw_properties, Mapping) else {}
    )
    names = required_names if isinstance(required_names, list) else []
    typed_node = {**node, "properties": properties} if properties else node
    return {**typed_node, "required": [name for name in names if str(name) in properties]}


def _typed_moonshot_properties(properties: Mapping[str, object]) -> Schema:
    """Give the type string to properties that allow any value (``true`` in a schema)."""
    return {
        name: part if isinstance(part, Mapping) else {"type": "string"}
        for name, part in properties.items()
    }
