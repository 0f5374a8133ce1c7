"""Add documents to the tables and remove them. Every function runs inside a transaction."""

import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from typing import Literal, TypeAlias

from ...stores.sqlite import fetch_one, fetch_rows
from .contents import json_parameter, read_digests
from .documents import PreparedDocument
from .passage_terms import TermEntry, day_number
from .schema import passage_range
from .text_checksums import document_checksum, store_checksums
from .word_engine import WordsWriter

_INSERT_DOCUMENT = (
    "INSERT INTO documents (id, url, location, source, title, published, digest, indexed_at,"
    " passages, characters, language) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
)
# Insert all rows from one JSON text: SQLite releases the GIL during a statement, so the next
# documents are read meanwhile.
_INSERT_PASSAGES = """
    INSERT INTO passages (id, document, length, headings, body)
    SELECT json_extract(value, '$[0]'), json_extract(value, '$[1]'), json_extract(value, '$[2]'),
           json_extract(value, '$[3]'), json_extract(value, '$[4]')
    FROM json_each(?)
"""
_INSERT_REMOVED = "INSERT INTO removed SELECT id FROM passages WHERE id >= ? AND id < ?"
_SELECT_TERMS_LENGTH = "SELECT coalesce(sum(length), 0) FROM passages WHERE id >= ? AND id < ?"
_DELETE_UNUSED_LANGUAGES = (
    "DELETE FROM languages WHERE NOT EXISTS"
    " (SELECT 1 FROM documents WHERE documents.language = languages.language)"
)
_UPDATE_TOTALS = (
    "UPDATE totals SET documents = documents + ?, passages = passages + ?, terms = terms + ?,"
    " numbers = numbers + ?"
)
_BATCH_PASSAGES = 2000


class IndexTransaction:
    """The rows that a transaction writes, and their effect on the totals."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        """Start with no rows."""
        self._connection = connection
        (self._last_number,) = fetch_one(connection, "SELECT numbers FROM totals", tuple[int])
        self._length = 0
        self._numbers = 0
        self._removed_passages = 0
        self._removed: list[tuple[int, int, int]] = []
        self._document_rows: list[tuple[object, ...]] = []
        self._checksums: list[tuple[int, int]] = []
        self._passage_rows: list[tuple[object, ...]] = []
        self.words: list[tuple[int, TermEntry, int | None]] = []

    def add_document(self, prepared: PreparedDocument, now: float) -> None:
        """Queue a new document."""
        document, passages = prepared.document, len(prepared.passages)
        number = self._last_number + self._numbers + 1
        self._numbers += 1 + passages
        self._document_rows.append(
            (
                number,
                document.url,
                document.location,
                document.source,
                document.title,
                document.published,
                document.digest,
                now,
                passages,
                len(document.text),
                document.language,
            )
        )
        texts = ((passage.headings, passage.body) for passage in prepared.passages)
        self._checksums.append((number, document_checksum(document.url, document.title, texts)))
        day = day_number(document.published)
        pairs = zip(prepared.passages, prepared.entries, strict=True)
        for row, (passage, entry) in enumerate(pairs, number + 1):
            self._passage_rows.append((row, number, entry.length, passage.headings, passage.body))
            self.words.append((row, entry, day))
            self._length += entry.length

    def remove_document(self, number: int, passages: int) -> None:
        """Queue the removal of a document by its number and its number of passages."""
        passage_numbers = passage_range(number, passages)
        self._removed.append((number, *passage_numbers))
        (length,) = self._connection.execute(_SELECT_TERMS_LENGTH, passage_numbers).fetchone()
        self._length -= length
        self._removed_passages += passages

    def write_changes(self) -> None:
        """Write all queued changes."""
        write = self._connection.executemany
        ranges = [row[1:] for row in self._removed]
        write(_INSERT_REMOVED, ranges)
        write("DELETE FROM documents WHERE id = ?", [(number,) for number, _, _ in self._removed])
        write("DELETE FROM passages WHERE id >= ? AND id < ?", ranges)
        write(_INSERT_DOCUMENT, self._document_rows)
        store_checksums(self._connection, self._checksums)
        languages = {(row[-1],) for row in self._document_rows}
        write("INSERT OR IGNORE INTO languages VALUES (?)", sorted(languages))
        if self._removed:
            self._connection.execute(_DELETE_UNUSED_LANGUAGES)
        self._connection.execute(_INSERT_PASSAGES, (json_parameter(self._passage_rows),))
        documents = len(self._document_rows) - len(self._removed)
        passages = len(self._passage_rows) - self._removed_passages
        self._connection.execute(_UPDATE_TOTALS, (documents, passages, self._length, self._numbers))


Change: TypeAlias = Literal["added", "updated", "unchanged"]


def store_documents(
    connection: sqlite3.Connection,
    writer: WordsWriter,
    documents: Iterable[PreparedDocument],
    now: float,
) -> tuple[Change, ...]:
    """Store documents; each replaces one with the same URL unless the digest is equal."""
    changes: list[Change] = []
    for batch in _document_batches(documents):
        changes += _store_batch(connection, writer, batch, now)
    return tuple(changes)


def delete_documents(connection: sqlite3.Connection, urls: Sequence[str]) -> int:
    """Remove documents with their passages; return how many."""
    transaction = IndexTransaction(connection)
    removed = _queue_removals(transaction, connection, urls)
    transaction.write_changes()
    return removed


def _document_batches(documents: Iterable[PreparedDocument]) -> Iterator[list[PreparedDocument]]:
    """Yield documents in batches, which bounds memory."""
    batch: list[PreparedDocument] = []
    passages = 0
    for document in documents:
        batch.append(document)
        passages += len(document.passages)
        if passages >= _BATCH_PASSAGES:
            yield batch
            batch, passages = [], 0
    yield batch


def _store_batch(
    connection: sqlite3.Connection, writer: WordsWriter, batch: list[PreparedDocument], now: float
) -> list[Change]:
    latest = read_digests(connection, [prepared.document.url for prepared in batch])
    replaced = list(latest)
    changes: list[Change] = []
    changed: dict[str, PreparedDocument] = {}
    for prepared in batch:
        url, digest = prepared.document.url, prepared.document.digest
        old = latest.get(url)
        if old == digest:
            changes.append("unchanged")
            continue
        changes.append("added" if old is None else "updated")
        changed[url], latest[url] = prepared, digest
    transaction = IndexTransaction(connection)
    _queue_removals(transaction, connection, [url for url in replaced if url in changed])
    for prepared in changed.values():
        transaction.add_document(prepared, now)
    transaction.write_changes()
    writer.add_passages(transaction.words)
    return changes


def _queue_removals(
    changes: IndexTransaction, connection: sqlite3.Connection, urls: Sequence[str]
) -> int:
    stored = fetch_rows(
        connection,
        "SELECT id, passages FROM documents WHERE url IN (SELECT value FROM json_each(?))",
        (json_parameter(urls),),
        tuple[int, int],
    )
    for number, passages in stored:
        changes.remove_document(number, passages)
    return len(stored)
