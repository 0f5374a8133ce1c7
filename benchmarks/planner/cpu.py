"""What a route costs beside the bare backend: the processor's time (user and system) of one call.

The backend is a service over loopback, with a pool of connections for each kind. All kinds are warmed
alike, and then take turns in short rounds, each time in another order; a round is held against the
bare one of the same turn, so that what else the machine does falls on all of them alike. A second
bare backend shows what is noise. Rubbish of the warm-up is collected before the first turn. Calls with a
budget write to the disk in threads, which others would be charged for: they have turns of their own.

python -m benchmarks.planner.cpu [--calls 50] [--rounds 200]

Instructions, which no other work on the machine changes, are the difference of two runs of

valgrind --tool=callgrind python -m benchmarks.planner.cpu --alone "route of one" --calls 50 (or 250)
"""

import argparse
import asyncio
import gc
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.processes import running_server
from webseam import json_backend
from webseam.adapters.stores.ledger import Ledger
from webseam.composition.planning.driver import Planner
from webseam.composition.planning.open_backends import OpenBackend
from webseam.composition.planning.route_backend import OpenTarget, RouteBackend, RoutePlan
from webseam.composition.planning.shared_health import SharedHealth
from webseam.composition.planning.spending import TargetTerms, TaskSpending
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.money import Budgets
from webseam.kernel.planner.planner_targets import PlannerRules, PlannerTarget
from webseam.kernel.policy import Policy
from webseam.kernel.search import web_search
from webseam.ports.backends import BackendAbout

# Micro-dollars.
_PRICE = 5000
_WARM = 4
# How many backends are on the route, none for a bare one, and within which budgets.
_KINDS: dict[str, tuple[int, Budgets | None]] = {
    "bare": (0, None),
    "bare, once more": (0, None),
    "route of one": (1, None),
    "route of three": (3, None),
    "three, prices, no budget": (3, Budgets()),
    "three, a budget for the day": (3, Budgets(day=1e6)),
}
_TURNS = (tuple(_KINDS)[:-1], ("bare", "three, a budget for the day"))


class Rounds(msgspec.Struct):
    """What one kind took: microseconds a call, of each round."""

    name: str
    backend: OpenBackend
    took: list[float]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.planner.cpu", description=__doc__)
    parser.add_argument("--calls", type=int, default=50, help="in each round")
    parser.add_argument("--rounds", type=int, default=200, help="of each kind, in turn")
    parser.add_argument("--alone", metavar="KIND", help="make the calls of one kind, and no others")
    options = parser.parse_args(arguments)
    with running_server() as base, tempfile.TemporaryDirectory() as folder:
        stage = Stage(base, Path(folder), options.calls)
        if options.alone:
            print(f"{asyncio.run(stage.alone(options.alone)):.1f} us")
            return 0
        print(
            f"{'':28} median us  quickest tenth  over the bare one of its turn: median, quartiles"
        )
        for names in _TURNS:
            _show(asyncio.run(stage.measure(names, options.rounds)))
    return 0


def _show(kinds: Sequence[Rounds]) -> None:
    bare = kinds[0].took
    for kind in kinds:
        ratios = [one / other - 1 for one, other in zip(kind.took, bare, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        tenth = statistics.quantiles(kind.took, n=10)[0]
        print(
            f"{kind.name:28} {statistics.median(kind.took):9.1f} {tenth:15.1f}"
            f"  {middle:+7.1%} ({low:+.1%} to {high:+.1%})",
            flush=True,
        )


def route(
    backends: Sequence[OpenBackend], folder: Path | None, *, budgets: Budgets | None = None
) -> RouteBackend:
    """Return a route over ``backends``, with a ledger in ``folder``; with budgets each call costs."""
    names = [f"search:{place}#1" for place in range(len(backends))]
    price = 0 if budgets is None else _PRICE
    targets = {name: PlannerTarget(name=name, backend=name, price=price) for name in names}
    ledger = None if folder is None else Ledger(folder / "ledger.sqlite")
    planner = Planner(
        targets,
        {name: TargetTerms(free=budgets is None, seconds=10.0) for name in names},
        PlannerRules(),
        SharedHealth(ledger),
        TaskSpending(budgets or Budgets(), ledger, "search", time.time),
    )
    plan = RoutePlan(
        legs=tuple(Leg(members=((name,),)) for name in names),
        seconds=30.0,
        strict=len(names) == 1,
    )
    opened = {
        name: OpenTarget(backend=backend, policy=Policy())
        for name, backend in zip(names, backends, strict=True)
    }
    return RouteBackend(BackendAbout(name="route"), plan, opened, planner)


class Stage:
    """A server, a folder for ledgers, and so many calls in each round."""

    def __init__(self, base: str, folder: Path, calls: int) -> None:
        self._base, self._folder, self._calls = base, folder, calls

    async def measure(self, names: Sequence[str], rounds: int) -> list[Rounds]:
        kinds = [Rounds(name, self._open(name), []) for name in names]
        for _ in range(_WARM):
            for kind in kinds:
                await _microseconds(kind.backend, self._calls)
        gc.collect()
        order, draw = list(kinds), random.Random(7)
        for _ in range(rounds):
            draw.shuffle(order)
            for kind in order:
                kind.took.append(await _microseconds(kind.backend, self._calls))
        for kind in kinds:
            await kind.backend.aclose()
        return kinds

    async def alone(self, name: str) -> float:
        backend = self._open(name)
        took = await _microseconds(backend, self._calls)
        await backend.aclose()
        return took

    def _open(self, name: str) -> OpenBackend:
        count, budgets = _KINDS[name]
        url = f"{self._base}/plain/10/search"
        opened = [json_backend(search_url=url, key="k").unwrap() for _ in range(max(count, 1))]
        if not count:
            return opened[0]
        # What another kind writes is not its news.
        own = Path(tempfile.mkdtemp(dir=self._folder))
        return route(opened, own, budgets=budgets)


async def _microseconds(backend: OpenBackend, calls: int) -> float:
    deps = WebDeps(backend=backend)
    began = time.process_time()
    for _ in range(calls):
        (await web_search("q", deps)).unwrap()
    return (time.process_time() - began) / calls * 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
