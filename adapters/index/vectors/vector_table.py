"""Vectors in the index file, one for each passage, all of one model.

The tables are made when the first vector is kept: a file of words alone has none, and is the same
as ever. A trigger drops the vectors of passages that are removed, whoever removes them.
"""

import sqlite3
from collections.abc import Sequence

import msgspec

from ...stores.sqlite import fetch_rows

_TABLES = (
    "CREATE TABLE IF NOT EXISTS embedding (model TEXT NOT NULL, dimensions INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS vectors (passage INTEGER PRIMARY KEY, packed BLOB NOT NULL)",
    """
    CREATE TRIGGER IF NOT EXISTS vectors_removed AFTER DELETE ON passages
    BEGIN DELETE FROM vectors WHERE passage = old.id; END
    """,
)
_DROPPED = (
    "DROP TRIGGER IF EXISTS vectors_removed",
    "DROP TABLE IF EXISTS vectors",
    "DROP TABLE IF EXISTS embedding",
)
_KNOWN = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'embedding'"
_LACKING = """
    SELECT passages.id, documents.title, passages.headings, passages.body
    FROM passages JOIN documents ON documents.id = passages.document
    {without}
    ORDER BY passages.id LIMIT ?
"""
_WITHOUT = "LEFT JOIN vectors ON vectors.passage = passages.id WHERE vectors.passage IS NULL"
# A passage that was removed while it was on its way to the model gets no vector.
_KEEP = """
    INSERT OR REPLACE INTO vectors
    SELECT id, ? FROM passages WHERE id = ?
"""


class EmbeddingModel(msgspec.Struct, frozen=True, array_like=True):
    """Whose vectors a file has, and how many numbers each is of."""

    name: str
    dimensions: int


class Unembedded(msgspec.Struct, frozen=True, array_like=True):
    """A passage without a vector."""

    number: int
    title: str
    headings: str
    body: str

    @property
    def text(self) -> str:
        """What is embedded: the passage, and what it stands under."""
        return "\n".join(filter(None, (self.title, self.headings, self.body)))


def stored_model(connection: sqlite3.Connection) -> EmbeddingModel | None:
    """Return whose vectors the file has; None for a file of words alone."""
    if connection.execute(_KNOWN).fetchone() is None:
        return None
    rows = fetch_rows(connection, "SELECT model, dimensions FROM embedding", (), EmbeddingModel)
    return rows[0] if rows else None


def vector_count(connection: sqlite3.Connection) -> int:
    """Return how many passages have a vector."""
    if stored_model(connection) is None:
        return 0
    return int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])


def passages_without_vectors(connection: sqlite3.Connection, max_passages: int) -> list[Unembedded]:
    """Return passages without a vector, in their order."""
    without = "" if stored_model(connection) is None else _WITHOUT
    return fetch_rows(connection, _LACKING.format(without=without), (max_passages,), Unembedded)


def store_vectors(
    connection: sqlite3.Connection,
    model: EmbeddingModel,
    vectors: Sequence[tuple[int, bytes]],
) -> EmbeddingModel:
    """Keep vectors, if they are of the file's model; return whose vectors the file has."""
    for statement in _TABLES:
        connection.execute(statement)
    known = stored_model(connection)
    if known is None:
        connection.execute("INSERT INTO embedding VALUES (?, ?)", (model.name, model.dimensions))
    elif known != model:
        return known
    connection.executemany(_KEEP, [(packed, number) for number, packed in vectors])
    return model


def delete_vectors(connection: sqlite3.Connection) -> None:
    """Take all vectors out, and forget whose they were."""
    for statement in _DROPPED:
        connection.execute(statement)


def packed_vectors(connection: sqlite3.Connection, vector_bytes: int) -> list[tuple[int, bytes]]:
    """Return every vector of that many bytes, by the number of its passage."""
    statement = (
        "SELECT passage, packed FROM vectors"
        " WHERE typeof(packed) = 'blob' AND length(packed) = ? ORDER BY passage"
    )
    return connection.execute(statement, (vector_bytes,)).fetchall()
