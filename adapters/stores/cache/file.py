"""The cache's file, and what happens when something is wrong with it.

A damaged file is set aside under another name and a new one is begun. A file that is not ours, or
cannot be opened or written, is left alone, and there is no cache for as long as that is so.
"""

import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

from returns.result import Failure, Result, Success

from ....ports.errors import StoreFailed
from ....ports.stores import CachedAnswer
from ..sqlite.blueprint import StoreError
from ..sqlite.opening import is_database, open_for_writing
from ..sqlite.sqlite_calls import attempt_call, run_transaction
from . import cache_table as answers
from .cache_table import CACHE, CacheStatistics

Value = TypeVar("Value")

MAX_CACHE_BYTES = 256 * 1024 * 1024


class CacheStore:
    """Answers in one file. Safe to use from several threads, and beside other processes."""

    def __init__(
        self, path: Path, now: Callable[[], float] = time.time, most_bytes: int = MAX_CACHE_BYTES
    ) -> None:
        """Keep answers at ``path``; nothing is opened before the first call."""
        self._path = path
        self._now = now
        self._most_bytes = most_bytes
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def look_up(self, key: bytes) -> Result[bytes | None, StoreError]:
        """Return the payload under ``key`` if it is whole and still good."""
        return self._run(lambda connection: answers.find_answer(connection, key, self._now()))

    def keep(self, answer: CachedAnswer) -> Result[None, StoreError]:
        """Store an answer; one that is too large for the cache is not worth the room."""
        if answer.size > self._most_bytes // 4:
            return Success(None)
        return self._run(
            lambda connection: run_transaction(
                connection, lambda: answers.store_answer(connection, answer, self._most_bytes)
            )
        )

    def statistics(self) -> Result[CacheStatistics, StoreError]:
        """Count what is there."""
        return self._run(lambda connection: answers.cache_statistics(connection, self._now()))

    def clear(self) -> Result[int, StoreError]:
        """Throw everything away, and give the room back to the disk."""

        def work(connection: sqlite3.Connection) -> int:
            count = run_transaction(connection, lambda: answers.clear_answers(connection))
            connection.execute("VACUUM")
            return count

        return self._run(work)

    def close(self) -> None:
        """Let go of the file."""
        with self._lock:
            self._drop()

    def _run(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            done = self._once(work)
            if isinstance(done, Success) or not self._is_damaged(done.failure()):
                return done
            self._drop()
            return attempt_call(self._set_aside, CACHE).bind(lambda _: self._once(work))

    def _once(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        if self._connection is None:
            opened = open_for_writing(self._path, CACHE)
            if isinstance(opened, Failure):
                return opened
            self._connection = opened.unwrap()
        connection = self._connection
        return attempt_call(lambda: work(connection), CACHE)

    def _is_damaged(self, error: StoreError) -> bool:
        """Tell a damaged file from one of another program, which is a database like ours."""
        if not isinstance(error, StoreFailed):
            return False
        return error.problem == "corrupt" or (
            error.problem == "foreign" and not is_database(self._path)
        )

    def _set_aside(self) -> None:
        """Rename the file and what SQLite keeps beside it; whoever has it open goes on with it."""
        name = f"{self._path.name}.bad-{int(self._now())}"
        for ending in ("", "-wal", "-shm", "-journal"):
            old = self._path.with_name(self._path.name + ending)
            if old.exists():
                old.replace(self._path.with_name(name + ending))

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
