"""The table of cached answers, and the file that holds it."""

import hashlib
import sqlite3
import struct
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import msgspec
from returns.result import Result, Success

from webseam.ports.errors import StoreFailed
from webseam.ports.stores import CachedAnswer

from ..held_files import SIDE_FILE_ENDINGS
from ..store_files import FileWatch, opening_store, real_store_path, side_file
from .sqlite import Blueprint, StoreError, StoreFile, attempt_call, is_database

CACHE_SETTING = "WEBSEAM_CACHE"
CACHE_BLUEPRINT = Blueprint(
    store="cached answers",
    setting=CACHE_SETTING,
    application_id=0x57534348,  # "WSCH"
    version=1,
    # A killed process loses nothing; a power cut may lose the last answers, which is harmless.
    synchronous="NORMAL",
    patience=5.0,
    schema=(
        """CREATE TABLE answers (key BLOB NOT NULL UNIQUE, backend TEXT NOT NULL,
        operation TEXT NOT NULL, payload BLOB NOT NULL, stored_at REAL NOT NULL,
        expires_at REAL NOT NULL, used_at REAL NOT NULL, size INTEGER NOT NULL,
        checksum BLOB NOT NULL)""",
        "CREATE INDEX answers_by_use ON answers (used_at, size)",
    ),
)
# Update the time of use at most this often, so that most reads do not write.
_USE_UPDATE_SECONDS = 60.0
_FILL_SHARE_AFTER_EVICTION = 0.9
MAX_CACHE_BYTES = 256 * 1024 * 1024


def _answer_checksum(key: bytes, payload: bytes, stored_at: float, expires_at: float) -> bytes:
    """Return a checksum of a row; it shows that the row is intact and belongs to its key."""
    digest = hashlib.blake2b(key, digest_size=16)
    digest.update(struct.pack(">dd", stored_at, expires_at))
    digest.update(payload)
    return digest.digest()


class CacheStatistics(msgspec.Struct, frozen=True, kw_only=True):
    """Counts of the cached answers."""

    answers: int
    expired: int
    bytes: int
    searches: int
    pages: int


def find_answer(connection: sqlite3.Connection, key: bytes, now: float) -> bytes | None:
    """Return the payload under ``key``; None if there is none, or it is damaged or expired."""
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
    # A store time in the future means that the clock was set back, so the age is unknown.
    if not stored_at <= now < expires_at:
        return None
    if now - used_at > _USE_UPDATE_SECONDS:
        connection.execute("UPDATE answers SET used_at = ? WHERE key = ?", (now, key))
    return bytes(payload)


def _store_answer(connection: sqlite3.Connection, answer: CachedAnswer, max_bytes: int) -> None:
    """Store an answer; beyond ``max_bytes`` delete expired answers, then the least used."""
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
            _answer_checksum(answer.key, answer.payload, answer.stored_at, answer.expires_at),
        ),
    )
    (size,) = connection.execute("SELECT coalesce(sum(size), 0) FROM answers").fetchone()
    if size > max_bytes:
        connection.execute("DELETE FROM answers WHERE expires_at <= ?", (answer.stored_at,))
        _evict_least_recently_used(connection, int(max_bytes * _FILL_SHARE_AFTER_EVICTION))


def cache_statistics(connection: sqlite3.Connection, now: float) -> CacheStatistics:
    """Return the counts of the cached answers."""
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


def _is_intact_row(key: bytes, row: tuple[object, ...]) -> bool:
    """Tell whether a row is as it was written; damage can even change the types of its values."""
    match row:
        case (bytes() as payload, float() as stored_at, float() as expires_at, float(), digest):
            return _answer_checksum(key, payload, stored_at, expires_at) == digest
        case _:
            return False


def _evict_least_recently_used(connection: sqlite3.Connection, max_bytes: int) -> None:
    """Keep the most recently used answers that fit into ``max_bytes``."""
    connection.execute(
        "DELETE FROM answers WHERE rowid IN (SELECT rowid FROM"
        " (SELECT rowid, sum(size) OVER (ORDER BY used_at DESC, rowid DESC) AS upto FROM answers)"
        " WHERE upto > ?)",
        (max_bytes,),
    )


Value = TypeVar("Value")


class CacheStore(StoreFile):
    """Answers in one file. Safe to use from several threads and processes."""

    def __init__(
        self, path: Path, now: Callable[[], float] = time.time, max_bytes: int = MAX_CACHE_BYTES
    ) -> None:
        """Store answers at ``path``, which is opened by the first call."""
        super().__init__(path, CACHE_BLUEPRINT)
        self._now = now
        self._max_bytes = max_bytes

    def look_up(self, key: bytes) -> Result[bytes | None, StoreError]:
        """Return the payload under ``key``; None if there is none, or it is damaged or expired."""
        return self._run_sql(lambda connection: find_answer(connection, key, self._now()))

    def keep(self, answer: CachedAnswer) -> Result[None, StoreError]:
        """Store an answer, unless it would fill more than a quarter of the cache."""
        if answer.size > self._max_bytes // 4:
            return Success(None)
        return self._run_change(lambda file: _store_answer(file, answer, self._max_bytes))

    def statistics(self) -> Result[CacheStatistics, StoreError]:
        """Return the counts of the cached answers."""
        return self._run_sql(lambda connection: cache_statistics(connection, self._now()))

    def clear(self) -> Result[int, StoreError]:
        """Delete every answer, and shrink the file."""

        def work(connection: sqlite3.Connection) -> int:
            count = connection.execute("DELETE FROM answers").rowcount
            connection.execute("VACUUM")
            return count

        return self._run_sql(work)

    def _run_sql(self, work: Callable[[sqlite3.Connection], Value]) -> Result[Value, StoreError]:
        with self._lock:
            outcome = self._run_locked(work)
            if isinstance(outcome, Success) or not self._is_damaged(outcome.failure()):
                return outcome
            damaged = FileWatch(self._path) if self._opened is None else self._opened.file
            self._close_connection()
            return attempt_call(
                lambda: self._set_damaged_file_aside(damaged), CACHE_BLUEPRINT
            ).bind(lambda _: self._run_locked(work))

    def _is_damaged(self, error: StoreError) -> bool:
        """Tell whether the file is damaged, and not a database of another program."""
        if not isinstance(error, StoreFailed):
            return False
        return error.problem == "corrupt" or (
            error.problem == "foreign" and not is_database(self._path)
        )

    def _set_damaged_file_aside(self, damaged: FileWatch) -> None:
        """Rename the file and SQLite's files beside it; a process that has them open keeps them.

        Not if another process has done so meanwhile: it may already have begun a new one.
        """
        path = real_store_path(self._path)
        name = f"{path.name}.bad-{int(self._now())}"
        with opening_store(path):
            if not damaged.is_same():
                return
            for ending in ("", *SIDE_FILE_ENDINGS):
                old = side_file(path, ending)
                if old.exists():
                    old.replace(path.with_name(name + ending))
