"""The index file: documents, their passages, and the full-text table over those.

``terms`` keeps no text of its own. Its columns are fed with terms, one blank between them, so that
SQLite's plain ASCII tokenizer is all it needs; what stands in ``marks`` is told in ``analysis``.
Numbers of passages are never used twice, so that an entry of ``terms`` can outlive its passage
without ever pointing at another.
"""

from ..stores.blueprint import Blueprint

INDEX_SETTING = "WEBSEAM_INDEX"

INDEX = Blueprint(
    store="indexed documents",
    setting=INDEX_SETTING,
    application_id=0x57534958,  # "WSIX"
    version=1,
    modules=("fts5",),
    schema=(
        """
        CREATE TABLE documents (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            url TEXT NOT NULL UNIQUE,
            location TEXT NOT NULL,
            source TEXT NOT NULL,
            title TEXT NOT NULL,
            published TEXT,
            digest BLOB NOT NULL,
            indexed_at REAL NOT NULL,
            passages INTEGER NOT NULL,
            characters INTEGER NOT NULL
        )
        """,
        "CREATE INDEX documents_by_source ON documents (source)",
        """
        CREATE TABLE passages (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            document INTEGER NOT NULL REFERENCES documents (id),
            headings TEXT NOT NULL,
            body TEXT NOT NULL
        )
        """,
        "CREATE INDEX passages_by_document ON passages (document)",
        "CREATE TABLE sources (location TEXT PRIMARY KEY, added_at REAL NOT NULL)",
        """
        CREATE TABLE totals (
            documents INTEGER NOT NULL, passages INTEGER NOT NULL, terms INTEGER NOT NULL
        )
        """,
        "INSERT INTO totals VALUES (0, 0, 0)",
        # In how many passages a term is: FTS5 could only tell by counting them each time.
        "CREATE TABLE rarity (term TEXT PRIMARY KEY, passages INTEGER NOT NULL) WITHOUT ROWID",
        """
        CREATE VIRTUAL TABLE terms USING fts5 (
            title, headings, body, place, marks,
            content = '', columnsize = 0, tokenize = "ascii tokenchars '.@-_'"
        )
        """,
        # Larger pieces in memory before they are written: fewer segments to merge and to search.
        "INSERT INTO terms (terms, rank) VALUES ('hashsize', 16777216)",
    ),
)
