"""The index: a SQLite file with documents, and a folder with their words. Calls return a Result.

Modules for writing or searching are imported on use, so that a listing at a terminal is fast.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import sqlite3
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Self, TypeVar

from returns.result import Failure, Result, Success

from webseam.ports.web import WebSearchQuery

from ...store_files import FileWatch
from ...stores.sqlite import (
    OpenStore,
    StoreError,
    attempt_call,
    close_before_forks,
    open_for_reading,
    open_for_writing,
    run_snapshot,
    run_transaction,
)
from . import contents
from .contents import ListedDocument, Statistics
from .schema import INDEX
from .word_folders import words_bytes

if TYPE_CHECKING:
    from .documents import IndexDocument, PreparedDocument
    from .search import IndexAnswer
    from .updates import Change
    from .vector_matrix import Matrix, Nearness
    from .vector_table import EmbeddingModel, UnembeddedPassage
    from .word_engine import Words, WordsWriter
    from .words_repair import WordsRepair

Value = TypeVar("Value")

_CACHE_KIB = 65_536
_MMAP_BYTES = 1 << 30


def _open_index(path: Path, *, is_reader: bool) -> Result[sqlite3.Connection, StoreError]:
    open_file = open_for_reading if is_reader else open_for_writing
    return open_file(path, INDEX).bind(_tune_index)


def _tune_index(connection: sqlite3.Connection) -> Result[sqlite3.Connection, StoreError]:
    def set_pragmas() -> sqlite3.Connection:
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KIB}")
        connection.execute(f"PRAGMA mmap_size = {_MMAP_BYTES}")
        return connection

    tuned = attempt_call(set_pragmas, INDEX)
    if isinstance(tuned, Failure):
        connection.close()
    return tuned


class DocumentIndex:
    """An open index. Threads may share it, and other processes may use the file."""

    def __init__(
        self,
        connection: sqlite3.Connection,
        path: Path,
        now: Callable[[], float],
        *,
        is_reader: bool = False,
        file: FileWatch | None = None,
    ) -> None:
        """Store an open connection; use ``reading`` or ``writing`` to open one."""
        self._opened: OpenStore | None
        self._opened = OpenStore(connection, path, FileWatch(path) if file is None else file)
        self._path = path
        self._now = now
        self._lock = threading.Lock()
        self._words_repair: WordsRepair | None = None
        self._matrix: tuple[tuple[int, int], Matrix] | None = None
        self._is_reader = is_reader
        self._is_closed = False
        close_before_forks(self)

    @classmethod
    def open_writer(
        cls, path: Path, now: Callable[[], float] = time.time
    ) -> Result[Self, StoreError]:
        """Open the index at ``path``, and create it if there is none."""
        file = FileWatch(path)
        return _open_index(path, is_reader=False).map(
            lambda connection: cls(connection, path, now, file=file)
        )

    @classmethod
    def open_reader(
        cls, path: Path, now: Callable[[], float] = time.time
    ) -> Result[Self, StoreError]:
        """Open an existing index; the disk may be read-only."""
        file = FileWatch(path)
        return _open_index(path, is_reader=True).map(
            lambda connection: cls(connection, path, now, is_reader=True, file=file)
        )

    def add(self, documents: "Iterable[IndexDocument]") -> "Result[tuple[Change, ...], StoreError]":
        """Add documents in one transaction: a success means that all are stored."""
        from .documents import (
            BATCH_DOCUMENTS,
            prepare_document_batch,
            prepare_documents_ahead,
        )  # to write
        from .updates import store_documents  # to write

        batch = list(documents)
        if len(batch) <= BATCH_DOCUMENTS:
            return self.put(prepare_document_batch(batch))
        return self._write_words(
            lambda pen: store_documents(
                self._connection, pen, prepare_documents_ahead(batch), self._now()
            )
        )

    def put(self, batch: "Sequence[PreparedDocument]") -> "Result[tuple[Change, ...], StoreError]":
        """Add prepared documents in one transaction."""
        from .updates import store_documents  # to write

        return self._write_words(
            lambda pen: store_documents(self._connection, pen, batch, self._now())
        )

    def tidy(self) -> Result[None, StoreError]:
        """Renew the words if passages were removed, and release free space."""
        renewed = self._write_words(lambda _: None, is_last=True)
        self.release_space()
        return renewed

    def renew_words(self) -> None:
        """Let removed passages steer no ranking, however many passages there are.

        It ends a command that made many changes. If the words cannot be written, searches still
        skip what was removed. Words that are not there take no space on a full disk.
        """
        has_removed = self._read_index(contents.has_removed_passages).value_or(None)
        if has_removed and words_bytes(self._path):
            self._write_words(lambda _: None, is_last=True)

    def release_space(self) -> None:
        """Release the free space of the file if there is much."""
        # A disk without space for the rewrite leaves the file as large as it is.
        self._attempt(contents.vacuum_index)
        self.empty_log()

    def empty_log(self) -> None:
        """Move the write-ahead log into the file and release its space."""
        truncate = "PRAGMA wal_checkpoint(TRUNCATE)"
        self._attempt(lambda connection: connection.execute(truncate).fetchone())

    def remember_sources(self, locations: Sequence[str]) -> Result[None, StoreError]:
        """Store the locations that the user asked to add, for a later refresh."""
        return self._write_index(
            lambda connection: contents.add_sources(connection, locations, self._now())
        )

    def remove(self, urls: Sequence[str]) -> Result[int, StoreError]:
        """Remove documents; return how many there were."""
        from .updates import delete_documents  # to write

        removed = self._write_index(lambda connection: delete_documents(connection, urls))
        # The words count removed passages until they are written, and steer the ranking by them. A
        # removal succeeds even if they cannot be written: searches skip what is not in the file.
        # Words that are not there take no space on a full disk, and a search makes them.
        if removed.value_or(0) and words_bytes(self._path):
            self._write_words(lambda _: None)
        return removed

    def forget_sources(self, locations: Sequence[str]) -> Result[int, StoreError]:
        """Stop refreshing sources; return how many there were."""
        return self._write_index(lambda connection: contents.remove_sources(connection, locations))

    def digests(self, urls: Sequence[str]) -> Result[dict[str, bytes], StoreError]:
        """Return the stored digest of each URL that is in the index."""
        return self._read_index(lambda connection: contents.read_digests(connection, urls))

    def documents(self) -> Result[tuple[ListedDocument, ...], StoreError]:
        """Return every document, by URL."""
        return self._read_index(contents.list_documents)

    def sources(self) -> Result[tuple[str, ...], StoreError]:
        """Return the locations that the user asked to add."""
        return self._read_index(contents.list_sources)

    def statistics(self) -> Result[Statistics, StoreError]:
        """Count what is in the index."""
        return self._read_index(
            lambda connection: contents.index_statistics(connection, self._path)
        )

    def check(self) -> Result[None, StoreError]:
        """Read the file and the words completely; fail if something is damaged."""
        checked = self._read_index(contents.is_index_intact)
        if isinstance(checked, Failure):
            return checked
        if not checked.unwrap():
            return Failure(INDEX.file_error("corrupt"))
        return self._run_locked(lambda: self._open_words().check_words())

    def search(self, query: WebSearchQuery) -> Result[list[dict[str, object]], StoreError]:
        """Return rows for the best documents, best first."""
        return self.answer(query).map(lambda answer: answer.rows)

    def answer(
        self, query: WebSearchQuery, vector: Sequence[float] = ()
    ) -> "Result[IndexAnswer, StoreError]":
        """Return rows for the best documents, and warnings about the search.

        ``vector`` is the query's embedding by the model whose vectors the file has: with it,
        passages also match by meaning.
        """
        from .search import find_index_rows  # to search

        def work(words: "Words") -> "IndexAnswer":
            near = self._query_nearness(vector) if vector else None
            return find_index_rows(self._connection, words, query, near)

        return self._run_locked(lambda: self._open_words().read_words(work))

    def model(self) -> "Result[EmbeddingModel | None, StoreError]":
        """Return the model whose vectors the file has; None for a file without vectors."""
        from .vector_table import vector_model  # to search

        return self._read_index(vector_model)

    def passages_without_vectors(self, most: int) -> "Result[list[UnembeddedPassage], StoreError]":
        """Return passages that have no vector yet."""
        from .vector_table import passages_without_vectors  # to embed

        return self._read_index(lambda connection: passages_without_vectors(connection, most))

    def store_vectors(
        self, model: "EmbeddingModel", numbers: Sequence[int], vectors: Sequence[Sequence[float]]
    ) -> "Result[EmbeddingModel, StoreError]":
        """Store the vectors of passages; return the model whose vectors the file has.

        Nothing is stored if that is another model, which another process may have begun.
        """
        from .vector_matrix import pack_vectors  # to embed
        from .vector_table import store_vectors  # to embed

        packed = list(zip(numbers, pack_vectors(vectors), strict=True))
        return self._write_index(lambda connection: store_vectors(connection, model, packed))

    def drop_vectors(self) -> Result[None, StoreError]:
        """Remove all vectors, so that another model can begin."""
        from .vector_table import delete_vectors  # to embed

        return self._write_index(delete_vectors)

    def page(self, url: str) -> Result[dict[str, object] | None, StoreError]:
        """Return a document as a page; None when it is not in the index."""
        return self._read_index(lambda connection: contents.read_page(connection, url))

    def close(self) -> None:
        """Close the file and the words after the current call has ended."""
        with self._lock:
            self._is_closed = True
            self._close_file()

    def close_before_fork(self) -> None:
        """Close the file, and let no other thread open it."""
        self._lock.acquire()
        self._close_file()

    def go_on_after_fork(self) -> None:
        """Let threads open the file again."""
        self._lock.release()

    def _query_nearness(self, vector: Sequence[float]) -> "Nearness | None":
        """Compare all vectors with one; they stay in memory until the file changes."""
        from .vector_matrix import read_vector_matrix  # numpy, to compare vectors

        version = self._connection.execute("PRAGMA data_version").fetchone()[0]
        state = (version, self._connection.total_changes)
        if self._matrix is None or self._matrix[0] != state:
            self._matrix = (state, read_vector_matrix(self._connection))
        matrix = self._matrix[1]
        return matrix.nearness(vector) if matrix.dimensions == len(vector) else None

    def _read_index(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._attempt(lambda opened: run_snapshot(opened, lambda: work(opened)))

    def _write_index(
        self, work: Callable[[sqlite3.Connection], Value]
    ) -> Result[Value, StoreError]:
        return self._attempt(lambda opened: run_transaction(opened, lambda: work(opened)))

    def _attempt(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        return self._run_locked(lambda: attempt_call(lambda: work(self._connection), INDEX))

    def _write_words(
        self, work: "Callable[[WordsWriter], Value]", *, is_last: bool = False
    ) -> Result[Value, StoreError]:
        return self._run_locked(lambda: self._open_words().write_words(work, is_last=is_last))

    def _run_locked(
        self, call: Callable[[], Result[Value, StoreError]]
    ) -> Result[Value, StoreError]:
        """Run a call under the lock, on the current file; a call after ``close`` fails."""
        with self._lock:
            if self._is_closed:
                return Failure(INDEX.file_error("closed"))
            if self._opened is None or not self._opened.is_current():
                reopened = self._reopen_file()
                if isinstance(reopened, Failure):
                    return reopened
            return call()

    def _reopen_file(self) -> Result[None, StoreError]:
        """Open the file that took the place of ours, and forget what was read of the old one."""
        file = FileWatch(self._path)
        opened = _open_index(self._path, is_reader=self._is_reader)
        if isinstance(opened, Failure):
            return opened
        self._close_file()
        self._opened = OpenStore(opened.unwrap(), self._path, file)
        return Success(None)

    def _close_file(self) -> None:
        if self._words_repair is not None:
            self._words_repair.close()
        self._words_repair = self._matrix = None
        if self._opened is not None:
            self._opened.close()
            self._opened = None

    @property
    def _connection(self) -> sqlite3.Connection:
        """The connection, for a call that has the lock."""
        assert self._opened is not None  # noqa: S101  opened by _run_locked
        return self._opened.connection

    def _open_words(self) -> "WordsRepair":
        """Return the words, and import the engine for them."""
        if self._words_repair is None:
            from .index_words import IndexWords  # to write or search
            from .words_repair import WordsRepair  # to write or search

            shelf = IndexWords(self._path, is_reader=self._is_reader)
            self._words_repair = WordsRepair(self._connection, shelf)
        return self._words_repair
