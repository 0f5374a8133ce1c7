"""Readers of untrusted JSON: each returns a value of its type, or an empty one."""

from collections.abc import Mapping, Sequence
from typing import cast

import msgspec

_ID_DIGITS = 12
_ID_HASH_DIGITS = 32
_MAX_ID_CHARS = 64
# JSON allows numbers that no float or counter can hold.
_MAX_JSON_NUMBER = 1 << 53


def as_mapping(value: object) -> Mapping[str, object]:
    """Return ``value`` if it is an object, else an empty one."""
    # Nearly every object is a dict, and the check of an abstract class costs several times as much.
    if type(value) is dict or isinstance(value, Mapping):
        return cast("Mapping[str, object]", value)
    return {}


def as_list(value: object) -> Sequence[object]:
    """Return ``value`` if it is a list, else an empty one."""
    return value if isinstance(value, list | tuple) else ()


def as_objects(value: object) -> list[Mapping[str, object]]:
    """Return only the objects of a list."""
    return [
        cast("Mapping[str, object]", item)
        for item in as_list(value)
        if type(item) is dict or isinstance(item, Mapping)
    ]


def text(value: object) -> str:
    """Return ``value`` if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def as_count(value: object) -> int:
    """Return a number of tokens; 0 for anything else, a negative or a huge number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return 0
    return int(value) if 0 <= value < _MAX_JSON_NUMBER else 0


def as_amount(value: object) -> float | None:
    """Return a sum of money; None for anything else, a negative or a huge number."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _MAX_JSON_NUMBER else None


def json_or_none(data: str | bytes) -> object:
    """Return the JSON value in ``data``; None when it is not JSON."""
    try:
        return msgspec.json.decode(data)
    # Not only DecodeError: bad UTF-8 is a UnicodeError and deep nesting a RecursionError.
    except (ValueError, RecursionError):
        return None


def write_json(value: object) -> str:
    """Return a parsed JSON value as JSON text again."""
    try:
        return msgspec.json.encode(value).decode()
    except (ValueError, RecursionError, TypeError):
        return "{}"


def stable_id(name: str, arguments: str, index: int) -> str:
    """Return an id for a tool call that came without one.

    The same call always gets the same id, so that a replayed prompt still hits the cache.

    >>> stable_id("lookup", "{}", 0)
    'call_6078d55e3ca2'
    """
    return "call_" + _hex_digest(f"{name}:{arguments}:{index}")[:_ID_DIGITS]


def short_id(identifier: str, prefix: str) -> str:
    """Return an id of at most 64 characters, OpenAI's limit: the id itself, or its hash.

    >>> short_id("call_1", "call_")
    'call_1'
    >>> len(short_id("x" * 65, "call_"))
    37
    """
    if len(identifier) <= _MAX_ID_CHARS:
        return identifier
    return prefix + _hex_digest(identifier)[:_ID_HASH_DIGITS]


def _hex_digest(source: str) -> str:
    import hashlib  # noqa: PLC0415  only for models

    return hashlib.sha256(source.encode("utf-8", "surrogatepass")).hexdigest()


def parse_whole_number(text: str, digits: int = 9) -> int | None:
    """Return a whole number of at most ``digits`` digits; None for anything else.

    >>> parse_whole_number("07")
    7
    >>> parse_whole_number("123456789")
    123456789
    >>> parse_whole_number("-1")
    >>> parse_whole_number("²")
    >>> parse_whole_number("9" * 5_000)
    """
    fits = text.isascii() and text.isdecimal() and len(text) <= digits
    return int(text) if fits else None
