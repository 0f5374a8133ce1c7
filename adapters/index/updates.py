"""Documents into and out of the tables. Every function runs inside the caller's transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

import msgspec

from ..stores.sqlite import fetch_one, fetch_rows
from .documents import Prepared
from .index_contents import read_digests
from .passage_terms import TermEntry, day_number
from .schema import passage_range
from .text_checksums import document_checksum, store_checksums
from .words.engine import WordsWriter

_INSERT_DOCUMENT = (
    "INSERT INTO documents (id, url, location, source, title, published, digest, indexed_at,"
    " passages, characters, language) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# All rows in one statement, out of one JSON text: SQLite lets go of Python's lock for as long as a
# statement runs, so that the next documents are read meanwhile.
_INSERT_PASSAGES = """
    INSERT INTO passages (id, document, length, headings, body)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
           json_extract(value, '$[3]'), json_extract(value, '$[4]')
    FROM json_each(?)
"""
_REMOVE = "INSERT INTO removed SELECT id FROM passages WHERE id >= ? AND id < ?"
_LENGTH = "SELECT coalesce(sum(length), 0) FROM passages WHERE id >= ? AND id < ?"
_TOTAL = (
    "UPDATE totals SET documents = documents + ?, passages = passages + ?, terms = terms + ?,"
    " numbers = numbers + ?"
)


class StoredDocument(msgspec.Struct, frozen=True, array_like=True):
    """A document that is in the index."""

    number: int
    passages: int


class Transaction:
    """The rows that a transaction writes, and what they change in the totals."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Begin with nothing to write."""
        self._connection = connection
        (self._last,) = fetch_one(connection, "SELECT numbers FROM totals", tuple[int])
        self._length = 0
        self._numbers = 0
        self._gone = 0
        self._old: list[tuple[int, int, int]] = []
        self._new: list[tuple[object, ...]] = []
        self._sums: list[tuple[int, int]] = []
        self._passages: list[tuple[object, ...]] = []
        self.words: list[tuple[int, TermEntry, int | None]] = []

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
        texts = ((each.headings, each.body) for each in prepared.passages)
        self._sums.append((number, document_checksum(document.url, document.title, texts)))
        day = day_number(document.published)
        pairs = zip(prepared.passages, prepared.entries, strict=True)
        for row, (passage, new) in enumerate(pairs, number + 1):
            self._passages.append((row, number, new.length, passage.headings, passage.body))
            self.words.append((row, new, day))
            self._length += new.length

    def take(self, old: StoredDocument) -> None:
        """Note a document that is no more."""
        between = passage_range(old.number, old.passages)
        self._old.append((old.number, *between))
        (length,) = self._connection.execute(_LENGTH, between).fetchone()
        self._length -= length
        self._gone += old.passages

    def settle(self) -> None:
        """Write everything down."""
        write = self._connection.executemany
        between = [each[1:] for each in self._old]
        write(_REMOVE, between)
        write("DELETE FROM documents WHERE id = ?", [(number,) for number, _, _ in self._old])
        write("DELETE FROM passages WHERE id >= ? AND id < ?", between)
        write(_INSERT_DOCUMENT, self._new)
        store_checksums(self._connection, self._sums)
        languages = {(row[-1],) for row in self._new}
        write("INSERT OR IGNORE INTO languages VALUES (?)", sorted(languages))
        self._connection.execute(_INSERT_PASSAGES, (_json(self._passages),))
        documents = len(self._new) - len(self._old)
        passages = len(self._passages) - self._gone
        self._connection.execute(_TOTAL, (documents, passages, self._length, self._numbers))


def _json(rows: object) -> str:
    return msgspec.json.encode(rows).decode()


Change: TypeAlias = Literal["added", "updated", "unchanged"]
_BATCH_PASSAGES = 2000


def store_documents(
    connection: sqlite3.Connection, writer: WordsWriter, documents: Iterable[Prepared], now: float
) -> tuple[Change, ...]:
    """Store documents, each in place of the one with the same URL, unless that is the same."""
    batches = _batches(documents)
    return tuple(change for batch in batches for change in _put(connection, writer, batch, now))


def delete_documents(connection: sqlite3.Connection, urls: Sequence[str]) -> int:
    """Take documents out, with their passages; return how many."""
    ledger = Transaction(connection)
    removed = _take_all(ledger, connection, urls)
    ledger.settle()
    return removed


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


def _put(
    connection: sqlite3.Connection, pen: WordsWriter, batch: list[Prepared], now: float
) -> list[Change]:
    latest = read_digests(connection, [prepared.document.url for prepared in batch])
    replaced = list(latest)
    changes: list[Change] = []
    new: dict[str, Prepared] = {}
    for prepared in batch:
        url, digest = prepared.document.url, prepared.document.digest
        known = latest.get(url)
        changes.append("added" if known is None else "unchanged" if known == digest else "updated")
        if known != digest:
            new[url], latest[url] = prepared, digest
    ledger = Transaction(connection)
    _take_all(ledger, connection, [url for url in replaced if url in new])
    for prepared in new.values():
        ledger.add(prepared, now)
    ledger.settle()
    pen.put(ledger.words)
    return changes


def _take_all(ledger: Transaction, connection: sqlite3.Connection, urls: Sequence[str]) -> int:
    old = fetch_rows(
        connection,
        "SELECT id, passages FROM documents WHERE url IN (SELECT value FROM json_each(?))",
        (_json(urls),),
        StoredDocument,
    )
    for document in old:
        ledger.take(document)
    return len(old)
