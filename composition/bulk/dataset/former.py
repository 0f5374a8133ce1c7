"""An earlier run: its pages that have not changed need not be fetched again.

Which pages it has is written to a file, so that a run of any length needs little memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import msgspec

from ....adapters.datasets.warc import validated_pages
from ....adapters.pages.fetch.visit import Headers
from ..items import WARC_FOLDER

FORMER: Final = "_former.sqlite"


class FormerPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of an earlier run: what to ask with, and its record."""

    validators: Headers
    record: bytes


class FormerRun:
    """The pages of an earlier run by their URLs."""

    def __init__(self, former: str, folder: Path) -> None:
        """Note what is there; raises ``OSError`` or ``sqlite3.Error``."""
        self._folder = Path(former) / WARC_FOLDER
        path = folder / FORMER
        path.unlink(missing_ok=True)
        self._table = sqlite3.connect(path, isolation_level=None)
        self._table.execute("PRAGMA journal_mode = OFF")
        self._table.execute(
            "CREATE TABLE pages (url TEXT PRIMARY KEY, etag TEXT, modified TEXT,"
            " file TEXT, offset INTEGER, length INTEGER) WITHOUT ROWID"
        )
        self._table.execute("BEGIN")
        self._table.executemany(
            "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?)", self._all()
        )
        self._table.execute("COMMIT")

    def _all(self) -> Iterator[tuple[object, ...]]:
        for path in sorted(self._folder.glob("*.warc.gz")):
            for page in validated_pages(path):
                yield (page.url, page.etag, page.modified, path.name, page.offset, page.length)

    def page(self, url: str) -> FormerPage | None:
        """Return the page that was at a URL, None when there was none that can be asked about."""
        query = "SELECT etag, modified, file, offset, length FROM pages WHERE url = ?"
        row = self._table.execute(query, ("".join(url.split()),)).fetchone()
        if row is None:
            return None
        etag, modified, file, offset, length = row
        headers = (("If-None-Match", etag), ("If-Modified-Since", modified))
        with (self._folder / file).open("rb") as stream:
            stream.seek(offset)
            record = stream.read(length)
        return FormerPage(
            validators=tuple((name, value) for name, value in headers if value), record=record
        )
