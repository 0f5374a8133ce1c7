"""Processor time for one long document: rather its first part than nothing.

A worker that runs out of time is killed and has nothing to show, so readers of long documents stop
by themselves before that, and say so.
"""

from time import process_time
from typing import Final

CPU_SECONDS: Final = 1.2


class Allowance:
    """So much processor time from when it is made."""

    def __init__(self) -> None:
        """Start counting."""
        self._until = process_time() + CPU_SECONDS

    @property
    def is_spent(self) -> bool:
        """Whether it is time to stop."""
        return process_time() > self._until
