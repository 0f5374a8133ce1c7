"""Documents by the day they were published. What has no date is in no range of dates."""

import sqlite3
from collections.abc import Sequence

import msgspec

from ...ports.web import WebSearchQuery

EVERY_PASSAGE = 2**31
_CHUNK = 500
_FIRST_DAY, _LAST_DAY = "0001-01-01", "9999-12-31"

_WITHIN = """
    SELECT passages.id FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id IN (SELECT value FROM json_each(?))
      AND documents.published BETWEEN ? AND ?
"""


def is_dated(query: WebSearchQuery) -> bool:
    """Tell whether a query asks for a range of dates."""
    return query.published_after is not None or query.published_before is not None


def within(
    connection: sqlite3.Connection, numbers: Sequence[int], query: WebSearchQuery, most: int
) -> list[int]:
    """Return the first ``most`` passages of documents from the range, in the order given."""
    after, before = query.published_after, query.published_before
    first = after.isoformat() if after else _FIRST_DAY
    last = before.isoformat() if before else _LAST_DAY
    kept: list[int] = []
    for start in range(0, len(numbers), _CHUNK):
        chunk = numbers[start : start + _CHUNK]
        asked = (msgspec.json.encode(chunk).decode(), first, last)
        inside = {number for (number,) in connection.execute(_WITHIN, asked)}
        kept += [number for number in chunk if number in inside]
        if len(kept) >= most:
            break
    return kept[:most]
