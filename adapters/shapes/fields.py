"""Values out of JSON that may have any shape."""

import math
from collections.abc import Callable, Sequence
from typing import cast

from returns.result import Failure, Result, Success

from ...ports.backends import UntrustedRow
from ...ports.errors import BadPayload
from ..http.failures import said
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


def listed(reply: Reply, *path: str, signs: Sequence[str] = ()) -> Result[list[object], BadPayload]:
    """Return the list at ``path``. In an answer that has one of ``signs``, an absent one is empty.

    They are the names by which an answer is known, so that an error is not taken for nothing found.

    >>> listed(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    >>> listed(Reply(status=200, payload={"took": 5}), "results", signs=["took"]).unwrap()
    []
    """
    found = at(reply.payload, *path)
    if isinstance(found, list):
        return Success(found)
    if found is None and isinstance(reply.payload, dict) and _is_known(reply.payload, signs):
        return Success([])
    where, detail = ".".join(("$", *path)), said(reply.payload)
    return Failure(BadPayload(problem="shape", path=where, status=reply.status, detail=detail))


def _is_known(payload: dict[str, object], signs: Sequence[str]) -> bool:
    empty = not payload and bool(signs)
    return empty or (not payload.get("error") and any(sign in payload for sign in signs))


def each(
    rows: Sequence[object], make: Callable[[dict[str, object]], UntrustedRow]
) -> list[UntrustedRow]:
    """Make a row of every object; what is no object is left for the kernel to refuse."""
    return [make(row) if isinstance(row, dict) else cast("UntrustedRow", row) for row in rows]
