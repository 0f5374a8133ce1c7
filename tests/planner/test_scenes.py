"""Scenes over real sockets: a first choice that hangs, limits, flaps, lies, or goes and returns."""

import asyncio
from collections.abc import Awaitable, Callable

from returns.result import Result

from tests.clock import pass_time, run
from webseam import json_backend
from webseam.composition.planning.route_backend import RouteBackend
from webseam.kernel.deps import WebDeps
from webseam.kernel.search import web_search
from webseam.ports import SearchOutcome, WebError

from .support import route

GOOD = b'{"results": [{"title": "t", "url": "https://a.example/", "content": "s"}]}'
WRONG = b'{"results": [{"title": "t", "url": "not a url", "content": "s"}]}'


def response(status: str, body: bytes, *headers: str) -> bytes:
    lines = (f"HTTP/1.1 {status}", "content-type: application/json", *headers)
    head = "\r\n".join((*lines, f"content-length: {len(body)}", "", ""))
    return head.encode() + body


OK = response("200 OK", GOOD)
LIMITED = response("429 Too Many Requests", b"{}", "retry-after: 600")
USED_UP = response("402 Payment Required", b"{}")
DOWN = response("503 Service Unavailable", b"{}")
NO_MORE = response("200 OK", GOOD, "x-ratelimit-remaining: 0", "x-ratelimit-reset: 600")


class Stage:
    """A server whose answer is what the scene says now; None hangs. ``asked`` counts."""

    def __init__(self) -> None:
        self.answer: bytes | None = OK
        self.asked = 0

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while await reader.readuntil(b"\r\n\r\n"):
                self.asked += 1
                if self.answer is None:
                    await reader.read()
                    break
                writer.write(self.answer)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


Scene = Callable[[Stage, Stage, Callable[[], Awaitable[str]]], Awaitable[None]]


def play(scene: Scene, *, hedge_after: float | None = None) -> tuple[Stage, Stage]:
    """Play a scene on two servers, with a route over both."""
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

    run(played())
    return first, second


def test_a_first_choice_that_hangs_costs_one_late_answer_and_then_nothing() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        first.answer = None
        who = [await search() for _ in range(12)]
        assert who == ["second"] * 12

    first, second = play(scene, hedge_after=0.02)

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


def test_who_is_slow_now_and_then_is_waited_for_no_longer_than_usual() -> None:
    async def scene(first: Stage, _second: Stage, search: Callable[[], Awaitable[str]]) -> None:
        for turn in range(12):
            slow = turn % 4 == 3
            first.answer = None if slow else OK
            # A busy machine may be late with any answer; the slow one's is never waited for.
            assert await search() in (("second",) if slow else ("first", "second"))

    first, second = play(scene, hedge_after=0.05)

    assert first.asked == 12
    assert second.asked >= 3


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

    play(scene)
