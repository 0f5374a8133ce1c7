"""Values from outside as plain fields, and the field to blame when they break a rule."""

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Annotated, cast, get_args, get_origin

import msgspec

from ..text.display import is_plain, quote_value

# What msgspec says of fields that do not fit; of a name with half of a surrogate pair it cannot.
VALIDATION_ERRORS = (msgspec.ValidationError, UnicodeEncodeError)
_GUESS_FROM = 0.75  # max_result is nearly max_results; limit is nearly nothing


class FieldFault(msgspec.Struct, frozen=True, kw_only=True):
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
) -> FieldFault:
    """Name the field that keeps ``fields`` from fitting ``shape``, which they are known not to.

    ``rules`` holds the words for each field's law; msgspec's own would quote patterns.
    """
    known = msgspec.structs.fields(shape)
    faults = (_fault_in(fields, field, rules) for field in known)
    # When each known field fits, it is one that has no business there.
    return next(filter(None, faults), None) or _stranger(fields, {field.name for field in known})


def _fault_in(
    fields: Mapping[object, object],
    field: msgspec.structs.FieldInfo,
    rules: Mapping[str, str],
) -> FieldFault | None:
    if field.name not in fields:
        missing = FieldFault(field=field.name, reason="is missing")
        return missing if field.required else None
    value = fields[field.name]
    if _fits(value, field.type):
        return None
    culprit = _culprit(value, field.type)
    return FieldFault(field=field.name, reason=f"{rules[field.name]}, got {culprit}")


def _culprit(value: object, kind: object) -> str:
    """Show the value that does not fit; of a list the item that does not, or how many there are."""
    # No subclass of a list: what that says about itself may be anything.
    bare = get_args(kind)[0] if get_origin(kind) is Annotated else kind
    if get_origin(bare) is not tuple or type(value) not in (list, tuple):
        return quote_value(value)
    items = cast("list[object]", value)
    strange = [item for item in items if not _fits([item], kind)]
    return quote_value(strange[0]) if strange else f"{len(items)}"


def _fits(value: object, kind: object) -> bool:
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError:
        return False
    return True


def _stranger(fields: Mapping[object, object], known: set[str]) -> FieldFault:
    name = next(name for name in fields if not isinstance(name, str) or name not in known)
    if isinstance(name, str) and is_plain(name):
        near = get_close_matches(name[:100], sorted(known), 1, _GUESS_FROM)
        guess = f"; {near[0]} is" if near else ""
        return FieldFault(field=name[:100], reason=f"is not a known field{guess}")
    return FieldFault(field="?", reason=f"has a field named by {quote_value(name)}")
