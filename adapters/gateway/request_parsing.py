"""What dialects read out of bodies: structs, days, names of domains. Pure."""

import re
from collections.abc import Iterable, Mapping
from datetime import date, timedelta
from typing import TypeVar

import msgspec

from .refusal import Call, Refusal, refuse_invalid, refuse_unsupported

Shape = TypeVar("Shape")
_PLACE = re.compile(r" - at `\$\.?([^`]*)`")
_TYPES = {
    "array": "a list",
    "bool": "true or false",
    "float": "a number",
    "int": "a whole number",
    "object": "an object",
    "str": "text",
}
_TYPE = re.compile(r"`([a-z]+)(?: \| null)?`")
_DAYS = {"day": 1, "week": 7, "month": 30, "year": 365}
_LETTERS = {"h": "day", "d": "day", "w": "week", "m": "month", "y": "year"}


def read_json(call: Call, shape: type[Shape]) -> Shape | Refusal:
    """Return the body of a call as a struct; keys that nobody knows are left out."""
    try:
        # Clients send numbers as text and the other way round.
        return msgspec.convert(msgspec.json.decode(call.body or b"{}"), shape, strict=False)
    except msgspec.ValidationError as error:
        return wrong_shape(error)
    except (ValueError, RecursionError):
        return refuse_invalid("The body is not JSON.")


def read_parameters(fields: Mapping[str, str], shape: type[Shape]) -> Shape | Refusal:
    """Return parameters of a query or a form as a struct; blank is absent."""
    try:
        return msgspec.convert(
            {name: value for name, value in fields.items() if value.strip()}, shape, strict=False
        )
    except msgspec.ValidationError as error:
        return wrong_shape(error)


def wrong_shape(error: msgspec.ValidationError) -> Refusal:
    """Return what is wrong with a body, by the name of its part."""
    words = str(error)
    missing = re.search(r"missing required field `([^`]+)`", words)
    if missing is not None:
        return refuse_invalid(f"{missing[1]} is missing.", missing[1])
    place = _PLACE.search(words)
    name = re.sub(r"\[.*", "", place[1]) if place is not None and place[1] else "body"
    plain = _TYPE.sub(lambda kind: _TYPES.get(kind[1], kind[1]), _PLACE.sub("", words))
    return refuse_invalid(
        f"{name}: {plain.replace('Expected', 'expected', 1).replace('`', '')}.", name
    )


def first_unsupported(
    wishes: Mapping[str, object], because: str = "this gateway does not have it"
) -> Refusal | None:
    """Return a refusal that names the first wish which was really asked for; None if none was."""
    name = next((name for name, value in wishes.items() if value), None)
    return None if name is None else refuse_unsupported(name, because)


def fields_with_values(**fields: object) -> dict[str, object]:
    """Return the fields that say something.

    >>> fields_with_values(query="a", country=None, include_domains=(), max_results=3)
    {'query': 'a', 'max_results': 3}
    """
    return {name: value for name, value in fields.items() if value not in (None, "", (), [])}


def period_start(period: str, today: date) -> str | None:
    """Return the day that a period of time begins with, None for a word that is none.

    >>> (period_start("week", date(2026, 11, 15)), period_start("d", date(2026, 11, 15)),
    ...  period_start("soon", date.min))
    ('2026-11-08', '2026-11-14', None)
    """
    days = _DAYS.get(_LETTERS.get(period.lower(), period.lower()))
    return None if days is None else (today - timedelta(days=days)).isoformat()


def parse_day(text: str) -> str | None:
    """Return the day of a date or a point in time, None when it is none.

    >>> parse_day("2026-01-31T10:00:00.000Z"), parse_day("2026-01-31"), parse_day("soon")
    ('2026-01-31', '2026-01-31', None)
    """
    try:
        return date.fromisoformat(text.strip()[:10]).isoformat()
    except ValueError:
        return None


def host_names(domains: Iterable[str]) -> tuple[str, ...]:
    """Return domains as bare names, of however people wrote them.

    >>> host_names(["https://Example.com/a", "*.b.test", ""])
    ('example.com', 'b.test')
    """
    bare = (re.sub(r"^[a-z]+://", "", domain.strip().lower()).split("/")[0] for domain in domains)
    return tuple(name.removeprefix("*.").removeprefix("www.") for name in bare if name)
