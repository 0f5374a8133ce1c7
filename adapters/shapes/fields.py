"""Values out of JSON that may have any shape."""

import math
from collections.abc import Callable, Sequence
from typing import cast

from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload
from ...ports.web import UntrustedRow
from ..http.service import Reply


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


def text(value: object) -> str:
    """Return a text as it is, and nothing for whatever else.

    >>> text("a"), text(None), text(3)
    ('a', '', '')
    """
    return value if isinstance(value, str) else ""


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


def listed(reply: Reply, *path: str, optional: bool = False) -> Result[list[object], BadPayload]:
    """Return the list at ``path``. With ``optional``, one that is absent or null is empty.

    >>> listed(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    """
    found = at(reply.payload, *path)
    if isinstance(found, list):
        return Success(found)
    if optional and found is None and isinstance(reply.payload, dict):
        return Success([])
    where = ".".join(("$", *path))
    return Failure(BadPayload(problem="shape", path=where, status=reply.status))


def each(
    rows: Sequence[object], make: Callable[[dict[str, object]], UntrustedRow]
) -> list[UntrustedRow]:
    """Make a row of every object; what is no object is left for the kernel to refuse."""
    return [make(row) if isinstance(row, dict) else cast("UntrustedRow", row) for row in rows]
