"""A circuit breaker for a shared server: one caller probes it, the others go on without it."""

import logging
import random
import threading
import time
from collections.abc import Callable

from webseam.ports.stores import StoreState

_LOG = logging.getLogger("webseam.stores")
# The program decides what to show of this log; the gateway writes it.
_LOG.addHandler(logging.NullHandler())
_FIRST_PAUSE_SECONDS = 0.25
_MAX_PAUSE_SECONDS = 5.0


class Breaker:
    """Tells whether a server may be called. Safe to use from several threads.

    The pause doubles with every failed probe and varies at random, so that machines that lost the
    same server do not all return at the same instant.
    """

    def __init__(self, setting: str = "", now: Callable[[], float] = time.monotonic) -> None:
        """Assume that the server answers; ``setting`` is the setting of its address."""
        self._setting = setting
        self._now = now
        self._lock = threading.Lock()
        self._pause_seconds = 0.0
        self._paused_until = 0.0
        self._is_probing = False
        self._has_answered = False

    @property
    def state(self) -> StoreState:
        """The state of the server as far as it is known, without a call."""
        if not self._has_answered:
            return "unknown"
        return "away" if self.is_open else "answers"

    @property
    def is_open(self) -> bool:
        """Whether the last call to the server failed."""
        return self._pause_seconds > 0.0

    def allows_call(self) -> bool:
        """Tell whether to call the server; after a pause the first caller probes it."""
        if not self.is_open:
            return True
        with self._lock:
            if self._now() < self._paused_until:
                return False
            # The probing caller may be cancelled: then another one probes after the next pause.
            self._paused_until = self._now() + self._pause_seconds
            self._is_probing = True
            return True

    def record_success(self) -> None:
        """Record that a call succeeded."""
        self._has_answered = True
        if self.is_open:
            _LOG.warning("the server of %s answers again", self._setting)
            with self._lock:
                self._pause_seconds = self._paused_until = 0.0
                self._is_probing = False

    def record_failure(self) -> None:
        """Record that a call failed, and pause."""
        with self._lock:
            if self.is_open and not self._is_probing:
                # This call was running when the server failed: count that failure once.
                return
            if not self.is_open:
                _LOG.warning("the server of %s is away", self._setting)
            self._is_probing = False
            self._has_answered = True
            self._pause_seconds = min(
                max(self._pause_seconds * 2, _FIRST_PAUSE_SECONDS), _MAX_PAUSE_SECONDS
            )
            spread = random.uniform(0.7, 1.3)  # noqa: S311  no secret
            self._paused_until = self._now() + self._pause_seconds * spread
