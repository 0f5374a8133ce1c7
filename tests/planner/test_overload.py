"""Scenes over real sockets: more callers at once than the backends take."""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping

import msgspec
from returns.result import Failure

from tests.clock import run
from tests.planner.support import DOWN, OK
from webseam import json_backend
from webseam.composition.planning.route_backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.search import web_search

from .support import route

replace = msgspec.structs.replace


class Desk:
    """A server that answers when its ``doors`` are open; beyond ``most`` at once it refuses."""

    def __init__(self, most: int = 1000) -> None:
        self.doors = asyncio.Event()
        self.asked = self.refused = self.under_way = self.peak = 0
        self._most = most
        self._moved = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                writer.write(await self._answer())
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    async def filled(self, count: int) -> None:
        """Wait until so many are under way."""
        while self.under_way < count:
            self._moved.clear()
            await self._moved.wait()

    async def _answer(self) -> bytes:
        self.asked += 1
        if self.under_way >= self._most:
            self.refused += 1
            return DOWN
        self.under_way += 1
        self.peak = max(self.peak, self.under_way)
        self._moved.set()
        await self.doors.wait()
        self.under_way -= 1
        return OK


Search = Callable[[], Awaitable[str]]
Scene = Callable[[RouteBackend, Search], Awaitable[None]]


def play(scene: Scene, first: Desk, second: Desk) -> None:
    """Play a scene with a route over two servers; a search says who answered, or what went wrong."""

    async def played() -> None:
        desks = {"first": first, "second": second}
        servers = [await asyncio.start_server(one.serve, "127.0.0.1", 0) for one in desks.values()]
        ports = [server.sockets[0].getsockname()[1] for server in servers]
        asked = route(
            [
                json_backend(search_url=f"http://127.0.0.1:{port}/search", name=name).unwrap()
                for name, port in zip(desks, ports, strict=True)
            ],
            hedge_after=1000.0,
        )

        async def search() -> str:
            outcome = await web_search("q", WebDeps(backend=asked))
            if isinstance(outcome, Failure):
                return str(outcome.failure().kind)
            return outcome.unwrap().receipt.backend

        await scene(asked, search)
        await asked.aclose()
        for server in servers:
            server.close()

    run(played())


def limit(backend: RouteBackend, at_once: Mapping[str, int], *, waiting: int) -> None:
    """Declare how many calls at once each backend takes, and how many callers may wait."""
    planner = backend.planner
    targets = {
        name: replace(target, concurrency=at_once[target.backend])
        for name, target in planner.fleet.targets.items()
    }
    rules = replace(planner.fleet.rules, most_waiting=waiting)
    planner.fleet = replace(planner.fleet, targets=targets, rules=rules)


def test_callers_beyond_what_all_take_at_once_wait_their_turn_and_are_answered() -> None:
    first, second = Desk(), Desk()

    async def scene(backend: RouteBackend, search: Search) -> None:
        limit(backend, {"first": 3, "second": 2}, waiting=1000)
        callers = [asyncio.ensure_future(search()) for _ in range(40)]
        await first.filled(3)
        await second.filled(2)
        assert len(backend.planner.waiters) == 35
        first.doors.set()
        second.doors.set()
        assert set(await asyncio.gather(*callers)) <= {"first", "second"}

    play(scene, first, second)

    assert (first.peak, second.peak) == (3, 2)
    assert first.asked + second.asked == 40


def test_callers_beyond_the_queue_are_told_so_at_once_and_cost_nobody_a_call() -> None:
    first, second = Desk(), Desk()

    async def scene(backend: RouteBackend, search: Search) -> None:
        limit(backend, {"first": 3, "second": 2}, waiting=10)
        callers = [asyncio.ensure_future(search()) for _ in range(40)]
        await first.filled(3)
        await second.filled(2)
        # Those who cannot wait have their answer while everybody else still waits.
        turned_away = [await one for one in callers[15:]]
        assert turned_away == ["waited_too_long"] * 25
        first.doors.set()
        second.doors.set()
        assert set(await asyncio.gather(*callers[:15])) <= {"first", "second"}

    play(scene, first, second)

    assert first.asked + second.asked == 15


def test_callers_refused_by_a_crowded_target_are_answered_by_the_next() -> None:
    first, second = Desk(most=2), Desk()
    second.doors.set()

    async def scene(_backend: RouteBackend, search: Search) -> None:
        callers = [asyncio.ensure_future(search()) for _ in range(30)]
        await first.filled(2)
        answered = [await one for one in callers[2:]]
        assert set(answered) == {"second"}
        first.doors.set()
        assert Counter(await asyncio.gather(*callers)) == {"first": 2, "second": 28}

    play(scene, first, second)

    assert first.peak == 2
    assert first.asked + second.asked == 30 + first.refused


def test_a_caller_who_leaves_the_queue_gives_up_his_place_in_it() -> None:
    first, second = Desk(), Desk()

    async def scene(backend: RouteBackend, search: Search) -> None:
        limit(backend, {"first": 1, "second": 1}, waiting=1)
        callers = [asyncio.ensure_future(search()) for _ in range(3)]
        await first.filled(1)
        await second.filled(1)
        callers[2].cancel()
        await asyncio.wait((callers[2],))
        after = asyncio.ensure_future(search())
        first.doors.set()
        second.doors.set()
        assert set(await asyncio.gather(*callers[:2], after)) <= {"first", "second"}

    play(scene, first, second)

    assert (first.peak, second.peak, first.asked + second.asked) == (1, 1, 3)
