"""Typed rows out of PostgreSQL; a value of another type is an error."""

from collections.abc import Sequence
from typing import TypeVar

import msgspec

from .pool import Connection

Shape = TypeVar("Shape")


def fetch_postgres_rows(
    connection: Connection, statement: str, parameters: Sequence[object], shape: type[Shape]
) -> list[Shape]:
    """Return every row as a ``shape``, a tuple of types; another type is ``msgspec``'s error."""
    # psycopg's types want a literal text; bytes pass the type checker.
    rows = connection.execute(statement.encode(), parameters).fetchall()
    return [msgspec.convert(row, shape) for row in rows]
