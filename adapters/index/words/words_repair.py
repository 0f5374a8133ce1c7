"""Work on the words that never meets missing or damaged ones: those are made anew, once."""

import sqlite3
from collections.abc import Callable
from typing import TypeVar

from returns.result import Failure, Result

from ...stores.sqlite import StoreError, attempt_call, run_snapshot, run_transaction
from ..schema import INDEX
from .engine import Words, WordsError, WordsWriter
from .words_shelf import WordsShelf, words_match_index

Value = TypeVar("Value")


class WordsRepair:
    """The words of an open index file, for one caller at a time."""

    def __init__(self, connection: sqlite3.Connection, shelf: WordsShelf) -> None:
        """Use the words on ``shelf``, inside transactions on ``connection``."""
        self._connection = connection
        self._shelf = shelf

    def read(self, work: Callable[[Words], Value]) -> Result[Value, StoreError]:
        """Run ``work`` on the words, and one state of the file that they are of."""

        def call() -> Value:
            words = self._shelf.words(self._connection)
            if words is None:
                raise WordsError
            return work(words)

        first = self._tried(lambda: run_snapshot(self._connection, call))
        if first is not None:
            return first
        made = self._make()
        if isinstance(made, Failure):
            return made
        return self._tried(lambda: run_snapshot(self._connection, call)) or self._failed()

    def write(self, work: Callable[[WordsWriter], Value]) -> Result[Value, StoreError]:
        """Run ``work`` in a transaction, with a pen for the words: all is kept, or nothing."""

        def call() -> Value:
            with self._shelf.writing(self._connection) as pen:
                return work(pen)

        first = self._tried(lambda: run_transaction(self._connection, call))
        if first is not None:
            return first
        return self._tried(lambda: run_transaction(self._connection, call)) or self._failed()

    def check(self) -> Result[None, StoreError]:
        """See that the words are those of every passage; make them anew if they are not."""

        def compare(words: Words) -> None:
            if not words_match_index(self._connection, words):
                raise WordsError

        return self.read(compare)

    def close(self) -> None:
        """Let go of the words."""
        self._shelf.close()

    def _make(self) -> Result[object, StoreError]:
        """Make the words anew: beside the file, or where that cannot be, in memory."""

        def call() -> None:
            if self._shelf.words(self._connection) is None:
                self._shelf.make(self._connection)

        made = self._tried(lambda: run_transaction(self._connection, call))
        if made is not None and not isinstance(made, Failure):
            self._tried(
                lambda: run_transaction(
                    self._connection, lambda: self._shelf.sweep(self._connection)
                )
            )
            return made
        in_memory = self._tried(
            lambda: run_snapshot(
                self._connection, lambda: self._shelf.make_in_memory(self._connection)
            )
        )
        return in_memory or self._failed()

    def _tried(self, call: Callable[[], Value]) -> Result[Value, StoreError] | None:
        """Return what became of a call; None when it was the words that failed."""
        try:
            return attempt_call(call, INDEX)
        except WordsError:
            self._shelf.spoil()
            return None

    def _failed(self) -> Failure[StoreError]:
        return Failure(INDEX.failed(self._shelf.problem()))
