"""Documents into and out of the tables. Every function runs inside the caller's transaction."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias, cast

from ..stores.fetching import fetch
from .analysis import Entry, entry
from .documents import Prepared, passage_text
from .splitting import Passage

Change: TypeAlias = Literal["added", "updated", "unchanged"]

_INSERT_TERMS = (
    "INSERT INTO terms (rowid, title, headings, body, place, marks) VALUES (?, ?, ?, ?, ?, ?)"
)
_DELETE_TERMS = (
    "INSERT INTO terms (terms, rowid, title, headings, body, place, marks)"
    " VALUES ('delete', ?, ?, ?, ?, ?, ?)"
)
_COUNT = (
    "INSERT INTO rarity VALUES (?, ?)"
    " ON CONFLICT (term) DO UPDATE SET passages = max(0, passages + excluded.passages)"
)
_TOTAL = "UPDATE totals SET documents = documents + ?, passages = passages + ?, terms = terms + ?"


class _Ledger:
    """What a transaction still has to write: counts by term, totals, and full-text rows.

    The full-text rows come last. FTS5 collects them in memory, and writes what it has as a piece of
    its own whenever a statement that may be undone comes in between: a piece for each passage.
    """

    def __init__(self) -> None:
        self.documents = 0
        self.passages = 0
        self.length = 0
        self._counts: Counter[str] = Counter()
        self._old: list[tuple[object, ...]] = []
        self._new: dict[int, tuple[object, ...]] = {}

    def add(self, row: int, new: Entry) -> None:
        """Note a passage that is new."""
        self._counts.update(new.terms)
        self._new[row] = (row, *new.columns)
        self.passages += 1
        self.length += new.length

    def take(self, row: int, old: Entry) -> None:
        """Note a passage that is no more. FTS5 must be told what to forget: it keeps no text."""
        self._counts.subtract(old.terms)
        # One that came in the same transaction was never written.
        if self._new.pop(row, None) is None:
            self._old.append((row, *old.columns))
        self.passages -= 1
        self.length -= old.length

    def settle(self, connection: sqlite3.Connection) -> None:
        """Write everything down."""
        # In the order of the table, each page of it is visited once.
        counts = self._counts
        changed = ((term, counts[term]) for term in sorted(counts) if counts[term])
        connection.executemany(_COUNT, changed)
        connection.execute(_TOTAL, (self.documents, self.passages, self.length))
        connection.executemany(_DELETE_TERMS, self._old)
        connection.executemany(_INSERT_TERMS, self._new.values())


def put_all(
    connection: sqlite3.Connection, batch: Sequence[Prepared], now: float
) -> tuple[Change, ...]:
    """Store documents, each in place of the one with the same URL, unless that is the same."""
    ledger = _Ledger()
    changes = tuple(_put(connection, prepared, now, ledger) for prepared in batch)
    ledger.settle(connection)
    return changes


def delete_all(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    """Take documents out, with their passages and the terms of those."""
    ledger = _Ledger()
    for number in numbers:
        _delete(connection, number, ledger)
    ledger.settle(connection)


def merge(connection: sqlite3.Connection, pages: int) -> bool:
    """Do some of the work of making the full-text table one piece; tell whether there is more.

    A negative number of pages begins it, as FTS5 has it.
    """
    before = connection.total_changes
    connection.execute("INSERT INTO terms (terms, rank) VALUES ('merge', ?)", (pages,))
    return connection.total_changes - before > 1


def remember_source(connection: sqlite3.Connection, location: str, now: float) -> None:
    """Keep what the user asked to add, for a later refresh."""
    connection.execute("INSERT OR IGNORE INTO sources VALUES (?, ?)", (location, now))


def _put(connection: sqlite3.Connection, prepared: Prepared, now: float, ledger: _Ledger) -> Change:
    document = prepared.document
    known = connection.execute(
        "SELECT id, digest FROM documents WHERE url = ?", (document.url,)
    ).fetchone()
    if known and known[1] == document.digest:
        return "unchanged"
    if known:
        _delete(connection, known[0], ledger)
    _insert(connection, prepared, now, ledger)
    return "updated" if known else "added"


def _delete(connection: sqlite3.Connection, number: int, ledger: _Ledger) -> None:
    [(title, url)] = fetch(
        connection, "SELECT title, url FROM documents WHERE id = ?", (number,), tuple[str, str]
    )
    rows = fetch(
        connection,
        "SELECT id, headings, body FROM passages WHERE document = ?",
        (number,),
        tuple[int, str, str],
    )
    for row, headings, body in rows:
        passage = Passage(headings=headings, body=body)
        ledger.take(row, entry(passage_text(title, url, passage)))
    connection.execute("DELETE FROM passages WHERE document = ?", (number,))
    connection.execute("DELETE FROM documents WHERE id = ?", (number,))
    ledger.documents -= 1


def _insert(
    connection: sqlite3.Connection, prepared: Prepared, now: float, ledger: _Ledger
) -> None:
    document = prepared.document
    number = connection.execute(
        "INSERT INTO documents (url, location, source, title, published, digest, indexed_at,"
        " passages, characters) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            document.url,
            document.location,
            document.source,
            document.title,
            document.published,
            document.digest,
            now,
            len(prepared.passages),
            len(document.text),
        ),
    ).lastrowid
    for passage, new in zip(prepared.passages, prepared.entries, strict=True):
        row = connection.execute(
            "INSERT INTO passages (document, headings, body) VALUES (?, ?, ?)",
            (number, passage.headings, passage.body),
        ).lastrowid
        ledger.add(cast("int", row), new)
    ledger.documents += 1
