"""Flaky backends: is a route ever worse than its best member, or than asking each in turn?

python -m benchmarks.planner.flaky 100000
"""

import math
import random
import sys

import msgspec

from webseam.ports.errors import InvalidRow, UpstreamUnavailable, WebError

from .ours import Fold
from .rivals import Naive, Single
from .run import play
from .world import Answer, Backend

RATES = tuple(
    [(rate / 10,) * 3 for rate in range(10)]
    + [(0.9, 0.9, 0.3), (0.3, 0.9, 0.9), (1.0, 0.5, 1.0), (1.0, 1.0, 0.8)]
)
ERRORS: tuple[WebError, ...] = (
    UpstreamUnavailable(status=503),
    InvalidRow(index=0, field="url", reason="is no URL"),
)


class FlakyBackend(Backend):
    """A backend that fails at random, at a given rate."""

    def __init__(self, name: str, rate: float, error: WebError) -> None:
        super().__init__(name, 0, 0.3, 0.4, lambda _now: "well")
        self.rate, self.error = rate, error
        self.random = random.Random(f"{name} {rate}")

    def ask(self, now: float) -> Answer:
        del now
        self.calls += 1
        seconds = self.median * math.exp(self.random.gauss(0, self.sigma))
        failed = self.random.random() < self.rate
        return Answer(seconds, self.error if failed else None)


class FlakyScene(msgspec.Struct, frozen=True):
    """Three backends, each with its own failure rate."""

    rates: tuple[float, ...]
    error: WebError

    def backends(self) -> list[Backend]:
        return [
            FlakyBackend(name, rate, self.error)
            for name, rate in zip("abc", self.rates, strict=True)
        ]


def compare_success(
    rates: tuple[float, ...], error: WebError, calls: int
) -> tuple[float, float, float]:
    """Return the share of calls that a route, a walk and the best member alone answer."""
    best = FlakyScene((min(rates),) * 3, error)
    shares = [
        len(play(planner, scene, calls)[0].took) / calls
        for planner, scene in (
            (Fold, FlakyScene(rates, error)),
            (Naive, FlakyScene(rates, error)),
            (Single, best),
        )
    ]
    return shares[0], shares[1], shares[2]


if __name__ == "__main__":
    for failure in ERRORS:
        for member_rates in RATES:
            route, walk, alone = compare_success(member_rates, failure, int(sys.argv[1]))
            print(f"{failure.kind} {member_rates}: {route:.4f}, {walk:.4f}, {alone:.4f}")
