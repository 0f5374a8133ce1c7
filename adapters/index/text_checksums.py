"""A sum of every document's text, by which a check sees that no letter of it has become another.

The table is made when a document is added: one that a version before has added has no sum, and is
not compared. A trigger drops the sums of documents that are removed, whoever removes them.
"""

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby

import msgspec

from ..stores.sqlite import fetch_rows

_TABLES = (
    "CREATE TABLE IF NOT EXISTS sums (document INTEGER PRIMARY KEY, sum INTEGER NOT NULL)",
    """
    CREATE TRIGGER IF NOT EXISTS sums_removed AFTER DELETE ON documents
    BEGIN DELETE FROM sums WHERE document = old.id; END
    """,
)
_KNOWN = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'sums'"
_BATCH_DOCUMENTS = 2000
# In the order of the passages: those of a document follow each other.
_SUMMED = """
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
    """Return the sum of a document: of its address, its title, and headings and body of each."""
    parts = [url, title]
    for passage in passages:
        parts += passage
    return zlib.crc32("\x00".join(parts).encode())


def store_checksums(connection: sqlite3.Connection, sums: Sequence[tuple[int, int]]) -> None:
    """Keep the sums of documents that are new."""
    if not sums:
        return
    for statement in _TABLES:
        connection.execute(statement)
    connection.executemany("INSERT INTO sums VALUES (?, ?)", sums)


def are_texts_as_added(connection: sqlite3.Connection) -> bool:
    """Tell whether every document that has a sum still has the text it was added with."""
    if not connection.execute(_KNOWN).fetchone():
        return True
    documents = groupby(_rows(connection), key=lambda row: row.document)
    return all(_is_as_added(list(rows)) for _, rows in documents)


def _is_as_added(rows: list[_SummedRow]) -> bool:
    first = rows[0]
    return first.sum == document_checksum(
        first.url, first.title, ((row.headings, row.body) for row in rows)
    )


def _rows(connection: sqlite3.Connection) -> Iterator[_SummedRow]:
    last = 0
    while rows := fetch_rows(connection, _SUMMED, (last, _BATCH_DOCUMENTS), _SummedRow):
        last = rows[-1].number
        yield from rows
