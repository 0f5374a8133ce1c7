"""A pause after a shared server failed: one looks whether it is back, all others go on without."""

import logging
import random
import threading
import time
from collections.abc import Callable

from ...ports.stores import StoreState

_LOG = logging.getLogger("webseam.stores")
# Whoever uses a library decides what is shown of this; a gateway writes it down.
_LOG.addHandler(logging.NullHandler())
_FIRST_PAUSE_SECONDS = 0.25
_MAX_PAUSE_SECONDS = 5.0


class Breaker:
    """Whether a server may be asked. Safe to use from several threads.

    The pause doubles with every look that finds nobody, and differs a little each time: machines
    that lost the same server do not come back to it at the same instant.
    """

    def __init__(self, setting: str = "", now: Callable[[], float] = time.monotonic) -> None:
        """Begin with a server that is thought to be there; ``setting`` is where its address is."""
        self._setting = setting
        self._now = now
        self._lock = threading.Lock()
        self._pause = 0.0
        self._until = 0.0
        self._is_looking = False
        self._has_heard = False

    @property
    def state(self) -> StoreState:
        """What is known of the server, without asking it."""
        if not self._has_heard:
            return "unknown"
        return "away" if self.is_open else "answers"

    @property
    def is_open(self) -> bool:
        """Whether the last that was heard of the server is a failure."""
        return self._pause > 0.0

    def allows(self) -> bool:
        """Tell whether to ask; after a pause the first who wants to know is the one who looks."""
        if not self.is_open:
            return True
        with self._lock:
            if self._now() < self._until:
                return False
            # Whoever is let through may be cancelled: then another looks after one more pause.
            self._until = self._now() + self._pause
            self._is_looking = True
            return True

    def works(self) -> None:
        """Take the server for there."""
        self._has_heard = True
        if self.is_open:
            _LOG.warning("the server of %s answers again", self._setting)
            with self._lock:
                self._pause = self._until = 0.0
                self._is_looking = False

    def fails(self) -> None:
        """Take the server for away, for a while."""
        with self._lock:
            if self.is_open and not self._is_looking:
                # Somebody who was under way when it failed: that is one failure, not two.
                return
            if not self.is_open:
                _LOG.warning("the server of %s is away", self._setting)
            self._is_looking = False
            self._has_heard = True
            self._pause = min(max(self._pause * 2, _FIRST_PAUSE_SECONDS), _MAX_PAUSE_SECONDS)
            spread = random.uniform(0.7, 1.3)  # noqa: S311  no secret
            self._until = self._now() + self._pause * spread
