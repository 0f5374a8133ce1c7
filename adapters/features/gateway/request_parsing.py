"""Parse requests into structs, and find the fields of a call that these do not have. Pure."""

import re
from collections.abc import Iterator, Mapping
from typing import Annotated, Protocol, TypeAlias, TypeGuard, TypeVar, get_args
from urllib.parse import parse_qsl

import msgspec

from webseam.ports.text import truncate
from webseam.ports.web import MAX_RESULTS

from ...values.json_values import json_or_none
from .replies import Call, Refusal, refuse_invalid, refuse_unsupported

Shape = TypeVar("Shape")
_PATH_PATTERN = re.compile(r" - at `\$\.?([^`]*)`")
_TYPE_NAMES = {
    "array": "a list", "bool": "true or false", "float": "a number", "int": "a whole number",
    "object": "an object", "str": "text",
}  # fmt: skip
_TYPE_PATTERN = re.compile(r"`([a-z]+)(?: \| null)?`")
_MAX_VALUE_CHARS = 80
_EMPTY_VALUES: tuple[object, ...] = (None, False, 0, "", "0", "false", "False", [], {})
_TRUTH_SPELLINGS = {"false": "0", "true": "1"}
# A number of rows is refused beyond what a search here has at most, not cut; others have no end.
RowCount: TypeAlias = Annotated[int, msgspec.Meta(ge=1, le=MAX_RESULTS)]
Count: TypeAlias = Annotated[int, msgspec.Meta(ge=1)]


MAX_BODY_FIELDS = 10_000


def count_body_fields(body: bytes) -> int:
    r"""Return how many members and items a JSON body has, or fields a form; parse nothing.

    Only marks outside of strings count. Above the limit the number is not exact.

    >>> count_body_fields(b'{"a": [1, 2], "b": "x, \\", {y"}'), count_body_fields(b"q=a&b=c")
    (4, 2)
    """
    if not body.lstrip().startswith((b"{", b"[")):
        return body.count(b"&") + 1
    # A member has at most two strings, its name and its value, and a string two quotes.
    max_quotes = 4 * MAX_BODY_FIELDS
    pieces = body.replace(rb"\\", b"").replace(rb"\"", b"").split(b'"', max_quotes + 1)
    if len(pieces) > max_quotes + 1:
        return MAX_BODY_FIELDS + 1
    outside = b"".join(pieces[::2])
    return sum(outside.count(mark) for mark in (b",", b"{", b"["))


def read_json_body(call: Call, shape: type[Shape]) -> Shape | Refusal:
    """Return the body of a call as a struct; unknown keys are ignored."""
    try:
        # Not strict: clients send numbers as text and text as numbers.
        return msgspec.convert(msgspec.json.decode(call.body or b"{}"), shape, strict=False)
    except msgspec.ValidationError as error:
        return refuse_wrong_shape(error)
    except (ValueError, RecursionError):
        return refuse_invalid("The body is not JSON.")


def read_parameters(fields: Mapping[str, str], shape: type[Shape]) -> Shape | Refusal:
    """Return parameters of a query or form as a struct; a blank value counts as absent."""
    try:
        return msgspec.convert(
            {name: value for name, value in fields.items() if value.strip()}, shape, strict=False
        )
    except msgspec.ValidationError as error:
        return refuse_wrong_shape(error)


def read_switch(value: bool | str | None) -> bool | str:  # noqa: FBT001  what a field has
    """Return a truth that a header or a client may write as text, or the choice that it names.

    >>> [read_switch(value) for value in ("False", "0", None, "1", "all")]
    [False, False, False, True, 'all']
    """
    if value is None or isinstance(value, bool):
        return bool(value)
    word = value.strip().lower()
    if _TRUTH_SPELLINGS.get(word, word) in ("", "0"):
        return False
    return True if _TRUTH_SPELLINGS.get(word, word) == "1" else value


def refuse_wrong_shape(error: msgspec.ValidationError) -> Refusal:
    """Return a refusal that names the invalid part of a body."""
    message = str(error)
    if (missing := re.search(r"missing required field `([^`]+)`", message)) is not None:
        return refuse_invalid(f"{missing[1]} is missing.", missing[1])
    path = _PATH_PATTERN.search(message)
    name = re.sub(r"\[.*", "", path[1]) if path is not None and path[1] else "body"
    reason = _TYPE_PATTERN.sub(
        lambda kind: _TYPE_NAMES.get(kind[1], kind[1]), _PATH_PATTERN.sub("", message)
    )
    return refuse_invalid(
        f"{name}: {reason.replace('Expected', 'expected', 1).replace('`', '')}.", name
    )


def refuse_unsupported_options(
    options: Mapping[str, object], reason: str = "this gateway does not have it"
) -> Refusal | None:
    """Return a refusal that names the first option with a value; None if there is none."""
    name = next((name for name, value in options.items() if value), None)
    return None if name is None else refuse_unsupported(name, reason)


class FieldRules(Protocol):
    """The fields that an endpoint reads, those that change nothing, and the vendor's defaults."""

    @property
    def shape(self) -> type[msgspec.Struct] | None:
        """The struct of the fields that are read."""

    @property
    def idle(self) -> frozenset[str]:
        """The fields that change nothing."""

    @property
    def defaults(self) -> Mapping[str, object]:
        """What fields that are not read are unless the caller says so."""


class CallFields(msgspec.Struct, frozen=True, kw_only=True):
    """Rules for a part of a call that is no endpoint."""

    shape: type[msgspec.Struct] | None
    idle: frozenset[str] = frozenset()
    defaults: Mapping[str, object] = {}


def is_default_value(value: object, default: object) -> bool:
    """Tell whether a value is a default; a query has both as text, and 1 for true.

    >>> is_default_value("1", True), is_default_value(False, 0), is_default_value("7", True)
    (True, True, False)
    """
    texts = [str(given).strip().lower() for given in (value, default)]
    return len({_TRUTH_SPELLINGS.get(text, text) for text in texts}) == 1


def unread_fields(call: Call, rules: FieldRules) -> tuple[tuple[str, ...], Refusal | None]:
    """Return the names of the fields of a call that change nothing, and a refusal of another one.

    Clients send all their defaults, so null and a vendor's default ask for nothing. A field that
    nobody knows is refused if it asks for something; if it says no, it is named. Beside a JSON
    body, no field of the query is known; elsewhere a field has one value.

    >>> from datetime import date
    >>> class Search(msgspec.Struct): q: str
    >>> body = b'{"q": "a", "theme": "dark", "safe": true, "x": null}'
    >>> call = Call(method="POST", path="/", body=body, today=date.min)
    >>> rules = CallFields(shape=Search, idle=frozenset({"theme"}))
    >>> names, refusal = unread_fields(call, rules)
    >>> names, refusal.params
    (('theme',), ('safe',))
    """
    body, pairs = _json_fields(call), _text_fields(call)
    last_values = dict(pairs)
    undeclared = list(_undeclared_fields(last_values if body is None else body, rules.shape))
    if body is not None:
        undeclared += call.query
    elif twice := next((name for name, value in pairs if last_values[name] != value), ""):
        return (), refuse_invalid(f"{twice}: it is given twice.", twice)
    named: dict[str, None] = {}
    refusal: Refusal | None = None
    for path, value in undeclared:
        name = path.rpartition(".")[2]
        if name in rules.defaults and is_default_value(value, rules.defaults[name]):
            continue
        if name in rules.idle or value in _EMPTY_VALUES:
            named[path] = None
        elif refusal is None:
            refusal = refuse_unsupported(path)
    return tuple(named), refusal


def name_refused_value(refusal: Refusal, call: Call) -> Refusal:
    """Add the value of the refused field to the message, unless it is there or is no plain value.

    >>> from datetime import date
    >>> call = Call(method="GET", path="/", query=(("page", "2"),), today=date.min)
    >>> name_refused_value(refuse_unsupported("page"), call).message
    "page: this gateway does not have it, got '2'."
    """
    fields = _json_fields(call) or dict(_text_fields(call))
    value = fields.get(refusal.params[0]) if refusal.params else None
    if not isinstance(value, str | int | float) or str(value) in refusal.message:
        return refusal
    shown = truncate(ascii(value), _MAX_VALUE_CHARS)
    message = f"{refusal.message.removesuffix('.')}, got {shown}."
    return msgspec.structs.replace(refusal, message=message)


def _json_fields(call: Call) -> dict[str, object] | None:
    body = json_or_none(call.body) if call.body and call.method != "GET" else None
    return body if isinstance(body, dict) else None


def _text_fields(call: Call) -> list[tuple[str, str]]:
    """Return the fields of the query, and of a form."""
    is_form = call.method != "GET" and not call.body.lstrip().startswith((b"{", b"["))
    # Bytes, as in a form: a form that is not UTF-8 has no fields.
    form = call.body.decode("utf-8", "ignore") if is_form else ""
    return [*call.query, *parse_qsl(form, keep_blank_values=True)]


def _undeclared_fields(
    fields: Mapping[str, object], shape: type[msgspec.Struct] | None
) -> Iterator[tuple[str, object]]:
    """Yield the paths and values of the fields that a struct does not have; null is no value."""
    struct_fields = () if shape is None else msgspec.structs.fields(shape)
    declared = {field.encode_name: field.type for field in struct_fields}
    for name, value in fields.items():
        if name not in declared:
            if value is not None:
                yield name, value
            continue
        inner = next((part for part in _type_parts(declared[name]) if _is_struct(part)), None)
        items = value if isinstance(value, list) else [value]
        for item in items:
            if inner is not None and isinstance(item, dict):
                for part, part_value in _undeclared_fields(item, inner):
                    yield f"{name}.{part}", part_value


def _type_parts(kind: object) -> list[object]:
    """Return a type and the types inside its unions and lists."""
    return [kind, *(part for inner in get_args(kind) for part in _type_parts(inner))]


def _is_struct(kind: object) -> TypeGuard[type[msgspec.Struct]]:
    return isinstance(kind, type) and issubclass(kind, msgspec.Struct)


def present_fields(**fields: object) -> dict[str, object]:
    """Return the fields that have a value.

    >>> present_fields(query="a", country=None, include_domains=(), max_results=3)
    {'query': 'a', 'max_results': 3}
    """
    return {name: value for name, value in fields.items() if value not in (None, "", (), [])}
