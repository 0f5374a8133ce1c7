"""One call for many callers."""

import asyncio
from pathlib import Path

import pytest
from returns.result import Result, Success

from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.cached_backend import SingleFlight
from webseam.composition.wiring.cache import with_cache
from webseam.kernel import WebDeps, web_search
from webseam.testing import FakeBackend

from .shelf import lent


class Call:
    """A call that waits for its cue, and counts how often it was begun."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.cue = asyncio.Event()

    async def __call__(self) -> str:
        self.begun += 1
        try:
            await self.cue.wait()
        except asyncio.CancelledError:
            self.cancelled += 1
            raise
        return "answer"


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_callers_of_one_key_share_one_call() -> None:
    async def scene() -> None:
        call, flights = Call(), SingleFlight[str]()
        callers = [asyncio.create_task(flights.join(b"k", call)) for _ in range(50)]
        await _settle()
        call.cue.set()

        assert await asyncio.gather(*callers) == ["answer"] * 50
        assert call.begun == 1
        await flights.join(b"k", call)
        assert call.begun == 2

    asyncio.run(scene())


def test_callers_of_other_keys_have_calls_of_their_own() -> None:
    async def scene() -> None:
        call, flights = Call(), SingleFlight[str]()
        call.cue.set()
        await asyncio.gather(flights.join(b"a", call), flights.join(b"b", call))

        assert call.begun == 2

    asyncio.run(scene())


def test_a_caller_that_gives_up_takes_nobody_s_answer_away() -> None:
    async def scene() -> None:
        call, flights = Call(), SingleFlight[str]()
        leader = asyncio.create_task(flights.join(b"k", call))
        await _settle()
        follower = asyncio.create_task(flights.join(b"k", call))
        await _settle()
        leader.cancel()
        await _settle()
        call.cue.set()

        assert await follower == "answer"
        assert leader.cancelled()
        assert (call.begun, call.cancelled) == (1, 0)

    asyncio.run(scene())


def test_a_call_that_nobody_waits_for_is_cancelled_and_begun_anew_for_the_next() -> None:
    async def scene() -> None:
        call, flights = Call(), SingleFlight[str]()
        only = asyncio.create_task(flights.join(b"k", call))
        await _settle()
        only.cancel()
        await asyncio.gather(only, return_exceptions=True)
        next_one = asyncio.create_task(flights.join(b"k", call))
        await _settle()
        call.cue.set()

        assert await next_one == "answer"
        assert (call.begun, call.cancelled) == (2, 1)

    asyncio.run(scene())


def test_exception_of_a_shared_call_reaches_every_caller() -> None:
    async def failing() -> str:
        await asyncio.sleep(0)
        raise ValueError

    async def scene() -> None:
        flights = SingleFlight[str]()
        callers = [flights.join(b"k", failing) for _ in range(3)]

        assert [type(each) for each in await asyncio.gather(*callers, return_exceptions=True)] == [
            ValueError
        ] * 3

    asyncio.run(scene())


def test_one_flight_can_follow_another_loop_s() -> None:
    async def answer() -> str:
        return "answer"

    flights = SingleFlight[str]()

    assert asyncio.run(flights.join(b"k", answer)) == "answer"
    assert asyncio.run(flights.join(b"k", answer)) == "answer"


@pytest.mark.parametrize("callers", [2, 40])
def test_the_same_search_at_once_is_one_call_to_the_backend(tmp_path: Path, callers: int) -> None:
    async def scene() -> int:
        asked, cue = asyncio.Event(), asyncio.Event()

        async def search(_: object) -> Result[list[object], object]:
            asked.set()
            await cue.wait()
            return Success([])

        backend = FakeBackend(search=search)
        cached = with_cache(backend, lent(CacheStore(tmp_path / "c")))
        deps = WebDeps(backend=cached)
        tasks = [asyncio.create_task(web_search({"query": "q"}, deps)) for _ in range(callers)]
        await asked.wait()
        cue.set()
        outcomes = await asyncio.gather(*tasks)
        assert all(isinstance(each, Success) for each in outcomes)
        return len(backend.searched)

    assert asyncio.run(scene()) == 1
