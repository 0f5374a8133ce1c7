"""The schema of the index file, which has the documents and their passages.

The words folder that ``totals`` names maps words to passages; it can be rebuilt from the passages
at any time (see ``words``). The passages of a document have the numbers after its own. ``totals``
counts the numbers that were assigned, so none is used twice. ``removed`` has the passages that are
gone from the file since the words were built: the engine may still count them.
"""

from ...stores.sqlite import Blueprint

PASSAGES = """
    CREATE TABLE passages (
        id INTEGER PRIMARY KEY,
        document INTEGER NOT NULL REFERENCES documents (id),
        length INTEGER NOT NULL,
        headings TEXT NOT NULL,
        body TEXT NOT NULL
    )
"""
REMOVED = "CREATE TABLE removed (number INTEGER PRIMARY KEY)"
INDEX_SETTING = "WEBSEAM_INDEX"
INDEX = Blueprint(
    store="indexed documents",
    setting=INDEX_SETTING,
    application_id=0x57534958,  # "WSIX"
    version=5,
    # A passage has up to 2,400 characters: pages of 4,096 bytes would be a third empty.
    page_bytes=8192,
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
        # Every language that a document has: a query is parsed by the rules of each.
        "CREATE TABLE languages (language TEXT PRIMARY KEY)",
        PASSAGES,
        "CREATE TABLE sources (location TEXT PRIMARY KEY, added_at REAL NOT NULL)",
        """
        CREATE TABLE totals (
            documents INTEGER NOT NULL, passages INTEGER NOT NULL, terms INTEGER NOT NULL,
            numbers INTEGER NOT NULL, words TEXT NOT NULL
        )
        """,
        "INSERT INTO totals VALUES (0, 0, 0, 0, '')",
        REMOVED,
    ),
)


def passage_range(document: int, count: int) -> tuple[int, int]:
    """Return the first passage number of a document, and the one after the last."""
    return document + 1, document + 1 + count
