"""How many calls a key may still make: counted for all machines, or here."""

from __future__ import annotations

import time
from collections.abc import Callable

from ...ports.keys import KeyRecord
from ...ports.planning import RateStore

_MINUTE_SECONDS = 60.0


class KeyRates:
    """A bucket for each key: a minute's worth at once, then as they come in.

    While a shared server is away, each machine counts for itself: a key then has its rate on each.
    """

    def __init__(
        self, shared: RateStore | None = None, now: Callable[[], float] = time.monotonic
    ) -> None:
        """Count in ``shared``, else here by the clock ``now``."""
        self._shared = shared
        self._now = now
        self._levels: dict[str, tuple[float, float]] = {}

    async def wait(self, record: KeyRecord | None) -> float:
        """Count one call; return in how many seconds there is room for it, 0 when there is now."""
        if record is None or record.rate is None:
            return 0.0
        if self._shared is not None:
            seconds = (await self._shared.take(record.id, record.rate)).value_or(None)
            if seconds is not None:
                return seconds
        return self._wait_here(record.id, record.rate)

    async def aclose(self) -> None:
        """Let go of a shared server."""
        if self._shared is not None:
            await self._shared.aclose()

    def _wait_here(self, key_id: str, rate: float) -> float:
        now, most = self._now(), max(rate, 1.0)
        level, before = self._levels.get(key_id, (most, now))
        level = min(most, level + (now - before) * rate / _MINUTE_SECONDS)
        has_room = level >= 1.0
        self._levels[key_id] = (level - 1.0 if has_room else level, now)
        return 0.0 if has_room else (1.0 - level) * _MINUTE_SECONDS / rate
