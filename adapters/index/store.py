"""The index: one SQLite file that documents go into and are found in. Every call gives a Result.

What only writing needs is loaded by who writes: a search at a terminal is over sooner.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from returns.result import Failure, Result, Success

from ...ports.errors import StoreFailed
from ...ports.web import WebSearchQuery
from ..stores.sqlite.blueprint import Blueprint, StoreError
from ..stores.sqlite.calls import attempt, transact
from ..stores.sqlite.opening import open_for_reading, open_for_writing
from . import listing
from .listing import ListedDocument, Statistics
from .schema import INDEX
from .search import IndexAnswer, find

if TYPE_CHECKING:
    from .documents import IndexDocument, Prepared
    from .updates import Change

Value = TypeVar("Value")

_MERGED_PAGES = 500
_CACHE_KIB = 65_536
_MAPPED_BYTES = 1 << 30


class DocumentIndex:
    """An open index. Safe to use from several threads, and beside other processes."""

    def __init__(
        self, connection: sqlite3.Connection, now: Callable[[], float], notice: str = ""
    ) -> None:
        """Use ``reading`` or ``writing``; this only keeps what they opened.

        ``notice`` is what users should be told: that the file was brought into another form.
        """
        self.notice = notice
        self._connection = connection
        self._now = now
        self._lock = threading.Lock()

    @classmethod
    def writing(cls, path: Path, now: Callable[[], float] = time.time) -> Result[Self, StoreError]:
        """Open the index at ``path``, and make it if there is none."""
        return _opened(path, open_for_writing).bind(lambda opened: cls._ready(*opened, now))

    @classmethod
    def reading(cls, path: Path, now: Callable[[], float] = time.time) -> Result[Self, StoreError]:
        """Open an index that is there; a disk that cannot be written to is no obstacle."""
        return _opened(path, open_for_reading).bind(lambda opened: cls._ready(*opened, now))

    @classmethod
    def _ready(
        cls, connection: sqlite3.Connection, notice: str, now: Callable[[], float]
    ) -> Result[Self, StoreError]:
        def tune() -> None:
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")

        tuned = attempt(tune, INDEX)
        if isinstance(tuned, Failure):
            connection.close()
        return tuned.map(lambda _: cls(connection, now, notice))

    def add(self, documents: "Iterable[IndexDocument]") -> "Result[tuple[Change, ...], StoreError]":
        """Add documents in one transaction: when this returns a success, all of them are kept."""
        from .documents import AT_ONCE, prepare_ahead, prepare_all  # noqa: PLC0415  to write
        from .updates import put_all  # noqa: PLC0415  to write

        batch = list(documents)
        if len(batch) <= AT_ONCE:
            return self.put(prepare_all(batch))
        return self._write(
            lambda connection: put_all(connection, prepare_ahead(batch), self._now())
        )

    def put(self, batch: "Sequence[Prepared]") -> "Result[tuple[Change, ...], StoreError]":
        """Add documents that are prepared already, in one transaction."""
        from .updates import put_all  # noqa: PLC0415  to write

        return self._write(lambda connection: put_all(connection, batch, self._now()))

    def tidy(self) -> Result[None, StoreError]:
        """Make searching faster after much was added. Others can write in between."""
        merged = self._write(lambda connection: listing.merge(connection, -_MERGED_PAGES))
        while merged.value_or(False):  # noqa: FBT003  a failure ends it
            merged = self._write(lambda connection: listing.merge(connection, _MERGED_PAGES))
        if isinstance(merged, Failure):
            return merged
        with self._lock:
            # Where there is no room to write the file anew, it stays as large as it is.
            attempt(lambda: listing.give_back(self._connection), INDEX)
        return Success(None)

    def remember_sources(self, locations: Sequence[str]) -> Result[None, StoreError]:
        """Keep what the user asked to add, for a later refresh."""

        def work(connection: sqlite3.Connection) -> None:
            for location in locations:
                listing.remember(connection, location, self._now())

        return self._write(work)

    def remove(self, urls: Sequence[str]) -> Result[int, StoreError]:
        """Take documents out; return how many there were."""
        from .updates import delete_all  # noqa: PLC0415  to write

        return self._write(lambda connection: delete_all(connection, urls))

    def forget_sources(self, locations: Sequence[str]) -> Result[int, StoreError]:
        """Stop refreshing sources; return how many of them were known."""
        return self._write(lambda connection: listing.forget(connection, locations))

    def digests(self, urls: Sequence[str]) -> Result[dict[str, bytes], StoreError]:
        """Return what is known of each URL: the digest of its content."""
        return self._read(lambda connection: listing.digests(connection, urls))

    def documents(self) -> Result[tuple[ListedDocument, ...], StoreError]:
        """Return every document, by URL."""
        return self._read(listing.documents)

    def sources(self) -> Result[tuple[str, ...], StoreError]:
        """Return what the user asked to add."""
        return self._read(listing.sources)

    def statistics(self) -> Result[Statistics, StoreError]:
        """Count what is in the index."""
        return self._read(listing.statistics)

    def check(self) -> Result[None, StoreError]:
        """Read the whole file and see that nothing in it is damaged."""
        checked = self._read(listing.is_sound)
        if isinstance(checked, Failure):
            return checked
        return Success(None) if checked.unwrap() else Failure(INDEX.failed("corrupt"))

    def search(self, query: WebSearchQuery) -> Result[list[dict[str, object]], StoreError]:
        """Return rows for the best documents, best first."""
        return self.answer(query).map(lambda answer: answer.rows)

    def answer(self, query: WebSearchQuery) -> Result[IndexAnswer, StoreError]:
        """Return rows for the best documents, and what there is to say about the search."""
        return self._read(lambda connection: find(connection, query))

    def page(self, url: str) -> Result[dict[str, object] | None, StoreError]:
        """Return a document as a page; None when it is not in the index."""
        return self._read(lambda connection: listing.read_page(connection, url))

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._connection.close()

    def _read(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        """Run ``work`` on one state of the file, whatever others write meanwhile."""

        def call() -> Value:
            self._connection.execute("BEGIN")
            try:
                return work(self._connection)
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("COMMIT")

        with self._lock:
            return attempt(call, INDEX)

    def _write(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            return attempt(
                lambda: transact(self._connection, lambda: work(self._connection)), INDEX
            )


def _opened(
    path: Path, open_it: Callable[[Path, Blueprint], Result[sqlite3.Connection, StoreError]]
) -> Result[tuple[sqlite3.Connection, str], StoreError]:
    """Open the file; one of the version before is brought into this one's form first."""
    opened = open_it(path, INDEX)
    if not isinstance(opened, Failure) or not _is_older(opened.failure()):
        return opened.map(lambda connection: (connection, ""))
    from .upgrade import UPGRADED, upgrade  # noqa: PLC0415  once in the life of a file

    upgraded = upgrade(path)
    again = open_it(path, INDEX)
    if isinstance(again, Failure) and isinstance(upgraded, Failure):
        return upgraded
    # When it was not we who did it, another process has, between our look and our lock.
    notice = "" if isinstance(upgraded, Failure) else UPGRADED
    return again.map(lambda connection: (connection, notice))


def _is_older(error: StoreError) -> bool:
    return isinstance(error, StoreFailed) and error.problem == "older"
