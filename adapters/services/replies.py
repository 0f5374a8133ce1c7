"""Reading the rows in the reply of a service."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from returns.result import Failure, Result, Success

from webseam.ports.backends import UntrustedRow
from webseam.ports.errors import BadPayload, WebError

from ..values.field_values import at, said
from ..values.json_values import text
from ..values.untrusted_rows import RowReader, row, text_value
from .calls import Reply

RowsResult: TypeAlias = Result[Sequence[UntrustedRow], WebError]


def list_at(
    reply: Reply, *path: str, signs: Sequence[str] = ()
) -> Result[list[object], BadPayload]:
    """Return the list at ``path``; an absent list is empty if the payload has one of ``signs``.

    The signs are field names of a real answer, so that an error is not taken for an empty search.

    >>> list_at(Reply(status=200, payload={"results": 3}), "results").failure().path
    '$.results'
    >>> list_at(Reply(status=200, payload={"took": 5}), "results", signs=["took"]).unwrap()
    []
    """
    value = at(reply.payload, *path)
    if isinstance(value, list):
        return Success(value)
    if value is None and isinstance(reply.payload, dict) and _has_reply_sign(reply.payload, signs):
        return Success([])
    json_path, detail = ".".join(("$", *path)), said(reply.payload)
    return Failure(BadPayload(problem="shape", path=json_path, status=reply.status, detail=detail))


def object_at(reply: Reply, *path: str) -> Result[dict[str, object], BadPayload]:
    """Return the object at ``path``, or the error of a reply without it."""
    value = at(reply.payload, *path)
    if isinstance(value, dict):
        return Success(value)
    json_path = ".".join(("$", *path))
    return Failure(BadPayload(problem="shape", path=json_path, status=reply.status))


def _has_reply_sign(payload: dict[str, object], signs: Sequence[str]) -> bool:
    is_empty = not payload and bool(signs)
    return is_empty or (not payload.get("error") and any(sign in payload for sign in signs))


def web_and_news_rows(
    reply: Reply, section: str, *, make: Callable[[dict[str, object]], UntrustedRow]
) -> RowsResult:
    """Return the rows of the lists ``web`` and ``news`` in a section; either may be absent."""
    web = list_at(reply, section, "web", signs=(section,))
    news = list_at(reply, section, "news", signs=(section,))
    rows = web.bind(lambda web_rows: news.map(lambda news_rows: [*web_rows, *news_rows]))
    return object_at(reply, section).bind(lambda _: rows.map(lambda both: each(both, make)))


def each(
    rows: Sequence[Any], make: Callable[[dict[str, object]], UntrustedRow]
) -> list[UntrustedRow]:
    """Make a row of every object; other values stay for the kernel to refuse."""
    if isinstance(make, RowReader):
        return make.read_rows(rows)
    return [make(row) if type(row) is dict else row for row in rows]


def rows_at(
    reply: Reply,
    *path: str,
    make: Callable[[dict[str, object]], UntrustedRow],
    signs: Sequence[str] = (),
) -> RowsResult:
    """Return a row for every object of the list at ``path``; see ``list_at``."""
    value = at(reply.payload, *path)
    if isinstance(value, list):
        return Success(each(value, make))
    return list_at(reply, *path, signs=signs).map(lambda _empty: [])


def image_rows_at(
    reply: Reply,
    *path: str,
    image: tuple[str, ...],
    page: str,
    title: Callable[[object], object] = text_value,
    signs: Sequence[str] = (),
) -> RowsResult:
    """Return a row for every image at ``path``: its URL, and in the snippet that of its page.

    ``title`` reads the title, such as ``html_to_text``. Images without an address, such as those
    inside of a page of results, are left out.
    """

    def make(result: dict[str, object]) -> dict[str, object]:
        url = re.sub("^//", "https://", text(at(result, *image)))
        return row(title=title(result.get("title")), url=url, snippet=text(result.get(page)))

    def is_address(made: UntrustedRow) -> bool:
        return not isinstance(made, dict) or str(made["url"]).startswith(("http://", "https://"))

    rows = rows_at(reply, *path, make=make, signs=signs)
    return rows.map(lambda made: list(filter(is_address, made)))


def rows_decoder(
    *path: str, make: Callable[[dict[str, object]], UntrustedRow], signs: Sequence[str] = ()
) -> Callable[[Reply], RowsResult]:
    """Return ``rows_at`` for a service whose rows are always at the same path."""
    return lambda reply: rows_at(reply, *path, make=make, signs=signs)
