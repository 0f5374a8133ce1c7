"""One scene for one planner, and the figures of it."""

import math
import random
import time
from collections.abc import Callable
from typing import Protocol

import msgspec

from .rivals import Planner
from .world import Backend, World

RATE = 20.0


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """What one planner made of one scene. Seconds; ``paid`` calls for each success.

    ``probes`` is the most calls that one cooldown of one backend saw.
    """

    scene: str
    planner: str
    success: float
    alive: float
    p50: float
    p95: float
    p99: float
    paid: float
    dead: int
    refused: int
    by_first: float
    recovery: float
    overspend: float
    microseconds: float
    probes: int = 0


class HasBackends(Protocol):
    """A scene: its backends, each ready to follow its script."""

    def backends(self) -> list[Backend]: ...


def play(
    make: Callable[[World], Planner],
    scene: HasBackends,
    calls: int,
    *,
    rate: float = RATE,
    budget: int | None = None,
) -> tuple[World, float]:
    """Run a scene to its end; return the world, and the processor's seconds."""
    world = World(scene.backends(), budget)
    planner = make(world)
    arrivals, at = random.Random(11), 0.0
    times = []
    for _ in range(calls):
        at += arrivals.expovariate(rate)
        times.append(at)
    upcoming = iter(times)

    def arrive() -> None:
        # One arrival is ahead at a time, or the heap holds every call of the run.
        following = next(upcoming, None)
        if following is not None:
            world.clock.at(following, arrive)
        planner.call()

    world.clock.at(next(upcoming), arrive)
    began = time.process_time()
    world.clock.run()
    return world, time.process_time() - began


def figures(
    names: tuple[str, str], world: World, spent: float, calls: int, since: float
) -> Figures:
    good = len(world.took)
    paid = sum(one.billed for one in world.backends.values() if one.price)
    took = sorted(world.took)
    return Figures(
        scene=names[0],
        planner=names[1],
        success=good / calls,
        alive=1 - world.lost_alive / calls,
        p50=share(took, 0.5),
        p95=share(took, 0.95),
        p99=share(took, 0.99),
        paid=paid / good if good else math.nan,
        dead=sum(one.dead for one in world.backends.values()),
        refused=world.backends["a"].refused,
        by_first=sum(who == "a" for _, who in world.winners) / good if good else 0.0,
        recovery=next((when - since for when, _ in world.winners if when >= since), math.nan),
        overspend=0.0 if world.budget is None else max(0.0, world.charged / world.budget - 1),
        microseconds=spent / calls * 1e6,
        probes=max(world.probes.values(), default=0),
    )


def share(ordered: list[float], part: float) -> float:
    """Return a quantile of sorted values; NaN of none."""
    return ordered[min(int(len(ordered) * part), len(ordered) - 1)] if ordered else math.nan
