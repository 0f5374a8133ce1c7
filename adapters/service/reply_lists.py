"""Lists in a service's reply, and a row for each thing in them."""

from collections.abc import Callable, Sequence
from typing import cast

from returns.result import Failure, Result, Success

from ...ports.backends import UntrustedRow
from ...ports.errors import BadPayload
from ..values.json_fields import at, said
from .operations import Reply


def list_at(
    reply: Reply, *path: str, signs: Sequence[str] = ()
) -> Result[list[object], BadPayload]:
    """Return the list at ``path``. In an answer that has one of ``signs``, an absent one is empty.

    They are the names by which an answer is known, so that an error is not taken for nothing found.

    >>> list_at(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    >>> list_at(Reply(status=200, payload={"took": 5}), "results", signs=["took"]).unwrap()
    []
    """
    value = at(reply.payload, *path)
    if isinstance(value, list):
        return Success(value)
    if value is None and isinstance(reply.payload, dict) and _is_known(reply.payload, signs):
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
