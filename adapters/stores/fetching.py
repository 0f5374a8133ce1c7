"""Rows out of SQLite, with the types they were put in with: damage can change even those."""

import sqlite3
from typing import TypeVar

import msgspec

Shape = TypeVar("Shape")


def fetch(
    connection: sqlite3.Connection,
    statement: str,
    parameters: tuple[object, ...],
    shape: type[Shape],
) -> list[Shape]:
    """Return every row as a ``shape``, a tuple of types; another type is ``msgspec``'s error."""
    return [msgspec.convert(row, shape) for row in connection.execute(statement, parameters)]


def fetch_one(connection: sqlite3.Connection, statement: str, shape: type[Shape]) -> Shape:
    """Return the row that is always there."""
    return msgspec.convert(connection.execute(statement).fetchone(), shape)


def fetch_by(
    connection: sqlite3.Connection, statement: str, numbers: list[int], shape: type[Shape]
) -> list[Shape]:
    """Return the rows of a list of numbers, which the statement takes as one JSON text."""
    return fetch(connection, statement, (msgspec.json.encode(numbers).decode(),), shape)
