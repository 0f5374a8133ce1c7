"""Parse parts of requests: structs, days, domain names. Pure."""

import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, timedelta
from itertools import compress
from operator import not_
from typing import TypeGuard, TypeVar, get_args
from urllib.parse import parse_qsl

import msgspec

from webseam.ports.dates import leading_iso_day
from webseam.ports.text import truncate

from ...values.json_values import json_or_none
from .replies import Call, Refusal, refuse_invalid, refuse_unsupported

Shape = TypeVar("Shape")
_PATH_PATTERN = re.compile(r" - at `\$\.?([^`]*)`")
_TYPE_NAMES = {
    "array": "a list", "bool": "true or false", "float": "a number", "int": "a whole number",
    "object": "an object", "str": "text",
}  # fmt: skip
_TYPE_PATTERN = re.compile(r"`([a-z]+)(?: \| null)?`")
_AMERICAN_DAY_PATTERN = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_MAX_VALUE_CHARS = 80
_EMPTY_VALUES: tuple[object, ...] = (None, False, 0, "", "0", "false", "False", [], {})
_PERIOD_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_PERIOD_LETTERS = {"h": "day", "d": "day", "w": "week", "m": "month", "y": "year"}


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


def unread_fields(
    call: Call, shape: type[msgspec.Struct] | None, idle: frozenset[str]
) -> tuple[tuple[str, ...], Refusal | None]:
    """Return the names of the ``idle`` fields in a call, and a refusal of the first unknown field.

    A field without a value asks for nothing: clients send all their defaults. Beside a JSON body,
    no field of the query is known; elsewhere a field has one value.

    >>> class Search(msgspec.Struct): q: str
    >>> body = b'{"q": "a", "theme": "dark", "safe": true, "x": null}'
    >>> call = Call(method="POST", path="/", body=body, today=date.min)
    >>> names, refusal = unread_fields(call, Search, frozenset({"theme"}))
    >>> names, refusal.params
    (('theme',), ('safe',))
    """
    body, pairs = _json_fields(call), _text_fields(call)
    last_values = dict(pairs)
    undeclared = tuple(_undeclared_names(last_values if body is None else body, shape))
    if body is not None:
        undeclared += tuple(name for name, value in call.query if value not in _EMPTY_VALUES)
    elif twice := next((name for name, value in pairs if last_values[name] != value), ""):
        return (), refuse_invalid(f"{twice}: it is given twice.", twice)
    is_idle = [name.rpartition(".")[2] in idle for name in undeclared]
    known = tuple(dict.fromkeys(compress(undeclared, is_idle)))
    unknown = next(compress(undeclared, map(not_, is_idle)), None)
    return known, None if unknown is None else refuse_unsupported(unknown)


def name_refused_value(refusal: Refusal, call: Call) -> Refusal:
    """Add the value of the refused field to the message, unless it is there or is no plain value.

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


def _undeclared_names(
    fields: Mapping[str, object], shape: type[msgspec.Struct] | None
) -> Iterator[str]:
    struct_fields = () if shape is None else msgspec.structs.fields(shape)
    declared = {field.encode_name: field.type for field in struct_fields}
    for name, value in fields.items():
        if name not in declared:
            if value not in _EMPTY_VALUES:
                yield name
            continue
        inner = next((part for part in _type_parts(declared[name]) if _is_struct(part)), None)
        items = value if isinstance(value, list) else [value]
        for item in items:
            if inner is not None and isinstance(item, dict):
                yield from (f"{name}.{part}" for part in _undeclared_names(item, inner))


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


def period_start(period: str, today: date) -> str | None:
    """Return the first day of a period of time; None for an unknown period.

    >>> (period_start("week", date(2026, 11, 15)), period_start("d", date(2026, 11, 15)),
    ...  period_start("soon", date.min))
    ('2026-11-08', '2026-11-14', None)
    """
    days = _PERIOD_DAYS.get(_PERIOD_LETTERS.get(period.lower(), period.lower()))
    return None if days is None else (today - timedelta(days=days)).isoformat()


def refuse_wrong_days(days: Mapping[str, str | None], rule: str) -> Refusal | None:
    """Return a refusal that names the first field whose date cannot be parsed; else None."""
    wrong = next((name for name, day in days.items() if day and leading_iso_day(day) is None), None)
    return None if wrong is None else refuse_invalid(f"{wrong} {rule}.", wrong)


def american_day(day: str | None) -> str:
    """Return a day in the form MM/DD/YYYY as an ISO day; other texts as they are.

    >>> american_day("3/24/2026"), american_day("soon"), american_day(None)
    ('2026-03-24', 'soon', '')
    """
    parts = _AMERICAN_DAY_PATTERN.fullmatch(day or "")
    return day or "" if parts is None else f"{parts[3]}-{parts[1]:0>2}-{parts[2]:0>2}"


PERPLEXITY_FIELD_NAMES = {
    "published_after": "search_after_date_filter", "published_before": "search_before_date_filter",
    "include_domains": "search_domain_filter", "exclude_domains": "search_domain_filter",
}  # fmt: skip


class PerplexityFilters(msgspec.Struct):
    """The filters that Perplexity's searches and chats share."""

    search_domain_filter: list[str] | None = None
    search_recency_filter: str | None = None
    search_after_date_filter: str | None = None
    search_before_date_filter: str | None = None
    search_mode: str | None = None


def perplexity_filters(body: PerplexityFilters, today: date) -> dict[str, object] | Refusal:
    """Return the search fields of Perplexity's filters; a domain with a minus is excluded."""
    recency, domains = body.search_recency_filter or "", body.search_domain_filter or ()
    after = period_start(recency, today) if recency else None
    if recency and after is None:
        return refuse_unsupported("search_recency_filter", "day, week, month and year are known")
    if body.search_mode not in (None, "", "web"):
        return refuse_unsupported("search_mode", "web is known")
    first, last = map(american_day, (body.search_after_date_filter, body.search_before_date_filter))
    days = {"search_after_date_filter": first, "search_before_date_filter": last}
    if (refusal := refuse_wrong_days(days, "must be in the format MM/DD/YYYY")) is not None:
        return refusal
    excluded = [name for name in domains if name.startswith("-")]
    return {
        "published_after": first or after,
        "published_before": last,
        "include_domains": list(host_names(name for name in domains if name not in excluded)),
        "exclude_domains": list(host_names(name[1:] for name in excluded)),
    }


def host_names(domains: Iterable[str]) -> tuple[str, ...]:
    """Return domains as bare host names, whatever form they were written in.

    >>> host_names(["https://Example.com/a", "*.b.test", ""])
    ('example.com', 'b.test')
    """
    bare = (re.sub(r"^[a-z]+://", "", domain.strip().lower()).split("/")[0] for domain in domains)
    return tuple(name.removeprefix("*.").removeprefix("www.") for name in bare if name)
