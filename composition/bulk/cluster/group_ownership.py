"""Who owns a group of hosts: the last one that wrote its name down.

A worker whose node was given up may go on for a while. It looks at the name about once a second,
and asks nobody any more when it finds another one, or that the run is to stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from ....adapters.bulk.datasets.whole_files import atomic_file

STOP_FILE: Final = "_stop"
_POLL_SECONDS: Final = 1.0
# How long an earlier owner may still ask, after another one has begun.
HANDOVER_SECONDS: Final = 2 * _POLL_SECONDS


class GroupOwnership:
    """The time in which one attempt owns a group."""

    def __init__(
        self,
        owner: Path,
        attempt: str,
        stop: Path,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        """Take the group over; raises ``OSError``."""
        self._owner, self._attempt, self._stop, self._now = owner, attempt, stop, now
        self._looked, self._over = now(), False
        with atomic_file(owner) as stream:
            stream.write(attempt.encode())

    def is_over(self) -> bool:
        """Tell whether to stop asking."""
        if not self._over and self._now() - self._looked >= _POLL_SECONDS:
            self._looked = self._now()
            self._over = self._stop.exists() or not self._is_owner()
        return self._over

    def _is_owner(self) -> bool:
        try:
            return self._owner.read_text() == self._attempt
        except OSError:
            # The folder is out of sight: whoever takes over may be at work.
            return False
