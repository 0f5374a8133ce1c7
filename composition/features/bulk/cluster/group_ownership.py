"""Ownership of a group of hosts: the last attempt that wrote its name owns it.

A worker may outlive its replacement for a while. It polls the owner file about once a second and
stops fetching when the file names another attempt or the run is to stop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Final

from webseam.adapters.features.bulk.datasets.atomic_files import write_whole_file

STOP_FILE: Final = "_stop"
_POLL_SECONDS: Final = 1.0
# How long an earlier owner may still fetch after a new one has begun.
HANDOVER_SECONDS: Final = 2 * _POLL_SECONDS


class GroupOwnership:
    """One attempt's ownership of a group."""

    def __init__(
        self, owner: Path, attempt: str, stop: Path, *, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Take over the group; raises ``OSError``."""
        self._owner, self._attempt, self._stop, self._now = owner, attempt, stop, now
        self._checked_at, self._is_stopping = now(), False
        write_whole_file(owner, attempt.encode())

    def is_stopping(self) -> bool:
        """Return whether to stop fetching."""
        if not self._is_stopping and self._now() - self._checked_at >= _POLL_SECONDS:
            self._checked_at = self._now()
            self._is_stopping = self._stop.exists() or not self._is_owner()
        return self._is_stopping

    def _is_owner(self) -> bool:
        try:
            return self._owner.read_text() == self._attempt
        except OSError:
            # The shared folder is unreachable, so a new owner may already be at work.
            return False
