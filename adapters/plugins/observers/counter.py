"""A counter of recent uses, shared by all processes of this user."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ...store_files import connect_sqlite, make_store_file, real_store_path

_LOCK_TIMEOUT_SECONDS = 10.0


class UseCounter:
    """Counts uses of names within a window of time, in one SQLite file."""

    def __init__(self, file: Path, now: Callable[[], float]) -> None:
        """Store the counts in ``file``; ``now`` is in seconds."""
        self._file = file
        self._now = now

    def take(self, names: tuple[str, ...], max_uses: int, seconds: float) -> str | None:
        """Count one use of each name, all or none; return the first name over its limit, or None.

        Raises ``sqlite3.Error`` or ``OSError`` if the file cannot be used.
        """
        file = real_store_path(self._file)
        make_store_file(file, bytes)
        with closing(connect_sqlite(file, "mode=rwc", _LOCK_TIMEOUT_SECONDS)) as store:
            store.execute("CREATE TABLE IF NOT EXISTS uses (name TEXT NOT NULL, at REAL NOT NULL)")
            # Taken before counting: two processes never both see the last one left.
            store.execute("BEGIN IMMEDIATE")
            exhausted = self._count_uses(store, names, max_uses, seconds)
            store.execute("COMMIT")
        return exhausted

    def _count_uses(
        self, store: sqlite3.Connection, names: tuple[str, ...], max_uses: int, seconds: float
    ) -> str | None:
        now = self._now()
        store.execute("DELETE FROM uses WHERE at <= ?", (now - seconds,))
        for name in dict.fromkeys(names):
            [used] = store.execute("SELECT count(*) FROM uses WHERE name = ?", (name,)).fetchone()
            if used + names.count(name) > max_uses:
                return name
        store.executemany("INSERT INTO uses VALUES (?, ?)", [(name, now) for name in names])
        return None
