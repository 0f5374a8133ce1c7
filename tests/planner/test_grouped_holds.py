"""Holds of many calls share one write, and none of them is spent before it is written."""

import asyncio
import os
import random
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest
from returns.result import Failure, Result

from webseam.adapters.stores.ledger import LEDGER_BLUEPRINT, Ledger
from webseam.adapters.stores.sqlite import StoreError
from webseam.composition.planning.route_backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.money import Budgets
from webseam.kernel.search import web_search
from webseam.ports.errors import BudgetExceeded, StoreFailed
from webseam.ports.planning import Hold, Settlement, Shortage

from .support import Scripted, route

PRICE = 5000
CENT = Budgets(day=2 * PRICE / 1e6)


class CountingLedger(Ledger):
    """Counts the groups that it writes; ``fate`` says for each whether it fails, or raises."""

    def __init__(self, path: Path, *fate: str) -> None:
        super().__init__(path)
        self.groups: list[int] = []
        self.fate = list(fate)
        self.settled = 0

    def reserve(
        self, holds: Sequence[Hold], /, *, now: float, settled: Sequence[Settlement] = ()
    ) -> Result[list[int | Shortage], StoreError]:
        self.groups.append(len(holds))
        fate = self.fate.pop(0) if self.fate else ""
        if fate == "full":
            return Failure(LEDGER_BLUEPRINT.file_error("full"))
        if fate == "bug":
            raise LookupError
        self.settled += len(settled)
        return super().reserve(holds, now=now, settled=settled)


def opened(ledger: Ledger, *backends: Scripted, budgets: Budgets | None = None) -> RouteBackend:
    prices = {one.about.name: PRICE for one in backends}
    return route(backends, ledger, prices=prices, budgets=budgets or Budgets(day=1000.0))


async def search_often(backend: RouteBackend, calls: int) -> list[object]:
    deps = WebDeps(backend=backend)
    outcomes = await asyncio.gather(*(web_search("q", deps) for _ in range(calls)))
    return [one.failure() if isinstance(one, Failure) else one for one in outcomes]


def test_fifty_calls_at_once_write_their_holds_with_one_flush(tmp_path: Path) -> None:
    ledger, scripted = CountingLedger(tmp_path / "ledger.sqlite"), Scripted("a")

    async def run() -> None:
        backend = opened(ledger, scripted)
        await search_often(backend, 50)
        await search_often(backend, 50)
        await backend.aclose()

    asyncio.run(run())

    assert ledger.groups == [50, 50]
    # The costs of the first fifty are written with the holds of the next.
    assert ledger.settled == 50
    assert scripted.asked == 100


def test_a_group_is_given_what_there_is_and_no_more(tmp_path: Path) -> None:
    ledger, scripted = CountingLedger(tmp_path / "ledger.sqlite"), Scripted("a")

    async def run() -> list[object]:
        backend = opened(ledger, scripted, budgets=CENT)
        outcomes = await search_often(backend, 5)
        await backend.aclose()
        return outcomes

    outcomes = asyncio.run(run())

    assert scripted.asked == 2
    assert sum(isinstance(one, BudgetExceeded) for one in outcomes) == 3


def test_a_group_that_is_not_written_asks_nobody_and_loses_no_settlement(tmp_path: Path) -> None:
    ledger, scripted = CountingLedger(tmp_path / "ledger.sqlite"), Scripted("a")

    async def run() -> list[object]:
        backend = opened(ledger, scripted)
        await search_often(backend, 2)
        ledger.fate = ["full"] * 4
        failed = await search_often(backend, 2)
        ledger.fate = []
        await search_often(backend, 1)
        await backend.aclose()
        return failed

    failed = asyncio.run(run())

    assert [type(one) for one in failed] == [StoreFailed, StoreFailed]
    assert scripted.asked == 3
    assert Ledger(tmp_path / "ledger.sqlite").spendings(0.0).unwrap()[0].calls == 3


def test_a_bug_of_the_ledger_ends_every_call_of_its_group(tmp_path: Path) -> None:
    ledger = CountingLedger(tmp_path / "ledger.sqlite", *["bug"] * 4)

    async def run() -> None:
        backend = opened(ledger, Scripted("a"))
        outcomes = await search_often(backend, 2)
        await backend.aclose()
        assert [type(one).__name__ for one in outcomes] == ["BackendCrashed"] * 2

    asyncio.run(run())


@pytest.mark.parametrize("moment", ["gathering", "given"])
def test_a_caller_who_leaves_pays_nothing_whenever_that_is(tmp_path: Path, moment: str) -> None:
    calls: list[asyncio.Task[object]] = []

    async def leave() -> None:
        if moment == "given":
            # Both have their holds, and the second call has not gone on yet.
            calls[1].cancel()

    scripted = Scripted("a", leave)

    async def run() -> None:
        backend = opened(Ledger(tmp_path / "ledger.sqlite"), scripted)
        deps = WebDeps(backend=backend)
        calls.extend(asyncio.ensure_future(web_search("q", deps)) for _ in range(2))
        await asyncio.sleep(0)
        if moment == "gathering":
            calls[1].cancel()
        await asyncio.wait(calls)
        await backend.aclose()

    asyncio.run(run())

    assert [call.cancelled() for call in calls] == [False, True]
    assert scripted.asked == 1
    day = Ledger(tmp_path / "ledger.sqlite").spendings(0.0).unwrap()[0]
    assert (day.spent, day.held) == (PRICE, 0)


SPENDER = """
import asyncio, sys
from pathlib import Path
from tests.planner.support import Scripted, route
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.money import Budgets
from webseam.kernel.search import web_search
bill = open(sys.argv[2], "ab", buffering=0)
async def pay():
    bill.write(b".")
    await asyncio.sleep(0)
async def run():
    backend = route([Scripted("a", pay)], Path(sys.argv[1]), prices={"a": 5000}, budgets=Budgets(day=1.5))
    deps = WebDeps(backend=backend)
    async def spend():
        while (await web_search("q", deps)).value_or(None):
            pass
    print("ready", flush=True)
    await asyncio.gather(*(spend() for _ in range(20)))
    await backend.aclose()
asyncio.run(run())
"""


def test_processes_killed_among_groups_never_spend_more_than_the_budget(tmp_path: Path) -> None:
    bill, draw = tmp_path / "bill", random.Random(3)  # noqa: S311  no secret
    bill.touch()
    command = [sys.executable, "-c", SPENDER, str(tmp_path), str(bill)]

    def start() -> "subprocess.Popen[bytes]":
        spender = subprocess.Popen(command, stdout=subprocess.PIPE)
        assert spender.stdout is not None
        assert spender.stdout.readline() == b"ready\n"
        return spender

    for _ in range(4):
        spender, enough = start(), bill.stat().st_size + draw.randint(1, 50)
        while spender.poll() is None and bill.stat().st_size < enough:
            pass
        os.kill(spender.pid, signal.SIGKILL)
        spender.communicate()
    last = start()
    last.communicate(timeout=60)

    day = Ledger(tmp_path / "ledger.sqlite").spendings(0.0).unwrap()[0]
    assert last.returncode == 0
    assert day.spent + day.held == 300 * PRICE
    # What a killed process had held and not called counts as spent: at most its last group.
    assert 300 - 4 * 20 <= bill.stat().st_size <= 300
