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
