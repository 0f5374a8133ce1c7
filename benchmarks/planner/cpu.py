"""What a route costs beside the bare backend: the processor's time (user and system) of one call.

The backend is a service over loopback. All kinds take turns in short rounds, and a round is held
against the bare one beside it: what else the machine does falls on all of them alike.

python -m benchmarks.planner.cpu [--calls 50] [--rounds 200]
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from benchmarks.processes import running_server
from webseam.adapters.stores.ledger.file import Ledger
from webseam.composition import json_backend
from webseam.composition.calls.closing import OpenBackend
from webseam.composition.wiring.planner.backend import RouteBackend, RoutePlan, RouteTarget
from webseam.composition.wiring.planner.driver import Planner
from webseam.composition.wiring.planner.health import SharedHealth
from webseam.composition.wiring.planner.outcomes import Terms
from webseam.composition.wiring.planner.spending import Spending
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.fold.calls import Leg
from webseam.kernel.planner.money.budgets import Budgets
from webseam.kernel.planner.rules import Rules
from webseam.kernel.planner.targets import Target
from webseam.kernel.policy import Policy
from webseam.kernel.search import web_search
from webseam.ports.backends import BackendAbout

# Micro-dollars.
_PRICE = 5000


class Rounds(msgspec.Struct):
    """What one kind took: microseconds a call, of each round."""

    name: str
    backend: OpenBackend
    took: list[float]


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.planner.cpu", description=__doc__)
    parser.add_argument("--calls", type=int, default=50, help="in each round")
    parser.add_argument("--rounds", type=int, default=200, help="of each kind, in turn")
    options = parser.parse_args(arguments)
    with running_server() as base, tempfile.TemporaryDirectory() as folder:
        kinds = asyncio.run(_measure(base, Path(folder), options.calls, options.rounds))
    bare = kinds[0].took
    print(f"{'':28} median us  quickest tenth  over the bare one beside it: median, quartiles")
    for kind in kinds:
        ratios = [one / other - 1 for one, other in zip(kind.took, bare, strict=True)]
        low, middle, high = statistics.quantiles(ratios, n=4)
        tenth = statistics.quantiles(kind.took, n=10)[0]
        print(
            f"{kind.name:28} {statistics.median(kind.took):9.1f} {tenth:15.1f}"
            f"  {middle:+7.1%} ({low:+.1%} to {high:+.1%})"
        )
    return 0


def route(
    backends: Sequence[OpenBackend], folder: Path | None, *, budgets: Budgets | None = None
) -> RouteBackend:
    """Return a route over ``backends``, with a ledger in ``folder``; with budgets each call costs."""
    names = [f"search:{place}#1" for place in range(len(backends))]
    price = 0 if budgets is None else _PRICE
    targets = {name: Target(name=name, backend=name, price=price) for name in names}
    ledger = None if folder is None else Ledger(folder / "ledger.sqlite")
    planner = Planner(
        targets,
        {name: Terms(free=budgets is None, seconds=10.0) for name in names},
        Rules(),
        SharedHealth(ledger),
        Spending(budgets or Budgets(), ledger, "search", time.time),
    )
    plan = RoutePlan(
        legs=tuple(Leg(members=((name,),)) for name in names),
        seconds=30.0,
        strict=len(names) == 1,
    )
    opened = {
        name: RouteTarget(backend=backend, policy=Policy())
        for name, backend in zip(names, backends, strict=True)
    }
    return RouteBackend(BackendAbout(name="route"), plan, opened, planner)


async def _measure(base: str, folder: Path, calls: int, rounds: int) -> list[Rounds]:
    kinds = [Rounds(name, backend, []) for name, backend in _kinds(base, folder).items()]
    for kind in kinds:
        await _microseconds(kind.backend, calls)
    for _ in range(rounds):
        for kind in kinds:
            kind.took.append(await _microseconds(kind.backend, calls))
    for kind in kinds:
        await kind.backend.aclose()
    return kinds


def _kinds(base: str, folder: Path) -> dict[str, OpenBackend]:
    def some(count: int) -> list[OpenBackend]:
        opened = (json_backend(search_url=f"{base}/plain/10/search", key="k") for _ in range(count))
        return [one.unwrap() for one in opened]

    def own(name: str) -> Path:
        """Return a folder for one kind: what another one writes is not its news."""
        (folder / name).mkdir()
        return folder / name

    return {
        "bare": some(1)[0],
        "route of one": route(some(1), own("one")),
        "route of three": route(some(3), own("three")),
        "three, prices, no budget": route(some(3), own("prices"), budgets=Budgets()),
        "three, a budget for the day": route(some(3), own("day"), budgets=Budgets(day=1e6)),
    }


async def _microseconds(backend: OpenBackend, calls: int) -> float:
    deps = WebDeps(backend=backend)
    began = time.process_time()
    for _ in range(calls):
        (await web_search("q", deps)).unwrap()
    return (time.process_time() - began) / calls * 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
