"""Values from outside as plain fields, and the field to blame when they break a rule."""

from collections.abc import Mapping

import msgspec

from .text import shown


class Fault(msgspec.Struct, frozen=True, kw_only=True):
    """One field and the rule it broke."""

    field: str
    reason: str


def plain_fields(value: object) -> object:
    """Return a mapping's or a Struct's fields as a plain dict; anything else as it is.

    A Struct is taken apart because ``msgspec.convert`` trusts one that already has the right type.
    """
    if type(value) is dict:
        return value
    if isinstance(value, msgspec.Struct):
        return {name: getattr(value, name) for name in value.__struct_fields__}
    return dict(value) if isinstance(value, Mapping) else value


def first_fault(
    fields: Mapping[object, object],
    shape: type[msgspec.Struct],
    rules: Mapping[str, str],
) -> Fault | None:
    """Return the first field of ``fields`` that does not fit ``shape``; None when each one fits.

    ``rules`` holds the words for each field's law; msgspec's own would quote patterns.
    """
    known = msgspec.structs.fields(shape)
    for field in known:
        fault = _fault_in(fields, field, rules)
        if fault is not None:
            return fault
    return _stranger(fields, {field.name for field in known}, shape)


def _fault_in(
    fields: Mapping[object, object],
    field: msgspec.structs.FieldInfo,
    rules: Mapping[str, str],
) -> Fault | None:
    if field.name not in fields:
        missing = Fault(field=field.name, reason="is missing")
        return missing if field.required else None
    value = fields[field.name]
    try:
        msgspec.convert(value, field.type)
    except msgspec.ValidationError:
        return Fault(field=field.name, reason=f"{rules[field.name]}, got {shown(value)}")
    return None


def _stranger(
    fields: Mapping[object, object], known: set[str], shape: type[msgspec.Struct]
) -> Fault | None:
    """Blame a field that ``shape`` does not know, if it forbids those, or one without a name."""
    for name in fields:
        if not isinstance(name, str):
            return Fault(field="?", reason=f"has a field named by {shown(name)}")
        if shape.__struct_config__.forbid_unknown_fields and name not in known:
            return Fault(field=name[:100], reason="is not a field of a query")
    return None
