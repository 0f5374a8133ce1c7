"""What a route costs beside the bare backend: the processor's time of one loopback call.

python -m benchmarks.planner.cpu [--calls 3000] [--rounds 9]
"""

import argparse
import asyncio
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

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


def main(arguments: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="benchmarks.planner.cpu", description=__doc__)
    parser.add_argument("--calls", type=int, default=3000, help="in each round")
    parser.add_argument("--rounds", type=int, default=9, help="of each kind, in turn")
    options = parser.parse_args(arguments)
    with running_server() as base, tempfile.TemporaryDirectory() as folder:
        took = asyncio.run(_measure(base, Path(folder), options.calls, options.rounds))
    bare = statistics.median(took["bare"])
    for name, each in took.items():
        middle = statistics.median(each)
        print(f"{name:16} {middle:7.1f} us a call {middle / bare - 1:+7.1%}")
    return 0


def route(backends: Sequence[OpenBackend], folder: Path | None) -> RouteBackend:
    """Return a route over ``backends``, with a ledger in ``folder``."""
    names = [f"search:{place}#1" for place in range(len(backends))]
    targets = {name: Target(name=name, backend=name) for name in names}
    ledger = None if folder is None else Ledger(folder / "ledger.sqlite")
    planner = Planner(
        targets,
        {name: Terms(free=True, seconds=10.0) for name in names},
        Rules(),
        SharedHealth(ledger),
        Spending(Budgets(), ledger, "search", time.time),
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


async def _measure(base: str, folder: Path, calls: int, rounds: int) -> dict[str, list[float]]:
    def backend() -> OpenBackend:
        return json_backend(search_url=f"{base}/plain/10/search", key="k").unwrap()

    kinds: dict[str, OpenBackend] = {
        "bare": backend(),
        "route of one": route([backend()], folder),
        "route of three": route([backend(), backend(), backend()], folder),
    }
    took: dict[str, list[float]] = {name: [] for name in kinds}
    for _ in range(rounds):
        for name, one in kinds.items():
            took[name].append(await _microseconds(one, calls))
    for one in kinds.values():
        await one.aclose()
    return took


async def _microseconds(backend: OpenBackend, calls: int) -> float:
    deps = WebDeps(backend=backend)
    began = time.process_time()
    for _ in range(calls):
        (await web_search("q", deps)).unwrap()
    return (time.process_time() - began) / calls * 1e6


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
