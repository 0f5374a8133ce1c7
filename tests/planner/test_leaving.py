"""A caller who leaves: what was never asked is not paid for, and what was asked is."""

import asyncio
import random
import threading
from collections.abc import Sequence
from pathlib import Path

import msgspec
import pytest
from returns.result import Result

from tests.clock import SkippingLoop, run
from webseam.adapters.stores.ledger import Ledger
from webseam.adapters.stores.sqlite import StoreError
from webseam.composition.planning.route_backend import RouteBackend
from webseam.composition.planning.spending import SessionPurse
from webseam.kernel.deps import WebDeps
from webseam.kernel.planner.money import Budgets
from webseam.kernel.search import web_search
from webseam.ports.errors import UpstreamUnavailable
from webseam.ports.planning import Hold, Settlement, Shortage

from .support import Scripted, route

PRICE = 5000
LATER = 1e12
DOWN = UpstreamUnavailable(status=503)


class SlowLedger(Ledger):
    """Does what its ``slow`` step does only when it is let ``go``; it says that it ``came`` there."""

    def __init__(self, path: Path, slow: str) -> None:
        super().__init__(path)
        self._slow = slow
        self.came, self.go = threading.Event(), threading.Event()

    def reserve(
        self, holds: Sequence[Hold], /, *, now: float, settled: Sequence[Settlement] = ()
    ) -> Result[list[int | Shortage], StoreError]:
        self._wait("reserve")
        return super().reserve(holds, now=now, settled=settled)

    def claim(self, name: str, /, *, until: float, now: float) -> Result[bool, StoreError]:
        self._wait("claim")
        return super().claim(name, until=until, now=now)

    def _wait(self, step: str) -> None:
        if step == self._slow:
            self.came.set()
            self.go.wait()


def leave(backend: RouteBackend, ledger: SlowLedger) -> None:
    """Leave a search while the ledger is at its slow step, which it finishes after that."""

    async def left() -> None:
        search = asyncio.ensure_future(web_search("q", WebDeps(backend=backend)))
        await asyncio.to_thread(ledger.came.wait)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        closing = asyncio.ensure_future(backend.aclose())
        ledger.go.set()
        await closing

    asyncio.run(left())


def spent(folder: Path) -> int:
    """Return what the ledger says was spent after every hold has come to its end."""
    ledger = Ledger(folder / "ledger.sqlite")
    every = {one.scope: one.spent for one in ledger.spendings(LATER).unwrap()}
    ledger.close()
    return every.get("all", 0)


@pytest.mark.parametrize("first", [(), (DOWN,)], ids=["the first choice", "the next one"])
def test_money_for_an_attempt_that_was_not_made_is_given_back(
    tmp_path: Path, first: tuple[UpstreamUnavailable]
) -> None:
    ledger, purse = SlowLedger(tmp_path / "ledger.sqlite", "reserve"), SessionPurse()
    paid = Scripted("paid")
    backends = [*(Scripted("free", error) for error in first), paid]
    backend = route(backends, ledger, prices={"paid": PRICE}, budgets=Budgets(day=1.0))
    backend.planner.spending.share_purse(purse)

    leave(backend, ledger)

    assert paid.asked == 0
    assert spent(tmp_path) == 0
    assert purse.take_money(PRICE, PRICE) is None, "the session has all of it again"


def test_settlement_is_written_when_the_caller_leaves(tmp_path: Path) -> None:
    ledger = SlowLedger(tmp_path / "ledger.sqlite", "reserve")
    ledger.go.set()
    backend = route([Scripted("a")], ledger, prices={"a": PRICE}, budgets=Budgets(day=1.0))

    async def twice() -> None:
        await web_search("q", WebDeps(backend=backend))
        ledger.go.clear()
        ledger.came.clear()
        search = asyncio.ensure_future(web_search("q", WebDeps(backend=backend)))
        await asyncio.to_thread(ledger.came.wait)
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        ledger.go.set()
        await backend.aclose()

    asyncio.run(twice())

    assert spent(tmp_path) == PRICE


@pytest.mark.parametrize("budgets", [Budgets(), Budgets(session=1.0)], ids=["counted", "held"])
def test_a_probe_that_nobody_waits_for_any_more_costs_nothing(
    tmp_path: Path, budgets: Budgets
) -> None:
    ledger, purse = SlowLedger(tmp_path / "ledger.sqlite", "claim"), SessionPurse()
    backends = [Scripted("a"), Scripted("b", DOWN)]
    backend = route(backends, ledger, prices={"a": PRICE}, budgets=budgets)
    planner = backend.planner
    planner.spending.share_purse(purse)
    a = planner.fleet.targets["search:a#1"]
    planner.fleet = msgspec.structs.replace(
        planner.fleet,
        targets={
            **planner.fleet.targets,
            a.name: msgspec.structs.replace(a, open_until=0.0, opened_at=0.0),
        },
    )

    leave(backend, ledger)

    assert purse.take_money(PRICE, PRICE) is None, "the session has all of it again"
    assert purse.take_money(1, PRICE) == 0, "and no more than that"


@pytest.mark.parametrize("budgets", [Budgets(), Budgets(day=1.0)], ids=["counted", "held"])
def test_begun_attempt_is_paid_when_the_caller_leaves(tmp_path: Path, budgets: Budgets) -> None:
    begun = asyncio.Event()

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    backend = route([Scripted("a", hang)], tmp_path, prices={"a": PRICE}, budgets=budgets)

    async def left() -> None:
        search = asyncio.ensure_future(web_search("q", WebDeps(backend=backend)))
        await begun.wait()
        search.cancel()
        with pytest.raises(asyncio.CancelledError):
            await search
        await backend.aclose()

    asyncio.run(left())

    assert spent(tmp_path) == PRICE


def test_a_caller_who_leaves_is_cancelled_once_and_may_tidy_up() -> None:
    begun, tidied = asyncio.Event(), []

    async def hang() -> None:
        begun.set()
        await asyncio.Event().wait()

    async def search() -> None:
        try:
            await web_search("q", WebDeps(backend=route([Scripted("a", hang), Scripted("b")])))
        finally:
            await asyncio.sleep(0)
            tidied.append("yes")

    async def left() -> int:
        task = asyncio.ensure_future(search())
        await begun.wait()
        task.cancel()
        await asyncio.wait((task,))
        return task.cancelling()

    assert asyncio.run(left()) == 1
    assert tidied == ["yes"]


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("first", [(), (DOWN,)], ids=["the first choice", "the next one"])
def test_whenever_callers_leave_the_books_come_to_what_was_asked(
    tmp_path: Path, first: tuple[UpstreamUnavailable], seed: int
) -> None:
    draw, purse = random.Random(seed), SessionPurse()  # noqa: S311  not a secret
    paid = Scripted("paid", lambda: asyncio.sleep(0))
    backends = [*(Scripted("free", error) for error in first), paid]
    budgets = Budgets(day=20 * PRICE / 1e6)
    backend = route(backends, tmp_path, prices={"paid": PRICE}, budgets=budgets)
    backend.planner.spending.share_purse(purse)

    async def some_leave() -> None:
        deps = WebDeps(backend=backend)
        for _ in range(8):
            callers = [asyncio.ensure_future(web_search("q", deps)) for _ in range(6)]
            for caller in callers:
                for _ in range(draw.randrange(4)):
                    await asyncio.sleep(0)
                if draw.random() < 0.5:
                    caller.cancel()
            await asyncio.wait(callers)
        await backend.aclose()

    run(some_leave(), SkippingLoop)

    assert 0 < paid.asked <= 20
    assert spent(tmp_path) == paid.asked * PRICE
    assert purse.take_money(1, paid.asked * PRICE) == 0


def test_a_time_limit_of_the_callers_own_ends_a_search_as_any_other_work() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    async def search() -> str:
        deps = WebDeps(backend=route([Scripted("a", hang), Scripted("b", hang)]))
        try:
            async with asyncio.timeout(0):
                await web_search("q", deps)
        except TimeoutError:
            await asyncio.sleep(0)
            return "late"
        return "in time"

    assert asyncio.run(search()) == "late"
