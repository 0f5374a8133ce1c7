"""An index of a version before, brought into this one's form where it is.

Version 4 kept the words of its passages in a table of the file, and version 3 also beside each
text. Now they are in a folder, which is filled out of the texts when it is first needed.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ..language.stems import language_of
from ..stores.sqlite.blueprint import StoreError
from ..stores.sqlite.calls import attempt, fetch_one, transact
from ..stores.sqlite.opening import open_for_writing
from .analysis import Text, analyse
from .schema import INDEX, PASSAGES, REMOVED

UPGRADED = "the index was brought into the form of this version"
_BEFORE = msgspec.structs.replace(INDEX, version=4)
_LONG_BEFORE = msgspec.structs.replace(INDEX, version=3)
# The last four bits of a passage's number told its length.
_PASSAGES = """
    INSERT INTO passages (id, document, length, headings, body)
    SELECT old_passages.id >> 4, document, terms_in(title, headings, body, language), headings, body
    FROM old_passages JOIN documents ON documents.id = old_passages.document
    ORDER BY old_passages.id
"""
_CHANGES = (
    "DROP TABLE terms",
    "ALTER TABLE passages RENAME TO old_passages",
    PASSAGES,
    _PASSAGES,
    "DROP TABLE old_passages",
    REMOVED,
    "ALTER TABLE totals ADD COLUMN words TEXT NOT NULL DEFAULT ''",
    "UPDATE totals SET terms = (SELECT coalesce(sum(length), 0) FROM passages)",
    f"PRAGMA user_version = {INDEX.version}",
)


def upgrade(path: Path) -> Result[None, StoreError]:
    """Change the file, all of it or nothing; whoever else does it at once finds it done."""
    opened = open_for_writing(path, _BEFORE).lash(lambda _: open_for_writing(path, _LONG_BEFORE))
    if isinstance(opened, Failure):
        return opened
    with closing(opened.unwrap()) as connection:
        connection.create_function("terms_in", 4, _terms_in, deterministic=True)
        changed = attempt(lambda: transact(connection, lambda: _change(connection)), INDEX)
        if isinstance(changed, Failure):
            return changed
        # What is free now is given back; where there is no room to do that, it stays free.
        attempt(lambda: connection.execute("VACUUM"), INDEX)
    return Success(None)


def _change(connection: sqlite3.Connection) -> None:
    (version,) = fetch_one(connection, "PRAGMA user_version", tuple[int])
    if version == INDEX.version:
        return
    for statement in _CHANGES:
        connection.execute(statement)


def _terms_in(title: str, headings: str, body: str, language: str) -> int:
    """Return how long a passage is; what is no text makes SQLite say that the call failed."""
    text = Text(title=title, headings=headings, body=body, url="", language=language_of(language))
    return analyse(text).length
