"""Rows as they were put in: another type in a table is an error, and not taken for ours."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from .pool import Connection

Shape = TypeVar("Shape")


def fetch_rows(
    connection: Connection, statement: str, parameters: Sequence[object], shape: type[Shape]
) -> list[Shape]:
    """Return every row as a ``shape``, a tuple of types; another type is ``msgspec``'s error."""
    # The statements are constants of ours, which a type checker cannot know of a text.
    rows = connection.execute(statement.encode(), parameters).fetchall()
    return [msgspec.convert(row, shape) for row in rows]
