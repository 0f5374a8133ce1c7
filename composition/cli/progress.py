"""A progress bar on stderr: one line that is drawn again, only where a person is looking."""

import sys
import time

_WIDTH = 30
_PAUSE = 0.1


class Progress:
    """Counts up to ``total``; says nothing when stderr is not a terminal."""

    def __init__(self, total: int) -> None:
        """Begin at nothing."""
        self._total = total
        self._done = 0
        self._drawn_at = 0.0
        self._shown = total > 1 and sys.stderr.isatty()

    def step(self, name: str) -> None:
        """Count one more, called ``name``."""
        self._done += 1
        now = time.monotonic()
        if self._shown and (now - self._drawn_at >= _PAUSE or self._done == self._total):
            self._drawn_at = now
            print(f"\r\x1b[K{bar(self._done, self._total)} {name[-40:]}", end="", file=sys.stderr)

    def end(self) -> None:
        """Take the line away again."""
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)


def bar(done: int, total: int) -> str:
    """Return the bar itself.

    >>> bar(1, 2)
    '[###############...............] 1/2'
    """
    filled = _WIDTH * done // max(total, 1)
    return f"[{'#' * filled}{'.' * (_WIDTH - filled)}] {done}/{total}"
