"""An index of the version before, brought into this one's form where it is.

Version 3 kept the terms of each passage beside its text, and cut words at the vowel signs of
India's scripts and the marks of Thai. All its words are indexed anew, out of the texts that it has.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ..stores.sqlite.blueprint import StoreError
from ..stores.sqlite.calls import attempt, fetch, fetch_one, transact
from ..stores.sqlite.opening import open_for_writing
from .schema import INDEX
from .updates import entries, insert_terms

UPGRADED = "the index was brought into the form of this version"
_BEFORE = msgspec.structs.replace(INDEX, version=3)
_AT_ONCE = 2000


def upgrade(path: Path) -> Result[None, StoreError]:
    """Change the file, all of it or nothing; whoever else does it at once finds it done."""
    opened = open_for_writing(path, _BEFORE)
    if isinstance(opened, Failure):
        return opened
    with closing(opened.unwrap()) as connection:
        changed = attempt(lambda: transact(connection, lambda: _change(connection)), INDEX)
        if isinstance(changed, Failure):
            return changed
        # What is free now is given back; where there is no room to do that, it stays free.
        attempt(lambda: connection.execute("VACUUM"), INDEX)
    return Success(None)


def _change(connection: sqlite3.Connection) -> None:
    (version,) = fetch_one(connection, "PRAGMA user_version", tuple[int])
    if version != _BEFORE.version:
        return
    connection.execute("ALTER TABLE passages DROP COLUMN entry")
    connection.execute("INSERT INTO terms (terms) VALUES ('delete-all')")
    length = _index_anew(connection)
    connection.execute("UPDATE totals SET terms = ?", (length,))
    connection.execute(f"PRAGMA user_version = {INDEX.version}")


def _index_anew(connection: sqlite3.Connection) -> int:
    """Feed every passage to the full-text table; return how many terms they have together.

    A passage keeps its number, whose last bits told its length as it was: near enough for the
    first pass, which only chooses what is scored.
    """
    length, last = 0, 0
    while numbers := _next_numbers(connection, last):
        last = numbers[-1]
        batch = list(entries(connection, (numbers[0], last + 1)))
        insert_terms(connection, [(number, *each.columns) for number, each in batch])
        length += sum(each.length for _, each in batch)
    return length


def _next_numbers(connection: sqlite3.Connection, last: int) -> list[int]:
    statement = "SELECT id FROM passages WHERE id > ? ORDER BY id LIMIT ?"
    return [number for (number,) in fetch(connection, statement, (last, _AT_ONCE), tuple[int])]
