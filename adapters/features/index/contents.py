"""Read and change the index file outside of searches: documents, sources, statistics."""

import sqlite3
from collections.abc import Sequence
from pathlib import Path

import msgspec

from ...stores.sqlite import fetch_one, fetch_rows
from .schema import passage_range
from .vector_table import vector_count, vector_model
from .word_folders import words_bytes

_MIN_FREE_SHARE = 0.1


class ListedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """A document in the index."""

    url: str
    location: str
    source: str
    title: str
    published: str | None
    passages: int
    characters: int
    indexed_at: float


class Statistics(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Counts of the index; ``bytes`` is the size of its file and of its words folder.

    ``vectors`` and ``model`` are set for a file with vectors.
    """

    documents: int
    passages: int
    terms: int
    sources: int
    bytes: int
    vectors: int = 0
    model: str = ""


def list_documents(connection: sqlite3.Connection) -> tuple[ListedDocument, ...]:
    """Return every document, by URL."""
    rows = connection.execute(
        "SELECT url, location, source, title, published, passages, characters, indexed_at"
        " FROM documents ORDER BY url"
    )
    columns = [name for name, *_ in rows.description]
    named_rows = (dict(zip(columns, row, strict=True)) for row in rows)
    return tuple(msgspec.convert(row, ListedDocument) for row in named_rows)


def list_sources(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return the locations that the user asked to add."""
    rows = fetch_rows(connection, "SELECT location FROM sources ORDER BY location", (), tuple[str])
    return tuple(location for (location,) in rows)


def add_sources(connection: sqlite3.Connection, locations: Sequence[str], now: float) -> None:
    """Store locations that the user asked to add, for a later refresh."""
    rows = [(location, now) for location in locations]
    connection.executemany("INSERT OR IGNORE INTO sources VALUES (?, ?)", rows)


def has_removed_passages(connection: sqlite3.Connection) -> bool:
    """Tell whether passages were removed that the engine may still count."""
    (has_removed,) = fetch_one(connection, "SELECT EXISTS (SELECT 1 FROM removed)", tuple[int])
    return bool(has_removed)


def vacuum_index(connection: sqlite3.Connection) -> None:
    """Rewrite the file without its free pages if there are many."""
    (pages,) = fetch_one(connection, "PRAGMA page_count", tuple[int])
    (free,) = fetch_one(connection, "PRAGMA freelist_count", tuple[int])
    if free > pages * _MIN_FREE_SHARE:
        connection.execute("VACUUM")


def remove_sources(connection: sqlite3.Connection, locations: Sequence[str]) -> int:
    """Remove sources; return how many there were."""
    return connection.execute(
        "DELETE FROM sources WHERE location IN (SELECT value FROM json_each(?))",
        (json_parameter(locations),),
    ).rowcount


def read_digests(connection: sqlite3.Connection, urls: Sequence[str]) -> dict[str, bytes]:
    """Return the stored digest of each URL that is in the index."""
    rows = connection.execute(
        "SELECT url, digest FROM documents WHERE url IN (SELECT value FROM json_each(?))",
        (json_parameter(urls),),
    )
    return {url: digest for url, digest in rows if isinstance(digest, bytes)}


def index_statistics(connection: sqlite3.Connection, path: Path) -> Statistics:
    """Count documents, passages, terms, sources, bytes and vectors."""
    (documents, passages, terms) = fetch_one(
        connection, "SELECT documents, passages, terms FROM totals", tuple[int, int, int]
    )
    (sources,) = connection.execute("SELECT count(*) FROM sources").fetchone()
    model = vector_model(connection)
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    return Statistics(
        documents=documents,
        passages=passages,
        terms=terms,
        sources=sources,
        bytes=pages * page_size + words_bytes(path),
        vectors=vector_count(connection),
        model="" if model is None else model.name,
    )


def read_page(connection: sqlite3.Connection, url: str) -> dict[str, object] | None:
    """Return a document as a page, joined from its passages; None if it is not there."""
    rows = fetch_rows(
        connection,
        "SELECT id, passages, title, published, indexed_at FROM documents WHERE url = ?",
        (url,),
        tuple[int, int, str, str | None, float],
    )
    if not rows:
        return None
    number, passages, title, published, indexed_at = rows[0]
    bodies = fetch_rows(
        connection,
        "SELECT body FROM passages WHERE id >= ? AND id < ? ORDER BY id",
        passage_range(number, passages),
        tuple[str],
    )
    return {
        "url": url,
        "title": title,
        "content": "".join(body for (body,) in bodies),
        "metadata": {"published_at": published, "indexed_at": indexed_at},
    }


def is_index_intact(connection: sqlite3.Connection) -> bool:
    """Tell whether SQLite finds no damaged page and every text has its checksum."""
    from .text_checksums import has_intact_texts  # noqa: PLC0415  to examine the file

    is_intact = connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok"
    return is_intact and has_intact_texts(connection)


def json_parameter(values: object) -> str:
    """Return values as the JSON text that ``json_each`` reads in a statement."""
    return msgspec.json.encode(values).decode()
