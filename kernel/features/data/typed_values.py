"""Make the user's own type of proved values, or say which required field is not proved.

A value that the page proves and the type does not take, such as a number above its limit, is
refused as one that disagrees.
"""

from collections.abc import Mapping
from typing import Any, Protocol, TypeVar, cast, get_type_hints, runtime_checkable

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.data import (
    Data,
    DataField,
    DataSchema,
    OfferedValue,
    PageValues,
    ProvedField,
    RefusedField,
)
from webseam.ports.errors import DataRefused, WebError

from .fields import Plain, nest_values, read_schema
from .json_schema import read_json_schema
from .money_forms import split_money

Wanted = TypeVar("Wanted")


@runtime_checkable
class SchemaModel(Protocol):
    """A class that describes and builds itself, as pydantic's models do."""

    @classmethod
    def model_json_schema(cls) -> dict[str, Any]:
        """Return the JSON Schema of the class."""

    @classmethod
    def model_validate(cls, values: object) -> Any:  # noqa: ANN401  an instance of the user's class
        """Return an instance of the class; a ValueError says what is wrong."""


def read_wanted(wanted: object, like: str = "") -> Result[DataSchema, WebError]:
    """Return the schema of a type, of a pydantic model, or of a JSON Schema."""
    if isinstance(wanted, Mapping):
        return read_json_schema(wanted, like)
    if isinstance(wanted, type) and isinstance(wanted, SchemaModel):
        return read_json_schema(wanted.model_json_schema(), wanted.__name__)
    return read_schema(wanted)


def make_data(
    values: PageValues, schema: DataSchema, wanted: object, url: str
) -> Result[Data[Any], WebError]:
    """Return the values in the user's type, or the required fields that are not proved."""
    fields = {field.name: field for field in schema.fields}
    proved, refused = dict(values.proved), dict(values.refused)
    to_plain = json_value if isinstance(wanted, Mapping) else _typed_value
    plain = {name: to_plain(fields[name], it) for name, it in proved.items()}
    plain |= {name: None for name in refused if fields[name].null}
    nested = nest_values(plain)
    absent = {name.partition(".")[0] for name in refused if fields[name].required}
    heads = [name for name in nested if name not in absent]
    for head in [name for name in heads if not _takes(wanted, name, nested[name])]:
        del nested[head]
        for name in [it for it in proved if it.partition(".")[0] == head]:
            refused[name] = refuse_proved(proved.pop(name))
    missing = tuple(name for name, field in fields.items() if field.required and name in refused)
    if missing:
        return Failure(
            DataRefused(required=missing, refused=refused, proved=proved, url=url or None)
        )
    try:
        value = _build(wanted, nested)
    except ValueError:
        # The type checks its values together, and does not take these.
        refused |= {name: refuse_proved(it) for name, it in proved.items()}
        error = DataRefused(required=tuple(proved), refused=refused, proved=proved, url=url or None)
        return Failure(error)
    basis = {name: it.basis for name, it in proved.items()}
    return Success(Data(value=value, basis=basis, refused=refused, text=values.text, url=url))


def refuse_proved(proved: ProvedField) -> RefusedField:
    """Return the refusal of a value that is proved and that its type does not take."""
    value = proved.value if isinstance(proved.value, str) else " | ".join(proved.value)
    return RefusedField(
        reason="disagrees", seen=(OfferedValue(value=value, path=proved.basis.path),)
    )


def json_value(field: DataField, proved: ProvedField) -> object:
    """Return a proved value as JSON has it: a number is a number."""
    if field.kind != "number":
        return _typed_value(field, proved)
    as_number = int if field.whole else float
    if isinstance(proved.value, tuple):
        return list(map(as_number, proved.value))
    return as_number(proved.value)


def _typed_value(field: DataField, proved: ProvedField) -> object:
    """Return a proved value as a type is made of it; a number stays text and keeps its digits."""
    if isinstance(proved.value, tuple):
        return list(proved.value)
    if field.kind == "money":
        amount, currency = split_money(proved.value)
        return {"amount": amount, "currency": currency}
    return proved.value


def _takes(wanted: object, name: str, value: object) -> bool:
    """Tell whether the type of a field takes a value."""
    if isinstance(wanted, Mapping | SchemaModel):
        return True
    hint = get_type_hints(wanted, include_extras=True)[name]
    try:
        msgspec.convert(value, hint, strict=False)
    except msgspec.ValidationError:
        return False
    return True


def _build(wanted: object, nested: Plain) -> object:
    if isinstance(wanted, Mapping):
        return nested
    if isinstance(wanted, type) and isinstance(wanted, SchemaModel):
        return wanted.model_validate(nested)
    return msgspec.convert(nested, cast("type[Any]", wanted), strict=False)
