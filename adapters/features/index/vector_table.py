"""Vectors in the index file, one for each passage, all of one model.

The tables are created when the first vector is stored; a file without vectors has none of them. A
trigger deletes the vectors of removed passages.
"""

import sqlite3
from collections.abc import Sequence

import msgspec

from ...stores.sqlite import fetch_rows

_CREATE_VECTOR_TABLES = (
    "CREATE TABLE IF NOT EXISTS embedding (model TEXT NOT NULL, dimensions INTEGER NOT NULL)",
    "CREATE TABLE IF NOT EXISTS vectors (passage INTEGER PRIMARY KEY, packed BLOB NOT NULL)",
    """
    CREATE TRIGGER IF NOT EXISTS vectors_removed AFTER DELETE ON passages
    BEGIN DELETE FROM vectors WHERE passage = old.id; END
    """,
)
_DROP_VECTOR_TABLES = (
    "DROP TRIGGER IF EXISTS vectors_removed",
    "DROP TABLE IF EXISTS vectors",
    "DROP TABLE IF EXISTS embedding",
)
_SELECT_EMBEDDING_TABLE = "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = 'embedding'"
_SELECT_UNEMBEDDED = """
    SELECT passages.id, documents.title, passages.headings, passages.body
    FROM passages JOIN documents ON documents.id = passages.document
    {without}
    ORDER BY passages.id LIMIT ?
"""
_WITHOUT_VECTOR = "LEFT JOIN vectors ON vectors.passage = passages.id WHERE vectors.passage IS NULL"
# A passage that was removed during its embedding gets no vector.
_INSERT_VECTOR = "INSERT OR REPLACE INTO vectors SELECT id, ? FROM passages WHERE id = ?"


class EmbeddingModel(msgspec.Struct, frozen=True, array_like=True):
    """The model whose vectors a file has, and their number of dimensions."""

    name: str
    dimensions: int


class UnembeddedPassage(msgspec.Struct, frozen=True, array_like=True):
    """A passage without a vector."""

    number: int
    title: str
    headings: str
    body: str

    @property
    def text(self) -> str:
        """The text to embed: title, headings and body."""
        return "\n".join(filter(None, (self.title, self.headings, self.body)))


def vector_model(connection: sqlite3.Connection) -> EmbeddingModel | None:
    """Return the model whose vectors the file has; None for a file without vectors."""
    if connection.execute(_SELECT_EMBEDDING_TABLE).fetchone() is None:
        return None
    rows = fetch_rows(connection, "SELECT model, dimensions FROM embedding", (), EmbeddingModel)
    return rows[0] if rows else None


def vector_count(connection: sqlite3.Connection) -> int:
    """Return how many passages have a vector."""
    if vector_model(connection) is None:
        return 0
    return int(connection.execute("SELECT count(*) FROM vectors").fetchone()[0])


def passages_without_vectors(
    connection: sqlite3.Connection, max_passages: int
) -> list[UnembeddedPassage]:
    """Return passages without a vector, in their order."""
    without = "" if vector_model(connection) is None else _WITHOUT_VECTOR
    return fetch_rows(
        connection, _SELECT_UNEMBEDDED.format(without=without), (max_passages,), UnembeddedPassage
    )


def store_vectors(
    connection: sqlite3.Connection, model: EmbeddingModel, vectors: Sequence[tuple[int, bytes]]
) -> EmbeddingModel:
    """Store vectors if they are of the file's model; return the file's model."""
    for statement in _CREATE_VECTOR_TABLES:
        connection.execute(statement)
    stored = vector_model(connection)
    if stored is None:
        connection.execute("INSERT INTO embedding VALUES (?, ?)", (model.name, model.dimensions))
    elif stored != model:
        return stored
    connection.executemany(_INSERT_VECTOR, [(packed, number) for number, packed in vectors])
    return model


def delete_vectors(connection: sqlite3.Connection) -> None:
    """Delete all vectors and their model."""
    for statement in _DROP_VECTOR_TABLES:
        connection.execute(statement)


def packed_vectors(connection: sqlite3.Connection, vector_bytes: int) -> list[tuple[int, bytes]]:
    """Return every vector of that many bytes, by the number of its passage."""
    statement = (
        "SELECT passage, packed FROM vectors"
        " WHERE typeof(packed) = 'blob' AND length(packed) = ? ORDER BY passage"
    )
    return connection.execute(statement, (vector_bytes,)).fetchall()
