"""Moonshot's stricter tool schemas, which its models want on any host.

Every property has a type; beside ``anyOf``, the one union there is, stands none, and in it no null;
no ``nullable``; no null and no empty text in an enum; every object says what it requires, of what
it has.

Anything else is 400, "not a valid moonshot flavored json schema": public reports of it are all
that says so, as no page of Moonshot's was found on 2026-11-15.
"""

import re
from collections.abc import Mapping, Sequence

from ....ports.models.chat import Tool
from ...values.json_values import as_objects
from .subset import Schema, change_parameters

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
