"""Convert a model's tool arguments to the fields that a tool declares."""

from collections.abc import Callable, Container, Mapping
from functools import cache
from math import inf
from typing import cast, get_args

import msgspec
from msgspec.structs import replace
from returns.result import Result, Success

from webseam.ports.errors import InvalidQuery
from webseam.ports.targets import tidy_url
from webseam.ports.tools import (
    MAX_PAGES,
    MAX_PASSAGES,
    ExtractArguments,
    MoreArguments,
    ToolPart,
)

from ..boundary import Crash, attempt_call
from ..laws.field_checks import convert_fields, refuse_field
from ..text.display import is_text, plain_text, plain_texts, quote_value
from ..urls.spelling import complete_web_url

_ARGUMENT_RULES = {
    "urls": f"must be a list of at most {MAX_PAGES} URLs",
    "focus": "must be text",
    "char_limit": "must be a whole number of at least 1",
    "max_age": "must be a number of seconds from 0",
    "second_look": "must be true or false",
    "links": "must be true or false",
    "html": "must be true or false",
    "select": "must be text: a CSS selector",
    "handle": "must be text: the handle in the receipt of a page",
    "cursor": "must be a whole number from 0 on",
    "part": f"must be one of {', '.join(get_args(ToolPart))}",
    "find": "must be text",
    "max_passages": f"must be a whole number from 1 to {MAX_PASSAGES}",
}


def coerce_tool_arguments(
    arguments: object, shape: type[msgspec.Struct], aliases: Mapping[str, str]
) -> Result[dict[str, object], InvalidQuery]:
    """Return ``arguments`` as fields of ``shape``: parsed, renamed, and converted to their types.

    A value that does not fit stays, so that the tool refuses it by name; null means absent.
    """
    fields = attempt_call(lambda: _parse_tool_arguments(arguments)).value_or(None)
    if fields is None:
        return refuse_field("args", f"must be an object, got {quote_value(arguments)}")
    types = _argument_types(shape)
    # A plugin sets an alias last, and the tool never uses one, so an alias wins over its field.
    renamed = {**fields, **{aliases[name]: fields[name] for name in fields if name in aliases}}
    return Success(
        {
            name: _coerce_value(value, types.get(name))
            for name, value in renamed.items()
            if value is not None and name not in aliases
        }
    )


def select_tool_arguments(
    fields: Mapping[str, object], shape: type[msgspec.Struct], named_by_caller: Container[str]
) -> dict[str, object]:
    """Return the tool's own fields, and those that the caller named.

    Other fields, such as tags, belong to plugins. Unknown fields of the caller stay, so that the
    tool refuses them by name.
    """
    declared = _argument_types(shape)
    return {
        name: value for name, value in fields.items() if name in declared or name in named_by_caller
    }


@cache
def _argument_types(shape: type[msgspec.Struct]) -> dict[str, type[msgspec.Struct]]:
    # msgspec prepares a Struct once, but any other type on every use.
    fields = msgspec.structs.fields(shape)
    return {field.name: msgspec.defstruct("Argument", [("it", field.type)]) for field in fields}


def check_extract_arguments(fields: Mapping[str, object]) -> Result[ExtractArguments, InvalidQuery]:
    """Return the arguments of an extract call, or the field that breaks a rule."""
    checked = convert_fields(fields, ExtractArguments, _ARGUMENT_RULES)
    return checked.map(
        lambda arguments: replace(
            arguments, urls=tuple(complete_web_url(tidy_url(url)) for url in arguments.urls)
        )
    )


def check_max_age(value: object) -> Result[float | None, InvalidQuery]:
    """Return how old a cached answer may be, or the refusal of a value that is no age."""
    if value is None or (type(value) in (int, float) and 0 <= cast("float", value) < inf):
        return Success(cast("float | None", value))
    return refuse_field("max_age", f"{_ARGUMENT_RULES['max_age']}, got {quote_value(value)}")


def check_more_arguments(fields: Mapping[str, object]) -> Result[MoreArguments, InvalidQuery]:
    """Return the arguments of a more call, or the field that breaks a rule."""
    checked = convert_fields(fields, MoreArguments, _ARGUMENT_RULES)
    arguments = checked.value_or(None)
    if arguments is None:
        return checked
    if arguments.part not in get_args(ToolPart):
        quoted = quote_value(arguments.part)
        return refuse_field("part", f"{_ARGUMENT_RULES['part']}, got {quoted}")
    if arguments.find is None:
        return checked
    if arguments.part != "content" or arguments.cursor:
        field = "part" if arguments.part != "content" else "cursor"
        return refuse_field(field, "cannot stand beside find, which looks through every part")
    return checked


def _parse_tool_arguments(arguments: object) -> dict[str, object] | None:
    parsed = arguments
    if is_text(arguments):
        parsed = msgspec.json.decode(plain_text(arguments) or "{}")
    if isinstance(parsed, Mapping):
        fields = plain_texts(dict(parsed))
        return {str(name): value for name, value in cast("dict[object, object]", fields).items()}
    return {} if parsed is None else None


def _coerce_value(value: object, kind: type[msgspec.Struct] | None) -> object:
    """Return ``value`` in the field's type: unchanged, parsed from text, or as a list of one."""
    if kind is None or not issubclass(type(value), (str, list, tuple)):
        return value
    readings: tuple[Callable[[], object], ...] = (
        lambda: value,
        lambda: msgspec.json.decode(cast("str", value)),
        lambda: [value],
    )
    results = (_convert_value(read, kind) for read in readings)
    coerced = next((form.unwrap() for form in results if isinstance(form, Success)), value)
    return list(coerced) if isinstance(coerced, tuple) else coerced


def _convert_value(read: Callable[[], object], kind: type[msgspec.Struct]) -> Result[object, Crash]:
    # Back to builtins: callbacks receive plain JSON values, such as a date as text.
    return attempt_call(
        lambda: msgspec.to_builtins(msgspec.convert({"it": read()}, kind, strict=False))["it"]
    )
