"""Rows out of SQLite, with the types they were put in with: damage can change even those."""

import random
import sqlite3
import time
from collections.abc import Callable
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors.stores import StoreProblem
from .blueprint import Blueprint, StoreError

Value = TypeVar("Value")
_LOCKED = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")
# A file that is not there for us; text in it that is none, which even SQLite's own words may quote;
# values of other types than were put in.
_DAMAGED = (OSError, UnicodeDecodeError, msgspec.DecodeError)
_PROBLEMS: tuple[tuple[str, StoreProblem], ...] = (
    ("SQLITE_FULL", "full"),
    # The small file beside the log finds no room to grow. What else cannot be written, by a quota
    # or a limit of the system, may have room.
    ("SQLITE_IOERR_SHMSIZE", "full"),
    ("SQLITE_IOERR_WRITE", "read_only"),
    ("SQLITE_READONLY", "read_only"),
    ("SQLITE_CANTOPEN", "unreachable"),
    ("SQLITE_IOERR", "unreachable"),
    ("SQLITE_PERM", "unreachable"),
    ("SQLITE_AUTH", "unreachable"),
)


def attempt_call(call: Callable[[], Value], blueprint: Blueprint) -> Result[Value, StoreError]:
    """Run ``call`` and return what it gives, or what is wrong with the file.

    SQLite waits for locks by itself, but not for every one: the switch to WAL, for example, fails
    at once. So a lock is waited for here too, until the blueprint's patience ends.
    """
    deadline = time.monotonic() + blueprint.patience
    while True:
        try:
            return Success(call())
        except sqlite3.Error as error:
            name = _name(error)
            if not name.startswith(_LOCKED):
                return Failure(blueprint.failed(_problem(name)))
        except _DAMAGED as error:
            unreachable = isinstance(error, OSError)
            return Failure(blueprint.failed("unreachable" if unreachable else "corrupt"))
        if time.monotonic() >= deadline:
            return Failure(blueprint.busy())
        # A little at random: those who look again together meet again.
        time.sleep(blueprint.pause * random.uniform(0.2, 1.5))  # noqa: S311  no secret


def run_transaction(connection: sqlite3.Connection, work: Callable[[], Value]) -> Value:
    """Run ``work`` in one write transaction: all of it happens, or none."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        done = work()
        connection.execute("COMMIT")
    except BaseException:
        # SQLite has already rolled back by itself when the disk is full or the file is damaged.
        if connection.in_transaction:
            connection.execute("ROLLBACK")
        raise
    return done


def run_snapshot(connection: sqlite3.Connection, work: Callable[[], Value]) -> Value:
    """Run ``work`` on one state of the file, whatever others write meanwhile."""
    connection.execute("BEGIN")
    try:
        return work()
    finally:
        if connection.in_transaction:
            connection.execute("COMMIT")


def _name(error: sqlite3.Error) -> str:
    """Return SQLite's name for the error; to call it wrongly is a bug of ours, and is raised."""
    if isinstance(error, sqlite3.ProgrammingError | sqlite3.InterfaceError):
        raise error
    # Python itself complains, without a name, of text in the file that is not UTF-8.
    return getattr(error, "sqlite_errorname", "")


def _problem(name: str) -> StoreProblem:
    # Whatever else SQLite says of a file that was ours, its tables are not what we made.
    return next((problem for start, problem in _PROBLEMS if name.startswith(start)), "corrupt")


Shape = TypeVar("Shape")


def fetch_rows(
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


def fetch_by_numbers(
    connection: sqlite3.Connection, statement: str, numbers: list[int], shape: type[Shape]
) -> list[Shape]:
    """Return the rows of a list of numbers, which the statement takes as one JSON text."""
    return fetch_rows(connection, statement, (msgspec.json.encode(numbers).decode(),), shape)
