"""Documents into and out of the tables. Every function runs inside the caller's transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from ..language.stems import language_of
from ..stores.sqlite.calls import fetch, fetch_one
from .analysis import TermEntry, Text, entry
from .documents import Prepared
from .listing import digests
from .schema import passage_number, passages_of

_INSERT_DOCUMENT = (
    "INSERT INTO documents (id, url, location, source, title, published, digest, indexed_at,"
    " passages, characters, language) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# All rows in one statement, out of one JSON text: SQLite lets go of Python's lock for as long as a
# statement runs, so that the next documents are read meanwhile.
_INSERT_PASSAGES = """
    INSERT INTO passages (id, document, headings, body)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
           json_extract(value, '$[3]')
    FROM json_each(?)
"""
_TEXTS = """
    SELECT passages.id, documents.title, passages.headings, passages.body, documents.url,
           documents.language
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id >= ? AND passages.id < ? ORDER BY passages.id
"""
_INSERT_TERMS = """
    INSERT INTO terms (rowid, title, headings, body, marks)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
           json_extract(value, '$[3]'), json_extract(value, '$[4]')
    FROM json_each(?)
"""
_DELETE_TERMS = (
    "INSERT INTO terms (terms, rowid, title, headings, body, marks)"
    " VALUES ('delete', ?, ?, ?, ?, ?)"
)
_TOTAL = (
    "UPDATE totals SET documents = documents + ?, passages = passages + ?, terms = terms + ?,"
    " numbers = numbers + ?"
)


class Old(msgspec.Struct, frozen=True, array_like=True):
    """A document that is in the index."""

    number: int
    passages: int


class _TextRow(msgspec.Struct, frozen=True, array_like=True):
    number: int
    title: str
    headings: str
    body: str
    url: str
    language: str


def entries(
    connection: sqlite3.Connection, between: tuple[int, int]
) -> Iterator[tuple[int, TermEntry]]:
    """Yield the passages from one number up to another, each with what it was indexed by."""
    for each in fetch(connection, _TEXTS, between, _TextRow):
        text = Text(
            title=each.title,
            headings=each.headings,
            body=each.body,
            url=each.url,
            language=language_of(each.language),
        )
        yield each.number, entry(text)


class Transaction:
    """The rows that a transaction writes, and what they change in the totals.

    The full-text rows come last. FTS5 collects them in memory, and writes what it has as a piece of
    its own whenever a statement that may be undone comes in between: a piece for each passage.
    """

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Begin with nothing to write."""
        self._connection = connection
        (self._last,) = fetch_one(connection, "SELECT numbers FROM totals", tuple[int])
        self._length = 0
        self._numbers = 0
        self._old: list[tuple[int, int, int]] = []
        self._new: list[tuple[object, ...]] = []
        self._passages: list[tuple[object, ...]] = []
        self._taken: list[tuple[object, ...]] = []
        self._given: list[tuple[object, ...]] = []

    def add(self, prepared: Prepared, now: float) -> None:
        """Note a document that is new."""
        document, count = prepared.document, len(prepared.passages)
        number = self._last + self._numbers + 1
        self._numbers += 1 + count
        self._new.append(
            (
                number,
                document.url,
                document.location,
                document.source,
                document.title,
                document.published,
                document.digest,
                now,
                count,
                len(document.text),
                document.language,
            )
        )
        pairs = zip(prepared.passages, prepared.entries, strict=True)
        for serial, (passage, new) in enumerate(pairs, number + 1):
            row = passage_number(serial, new.length)
            self._passages.append((row, number, passage.headings, passage.body))
            self._given.append((row, *new.columns))
            self._length += new.length

    def take(self, old: Old) -> None:
        """Note a document that is no more. FTS5 must be told what to forget: it keeps no text."""
        between = passages_of(old.number, old.passages)
        self._old.append((old.number, *between))
        for row, gone in entries(self._connection, between):
            self._length -= gone.length
            self._taken.append((row, *gone.columns))

    def settle(self) -> None:
        """Write everything down."""
        write = self._connection.executemany
        write("DELETE FROM documents WHERE id = ?", [(number,) for number, _, _ in self._old])
        write("DELETE FROM passages WHERE id >= ? AND id < ?", [each[1:] for each in self._old])
        write(_INSERT_DOCUMENT, self._new)
        languages = {(row[-1],) for row in self._new}
        write("INSERT OR IGNORE INTO languages VALUES (?)", sorted(languages))
        self._connection.execute(_INSERT_PASSAGES, (_json(self._passages),))
        documents = len(self._new) - len(self._old)
        passages = len(self._passages) - len(self._taken)
        self._connection.execute(_TOTAL, (documents, passages, self._length, self._numbers))
        write(_DELETE_TERMS, self._taken)
        insert_terms(self._connection, self._given)


def insert_terms(connection: sqlite3.Connection, rows: list[tuple[object, ...]]) -> None:
    """Feed the full-text table: the number of a passage and its columns, for each."""
    connection.execute(_INSERT_TERMS, (_json(rows),))


def _json(rows: list[tuple[object, ...]]) -> str:
    return msgspec.json.encode(rows).decode()


Change: TypeAlias = Literal["added", "updated", "unchanged"]
_BATCH_PASSAGES = 2000


def put_all(
    connection: sqlite3.Connection, documents: Iterable[Prepared], now: float
) -> tuple[Change, ...]:
    """Store documents, each in place of the one with the same URL, unless that is the same."""
    return tuple(change for batch in _batches(documents) for change in _put(connection, batch, now))


def delete_all(connection: sqlite3.Connection, urls: Sequence[str]) -> int:
    """Take documents out, with their passages and the terms of those; return how many."""
    return _exchange(connection, urls, (), 0.0)


def _batches(documents: Iterable[Prepared]) -> Iterator[list[Prepared]]:
    """Yield some documents at a time: no more are in memory than these."""
    batch: list[Prepared] = []
    passages = 0
    for document in documents:
        batch.append(document)
        passages += len(document.passages)
        if passages >= _BATCH_PASSAGES:
            yield batch
            batch, passages = [], 0
    yield batch


def _put(connection: sqlite3.Connection, batch: list[Prepared], now: float) -> list[Change]:
    latest = digests(connection, [prepared.document.url for prepared in batch])
    replaced = list(latest)
    changes: list[Change] = []
    new: dict[str, Prepared] = {}
    for prepared in batch:
        url, digest = prepared.document.url, prepared.document.digest
        known = latest.get(url)
        changes.append("added" if known is None else "unchanged" if known == digest else "updated")
        if known != digest:
            new[url], latest[url] = prepared, digest
    _exchange(connection, [url for url in replaced if url in new], new.values(), now)
    return changes


def _exchange(
    connection: sqlite3.Connection, urls: Sequence[str], new: Iterable[Prepared], now: float
) -> int:
    ledger = Transaction(connection)
    old = fetch(
        connection,
        "SELECT id, passages FROM documents WHERE url IN (SELECT value FROM json_each(?))",
        (msgspec.json.encode(urls).decode(),),
        Old,
    )
    for document in old:
        ledger.take(document)
    for prepared in new:
        ledger.add(prepared, now)
    ledger.settle()
    return len(old)
