"""The cache's one table: an answer in, an answer out, and the oldest thrown away."""

import hashlib
import sqlite3
import struct
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import StoreFailed
from ....ports.stores import CachedAnswer
from ..sqlite import (
    Blueprint,
    StoreError,
    attempt_call,
    is_database,
    open_for_writing,
    run_transaction,
)

CACHE_SETTING = "WEBSEAM_CACHE"
CACHE = Blueprint(
    store="cached answers",
    setting=CACHE_SETTING,
    application_id=0x57534348,  # "WSCH"
    version=1,
    # A process that is killed loses nothing; a power cut may take the last answers, no harm done.
    synchronous="NORMAL",
    patience=5.0,
    schema=(
        """
        CREATE TABLE answers (
            key BLOB NOT NULL UNIQUE,
            backend TEXT NOT NULL,
            operation TEXT NOT NULL,
            payload BLOB NOT NULL,
            stored_at REAL NOT NULL,
            expires_at REAL NOT NULL,
            used_at REAL NOT NULL,
            size INTEGER NOT NULL,
            checksum BLOB NOT NULL
        )
        """,
        "CREATE INDEX answers_by_use ON answers (used_at, size)",
    ),
)


def answer_checksum(key: bytes, payload: bytes, stored_at: float, expires_at: float) -> bytes:
    """Return what shows that a row is whole and is the answer to its own key."""
    whole = hashlib.blake2b(key, digest_size=16)
    whole.update(struct.pack(">dd", stored_at, expires_at))
    whole.update(payload)
    return whole.digest()


# Using an answer is written down at most this often: reading should not mean writing.
_USE_UPDATE_SECONDS = 60.0
_FILL_SHARE_AFTER_EVICTION = 0.9


class CacheStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """What is in the cache."""

    answers: int
    expired: int
    bytes: int
    searches: int
    pages: int


def find_answer(connection: sqlite3.Connection, key: bytes, now: float) -> bytes | None:
    """Return the payload under ``key`` if it is whole and still good."""
    row = connection.execute(
        "SELECT payload, stored_at, expires_at, used_at, checksum FROM answers WHERE key = ?",
        (key,),
    ).fetchone()
    if row is None:
        return None
    if not _is_intact_row(key, row):
        connection.execute("DELETE FROM answers WHERE key = ?", (key,))
        return None
    payload, stored_at, expires_at, used_at, _ = row
    # Stored in the future: the clock was set back, so nobody knows how old it is.
    if not stored_at <= now < expires_at:
        return None
    if now - used_at > _USE_UPDATE_SECONDS:
        connection.execute("UPDATE answers SET used_at = ? WHERE key = ?", (now, key))
    return bytes(payload)


def store_answer(connection: sqlite3.Connection, answer: CachedAnswer, max_bytes: int) -> None:
    """Store an answer, and make room: what has expired first, then what was not used longest."""
    connection.execute(
        "INSERT OR REPLACE INTO answers VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            answer.key,
            answer.backend,
            answer.operation,
            answer.payload,
            answer.stored_at,
            answer.expires_at,
            answer.stored_at,
            answer.size,
            answer_checksum(answer.key, answer.payload, answer.stored_at, answer.expires_at),
        ),
    )
    if _cached_bytes(connection) > max_bytes:
        connection.execute("DELETE FROM answers WHERE expires_at <= ?", (answer.stored_at,))
        _evict_oldest_answers(connection, int(max_bytes * _FILL_SHARE_AFTER_EVICTION))


def cache_statistics(connection: sqlite3.Connection, now: float) -> CacheStatistics:
    """Count what is there."""
    row = connection.execute(
        "SELECT count(*), coalesce(sum(expires_at <= ?), 0), coalesce(sum(size), 0),"
        " coalesce(sum(operation = 'search'), 0), coalesce(sum(operation = 'extract'), 0)"
        " FROM answers",
        (now,),
    ).fetchone()
    answers, expired, size, searches, pages = row
    return CacheStatistics(
        answers=answers, expired=expired, bytes=size, searches=searches, pages=pages
    )


def clear_answers(connection: sqlite3.Connection) -> int:
    """Throw everything away; return how many answers there were."""
    return connection.execute("DELETE FROM answers").rowcount


def _is_intact_row(key: bytes, row: tuple[object, ...]) -> bool:
    """Tell whether a row is as it was written; damage can change even the types of its values."""
    match row:
        case (bytes() as payload, float() as stored_at, float() as expires_at, float(), digest):
            return answer_checksum(key, payload, stored_at, expires_at) == digest
        case _:
            return False


def _evict_oldest_answers(connection: sqlite3.Connection, most_bytes: int) -> None:
    """Keep the latest used that fit together."""
    connection.execute(
        "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM"
        " (SELECT rowid, sum(size) OVER (ORDER BY used_at DESC, rowid DESC) AS upto FROM answers)"
        " WHERE upto > ?)",
        (most_bytes,),
    )


def _cached_bytes(connection: sqlite3.Connection) -> int:
    (size,) = connection.execute("SELECT coalesce(sum(size), 0) FROM answers").fetchone()
    return int(size)


# The cache's file, and what happens when something is wrong with it.

Value = TypeVar("Value")
MAX_CACHE_BYTES = 256 * 1024 * 1024


class CacheStore:
    """Answers in one file. Safe to use from several threads, and beside other processes."""

    def __init__(
        self, path: Path, now: Callable[[], float] = time.time, max_bytes: int = MAX_CACHE_BYTES
    ) -> None:
        """Keep answers at ``path``; nothing is opened before the first call."""
        self._path = path
        self._now = now
        self._most_bytes = max_bytes
        self._connection: sqlite3.Connection | None = None
        self._lock = threading.Lock()

    def look_up(self, key: bytes) -> Result[bytes | None, StoreError]:
        """Return the payload under ``key`` if it is whole and still good."""
        return self._run(lambda connection: find_answer(connection, key, self._now()))

    def keep(self, answer: CachedAnswer) -> Result[None, StoreError]:
        """Store an answer; one that is too large for the cache is not worth the room."""
        if answer.size > self._most_bytes // 4:
            return Success(None)
        return self._run(
            lambda connection: run_transaction(
                connection, lambda: store_answer(connection, answer, self._most_bytes)
            )
        )

    def statistics(self) -> Result[CacheStatistics, StoreError]:
        """Count what is there."""
        return self._run(lambda connection: cache_statistics(connection, self._now()))

    def clear(self) -> Result[int, StoreError]:
        """Throw everything away, and give the room back to the disk."""

        def work(connection: sqlite3.Connection) -> int:
            count = run_transaction(connection, lambda: clear_answers(connection))
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
