"""Documents into and out of the tables. Every function runs inside the caller's transaction."""

import sqlite3
from collections import Counter
from collections.abc import Sequence
from typing import Literal, TypeAlias

from ..stores.fetching import fetch
from .analysis import entry
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


def put_all(
    connection: sqlite3.Connection, batch: Sequence[Prepared], now: float
) -> tuple[Change, ...]:
    """Store documents, each in place of the one with the same URL, unless that is the same."""
    counts: Counter[str] = Counter()
    changes = tuple(_put(connection, prepared, now, counts) for prepared in batch)
    _count(connection, counts)
    return changes


def delete_all(connection: sqlite3.Connection, numbers: Sequence[int]) -> None:
    """Take documents out, with their passages and the terms of those."""
    counts: Counter[str] = Counter()
    for number in numbers:
        _delete(connection, number, counts)
    _count(connection, counts)


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


def _put(
    connection: sqlite3.Connection, prepared: Prepared, now: float, counts: Counter[str]
) -> Change:
    document = prepared.document
    known = connection.execute(
        "SELECT id, digest FROM documents WHERE url = ?", (document.url,)
    ).fetchone()
    if known and known[1] == document.digest:
        return "unchanged"
    if known:
        _delete(connection, known[0], counts)
    _insert(connection, prepared, now)
    for new in prepared.entries:
        counts.update(new.terms)
    return "updated" if known else "added"


def _delete(connection: sqlite3.Connection, number: int, counts: Counter[str]) -> None:
    """Take a document out. The full-text table must be told what to forget: it keeps no text."""
    [(title, url)] = fetch(
        connection, "SELECT title, url FROM documents WHERE id = ?", (number,), tuple[str, str]
    )
    rows = fetch(
        connection,
        "SELECT id, headings, body FROM passages WHERE document = ?",
        (number,),
        tuple[int, str, str],
    )
    length = 0
    for row, headings, body in rows:
        old = entry(passage_text(title, url, Passage(headings=headings, body=body)))
        connection.execute(_DELETE_TERMS, (row, *old.columns))
        counts.subtract(old.terms)
        length += old.length
    connection.execute("DELETE FROM passages WHERE document = ?", (number,))
    connection.execute("DELETE FROM documents WHERE id = ?", (number,))
    connection.execute(_TOTAL, (-1, -len(rows), -length))


def _count(connection: sqlite3.Connection, counts: Counter[str]) -> None:
    connection.executemany(_COUNT, ((term, more) for term, more in counts.items() if more))


def _insert(connection: sqlite3.Connection, prepared: Prepared, now: float) -> None:
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
        connection.execute(_INSERT_TERMS, (row, *new.columns))
    length = sum(new.length for new in prepared.entries)
    connection.execute(_TOTAL, (1, len(prepared.passages), length))
