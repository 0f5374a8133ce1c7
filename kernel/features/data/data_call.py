"""One call for typed values as JSON: its arguments, its envelope, and what a plugin made of it."""

from collections.abc import Mapping, Sequence
from typing import Any, cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.boundary import attempt_call
from webseam.kernel.envelopes import Fields, Replaced, envelope_mapping, failure_envelope
from webseam.kernel.laws.field_checks import convert_fields, refuse_field
from webseam.kernel.plugin_changes import Original, is_same_json, refuse_change
from webseam.kernel.text.display import strip_hidden_values
from webseam.kernel.urls.spelling import complete_web_url
from webseam.ports.data import Basis, Data, DataArguments, RefusedField
from webseam.ports.errors import WebError
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.targets import tidy_url

from .fields import nest_values
from .shipped_types import SHIPPED_TYPES
from .typed_values import read_wanted

_RULES = {
    "url": "must be text: the URL of one page",
    "schema": "must be a JSON Schema, an object",
    "like": f"must be one of {', '.join(SHIPPED_TYPES)}",
    "max_age": "must be a number of seconds from 0",
}


def check_data_arguments(fields: Mapping[str, object]) -> Result[DataArguments, WebError]:
    """Return the arguments of a call, or the field that breaks a rule."""
    checked = convert_fields(fields, DataArguments, _RULES)
    if isinstance(checked, Failure):
        return checked
    arguments = checked.unwrap()
    if (arguments.schema is None) == (arguments.like is None):
        return refuse_field("schema", "is what is wanted of the page; give it, or else like")
    known = read_wanted(wanted_of(arguments))
    url = complete_web_url(tidy_url(arguments.url))
    return known.map(lambda _: msgspec.structs.replace(arguments, url=url))


def wanted_of(arguments: DataArguments) -> object:
    """Return the schema or the shipped type that a call names."""
    return arguments.schema if arguments.like is None else SHIPPED_TYPES[arguments.like]


def data_envelope(got: Result[Data[Any], WebError]) -> dict[str, object]:
    """Return ``{"success": true, "data": {"url", "values", "basis", "refused"}}`` or the failure.

    ``values`` has those that are given. The failure of a required field has what was proved.
    """
    if isinstance(got, Failure):
        return failure_envelope(got.failure())
    data = got.unwrap()
    values = nest_values({name: msgspec.to_builtins(data[name]) for name in data})
    proof = msgspec.to_builtins({"basis": data.basis, "refused": data.refused})
    fields = cast("dict[str, object]", strip_hidden_values({"values": values, **proof}))
    envelope: dict[str, object] = {"success": True, "data": {"url": data.url, **fields}}
    if data.receipt is not None:
        envelope["receipt"] = msgspec.to_builtins(data.receipt)
    return envelope


class _DataFields(msgspec.Struct, frozen=True):
    """The ``data`` of an envelope."""

    url: str
    values: dict[str, Any]
    basis: dict[str, Basis]
    refused: dict[str, RefusedField]


def check_replaced_data(
    envelope: Fields, originals: Sequence[Original] = ()
) -> Result[Replaced, WebError]:
    """Return the envelope of a plugin if each of its values has a basis.

    A plugin may take values away. It gives none that the tool did not prove, so quotes stay true.
    """
    shown = strip_hidden_values(envelope.get("data"))
    fields = attempt_call(lambda: msgspec.convert(shown, _DataFields)).value_or(None)
    if fields is None:
        return refuse_change("$.data", "values, their basis and what is refused", shown)
    if not fields.basis.keys().isdisjoint(fields.refused) or not _have_bases(fields):
        return refuse_change("$.data.values", "values that each have a basis", fields.values)
    receipt = attempt_call(lambda: msgspec.convert(envelope.get("receipt"), ExtractReceipt))
    outcome: Data[Any] = Data(
        value=fields.values,
        basis=fields.basis,
        refused=fields.refused,
        text="",
        url=fields.url,
        receipt=receipt.value_or(None),
    )
    for original in originals:
        own = envelope_mapping(original.envelope.get("data"))
        if is_same_json(own, shown):
            outcome = cast("Data[Any]", original.outcome)
        elif not _is_part_of(fields, own):
            return refuse_change("$.data.values", "values that the tool proved", fields.values)
    stripped = cast("Fields", strip_hidden_values(envelope))
    return Success(Replaced(stripped, outcome))


def _have_bases(fields: _DataFields) -> bool:
    """Tell whether the values are those that have a basis, and no others."""
    given = {name: _value_at(fields.values, name) for name in fields.basis}
    return None not in given.values() and is_same_json(nest_values(given), fields.values)


def _value_at(values: object, name: str) -> object:
    for part in name.split("."):
        values = envelope_mapping(values).get(part)
    return values


def _is_part_of(fields: _DataFields, own: Fields) -> bool:
    """Tell whether each value, with its basis, is one of the tool's own."""
    bases = envelope_mapping(strip_hidden_values(msgspec.to_builtins(fields.basis)))
    own_bases = envelope_mapping(own.get("basis"))
    return all(
        is_same_json(_value_at(own.get("values"), name), _value_at(fields.values, name))
        and is_same_json(own_bases.get(name), bases[name])
        for name in fields.basis
    )
