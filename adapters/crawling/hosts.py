"""Turns at hosts: so many at once, and a while between an answer and the next question."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

_MOST_IDLE: Final = 10_000


class _Host:
    __slots__ = ("next_at", "turns", "users")

    def __init__(self, at_once: int) -> None:
        self.turns = asyncio.Semaphore(at_once)
        self.next_at = 0.0
        self.users = 0


class HostTurns:
    """Gives turns, in the order in which they were asked for at each host."""

    def __init__(
        self,
        per_host: int,
        pause: Callable[[float | None, float], float],
        *,
        now: Callable[[], float] | None = None,
        sleep: Callable[[float], "asyncio.Future[None]"] | None = None,
        chance: Callable[[], float] = random.random,
    ) -> None:
        """Leave a host alone for ``pause(its own delay, a number from 0 to 1)`` seconds."""
        self._per_host, self._pause, self._chance = per_host, pause, chance
        self._now = now or (lambda: asyncio.get_running_loop().time())
        self._sleep = sleep or asyncio.sleep
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, name: str, own_delay: float | None = None) -> AsyncIterator[None]:
        """Wait for a turn; when it is over, the next one waits for the pause."""
        host = self._host(name)
        host.users += 1
        try:
            async with host.turns:
                await self._wait(host)
                try:
                    yield
                finally:
                    pause = self._pause(own_delay, self._chance())
                    host.next_at = max(host.next_at, self._now() + pause)
        finally:
            host.users -= 1

    def rest(self, name: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        host = self._host(name)
        host.next_at = max(host.next_at, self._now() + seconds)

    async def _wait(self, host: _Host) -> None:
        # Somebody else's answer may move the time while we wait.
        while (left := host.next_at - self._now()) > 0:
            await self._sleep(left)
        # With several turns at once, the next of them keeps its distance too.
        host.next_at = self._now() + self._pause(None, self._chance())

    def _host(self, name: str) -> _Host:
        if name not in self._hosts:
            self._forget()
            self._hosts[name] = _Host(self._per_host)
        return self._hosts[name]

    def _forget(self) -> None:
        """Let go of hosts that may be asked at once, when there are many."""
        if len(self._hosts) < _MOST_IDLE:
            return
        now = self._now()
        busy = {
            name: host for name, host in self._hosts.items() if host.users or host.next_at > now
        }
        self._hosts = busy
