"""An earlier run: its pages that have not changed need not be fetched again.

Which pages it has is written to a file, so that a run of any length needs little memory.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import msgspec

from ....adapters.datasets.warc import validated_pages
from ....adapters.pages.fetch.visit import Headers
from ....kernel.bulk.url_lists import page_spelling
from ..inputs.items import FORMER, warc_folder


class EarlierPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of an earlier run: what to ask with, and its record."""

    validators: Headers
    record: bytes


def index_earlier_run(former: Path, folder: Path) -> None:
    """Note which pages an earlier run has; raises ``OSError``."""
    path = folder / FORMER
    path.unlink(missing_ok=True)
    try:
        _write(path, former)
    except sqlite3.Error as error:
        raise OSError(None, str(error)) from error


def _write(path: Path, former: Path) -> None:
    with closing(sqlite3.connect(path, isolation_level=None)) as table:
        table.execute("PRAGMA journal_mode = OFF")
        table.execute(
            "CREATE TABLE pages (page TEXT PRIMARY KEY, etag TEXT, modified TEXT,"
            " file TEXT, offset INTEGER, length INTEGER) WITHOUT ROWID"
        )
        table.execute("BEGIN")
        table.executemany("INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?)", _pages(former))
        table.execute("COMMIT")


def _pages(former: Path) -> Iterator[tuple[object, ...]]:
    for path in sorted(warc_folder(former).glob("*.warc.gz")):
        for page in validated_pages(path):
            name = page_spelling(page.url)
            # Of a page that was moved, the other address would have to be asked.
            if name == page_spelling(page.final_url):
                yield (name, page.etag, page.modified, path.name, page.offset, page.length)


class EarlierRun:
    """The pages of an earlier run, by whatever spelling of their URLs."""

    def __init__(self, former: Path, folder: Path) -> None:
        """Open what was noted; any number of readers may, as nobody writes; raises likewise."""
        self._folder = warc_folder(former)
        place = (folder / FORMER).absolute().as_uri()
        self._table = sqlite3.connect(f"{place}?mode=ro&immutable=1", uri=True)

    def page(self, url: str) -> EarlierPage | None:
        """Return the page that was at a URL, None when there was none that can be asked about."""
        query = "SELECT etag, modified, file, offset, length FROM pages WHERE page = ?"
        row = self._table.execute(query, (page_spelling(url),)).fetchone()
        if row is None:
            return None
        etag, modified, file, offset, length = row
        headers = (("If-None-Match", etag), ("If-Modified-Since", modified))
        with (self._folder / file).open("rb") as stream:
            stream.seek(offset)
            record = stream.read(length)
        return EarlierPage(
            validators=tuple((name, value) for name, value in headers if value), record=record
        )
