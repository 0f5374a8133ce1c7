"""Turns at hosts: so many at once, and a while between an answer and the next question."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

_MAX_IDLE_HOSTS: Final = 10_000
_POLL_SECONDS: Final = 0.5


def _now() -> float:
    return asyncio.get_running_loop().time()


async def _doze(seconds: float) -> None:
    """Wait, but look up from time to time whether it is still worth it."""
    await asyncio.sleep(min(seconds, _POLL_SECONDS))


def _chance() -> float:
    return random.random()  # noqa: S311  to spread, not to hide


class _Host:
    __slots__ = ("left_at", "next_at", "turns", "users")

    def __init__(self, at_once: int) -> None:
        self.turns = asyncio.Semaphore(at_once)
        self.next_at = 0.0
        self.left_at = float("-inf")
        self.users = 0


class HostTurns:
    """Gives turns, in the order in which they were asked for at each host."""

    def __init__(
        self,
        per_host: int,
        pause: Callable[[float | None, float], float],
        is_stopping: Callable[[], bool] = lambda: False,
        others_until: float | None = None,
    ) -> None:
        """Leave a host alone for ``pause(its own delay, a number from 0 to 1)`` seconds.

        When ``is_stopping``, nobody waits any more: a turn is then for saying so. Up to
        ``others_until``, by the loop's clock, somebody else may have asked any host last.
        """
        self._per_host, self._pause, self._is_stopping = per_host, pause, is_stopping
        self._others_until = others_until
        self._hosts: dict[str, _Host] = {}

    @asynccontextmanager
    async def turn(self, name: str, own_delay: float | None = None) -> AsyncIterator[None]:
        """Wait for a turn; when it is over, the next one waits for the pause."""
        host = self._host(name)
        host.users += 1
        try:
            async with host.turns:
                await self._wait(host, own_delay)
                try:
                    yield
                finally:
                    host.left_at = _now()
                    pause = self._pause(own_delay, _chance())
                    host.next_at = max(host.next_at, host.left_at + pause)
        finally:
            host.users -= 1

    def rest(self, name: str, seconds: float) -> None:
        """Leave a host alone for so long."""
        host = self._host(name)
        host.next_at = max(host.next_at, _now() + seconds)

    def _free_at(self, host: _Host, own_delay: float | None) -> float:
        # Whoever was here last may not have known the host's own delay: it read robots.txt.
        free_at = max(host.next_at, host.left_at + self._pause(own_delay, 0.0))
        if self._others_until is None:
            return free_at
        return max(free_at, self._others_until + self._pause(own_delay, 1.0))

    async def _wait(self, host: _Host, own_delay: float | None) -> None:
        # Somebody else's answer may move the time while we wait.
        while (seconds := self._free_at(host, own_delay) - _now()) > 0 and not self._is_stopping():
            await _doze(seconds)
        # With several turns at once, the next of them keeps its distance too.
        host.next_at = _now() + self._pause(own_delay, _chance())

    def _host(self, name: str) -> _Host:
        if name not in self._hosts:
            self._forget()
            self._hosts[name] = _Host(self._per_host)
        return self._hosts[name]

    def _forget(self) -> None:
        """Let go of hosts that may be asked at once, when there are many."""
        if len(self._hosts) < _MAX_IDLE_HOSTS:
            return
        now = _now()
        busy = {
            name: host for name, host in self._hosts.items() if host.users or host.next_at > now
        }
        self._hosts = busy
