"""What was learned reaches the ledger beside the calls, also of a planner that nobody closes."""

import asyncio
import gc
import warnings
from pathlib import Path

from webseam.adapters.stores.ledger import Ledger
from webseam.composition.planning.route_backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.search import web_search
from webseam.ports.errors import RateLimited

from .support import NOON, Scripted, route


def in_a_loop_of_its_own(backend: RouteBackend, *, cancels: bool) -> str:
    """Search once, and end the loop at once: with what asyncio.run does before that, or without."""
    loop = asyncio.new_event_loop()
    try:
        outcome = loop.run_until_complete(web_search("q", WebDeps(backend=backend)))
        under_way = asyncio.all_tasks(loop)
        for task in under_way if cancels else ():
            task.cancel()
    finally:
        loop.close()
    assert not under_way
    return outcome.unwrap().receipt.backend


def test_a_planner_that_is_never_closed_leaves_nothing_pending_when_its_loop_ends(
    tmp_path: Path,
) -> None:
    # A refusal is written at once, so that others know.
    backend = route([Scripted("a", RateLimited(retry_after=600.0)), Scripted("b")], tmp_path)

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert in_a_loop_of_its_own(backend, cancels=False) == "b"
        gc.collect()


def test_another_loop_goes_on_where_the_last_one_ended(tmp_path: Path) -> None:
    prices = {"a": 5000}
    backend = route([Scripted("a"), Scripted("b")], tmp_path, prices=prices)
    assert in_a_loop_of_its_own(backend, cancels=True) == "a"

    async def searched_and_closed() -> None:
        await web_search("q", WebDeps(backend=backend))
        await backend.aclose()

    asyncio.run(searched_and_closed())

    ledger = Ledger(tmp_path / "ledger.sqlite")
    spendings = {(one.scope, one.calls) for one in ledger.spendings(NOON).unwrap()}
    ledger.close()
    assert ("all", 2) in spendings


def test_a_loop_without_threads_still_writes_what_was_spent(tmp_path: Path) -> None:
    backend = route([Scripted("a")], tmp_path, prices={"a": 5000})

    async def search_as_the_loop_ends() -> None:
        await web_search("q", WebDeps(backend=backend))
        await asyncio.get_running_loop().shutdown_default_executor()
        backend.planner.writer.write_now()
        await asyncio.sleep(0)

    asyncio.run(search_as_the_loop_ends())

    ledger = Ledger(tmp_path / "ledger.sqlite")
    spendings = {(one.scope, one.calls) for one in ledger.spendings(NOON).unwrap()}
    ledger.close()
    assert ("all", 1) in spendings


def test_bookings_during_a_write_are_written_after_it(tmp_path: Path) -> None:
    async def written() -> int:
        backend = route([Scripted("a")], tmp_path, prices={"a": 5000})
        writer = backend.planner.writer
        writer.write_now()
        await web_search("q", WebDeps(backend=backend))
        writer.write_now()
        await backend.aclose()
        return backend.planner.fleet.targets["search:a#1"].used

    assert asyncio.run(written()) == 1
    again = route([Scripted("a")], tmp_path, prices={"a": 5000})
    assert again.planner.fleet.targets["search:a#1"].used == 1
    again.planner.health.close()
