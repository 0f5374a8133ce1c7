"""Values out of JSON that may have any shape."""

import math


def at(value: object, *path: str | int) -> object:
    """Return what is at ``path``, or None when there is nothing.

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


def number(value: object) -> float | None:
    """Return a finite number, or None.

    >>> number(2), number(True), number("2"), number(float("nan"))
    (2.0, None, None, None)
    """
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        return float(value) if math.isfinite(value) else None
    except OverflowError:  # an integer with hundreds of digits
        return None


def said(payload: object) -> str:
    """Return what a service says about its failure, in the places where services say it.

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
        payload = next((payload[key] for key in _SAYINGS if payload.get(key)), "")
    return payload if isinstance(payload, str) else ""


_SAYINGS = ("error", "detail", "message", "msg", "reason", "errors", "code")
