"""Arguments as a model sends them, brought into the shape that a tool declares."""

from collections.abc import Container, Mapping
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import InvalidQuery
from ..ports.tools import MAX_PAGES, ExtractArguments, MoreArguments
from .boundary import Crash, attempt_call
from .laws.field_checks import VALIDATION_ERRORS, first_fault
from .text.display import quote_value

_RULES = {
    "urls": f"must be a list of 1 to {MAX_PAGES} URLs",
    "focus": "must be text",
    "char_limit": "must be a whole number of at least 1",
    "handle": "must be text: the handle in the receipt of a page",
    "cursor": "must be a whole number from 0 on",
}
Shape = TypeVar("Shape", bound=msgspec.Struct)


def coerce_arguments(
    arguments: object, shape: type[msgspec.Struct], aliases: Mapping[str, str]
) -> Result[dict[str, object], InvalidQuery]:
    """Return ``arguments`` as fields of ``shape``: parsed, renamed, numbers and lists made of text.

    What does not fit stays as it is, for the tool to refuse by name; null is the same as absent.
    """
    parsed = attempt_call(lambda: _fields(arguments))
    fields = parsed.value_or(None)
    if fields is None:
        return Failure(
            InvalidQuery(field="args", reason=f"must be an object, got {quote_value(arguments)}")
        )
    kinds = {field.name: field.type for field in msgspec.structs.fields(shape)}
    # An alias was put there by whoever came last: the tool itself never says it.
    renamed = {**fields, **{aliases[name]: fields[name] for name in fields if name in aliases}}
    return Success(
        {
            name: _coerced(value, kinds.get(name))
            for name, value in renamed.items()
            if value is not None and name not in aliases
        }
    )


def own_arguments(
    fields: Mapping[str, object], shape: type[msgspec.Struct], named_by_caller: Container[str]
) -> dict[str, object]:
    """Return the fields that are a tool's business: its own, and those that the caller named.

    What plugins add beyond that, a tag say, is theirs alone. What a caller says and the tool does
    not know stays, for the tool to refuse by name.
    """
    known = {field.name for field in msgspec.structs.fields(shape)}
    return {
        name: value for name, value in fields.items() if name in known or name in named_by_caller
    }


def check_extract(fields: Mapping[str, object]) -> Result[ExtractArguments, InvalidQuery]:
    """Return the pages to read, or the field that breaks a rule."""
    return _checked(fields, ExtractArguments)


def check_more(fields: Mapping[str, object]) -> Result[MoreArguments, InvalidQuery]:
    """Return where to go on in a page, or the field that breaks a rule."""
    return _checked(fields, MoreArguments)


def _checked(fields: Mapping[str, object], shape: type[Shape]) -> Result[Shape, InvalidQuery]:
    try:
        return Success(msgspec.convert(fields, shape))
    except VALIDATION_ERRORS:
        values: dict[object, object] = dict(fields.items())
        fault = first_fault(values, shape, _RULES)
        return Failure(InvalidQuery(field=fault.field, reason=fault.reason))


def _fields(arguments: object) -> dict[str, object] | None:
    parsed = msgspec.json.decode(arguments or "{}") if isinstance(arguments, str) else arguments
    if parsed is None:
        return {}
    return (
        {str(name): value for name, value in parsed.items()}
        if isinstance(parsed, Mapping)
        else None
    )


def _coerced(value: object, kind: object) -> object:
    """Return ``value`` as the type wants it: as it is, out of its text, or as a list of one."""
    if kind is None or not isinstance(value, str | list | tuple):
        return value
    parsed = attempt_call(lambda: msgspec.json.decode(value) if isinstance(value, str) else value)
    fitting = (_fitting(each, kind) for each in (value, parsed.value_or(value), [value]))
    fit = next((each.unwrap() for each in fitting if isinstance(each, Success)), value)
    return list(fit) if isinstance(fit, tuple) else fit


def _fitting(value: object, kind: object) -> Result[object, Crash]:
    # To builtins again: callbacks are told plain JSON values, a date as its text.
    return attempt_call(lambda: msgspec.to_builtins(msgspec.convert(value, kind, strict=False)))
