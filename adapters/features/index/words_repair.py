"""Access to the words that rebuilds missing or damaged ones once."""

import sqlite3
from collections.abc import Callable
from functools import partial
from typing import TypeVar

from returns.result import Failure, Result

from ...stores.sqlite import StoreError, attempt_call, run_snapshot, run_transaction
from .index_words import IndexWords, words_match_index
from .schema import INDEX
from .word_engine import Words, WordsError, WordsWriter

Value = TypeVar("Value")


class WordsRepair:
    """The words of an open index file, for one caller at a time."""

    def __init__(self, connection: sqlite3.Connection, shelf: IndexWords) -> None:
        """Use the words on ``shelf`` inside transactions on ``connection``."""
        self._connection = connection
        self._shelf = shelf

    def read_words(self, work: Callable[[Words], Value]) -> Result[Value, StoreError]:
        """Run ``work`` on the words and a matching snapshot of the file."""

        def call() -> Value:
            words = self._shelf.current_words(self._connection)
            if words is None:
                raise WordsError
            return work(words)

        read = partial(self._try_with_words, partial(run_snapshot, self._connection, call))
        if (first := read()) is not None:
            return first
        rebuilt = self._rebuild_words()
        return rebuilt if isinstance(rebuilt, Failure) else read() or self._words_failure()

    def write_words(
        self, work: Callable[[WordsWriter], Value], *, is_last: bool = False
    ) -> Result[Value, StoreError]:
        """Run ``work`` in a transaction with a words writer: all is stored, or nothing."""

        def call() -> Value:
            with self._shelf.open_writer(self._connection, is_last=is_last) as writer:
                return work(writer)

        write = partial(self._try_with_words, partial(run_transaction, self._connection, call))
        written = write() or write() or self._words_failure()
        self._delete_unused_folders()
        return written

    def check_words(self) -> Result[None, StoreError]:
        """Check that the words cover every passage; rebuild them if not."""

        def compare(words: Words) -> None:
            if not words_match_index(self._connection, words):
                raise WordsError

        return self.read_words(compare)

    def close(self) -> None:
        """Close the words."""
        self._shelf.close()

    def _rebuild_words(self) -> Result[object, StoreError]:
        """Rebuild the words: in the folder, or in memory where that fails."""

        def call() -> None:
            if self._shelf.current_words(self._connection) is None:
                self._shelf.rebuild_words(self._connection)

        rebuilt = self._try_with_words(lambda: run_transaction(self._connection, call))
        if rebuilt is not None and not isinstance(rebuilt, Failure):
            self._delete_unused_folders()
            return rebuilt
        rebuild = partial(self._shelf.rebuild_words_in_memory, self._connection)
        in_memory = self._try_with_words(lambda: run_snapshot(self._connection, rebuild))
        return in_memory or self._words_failure()

    def _delete_unused_folders(self) -> None:
        """Delete the folders of words that were rebuilt, once the file names the new one."""
        if self._shelf.has_unused_folders():
            delete = partial(self._shelf.delete_unused_folders, self._connection)
            self._try_with_words(lambda: run_transaction(self._connection, delete))

    def _try_with_words(self, call: Callable[[], Value]) -> Result[Value, StoreError] | None:
        """Return the result of a call; None if the words failed."""
        try:
            return attempt_call(call, INDEX)
        except WordsError:
            self._shelf.mark_damaged()
            return None

    def _words_failure(self) -> Failure[StoreError]:
        return Failure(INDEX.file_error(self._shelf.explain_failure()))
