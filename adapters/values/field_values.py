"""Field values out of untrusted JSON."""

import math
from typing import overload

from webseam.ports.text import sign_border

_NUMBER_TYPES = (float, int)
_ERROR_TEXT_KEYS = ("error", "detail", "message", "msg", "reason", "errors", "code")


@overload
def truncate_snippet(value: str, max_chars: int = 2000) -> str: ...


@overload
def truncate_snippet(value: object, max_chars: int = 2000) -> object: ...


def truncate_snippet(value: object, max_chars: int = 2000) -> object:
    """Return the start of a long text, cut between words; anything but a text unchanged.

    >>> truncate_snippet("How tides work", max_chars=10)
    'How tides …'
    """
    if not isinstance(value, str):
        return value
    text = value.strip()
    if len(text) <= max_chars:
        return text
    words = text[: max_chars + 1].rpartition(" ")[0]
    return f"{words or text[: sign_border(text, max_chars)]} …"


def collapse_blanks(value: object) -> str:
    r"""Return a text with every run of blanks as one space; empty for anything else.

    >>> collapse_blanks(" Tides in\n  models ")
    'Tides in models'
    """
    return " ".join(value.split()) if isinstance(value, str) else ""


def at(value: object, *path: str | int) -> object:
    """Return the value at ``path``; None when there is none.

    >>> at({"data": [{"name": "a"}]}, "data", 0, "name")
    'a'
    >>> at({"data": None}, "data", "name") is None
    True
    """
    for step in path:
        if isinstance(step, str):
            value = value.get(step) if isinstance(value, dict) else None
        else:
            value = value[step] if isinstance(value, list) and step < len(value) else None
    return value


def texts(value: object) -> list[str]:
    """Return the texts in a list; a bare text counts as one.

    >>> texts(["a", None, "b"]), texts("a"), texts(None)
    (['a', 'b'], ['a'], [])
    """
    if isinstance(value, str):
        return [value]
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def first(*values: object) -> str:
    """Return the first text that is not blank.

    >>> first(None, " ", "b")
    'b'
    """
    return next((value for value in values if isinstance(value, str) and value.strip()), "")


def first_value(*values: object) -> object:
    """Return the first value that is neither missing nor a blank text; None if there is none.

    Of another type than text it stays, so that it is converted or refused, and not lost.

    >>> first_value(None, " ", 1984, "b")
    1984
    """
    return next((value for value in values if _has_value(value)), None)


def _has_value(value: object) -> bool:
    return bool(value.strip()) if isinstance(value, str) else value is not None


def number(value: object) -> float | None:
    """Return a finite number, or None.

    >>> number(2), number(True), number("2"), number(float("nan"))
    (2.0, None, None, None)
    """
    if type(value) is float:
        return value if math.isfinite(value) else None
    if isinstance(value, bool) or not isinstance(value, _NUMBER_TYPES):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer with hundreds of digits
        return None


def said(payload: object) -> str:
    """Return the error text of a payload, from the fields that services use for it.

    >>> said({"error": {"message": "no credit"}}), said({"errors": [{"message": "no such field"}]})
    ('no credit', 'no such field')
    """
    for _ in range(3):
        if isinstance(payload, list):
            payload = payload[0] if payload else ""
        if isinstance(payload, str):
            return payload
        if not isinstance(payload, dict):
            return ""
        payload = next((payload[key] for key in _ERROR_TEXT_KEYS if payload.get(key)), "")
    return payload if isinstance(payload, str) else ""
