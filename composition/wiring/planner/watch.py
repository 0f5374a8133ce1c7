"""One timer for all calls under way: most are over long before they are late."""

import asyncio
from collections.abc import Callable
from typing import Protocol


class Watched(Protocol):
    """A call that is late when its answer has not come by ``due``."""

    @property
    def due(self) -> float:
        """The time."""
        ...

    def late(self) -> None:
        """Do something about it."""
        ...


class Watch:
    """Looks when the first of the calls under way is due, and then when the next one is.

    A call that comes meanwhile costs no timer: it began later, and so is due later.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        """Watch by the clock ``now``."""
        self._now = now
        self._calls: set[Watched] = set()
        self._timer: asyncio.TimerHandle | None = None

    def add(self, call: Watched) -> None:
        """Watch a call."""
        self._calls.add(call)
        if self._timer is None:
            self._set(call.due)

    def discard(self, call: Watched) -> None:
        """Leave a call alone, which is over."""
        self._calls.discard(call)

    def close(self) -> None:
        """Stop looking."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def forget(self) -> None:
        """Begin anew in another loop: the timer of the old one never rings."""
        self._timer = None
        self._calls.clear()

    def _set(self, at: float) -> None:
        late = max(at - self._now(), 0.0)
        self._timer = asyncio.get_running_loop().call_later(late, self._look)

    def _look(self) -> None:
        self._timer = None
        now = self._now()
        for call in [one for one in self._calls if one.due <= now]:
            self._calls.discard(call)
            call.late()
        if self._calls:
            self._set(min(one.due for one in self._calls))
