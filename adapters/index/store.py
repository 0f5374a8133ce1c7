"""The index: a SQLite file that documents go into, and their words beside it. Calls give a Result.

What only writing or searching needs is loaded by who does it: a list at a terminal is over sooner.
"""

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from returns.result import Failure, Result

from ...ports.web import WebSearchQuery
from ..stores.sqlite import (
    StoreError,
    attempt_call,
    open_for_reading,
    open_for_writing,
    run_snapshot,
    run_transaction,
)
from . import index_contents
from .index_contents import ListedDocument, Statistics
from .schema import INDEX

if TYPE_CHECKING:
    from .documents import IndexDocument, Prepared
    from .index_search import IndexAnswer
    from .updates import Change
    from .vectors.matrix import Matrix, Nearness
    from .vectors.vector_table import EmbeddingModel, Unembedded
    from .words.engine import Words, WordsWriter
    from .words.words_repair import WordsRepair

Value = TypeVar("Value")

_CACHE_KIB = 65_536
_MAPPED_BYTES = 1 << 30
_TIDY_AFTER_REMOVALS = 1000


class DocumentIndex:
    """An open index. Safe to use from several threads, and beside other processes."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        now: Callable[[], float],
    ) -> None:
        """Use ``reading`` or ``writing``; this only keeps what they opened."""
        self._connection = connection
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._upkeep: WordsRepair | None = None
        self._matrix: tuple[tuple[int, int], Matrix] | None = None
        self._is_reader = False
        self._is_closed = False

    @classmethod
    def writing(cls, path: Path, now: Callable[[], float] = time.time) -> Result[Self, StoreError]:
        """Open the index at ``path``, and make it if there is none."""
        return open_for_writing(path, INDEX).bind(lambda opened: cls._ready(path, opened, now))

    @classmethod
    def reading(cls, path: Path, now: Callable[[], float] = time.time) -> Result[Self, StoreError]:
        """Open an index that is there; a disk that cannot be written to is no obstacle."""
        ready = open_for_reading(path, INDEX).bind(lambda opened: cls._ready(path, opened, now))
        return ready.map(cls._for_reading)

    @classmethod
    def _ready(
        cls, path: Path, connection: sqlite3.Connection, now: Callable[[], float]
    ) -> Result[Self, StoreError]:
        def tune() -> None:
            connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
            connection.execute(f"PRAGMA mmap_size = {_MAPPED_BYTES}")

        tuned = attempt_call(tune, INDEX)
        if isinstance(tuned, Failure):
            connection.close()
        return tuned.map(lambda _: cls(connection, path, now))

    def _for_reading(self) -> Self:
        self._is_reader = True
        return self

    def add(self, documents: "Iterable[IndexDocument]") -> "Result[tuple[Change, ...], StoreError]":
        """Add documents in one transaction: when this returns a success, all of them are kept."""
        from .documents import BATCH_DOCUMENTS, prepare_ahead, prepare_all  # noqa: PLC0415  to write
        from .updates import store_documents  # noqa: PLC0415  to write

        batch = list(documents)
        if len(batch) <= BATCH_DOCUMENTS:
            return self.put(prepare_all(batch))
        return self._put(
            lambda pen: store_documents(self._connection, pen, prepare_ahead(batch), self._now())
        )

    def put(self, batch: "Sequence[Prepared]") -> "Result[tuple[Change, ...], StoreError]":
        """Add documents that are prepared already, in one transaction."""
        from .updates import store_documents  # noqa: PLC0415  to write

        return self._put(lambda pen: store_documents(self._connection, pen, batch, self._now()))

    def tidy(self) -> Result[None, StoreError]:
        """Take out of the words what is gone, and give back the room that is free."""
        settled = self._put(lambda _: None)
        self.give_back()
        return settled

    def give_back(self) -> None:
        """Give back the room that is free in the file, if it is much."""
        # Where there is no room to write the file anew, it stays as large as it is.
        self._alone(lambda: attempt_call(lambda: index_contents.vacuum(self._connection), INDEX))
        self.empty_log()

    def empty_log(self) -> None:
        """Give back the room of what was written down before it went into the file."""
        self._alone(
            lambda: attempt_call(lambda: index_contents.checkpoint(self._connection), INDEX)
        )

    def remember_sources(self, locations: Sequence[str]) -> Result[None, StoreError]:
        """Keep what the user asked to add, for a later refresh."""

        def work(connection: sqlite3.Connection) -> None:
            for location in locations:
                index_contents.add_source(connection, location, self._now())

        return self._write(work)

    def remove(self, urls: Sequence[str]) -> Result[int, StoreError]:
        """Take documents out; return how many there were."""
        from .updates import delete_documents  # noqa: PLC0415  to write

        removed = self._write(lambda connection: delete_documents(connection, urls))
        # They are passed over by every search until something is written again; many take time.
        # Where the words cannot be written either, what is removed is removed all the same.
        if removed.value_or(0) >= _TIDY_AFTER_REMOVALS:
            self._put(lambda _: None)
        return removed

    def forget_sources(self, locations: Sequence[str]) -> Result[int, StoreError]:
        """Stop refreshing sources; return how many of them were known."""
        return self._write(lambda connection: index_contents.remove_sources(connection, locations))

    def digests(self, urls: Sequence[str]) -> Result[dict[str, bytes], StoreError]:
        """Return what is known of each URL: the digest of its content."""
        return self._read(lambda connection: index_contents.read_digests(connection, urls))

    def documents(self) -> Result[tuple[ListedDocument, ...], StoreError]:
        """Return every document, by URL."""
        return self._read(index_contents.list_documents)

    def sources(self) -> Result[tuple[str, ...], StoreError]:
        """Return what the user asked to add."""
        return self._read(index_contents.list_sources)

    def statistics(self) -> Result[Statistics, StoreError]:
        """Count what is in the index."""
        return self._read(
            lambda connection: index_contents.index_statistics(connection, self._path)
        )

    def check(self) -> Result[None, StoreError]:
        """Read the whole file and see that nothing in it is damaged."""
        checked = self._read(index_contents.passes_integrity_check)
        if isinstance(checked, Failure):
            return checked
        if not checked.unwrap():
            return Failure(INDEX.failed("corrupt"))
        return self._alone(lambda: self._words().check())

    def search(self, query: WebSearchQuery) -> Result[list[dict[str, object]], StoreError]:
        """Return rows for the best documents, best first."""
        return self.answer(query).map(lambda answer: answer.rows)

    def answer(
        self, query: WebSearchQuery, vector: Sequence[float] = ()
    ) -> "Result[IndexAnswer, StoreError]":
        """Return rows for the best documents, and what there is to say about the search.

        ``vector`` is what the query means to the model whose vectors the file has: with it, those
        are found too that say the same in other words.
        """
        from .index_search import find_rows  # noqa: PLC0415  to search

        def work(words: "Words") -> "IndexAnswer":
            near = self._nearness(vector) if vector else None
            return find_rows(self._connection, words, query, near)

        return self._alone(lambda: self._words().read(work))

    def model(self) -> "Result[EmbeddingModel | None, StoreError]":
        """Return whose vectors the file has; None for a file of words alone."""
        from .vectors.vector_table import stored_model  # noqa: PLC0415  to search

        return self._read(stored_model)

    def unembedded(self, most: int) -> "Result[list[Unembedded], StoreError]":
        """Return passages that have no vector yet."""
        from .vectors.vector_table import passages_without_vectors  # noqa: PLC0415  to embed

        return self._read(lambda connection: passages_without_vectors(connection, most))

    def keep_vectors(
        self, model: "EmbeddingModel", numbers: Sequence[int], vectors: Sequence[Sequence[float]]
    ) -> "Result[EmbeddingModel, StoreError]":
        """Keep the vectors of passages; return whose vectors the file has.

        When that is another model, which only another process can have begun, nothing is kept.
        """
        from .vectors.matrix import pack_vectors  # noqa: PLC0415  to embed
        from .vectors.vector_table import store_vectors  # noqa: PLC0415  to embed

        packed = list(zip(numbers, pack_vectors(vectors), strict=True))
        return self._write(lambda connection: store_vectors(connection, model, packed))

    def drop_vectors(self) -> Result[None, StoreError]:
        """Take all vectors out, so that another model can begin."""
        from .vectors.vector_table import delete_vectors  # noqa: PLC0415  to embed

        return self._write(delete_vectors)

    def page(self, url: str) -> Result[dict[str, object] | None, StoreError]:
        """Return a document as a page; None when it is not in the index."""
        return self._read(lambda connection: index_contents.read_page(connection, url))

    def close(self) -> None:
        """Let go of the file and the words, when who uses them now is done."""
        with self._lock:
            self._is_closed = True
            if self._upkeep is not None:
                self._upkeep.close()
            self._connection.close()

    def _nearness(self, vector: Sequence[float]) -> "Nearness | None":
        """Compare all vectors with one; they stay in memory until the file changes."""
        from .vectors.matrix import read_matrix  # noqa: PLC0415  numpy, to compare vectors

        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        state = (version, self._connection.total_changes)
        if self._matrix is None or self._matrix[0] != state:
            self._matrix = (state, read_matrix(self._connection))
        matrix = self._matrix[1]
        return matrix.nearness(vector) if matrix.dimensions == len(vector) else None

    def _read(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._alone(
            lambda: attempt_call(
                lambda: run_snapshot(self._connection, lambda: work(self._connection)), INDEX
            )
        )

    def _write(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._alone(
            lambda: attempt_call(
                lambda: run_transaction(self._connection, lambda: work(self._connection)), INDEX
            )
        )

    def _put(self, work: "Callable[[WordsWriter], Value]") -> Result[Value, StoreError]:
        return self._alone(lambda: self._words().write(work))

    def _alone(self, call: Callable[[], Result[Value, StoreError]]) -> Result[Value, StoreError]:
        """Run a call while no other one runs; one that comes after ``close`` fails."""
        with self._lock:
            return Failure(INDEX.failed("closed")) if self._is_closed else call()

    def _words(self) -> "WordsRepair":
        """Return the words, with the engine loaded that they need."""
        if self._upkeep is None:
            from .words.words_repair import WordsRepair  # noqa: PLC0415  to write or search
            from .words.words_shelf import WordsShelf  # noqa: PLC0415  to write or search

            shelf = WordsShelf(self._path, is_reader=self._is_reader)
            self._upkeep = WordsRepair(self._connection, shelf)
        return self._upkeep
