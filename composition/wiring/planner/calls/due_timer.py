"""One timer for all calls under way: most are over long before they are late."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class TimedCall(Protocol):
    """A call that is late when its answer has not come by ``due``."""

    @property
    def due(self) -> float:
        """The time."""
        ...

    def late(self) -> None:
        """Do something about it."""
        ...


class DueTimer:
    """Looks when the first of the calls under way is due, and then when the next one is.

    A call that comes meanwhile costs no timer: it began later, and so is due later. Whoever counts
    every step puts a call into ``calls``, and begins to look where there is no ``timer`` yet.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Watch by the clock ``now``."""
        self._now = now
        self.calls: set[TimedCall] = set()
        self.timer: asyncio.TimerHandle | None = None

    def begin(self, call: TimedCall) -> None:
        """Look when ``call`` is due."""
        self._set(call.due)

    def close(self) -> None:
        """Stop looking."""
        if self.timer is not None:
            self.timer.cancel()
            self.timer = None

    def forget(self) -> None:
        """Begin anew in another loop: the timer of the old one never rings."""
        self.timer = None
        self.calls.clear()

    def _set(self, at: float) -> None:
        late = max(at - self._now(), 0.0)
        self.timer = asyncio.get_running_loop().call_later(late, self._look)

    def _look(self) -> None:
        self.timer = None
        now = self._now()
        for call in [one for one in self.calls if one.due <= now]:
            self.calls.discard(call)
            call.late()
        if self.calls:
            self._set(min(one.due for one in self.calls))
