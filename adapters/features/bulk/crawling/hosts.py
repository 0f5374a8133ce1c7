"""Turns at hosts: a limit of requests at once, and a pause after each response."""

import asyncio
import random
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Final

_MAX_IDLE_HOSTS: Final = 10_000
# A waiting request notices a stop after this time.
_POLL_SECONDS: Final = 0.5


def _loop_time() -> float:
    return asyncio.get_running_loop().time()


def _random_pause_share() -> float:
    return random.random()  # noqa: S311  spreads load, not for secrets


class _HostState:
    __slots__ = ("left_at", "next_at", "turns", "users")

    def __init__(self, at_once: int) -> None:
        self.turns = asyncio.Semaphore(at_once)
        self.next_at = 0.0
        self.left_at = float("-inf")
        self.users = 0


class HostTurns:
    """Give turns at each host in the order in which they were requested."""

    def __init__(
        self,
        per_host: int,
        pause: Callable[[float | None, float], float],
        is_stopping: Callable[[], bool] = lambda: False,
        others_until: float | None = None,
    ) -> None:
        """Leave a host alone for ``pause(its crawl delay, a number from 0 to 1)`` seconds.

        Once ``is_stopping`` is true, turns are given without waiting, so callers can stop. Until
        ``others_until``, by the loop's clock, another process may have sent requests to any host.
        """
        self._per_host, self._pause, self._is_stopping = per_host, pause, is_stopping
        self._others_until = others_until
        self._hosts: dict[str, _HostState] = {}

    @asynccontextmanager
    async def host_turn(self, name: str, own_delay: float | None = None) -> AsyncIterator[None]:
        """Wait for a turn; when it ends, the next one waits for the pause."""
        host = self._host_state(name)
        host.users += 1
        try:
            async with host.turns:
                await self._wait_for_host(host, own_delay)
                try:
                    yield
                finally:
                    host.left_at = _loop_time()
                    pause = self._pause(own_delay, _random_pause_share())
                    host.next_at = max(host.next_at, host.left_at + pause)
        finally:
            host.users -= 1

    def pause_host(self, name: str, seconds: float) -> None:
        """Leave a host alone for this many seconds."""
        host = self._host_state(name)
        host.next_at = max(host.next_at, _loop_time() + seconds)

    def _host_free_at(self, host: _HostState, own_delay: float | None) -> float:
        # The last request may have fetched robots.txt, before the host's crawl delay was known.
        free_at = max(host.next_at, host.left_at + self._pause(own_delay, 0.0))
        if self._others_until is None:
            return free_at
        return max(free_at, self._others_until + self._pause(own_delay, 1.0))

    async def _wait_for_host(self, host: _HostState, own_delay: float | None) -> None:
        # Another response may move the time during the wait.
        while (seconds := self._host_free_at(host, own_delay) - _loop_time()) > 0:
            if self._is_stopping():
                break
            await asyncio.sleep(min(seconds, _POLL_SECONDS))
        # With several turns at once, the next one also keeps its distance.
        host.next_at = _loop_time() + self._pause(own_delay, _random_pause_share())

    def _host_state(self, name: str) -> _HostState:
        if name not in self._hosts:
            self._drop_idle_hosts()
            self._hosts[name] = _HostState(self._per_host)
        return self._hosts[name]

    def _drop_idle_hosts(self) -> None:
        """Drop idle hosts that need no pause, when there are many."""
        if len(self._hosts) < _MAX_IDLE_HOSTS:
            return
        now, hosts = _loop_time(), self._hosts.items()
        self._hosts = {name: host for name, host in hosts if host.users or host.next_at > now}
