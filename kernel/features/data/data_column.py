"""The column ``data`` of a dataset: what each page proves of a schema, also of a required field."""

from collections.abc import Mapping
from typing import Any

import msgspec

from webseam.ports.data import DataField, DataSchema, PageValues, ProvedField, RefusedField
from webseam.ports.errors import DataRefused, WebError

from .fields import nest_values
from .typed_values import json_value, refuse_proved

# A column of whole numbers has 64 bits.
_MAX_WHOLE_NUMBER = 2**63 - 1


def data_column(values: PageValues, schema: DataSchema) -> dict[str, Any]:
    """Return the values of a page, their bases and reasons, and the kind of the error, if any.

    A required field that is not proved is an error of the column, and not of the row.
    """
    fields = {field.name: field for field in schema.fields}
    refused = dict(values.refused)
    given: dict[str, object] = {}
    for name, proved in values.proved.items():
        if _has_room(fields[name], proved):
            given[name] = json_value(fields[name], proved)
        else:
            refused[name] = refuse_proved(proved)
    is_refused = any(fields[name].required for name in refused)
    basis = {name: values.proved[name].basis for name in given}
    return _column(given, basis, refused, DataRefused.__struct_config__.tag if is_refused else None)


def failed_column(error: WebError) -> dict[str, Any]:
    """Return the column of a page whose values could not be looked for."""
    return _column({}, {}, {}, error.kind)


def _has_room(field: DataField, proved: ProvedField) -> bool:
    if not field.whole:
        return True
    numbers = (proved.value,) if isinstance(proved.value, str) else proved.value
    return all(abs(int(number)) <= _MAX_WHOLE_NUMBER for number in numbers)


def _column(
    given: dict[str, object],
    basis: Mapping[str, object],
    refused: Mapping[str, RefusedField],
    error: object,
) -> dict[str, Any]:
    texts = {"basis": _sorted_json(basis), "refused": _sorted_json(refused)}
    return {"values": nest_values(given), **texts, "error": error}


def _sorted_json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
