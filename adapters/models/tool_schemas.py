"""JSON schemas of tools, changed for providers that accept only some of what a schema may say."""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from ...ports.models import Tool

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
