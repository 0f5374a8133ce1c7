"""The index file: documents, their passages, and the full-text table over those.

``terms`` keeps no text of its own. Its columns are fed with terms, one blank between them, so that
SQLite's plain ASCII tokenizer is all it needs; what stands in ``marks`` is told in ``analysis``.
They are kept nowhere else: to score a passage, and to tell FTS5 what to forget, its text is taken
apart again, in the same way; who changes that way gives the file a new version (see ``upgrade``).
What the numbers of documents and passages mean is told in ``numbers``; those that were given out
are counted in ``totals``, so that none comes again and an entry of ``terms`` that might outlive its
passage never points at another.
"""

from bisect import bisect

from ..stores.sqlite.blueprint import Blueprint

_BITS = 4
SIZE = (1 << _BITS) - 1
# Each size is about one and a half times the one before.
_BOUNDS = (8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024)
USUAL_LENGTHS = (6, 10, 13, 19, 27, 38, 54, 77, 109, 154, 218, 309, 437, 618, 874, 1400)


def passage_number(serial: int, length: int) -> int:
    """Return the number of a passage of so many terms.

    >>> passage_number(1, 0), passage_number(1, 70), passage_number(2, 5000)
    (16, 23, 47)
    >>> USUAL_LENGTHS[passage_number(1, 70) & SIZE]
    77
    """
    return serial << _BITS | bisect(_BOUNDS, length)


def passages_of(document: int, count: int) -> tuple[int, int]:
    """Return between which numbers the passages of a document are, the last one not included."""
    return document + 1 << _BITS, document + 1 + count << _BITS


INDEX_SETTING = "WEBSEAM_INDEX"
INDEX = Blueprint(
    store="indexed documents",
    setting=INDEX_SETTING,
    application_id=0x57534958,  # "WSIX"
    version=4,
    # A passage is up to 2,400 characters: on pages of 4,096 bytes a third of each would be empty.
    page_bytes=8192,
    modules=("fts5",),
    schema=(
        """
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY,
            url TEXT NOT NULL UNIQUE,
            location TEXT NOT NULL,
            source TEXT NOT NULL,
            title TEXT NOT NULL,
            published TEXT,
            digest BLOB NOT NULL,
            indexed_at REAL NOT NULL,
            passages INTEGER NOT NULL,
            characters INTEGER NOT NULL,
            language TEXT NOT NULL
        )
        """,
        # Every language that a document ever had: a query is read by the rules of each.
        "CREATE TABLE languages (language TEXT PRIMARY KEY)",
        """
        CREATE TABLE passages (
            id INTEGER PRIMARY KEY,
            document INTEGER NOT NULL REFERENCES documents (id),
            headings TEXT NOT NULL,
            body TEXT NOT NULL
        )
        """,
        "CREATE TABLE sources (location TEXT PRIMARY KEY, added_at REAL NOT NULL)",
        """
        CREATE TABLE totals (
            documents INTEGER NOT NULL, passages INTEGER NOT NULL, terms INTEGER NOT NULL,
            numbers INTEGER NOT NULL
        )
        """,
        "INSERT INTO totals VALUES (0, 0, 0, 0)",
        """
        CREATE VIRTUAL TABLE terms USING fts5 (
            title, headings, body, marks,
            content = '', columnsize = 0, tokenize = "ascii tokenchars '.@-_/'"
        )
        """,
        # Larger pieces in memory before they are written: fewer segments to merge and to search.
        "INSERT INTO terms (terms, rank) VALUES ('hashsize', 16777216)",
        # As many pieces wait to be merged as FTS5 allows: the less often each entry is copied.
        "INSERT INTO terms (terms, rank) VALUES ('automerge', 16)",
    ),
)
