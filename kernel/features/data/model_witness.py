"""A model as a witness: what it is asked, what it says, and why its values are refused.

It is asked for the fields that the page and its linked data leave open, and the checker hears it
like any other. What it says is foreign text: it must have the form of the fields, and its values
must stand in the visible text.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from returns.result import Failure, Result, Success

from webseam.ports.data import (
    DataField,
    DataSchema,
    PageValues,
    PlainValue,
    RefusedField,
    Said,
)

from .fields import MAX_FIELDS, nest_values

INSTRUCTION: Final = (
    "Answer with one JSON object: the values that the text between the marks has for the fields of "
    "the schema. Copy words, names and figures exactly as they stand there, and items of a list "
    "each as one text. Write days as YYYY-MM-DD and durations as PT80M. Leave out what the text "
    "does not say."
)
_OPEN_REASONS: Final = frozenset({"missing", "not_visible", "template_changed"})
_MAX_ITEMS: Final = 500
_MAX_DEPTH: Final = 4
_REASONS: Final = {
    "missing": "is missing, or has another form than the schema says",
    "ambiguous": "has no clear extent on the page",
    "disagrees": "differs from what the page says",
    "not_visible": "does not stand in the text of the page",
    "template_changed": "has no place that is known",
    "not_labelled": "stands in the text, and nothing there says that it is this",
}


def open_fields(values: PageValues, schema: DataSchema) -> tuple[DataField, ...]:
    """Return the fields that a model may fill: no witness has a value, or none that is seen.

    What no visitor sees cannot be checked, so no model is asked for it.
    """
    return tuple(
        field
        for field in schema.fields
        if field.name in values.refused
        and values.refused[field.name].reason in _OPEN_REASONS
        and not field.unseen
    )


def answer_schema(fields: Iterable[DataField]) -> dict[str, object]:
    """Return the JSON Schema of an answer with the values of fields; none is required."""
    leaves = {field.name: _leaf_schema(field) for field in fields}
    return _object_schema(nest_values(leaves), set(map(id, leaves.values())))


def _leaf_schema(field: DataField) -> dict[str, object]:
    leaf: dict[str, object] = {"type": "number" if field.kind == "number" else "string"}
    if field.choices:
        leaf["enum"] = list(field.choices)
    if field.kind == "money":
        parts = {"amount": {"type": "string"}, "currency": {"type": "string"}}
        leaf = {"type": "object", "properties": parts}
    return {"type": "array", "items": leaf} if field.many else leaf


def _object_schema(nested: Mapping[str, object], leaves: set[int]) -> dict[str, object]:
    properties = {
        name: _object_schema(part, leaves)
        if isinstance(part, Mapping) and id(part) not in leaves
        else part
        for name, part in nested.items()
    }
    return {"type": "object", "properties": properties}


def read_said(answer: Mapping[str, object], fields: Iterable[DataField]) -> Result[Said, str]:
    """Return what an answer says of fields, or which field has another form."""
    said: dict[str, PlainValue] = {}
    for field in fields:
        value = _at(answer, field.name)
        if value is None or value == []:
            continue
        plain = _plain(field, value)
        if plain is None:
            return Failure(f"{field.name} has another form than the schema says")
        said[field.name] = plain
    return Success(said)


def _at(answer: object, name: str) -> object:
    for part in name.split("."):
        answer = answer.get(part) if isinstance(answer, Mapping) else None
    return answer


def _plain(field: DataField, value: object) -> PlainValue | None:
    if not field.many:
        return _plain_text(field, value)
    if not isinstance(value, list) or len(value) > _MAX_ITEMS:
        return None
    texts = [_plain_text(field, it) for it in value]
    plain = tuple(text for text in texts if text is not None)
    return plain if len(plain) == len(texts) else None


def _plain_text(field: DataField, value: object) -> str | None:
    if field.kind == "money" and isinstance(value, Mapping):
        return f"{value.get('amount')} {value.get('currency')}"
    if isinstance(value, bool) or not isinstance(value, str | int | float):
        return None
    return str(value)


def explain_refused(
    fields: Iterable[DataField], said: Said, refused: Mapping[str, RefusedField]
) -> str | None:
    """Say which of the values of a model are refused, and which required one it left out."""
    reasons = [
        f"{field.name} {_REASONS[refused[field.name].reason]}"
        for field in fields
        if field.name in refused and (field.name in said or field.required)
    ]
    return "; ".join(reasons) or None


def describe_object(answer: Mapping[str, object]) -> Result[dict[str, object], str]:
    """Return a JSON Schema of an answer for which the caller has none, or what cannot be proved."""
    described = _describe(answer, "", 0)
    if isinstance(described, Failure):
        return described
    return Success(described.unwrap() or {"type": "object"})


def _describe(value: object, name: str, depth: int) -> Result[dict[str, object], str]:
    """Return the schema of a value; an empty one for a value that says nothing."""
    if isinstance(value, Mapping):
        return _describe_fields(value, name, depth)
    if isinstance(value, list):
        if any(isinstance(item, Mapping | list) for item in value):
            return Failure(f"{name} is a list of objects, which cannot be proved")
        items = _describe(value[0], name, depth) if value else Success({})
        return items.map(lambda it: {"type": "array", "items": it} if it else {})
    if value is None:
        return Success({})
    if isinstance(value, bool):
        return Failure(f"{name} is true or false, which cannot be proved")
    return Success({"type": "string" if isinstance(value, str) else "number"})


def _describe_fields(
    value: Mapping[object, object], name: str, depth: int
) -> Result[dict[str, object], str]:
    if depth > _MAX_DEPTH or len(value) > MAX_FIELDS:
        return Failure("the object is too deep or has too many fields")
    properties: dict[str, object] = {}
    for key, part in value.items():
        described = _describe(part, f"{name}.{key}" if name else str(key), depth + 1)
        if isinstance(described, Failure):
            return described
        if described.unwrap():
            properties[str(key)] = described.unwrap()
    return Success({"type": "object", "properties": properties} if properties else {})
