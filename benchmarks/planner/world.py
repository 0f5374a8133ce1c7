"""A discrete-event world: one clock, scripted backends, and who was asked at what cost."""

import heapq
import math
import random
from collections import Counter
from collections.abc import Callable
from itertools import count
from typing import TypeAlias

import msgspec

from webseam.ports.errors import (
    InvalidRow,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)

TIMEOUT = 10.0
DEADLINE = 25.0
QUOTA = 5000

# What a backend does at a time: a word, or a number of calls a second above which it says 429.
Mode: TypeAlias = str | float
Script: TypeAlias = Callable[[float], Mode]
Heard: TypeAlias = Callable[[WebError | None], None]


class Clock:
    def __init__(self) -> None:
        self.now = 0.0
        self._heap: list[tuple[float, int, Callable[[], None]]] = []
        self._sequence = count()

    def at(self, when: float, what: Callable[[], None]) -> None:
        heapq.heappush(self._heap, (max(when, self.now), next(self._sequence), what))

    def run(self) -> None:
        while self._heap:
            self.now, _, what = heapq.heappop(self._heap)
            what()


class Answer(msgspec.Struct):
    """How long it takes, what is wrong with it, and whether it is billed."""

    seconds: float
    error: WebError | None = None
    billed: bool = True


class Backend:
    """A backend with lognormal latencies that follows its script."""

    def __init__(
        self,
        name: str,
        price: int,
        median: float,
        sigma: float,
        script: Script,
        *,
        told: bool = True,
    ) -> None:
        self.name, self.price, self.median, self.sigma = name, price, median, sigma
        self.script, self.told = script, told
        self.random = random.Random(name)
        self.calls = self.dead = self.billed = self.refused = self.running = self.used = 0
        self._second, self._in_second = -1, 0

    def ask(self, now: float) -> Answer:
        self.calls += 1
        mode = self.script(now)
        draw = self.median * math.exp(self.random.gauss(0, self.sigma))
        answer = self._limited(mode, now) if isinstance(mode, float) else self._scripted(mode, draw)
        answer = answer or Answer(draw)
        self.billed += answer.billed
        return answer

    def _scripted(self, mode: str, draw: float) -> Answer | None:
        chance = self.random.random()
        match mode:
            case "hung":
                self.dead += 1
                # The worst case: whoever hangs may still bill.
                return Answer(math.inf, Timeout(phase="headers"))
            case "down":
                self.dead += 1
                return Answer(0.08, UpstreamUnavailable(status=503), billed=False)
            case "quota":
                self.used += 1
                if self.used > QUOTA:
                    self.dead += 1
                    return Answer(0.1, QuotaExhausted(status=402), billed=False)
            case "slow" if chance < 0.08:
                return Answer(draw * 10)
            case "now and then hung" if chance < 0.3:
                return Answer(math.inf, Timeout(phase="headers"))
            case "busy":
                # A queue: beyond 8 at once everybody waits.
                return Answer(draw * max(1.0, self.running / 8) ** 1.5)
            case "wrong" if chance < 0.3:
                return Answer(draw, InvalidRow(index=0, field="url", reason="is no URL"))
        return None

    def _limited(self, most: float, now: float) -> Answer | None:
        if int(now) != self._second:
            self._second, self._in_second = int(now), 0
        self._in_second += 1
        if self._in_second <= most:
            return None
        self.refused += 1
        wait = self._second + 1 - now if self.told else None
        return Answer(0.06, RateLimited(retry_after=wait), billed=False)


class World:
    """One scene for one planner: who answered, when, at what cost."""

    def __init__(self, backends: list[Backend], budget: int | None = None) -> None:
        self.clock = Clock()
        self.backends = {backend.name: backend for backend in backends}
        self.budget = budget
        self.random = random.Random(7)
        self.took: list[float] = []
        self.winners: list[tuple[float, str]] = []
        self.lost = self.lost_alive = 0
        # Calls to one whose breaker was open, by its name and the end of its cooldown.
        self.probes: Counter[tuple[str, float]] = Counter()
        # Charged by the services; added up after answers, as most do; held before calls, as we do.
        self.charged = self.booked = self.held = 0

    def send(self, name: str, heard: Heard, at: float | None = None) -> list[bool]:
        """Ask; ``heard`` is called once, unless the flag that comes back is set before."""
        backend, gone = self.backends[name], [False]

        def go() -> None:
            if gone[0]:
                return
            backend.running += 1
            answer = backend.ask(self.clock.now)
            self.charged += backend.price if answer.billed else 0

            def end() -> None:
                backend.running -= 1
                self.booked += backend.price if answer.billed else 0
                if not gone[0]:
                    gone[0] = True
                    late = answer.seconds > TIMEOUT
                    heard(Timeout(phase="headers") if late else answer.error)

            self.clock.at(self.clock.now + min(answer.seconds, TIMEOUT), end)

        self.clock.at(self.clock.now if at is None else at, go)
        return gone

    def end(self, began: float, who: str) -> None:
        """Count a call that is over; without ``who``, nobody answered."""
        now = self.clock.now
        if who:
            self.took.append(now - began)
            self.winners.append((now, who))
            return
        self.lost += 1
        modes = [backend.script(now) for backend in self.backends.values()]
        self.lost_alive += any(mode not in ("hung", "down") for mode in modes)

    def affords(self, name: str) -> bool:
        """Tell whether what was added up so far leaves money for a call: after the fact."""
        free = not self.backends[name].price
        return self.budget is None or free or self.booked < self.budget
