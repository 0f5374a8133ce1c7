"""Turn texts into plain values of a field, and plain values into those that are compared."""

import re
from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Final, TypeAlias

import msgspec

from webseam.ports.data import DataField, FieldKind, PlainValue

from .number_forms import parse_duration, parse_number
from .text_forms import is_same_text, squeeze

Comparable: TypeAlias = Decimal | timedelta | date | datetime
_WORD_PATTERN: Final = re.compile(r"[^a-z0-9]")
_MAX_VALUE_CHARS: Final = 20_000


def parse_text(field: DataField, text: str) -> str | None:
    """Return the plain value that a text states for a field; None where it states none."""
    if not text or len(text) > _MAX_VALUE_CHARS:
        return None
    match field.kind:
        case "number":
            number = parse_number(text)
            if number is None or (field.whole and number != number.to_integral_value()):
                return None
            return f"{number.to_integral_value() if field.whole else number:f}"
        case "duration":
            duration = parse_duration(text)
            return None if duration is None else str(msgspec.to_builtins(duration))
        case "day" | "moment":
            return _parse_time(field.kind, text)
        case "choice":
            return _parse_choice(field.choices, text)
    return text


def _parse_time(kind: FieldKind, text: str) -> str | None:
    """Return the day or the moment of an ISO 8601 text, in the time of its own place."""
    try:
        moment = datetime.fromisoformat(text.strip())
    except ValueError:
        return None
    if kind == "day":
        return moment.date().isoformat()
    has_time = len(text.strip()) > len("2026-01-31")
    return moment.isoformat() if has_time else None


def _parse_choice(choices: tuple[str, ...], text: str) -> str | None:
    """Return the choice that a text is, also as the last part of an address of schema.org."""
    last = text.rstrip("/").rpartition("/")[2]
    for choice in choices:
        if squeeze(choice) == squeeze(text) or _letters(choice) == _letters(last) != "":
            return choice
    return None


def _letters(text: str) -> str:
    return _WORD_PATTERN.sub("", text.lower())


def comparable(kind: FieldKind, plain: str) -> Comparable:
    """Return the value of a plain number, duration, day or moment."""
    if kind == "number":
        return Decimal(plain)
    if kind == "duration":
        return msgspec.convert(plain, timedelta)
    if kind == "day":
        return date.fromisoformat(plain)
    return datetime.fromisoformat(plain)


def is_same_value(field: DataField, one: PlainValue, other: PlainValue) -> bool:
    """Tell whether two values of a field differ in nothing that counts."""
    if isinstance(one, tuple) or isinstance(other, tuple):
        if isinstance(one, str) or isinstance(other, str) or len(one) != len(other):
            return False
        return all(is_same_value(field, *pair) for pair in zip(one, other, strict=True))
    if field.kind in {"text", "choice"}:
        return is_same_text(one, other)
    if field.kind == "money":
        return one == other
    return comparable(field.kind, one) == comparable(field.kind, other)
