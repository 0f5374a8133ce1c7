"""Scenes over real sockets: a first choice that hangs, limits, flaps, lies, or goes and returns."""

import asyncio
from collections.abc import Awaitable, Callable

from returns.result import Result

from tests.clock import ForwardLoop, ManualClockLoop, SkippingLoop, pass_time, run
from tests.planner.support import DOWN, GOOD, OK, response
from webseam import json_backend
from webseam.composition.planning.route_backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.search import web_search
from webseam.ports import SearchOutcome, WebError

from .support import route

WRONG = b'{"results": [{"title": "t", "url": "not a url", "content": "s"}]}'


LIMITED = response("429 Too Many Requests", b"{}", "retry-after: 600")
USED_UP = response("402 Payment Required", b"{}")
NO_MORE = response("200 OK", GOOD, "x-ratelimit-remaining: 0", "x-ratelimit-reset: 600")


class Stage:
    """A server whose answer is what the scene says now; None hangs. ``asked`` counts."""

    def __init__(self) -> None:
        self.answer: bytes | None = OK
        self.asked = 0
        self.hung = asyncio.Event()

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.asked += 1
                if self.answer is None:
                    self.hung.set()
                    await reader.read()
                    break
                writer.write(self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


Scene = Callable[[Stage, Stage, Callable[[], Awaitable[str]]], Awaitable[None]]


def play(
    scene: Scene,
    *,
    hedge_after: float | None = None,
    loop_factory: Callable[[], ForwardLoop] = ManualClockLoop,
) -> tuple[Stage, Stage]:
    """Play a scene on two servers, with a route over both; no answer of theirs is late by itself."""
    first, second = Stage(), Stage()

    async def played() -> None:
        servers = [
            await asyncio.start_server(stage.serve, "127.0.0.1", 0) for stage in (first, second)
        ]
        ports = [server.sockets[0].getsockname()[1] for server in servers]
        backends = [
            json_backend(search_url=f"http://127.0.0.1:{port}/search", name=name).unwrap()
            for name, port in zip(("first", "second"), ports, strict=True)
        ]
        asked: RouteBackend = route(backends, hedge_after=hedge_after)

        async def search() -> str:
            outcome: Result[SearchOutcome, WebError] = await web_search("q", WebDeps(backend=asked))
            return outcome.map(lambda one: one.receipt.backend).value_or("nobody")

        await scene(first, second, search)
        await asked.aclose()
        for server in servers:
            server.close()

    run(played(), loop_factory)
    return first, second


async def search_past(hanging: Stage, search: Callable[[], Awaitable[str]]) -> str:
    """Search; if the server hangs that is asked first, let more time pass than until the hedge."""
    hanging.hung.clear()
    searching = asyncio.ensure_future(search())
    hung = asyncio.ensure_future(hanging.hung.wait())
    # A server that rests is not asked, and does not hang.
    await asyncio.wait([searching, hung], return_when=asyncio.FIRST_COMPLETED)
    if not searching.done():
        await pass_time(2.0)
    hung.cancel()
    return await searching


def test_first_choice_that_hangs_costs_few_late_answers_and_then_rests() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        first.answer = None
        who = [await search_past(first, search) for _ in range(12)]
        assert who == ["second"] * 12

    first, second = play(scene, hedge_after=1.0)

    # Five that lost to the next opened its breaker; from then on it rests.
    assert first.asked <= 6
    assert second.asked == 12


def test_a_burst_of_429_is_met_once_and_kept_to() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        assert await search() == "first"
        first.answer = LIMITED
        who = [await search() for _ in range(20)]
        assert who == ["second"] * 20

    first, _ = play(scene)

    assert first.asked == 2


def test_a_header_that_says_no_more_is_kept_to_without_a_429() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        first.answer = NO_MORE
        assert [await search() for _ in range(5)] == ["first", *["second"] * 4]

    first, _ = play(scene)

    assert first.asked == 1


def test_credits_that_are_used_up_are_found_out_once() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        first.answer = USED_UP
        assert [await search() for _ in range(10)] == ["second"] * 10

    first, _ = play(scene)

    assert first.asked == 1


def test_server_that_hangs_now_and_then_is_asked_first_again_and_hedged_when_late() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        for turn in range(12):
            hangs = turn % 4 == 3
            first.answer = None if hangs else OK
            assert await search_past(first, search) == ("second" if hangs else "first")

    first, second = play(scene, hedge_after=1.0)

    assert (first.asked, second.asked) == (12, 3)


def test_one_that_flaps_is_never_the_answer_that_fails() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        for turn in range(30):
            first.answer = DOWN if turn % 3 == 0 else OK
            assert await search() in ("first", "second")

    first, second = play(scene)

    assert first.asked + second.asked >= 30


def test_rows_that_break_the_law_fail_closed_and_open_the_breaker() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        first.answer = WRONG
        assert [await search() for _ in range(20)] == ["second"] * 20

    first, _ = play(scene)

    assert first.asked == 6


def test_a_total_outage_ends_when_one_is_back() -> None:
    async def scene(first: Stage, second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        first.answer = second.answer = DOWN
        assert {await search() for _ in range(6)} == {"nobody"}
        second.answer = OK
        await pass_time(6.0)
        assert await search() == "second"
        assert await search() == "second"

    # A call pauses before it asks again.
    play(scene, loop_factory=SkippingLoop)
