"""Checksums of every document's text, so that a check detects changed letters.

The table is created when a document is added. Documents that an older version added have no
checksum and are not compared. A trigger drops the checksums of removed documents.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from ...stores.sqlite import fetch_rows

_CHECKSUM_TABLES = (
    "CREATE TABLE IF NOT EXISTS sums (document INTEGER PRIMARY KEY, sum INTEGER NOT NULL)",
    """
    CREATE TRIGGER IF NOT EXISTS sums_removed AFTER DELETE ON documents
    BEGIN DELETE FROM sums WHERE document = old.id; END
    """,
)
_SELECT_CHECKSUM_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sums'"
_BATCH_DOCUMENTS = 2000
# In the order of the passages, so that those of a document are adjacent.
_SELECT_SUMMED_PASSAGES = """
    SELECT passages.id, passages.document, sums.sum, documents.url, documents.title,
           passages.headings, passages.body
    FROM passages CROSS JOIN documents ON documents.id = passages.document
    CROSS JOIN sums ON sums.document = passages.document
    WHERE passages.id > ? ORDER BY passages.id LIMIT ?
"""


class _SummedRow(msgspec.Struct, frozen=True, array_like=True):
    number: int
    document: int
    sum: int
    url: str
    title: str
    headings: str
    body: str


def document_checksum(url: str, title: str, passages: Iterable[tuple[str, str]]) -> int:
    """Return the CRC-32 of a document: its URL, title, and headings and body of each passage."""
    parts = [url, title]
    for passage in passages:
        parts += passage
    return zlib.crc32("\x00".join(parts).encode())


def store_checksums(connection: sqlite3.Connection, sums: Sequence[tuple[int, int]]) -> None:
    """Store the checksums of new documents."""
    if not sums:
        return
    for statement in _CHECKSUM_TABLES:
        connection.execute(statement)
    connection.executemany("INSERT INTO sums VALUES (?, ?)", sums)


def has_intact_texts(connection: sqlite3.Connection) -> bool:
    """Tell whether every document with a checksum still has the text it was added with."""
    if not connection.execute(_SELECT_CHECKSUM_TABLE).fetchone():
        return True
    groups = groupby(_read_summed_passages(connection), key=lambda row: row.document)
    return all(_is_intact(list(rows)) for _, rows in groups)


def _is_intact(rows: list[_SummedRow]) -> bool:
    first = rows[0]
    return first.sum == document_checksum(
        first.url, first.title, ((row.headings, row.body) for row in rows)
    )


def _read_summed_passages(connection: sqlite3.Connection) -> Iterator[_SummedRow]:
    last = 0
    while rows := fetch_rows(
        connection, _SELECT_SUMMED_PASSAGES, (last, _BATCH_DOCUMENTS), _SummedRow
    ):
        last = rows[-1].number
        yield from rows
