"""How often something was used lately, counted across all processes of this user."""

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from ..files import make_file

_LOCK_TIMEOUT_SECONDS = 10.0


class UseCounter:
    """Counts uses of names within a window of time, in one SQLite file."""

    def __init__(self, file: Path, now: Callable[[], float]) -> None:
        """Keep the counts in ``file``; ``now`` is in seconds."""
        self._file = file
        self._now = now

    def take(self, names: tuple[str, ...], most: int, seconds: float) -> str | None:
        """Count one use of each name, all or none; return the first that has none left.

        A file that cannot be used raises ``sqlite3.Error`` or ``OSError``.
        """
        make_file(self._file)
        with closing(sqlite3.connect(self._file, timeout=_LOCK_TIMEOUT_SECONDS)) as store:
            store.isolation_level = None
            store.execute("CREATE TABLE IF NOT EXISTS uses (name TEXT NOT NULL, at REAL NOT NULL)")
            # Taken before counting: two processes never both see the last one left.
            store.execute("BEGIN IMMEDIATE")
            spent = self._count(store, names, most, seconds)
            store.execute("COMMIT")
        return spent

    def _count(
        self, store: sqlite3.Connection, names: tuple[str, ...], most: int, seconds: float
    ) -> str | None:
        now = self._now()
        store.execute("DELETE FROM uses WHERE at <= ?", (now - seconds,))
        for name in dict.fromkeys(names):
            [used] = store.execute("SELECT count(*) FROM uses WHERE name = ?", (name,)).fetchone()
            if used + names.count(name) > most:
                return name
        store.executemany("INSERT INTO uses VALUES (?, ?)", [(name, now) for name in names])
        return None
