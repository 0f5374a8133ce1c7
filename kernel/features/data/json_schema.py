"""The fields that a JSON Schema asks for. A keyword that is not understood is refused by name."""

from collections.abc import Mapping
from typing import Final, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.data import DataField, DataSchema, FieldKind
from webseam.ports.errors import InvalidQuery, WebError

from ...laws.schema_keywords import NOTES, Schema
from .fields import MAX_FIELDS, Asks, make_field, nested_path

_PROVABLE_NAMES: Final = """
type properties required items enum format anyOf $ref $defs definitions additionalProperties
x-webseam
"""
_UNDERSTOOD: Final = NOTES | frozenset(_PROVABLE_NAMES.split())
_FORMATS: Final[Mapping[str, FieldKind]] = {
    "date": "day",
    "date-time": "moment",
    "duration": "duration",
    "uri": "text",
}
_TYPES: Final[Mapping[str, FieldKind]] = {"string": "text", "number": "number", "integer": "number"}
_MAX_DEPTH: Final = 6


class _Extension(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """``x-webseam`` of a property: what ``asks`` says of a field."""

    path: str = ""
    labels: tuple[str, ...] = ()
    unseen: bool = False


def read_json_schema(schema: Schema, like: str = "") -> Result[DataSchema, WebError]:
    """Return the fields of a JSON Schema; its title, or ``like``, names the thing."""
    fields: list[DataField] = []
    definitions = schema.get("$defs", schema.get("definitions", {}))
    defined = definitions if isinstance(definitions, Mapping) else {}
    problem = _Reader(defined, fields).read_object(schema, "", "", 0, is_required=True)
    if problem is not None:
        return Failure(problem)
    title = like or schema.get("title", "")
    thing = title.lower() if isinstance(title, str) else ""
    return Success(DataSchema(thing=thing, fields=tuple(fields)))


def _refuse(name: str, reason: str) -> InvalidQuery:
    return InvalidQuery(field=f"schema.{name}" if name else "schema", reason=reason)


class _Reader:
    """Reads the objects of one schema into a list of fields."""

    def __init__(self, definitions: Schema, fields: list[DataField]) -> None:
        self._definitions = definitions
        self._fields = fields

    def read_object(
        self, schema: Schema, name: str, path: str, depth: int, *, is_required: bool
    ) -> InvalidQuery | None:
        """Add the properties of an object, or return why they cannot be proved."""
        properties, required = schema.get("properties"), schema.get("required", [])
        if not isinstance(properties, Mapping) or not properties:
            return _refuse(name, "must be an object with properties")
        if not isinstance(required, list | tuple):
            return _refuse(name, "has a `required` that is no list")
        if depth > _MAX_DEPTH or len(self._fields) > MAX_FIELDS:
            return _refuse(name, "is too deep or has too many properties")
        unknown = _unknown_keyword(schema)
        if unknown is not None:
            return _refuse(name, f"has the keyword {unknown}, which is not understood")
        for key, part in properties.items():
            if not isinstance(key, str) or not key or "." in key:
                return _refuse(name, "has a property without a name, or with a dot in it")
            full = f"{name}.{key}" if name else key
            needed = is_required and key in required
            problem = self._read_property(part, key, full, path, depth, is_required=needed)
            if problem is not None:
                return problem
        return None

    def _read_property(
        self, part: object, key: str, full: str, path: str, depth: int, *, is_required: bool
    ) -> InvalidQuery | None:
        schema = self._resolve(part)
        if schema is None:
            return _refuse(
                full, "is not a schema, or has a $ref or an anyOf that is not understood"
            )
        try:
            extension = msgspec.convert(schema.get("x-webseam", {}), _Extension)
        except msgspec.ValidationError as error:
            return _refuse(full, f"has a wrong x-webseam: {error}")
        unknown = _unknown_keyword(schema)
        if unknown is not None:
            return _refuse(full, f"has the keyword {unknown}, which is not understood")
        said = Asks(
            paths=tuple(extension.path.split()),
            labels=tuple(label.casefold() for label in extension.labels),
            unseen=extension.unseen,
        )
        many = schema.get("type") == "array"
        items = self._resolve(schema.get("items")) if many else schema
        if items is None:
            return _refuse(full, "is an array without a schema of its items")
        unknown = _unknown_keyword(items)
        if unknown is not None:
            return _refuse(full, f"has the keyword {unknown}, which is not understood")
        if "properties" in items:
            if many:
                return _refuse(full, "is a list of objects, which cannot be proved")
            inner = nested_path(path, key, said)
            return self.read_object(items, full, inner, depth + 1, is_required=is_required)
        kind = _kind(items)
        if kind is None:
            return _refuse(full, f"has the type {items.get('type')}, which cannot be proved")
        choices = items.get("enum", ())
        null = is_required and _takes_null(part)
        field = make_field(
            key,
            kind,
            said=said,
            prefix=path,
            many=many,
            required=is_required and not null,
            whole=items.get("type") == "integer",
            choices=tuple(map(str, cast("list[object]", choices))),
        )
        self._fields.append(msgspec.structs.replace(field, name=full, null=null))
        return None

    def _resolve(self, part: object) -> Schema | None:
        """Return a schema without its reference and without null; None if there is none."""
        for _ in range(_MAX_DEPTH):
            if not isinstance(part, Mapping):
                return None
            reference, options = part.get("$ref"), part.get("anyOf")
            if isinstance(reference, str):
                name = reference.rpartition("/")[2]
                part = {**_without(part, "$ref"), **_mapping(self._definitions.get(name))}
            elif isinstance(options, list):
                chosen = _choose_option(options)
                if chosen is None:
                    return None
                part = {**_without(part, "anyOf"), **chosen}
            else:
                kind = part.get("type")
                if isinstance(kind, list):
                    kinds = [it for it in kind if it != "null"]
                    return {**part, "type": kinds[0]} if len(kinds) == 1 else None
                return cast("Schema", part)
        return None


def _takes_null(part: object) -> bool:
    """Tell whether a schema has null as one of its types or options."""
    schema = _mapping(part)
    kind, options = schema.get("type"), schema.get("anyOf")
    if isinstance(options, list):
        return any(_mapping(it).get("type") == "null" for it in options)
    return isinstance(kind, list) and "null" in kind


def _mapping(value: object) -> Schema:
    return value if isinstance(value, Mapping) else {}


def _without(schema: Schema, keyword: str) -> Schema:
    return {name: value for name, value in schema.items() if name != keyword}


def _choose_option(options: list[object]) -> Schema | None:
    """Return the only option beside null; where a number may be text, the number."""
    schemas = [it for it in options if isinstance(it, Mapping) and it.get("type") != "null"]
    if len(schemas) == 1:
        return cast("Schema", schemas[0])
    numbers = [it for it in schemas if it.get("type") == "number"]
    if len(numbers) == 1 and {it.get("type") for it in schemas} == {"number", "string"}:
        return cast("Schema", numbers[0])
    return None


def _unknown_keyword(schema: Schema) -> str | None:
    return next((str(name) for name in schema if name not in _UNDERSTOOD), None)


def _kind(schema: Schema) -> FieldKind | None:
    if isinstance(schema.get("enum"), list):
        return "choice"
    kind, form = schema.get("type"), schema.get("format")
    if kind == "string" and isinstance(form, str):
        return _FORMATS.get(form)
    return _TYPES.get(kind) if isinstance(kind, str) else None
