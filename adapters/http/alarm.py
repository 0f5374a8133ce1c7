"""An alarm clock that is cheap to set and to stop, because nearly none of them ever rings."""

import asyncio
from collections.abc import Callable


class Alarm:
    """One alarm over one timer of the loop.

    The timer is left running when the alarm is stopped or set to a later time; when it runs out
    it looks for itself what is due. So most calls on a connection never touch the loop's timers.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Begin with nothing set."""
        self._loop = loop
        self._timer: asyncio.TimerHandle | None = None
        self._due = 0.0
        self._ring: Callable[[], None] | None = None

    def set(self, seconds: float, ring: Callable[[], None]) -> None:
        """Call ``ring`` after so many seconds, in place of whatever was set before."""
        self._due, self._ring = self._loop.time() + seconds, ring
        if self._timer is None or self._timer.when() > self._due:
            self._start()

    def stop(self) -> None:
        """Do not ring."""
        self._ring = None

    def end(self) -> None:
        """Do not ring, and leave nothing in the loop."""
        self._ring = None
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _start(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._loop.call_at(self._due, self._run_out)

    def _run_out(self) -> None:
        self._timer = None
        ring = self._ring
        if ring is None:
            return
        if self._loop.time() < self._due:
            self._start()
            return
        self._ring = None
        ring()
