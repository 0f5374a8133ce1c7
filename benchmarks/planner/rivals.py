"""How others choose whom to ask, by the rules that they publish."""

from functools import partial
from typing import Protocol

from webseam.ports.errors import InvalidRow, QuotaExhausted, RateLimited, Timeout, WebError

from .world import DEADLINE, World

# LiteLLM 1.108, router defaults: litellm/router.py and router_utils/cooldown_handlers.py.
_LITELLM_COOLDOWN = 5.0
_LITELLM_RETRIES = 2
_LITELLM_LEAST, _LITELLM_SHARE = 5, 0.5
# SearXNG, searx/settings.yml: request_timeout 3.0, ban_time_on_fail 5, max_ban_time_on_fail 120,
# SearxEngineTooManyRequests 180 in its default suspended_times here.
_SEARXNG_SECONDS, _SEARXNG_BAN, _SEARXNG_MOST, _SEARXNG_LIMITED = 3.0, 5.0, 120.0, 180.0


class Planner(Protocol):
    def call(self) -> None: ...


class Single:
    """One backend, three tries where it fails quickly: what webseam did before it had routes."""

    names: tuple[str, ...] = ("a",)
    tries = 3

    def __init__(self, world: World) -> None:
        self.world = world

    def call(self) -> None:
        world, began = self.world, self.world.clock.now
        waiting = [name for name in self.names for _ in range(self.tries)]

        def ask() -> None:
            while waiting and not world.affords(waiting[0]):
                waiting.pop(0)
            if not waiting or world.clock.now > began + DEADLINE:
                world.end(began, "")
                return
            name = waiting.pop(0)
            world.send(name, lambda error: heard(name, error))

        def heard(name: str, error: WebError | None) -> None:
            if error is None:
                world.end(began, name)
                return
            if isinstance(error, Timeout | InvalidRow | QuotaExhausted):
                waiting[:] = [each for each in waiting if each != name]
            world.clock.at(world.clock.now + 0.2 * world.random.random(), ask)

        ask()


class Naive(Single):
    """Each in order, from the top, for every call."""

    names: tuple[str, ...] = ("a", "b", "c")
    tries = 1


class LiteLLM:
    """A random pick of those that do not cool down; spend is added up after the answer."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.cool: dict[str, float] = {}
        self.minutes: dict[tuple[str, int], list[int]] = {}

    def call(self) -> None:
        world, began = self.world, self.world.clock.now
        tries = [0]

        def ask() -> None:
            now = world.clock.now
            free = [
                name
                for name in world.backends
                if self.cool.get(name, -1.0) <= now and world.affords(name)
            ]
            if not free or tries[0] > _LITELLM_RETRIES or now > began + DEADLINE:
                world.end(began, "")
                return
            tries[0] += 1
            name = world.random.choice(free)
            world.send(name, lambda error: heard(name, error))

        def heard(name: str, error: WebError | None) -> None:
            self._count(name, error)
            if error is None:
                world.end(began, name)
            else:
                ask()

        ask()

    def _count(self, name: str, error: WebError | None) -> None:
        now = self.world.clock.now
        counts = self.minutes.setdefault((name, int(now // 60)), [0, 0])
        counts[error is not None] += 1
        if error is None:
            return
        often = sum(counts) >= _LITELLM_LEAST and counts[1] / sum(counts) > _LITELLM_SHARE
        if often or isinstance(error, RateLimited | QuotaExhausted | Timeout):
            wait = error.retry_after if isinstance(error, RateLimited) else None
            self.cool[name] = now + (_LITELLM_COOLDOWN if wait is None else wait)


class FanOut:
    """SearXNG: all at once, three seconds each, wait for all; suspended longer with each failure."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.until: dict[str, float] = {}
        self.failures: dict[str, int] = {}

    def call(self) -> None:
        world, began = self.world, self.world.clock.now
        waiting = {name for name in world.backends if self.until.get(name, -1.0) <= began}
        good: list[str] = []

        def heard(name: str, error: WebError | None) -> None:
            if name not in waiting:
                return
            waiting.discard(name)
            self._count(name, error)
            if error is None:
                good.append(name)
            if not waiting:
                world.end(began, good[0] if good else "")

        def late() -> None:
            for name in sorted(waiting):
                heard(name, Timeout(phase="headers"))

        if not waiting:
            world.end(began, "")
        for name in sorted(waiting):
            world.send(name, partial(heard, name))
        world.clock.at(began + _SEARXNG_SECONDS, late)

    def _count(self, name: str, error: WebError | None) -> None:
        self.failures[name] = 0 if error is None else self.failures.get(name, 0) + 1
        if error is not None:
            limited = isinstance(error, RateLimited)
            ban = min(_SEARXNG_BAN * self.failures[name], _SEARXNG_MOST)
            self.until[name] = self.world.clock.now + (_SEARXNG_LIMITED if limited else ban)
