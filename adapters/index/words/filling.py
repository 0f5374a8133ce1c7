"""Every passage of the file given to words that are new."""

import sqlite3
from collections.abc import Iterator

import msgspec

from ...language.stems import stemmer_language
from ...stores.sqlite.sqlite_calls import fetch_rows
from ..passage_terms import PassageText, TermEntry, day_number, term_entry
from .engine import Words

_BATCH_PASSAGES = 2000
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


def refill_words(connection: sqlite3.Connection, words: Words) -> None:
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
    while rows := fetch_rows(connection, _TEXTS, (last, _BATCH_PASSAGES), _TextRow):
        last = rows[-1].number
        yield [(row.number, term_entry(_text(row)), day_number(row.published)) for row in rows]


def _text(row: _TextRow) -> PassageText:
    return PassageText(
        title=row.title,
        headings=row.headings,
        body=row.body,
        url=row.url,
        language=stemmer_language(row.language),
    )
