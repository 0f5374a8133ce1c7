"""What is in the index: documents, sources, counts."""

import sqlite3
from collections.abc import Sequence

import msgspec

from .documents import Listed


class Statistics(msgspec.Struct, frozen=True, kw_only=True):
    """How much is in the index; ``bytes`` is the size of its file."""

    documents: int
    passages: int
    terms: int
    sources: int
    bytes: int


def documents(connection: sqlite3.Connection) -> tuple[Listed, ...]:
    """Return every document, by URL."""
    rows = connection.execute(
        "SELECT url, location, source, title, published, passages, characters, indexed_at"
        " FROM documents ORDER BY url"
    )
    return tuple(
        Listed(
            url=url,
            location=location,
            source=source,
            title=title,
            published=published,
            passages=passages,
            characters=characters,
            indexed_at=indexed_at,
        )
        for url, location, source, title, published, passages, characters, indexed_at in rows
    )


def sources(connection: sqlite3.Connection) -> tuple[str, ...]:
    """Return what the user asked to add."""
    rows = connection.execute("SELECT location FROM sources ORDER BY location")
    return tuple(location for (location,) in rows)


def forget(connection: sqlite3.Connection, locations: Sequence[str]) -> int:
    """Drop sources; return how many of them were known."""
    return connection.execute(
        "DELETE FROM sources WHERE location IN (SELECT value FROM json_each(?))",
        (_json(locations),),
    ).rowcount


def digests(connection: sqlite3.Connection, urls: Sequence[str]) -> dict[str, bytes]:
    """Return the digest of each URL that is in the index."""
    return dict(
        connection.execute(
            "SELECT url, digest FROM documents WHERE url IN (SELECT value FROM json_each(?))",
            (_json(urls),),
        )
    )


def numbers_of(connection: sqlite3.Connection, urls: Sequence[str]) -> list[int]:
    """Return the numbers of the documents at these URLs."""
    rows = connection.execute(
        "SELECT id FROM documents WHERE url IN (SELECT value FROM json_each(?))", (_json(urls),)
    )
    return [number for (number,) in rows]


def statistics(connection: sqlite3.Connection) -> Statistics:
    """Count what is there."""
    (documents, passages, terms) = connection.execute("SELECT * FROM totals").fetchone()
    (sources,) = connection.execute("SELECT count(*) FROM sources").fetchone()
    (pages,) = connection.execute("PRAGMA page_count").fetchone()
    (page_size,) = connection.execute("PRAGMA page_size").fetchone()
    return Statistics(
        documents=documents,
        passages=passages,
        terms=terms,
        sources=sources,
        bytes=pages * page_size,
    )


def page(connection: sqlite3.Connection, url: str) -> dict[str, object] | None:
    """Return a document as the page it was: its passages put together again."""
    found = connection.execute(
        "SELECT id, url, title, published, indexed_at FROM documents WHERE url = ?", (url,)
    ).fetchone()
    if found is None:
        return None
    number, known_url, title, published, indexed_at = found
    bodies = connection.execute(
        "SELECT body FROM passages WHERE document = ? ORDER BY id", (number,)
    )
    return {
        "url": known_url,
        "title": title,
        "content": "".join(body for (body,) in bodies),
        "metadata": {"published_at": published, "indexed_at": indexed_at},
    }


def is_sound(connection: sqlite3.Connection) -> bool:
    """Tell whether SQLite finds nothing wrong with any page of the file."""
    return bool(connection.execute("PRAGMA integrity_check(1)").fetchone()[0] == "ok")


def _json(values: Sequence[str]) -> str:
    return msgspec.json.encode(values).decode()
