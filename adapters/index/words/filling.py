"""Every passage of the file given to words that are new."""

import sqlite3
from collections.abc import Iterator

import msgspec

from ...language.stems import language_of
from ...stores.sqlite.calls import fetch
from ..analysis import TermEntry, Text, day_number, entry
from .engine import Words

_AT_ONCE = 2000
_TEXTS = """
    SELECT passages.id, documents.title, passages.headings, passages.body, documents.url,
           documents.language, documents.published
    FROM passages JOIN documents ON documents.id = passages.document
    WHERE passages.id > ? ORDER BY passages.id LIMIT ?
"""


class _TextRow(msgspec.Struct, frozen=True, array_like=True):
    number: int
    title: str
    headings: str
    body: str
    url: str
    language: str
    published: str | None


def fill(connection: sqlite3.Connection, words: Words) -> None:
    """Put all passages in, and see them."""
    with words.pen() as pen:
        for batch in _batches(connection):
            pen.put(batch)
        pen.commit()
    words.reload()


def _batches(
    connection: sqlite3.Connection,
) -> Iterator[list[tuple[int, TermEntry, int | None]]]:
    last = 0
    while rows := fetch(connection, _TEXTS, (last, _AT_ONCE), _TextRow):
        last = rows[-1].number
        yield [(row.number, entry(_text(row)), day_number(row.published)) for row in rows]


def _text(row: _TextRow) -> Text:
    return Text(
        title=row.title,
        headings=row.headings,
        body=row.body,
        url=row.url,
        language=language_of(row.language),
    )
