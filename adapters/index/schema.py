"""The index file: documents and their passages, which are the truth; their words are beside it.

Which passages have which words is kept in a folder that ``totals`` names, and that can be made anew
out of the passages at any time (see ``words``). The passages of a document have the numbers that
follow its own. Those that were given out are counted in ``totals``, so that none comes again, and
``removed`` holds those that are gone from here and may still be among the words.
"""

from ..stores.sqlite import Blueprint


def passage_range(document: int, count: int) -> tuple[int, int]:
    """Return between which numbers the passages of a document are, the last one not included."""
    return document + 1, document + 1 + count


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
    # A passage is up to 2,400 characters: on pages of 4,096 bytes a third of each would be empty.
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
        # Every language that a document ever had: a query is read by the rules of each.
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
