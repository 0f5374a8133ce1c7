"""Connections: the checked address is dialled, both ends are judged, the first to answer wins."""

import asyncio
import socket
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager

import msgspec
import pytest
from returns.result import Failure, Success

from webseam.adapters.http.dial import connect_first, literal_address
from webseam.adapters.pages.fetch.connect import FetchDeps, FetchLimits
from webseam.adapters.pages.fetch.fetcher import Fetcher
from webseam.composition.wiring.pages import make_guard, wire_page_fetcher
from webseam.kernel.policy import Policy
from webseam.ports import ConnectFailed, Timeout, UrlDenied

from .support import Site, always, closed_port, opening, page, run, serving


@contextmanager
def deaf_port(host: str) -> Iterator[int]:
    """A port whose queue is full: whoever connects to it waits for ever."""
    with ExitStack() as stack:
        server = stack.enter_context(socket.socket())
        server.bind((host, 0))
        server.listen(0)
        for _ in range(4):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)  # noqa: FBT003  the standard library's own signature
            waiting.connect_ex(server.getsockname())
        yield server.getsockname()[1]


def test_an_address_that_refuses_is_passed_over_for_the_next() -> None:
    async def fetch() -> bytes:
        async with serving(Site(page(b"found")), "127.0.0.3") as port:
            policy = opening(f"127.0.0.0/8:{port}")
            fetcher = wire_page_fetcher(policy, resolve=always("127.0.0.2", "127.0.0.3"))
            return (await fetcher.fetch(f"http://two.example.com:{port}/")).unwrap().body

    assert run(fetch()) == b"found"


def test_an_address_that_is_silent_does_not_hold_up_the_next() -> None:
    async def fetch(port: int) -> bytes:
        async with serving(Site(page(b"found")), "127.0.0.3", port):
            policy = opening(f"127.0.0.0/8:{port}")
            fetcher = wire_page_fetcher(policy, resolve=always("127.0.0.2", "127.0.0.3"))
            return (await fetcher.fetch(f"http://two.example.com:{port}/")).unwrap().body

    with deaf_port("127.0.0.2") as port:
        assert run(fetch(port)) == b"found"


def test_a_host_that_never_answers_is_a_timeout_of_connecting() -> None:
    async def fetch(port: int) -> object:
        limits = FetchLimits(connect=0.05)
        fetcher = wire_page_fetcher(opening(f"127.0.0.2/32:{port}"), limits)
        return (await fetcher.fetch(f"http://127.0.0.2:{port}/")).failure()

    with deaf_port("127.0.0.2") as port:
        error = run(fetch(port))

    assert isinstance(error, Timeout)
    assert error.phase == "connect"


def test_a_host_with_a_silent_and_a_closed_address_is_a_timeout() -> None:
    async def fetch(port: int) -> object:
        names = always("127.0.0.2", "127.0.0.3")
        limits = FetchLimits(connect=0.4)
        fetcher = wire_page_fetcher(opening(f"127.0.0.0/8:{port}"), limits, resolve=names)
        return (await fetcher.fetch(f"http://two.example.com:{port}/")).failure()

    with deaf_port("127.0.0.2") as port:
        assert isinstance(run(fetch(port)), Timeout)


def test_a_host_all_of_whose_addresses_refuse_cannot_be_reached() -> None:
    async def fetch(port: int, *addresses: str) -> object:
        fetcher = wire_page_fetcher(opening(f"127.0.0.0/8:{port}"), resolve=always(*addresses))
        return (await fetcher.fetch(f"http://none.example.com:{port}/")).failure()

    with closed_port("0.0.0.0") as port:  # noqa: S104  nobody listens there
        assert isinstance(run(fetch(port, "127.0.0.2")), ConnectFailed)
        addresses = ("127.0.0.2", "127.0.0.3", "127.0.0.4")
        assert isinstance(run(fetch(port, *addresses)), ConnectFailed)


def test_only_so_many_addresses_are_tried() -> None:
    async def fetch(limit: int) -> object:
        async with serving(Site(page(b"found")), "127.0.0.4") as port:
            names = always("127.0.0.2", "127.0.0.3", "127.0.0.4")
            limits = FetchLimits(addresses=limit)
            fetcher = wire_page_fetcher(opening(f"127.0.0.0/8:{port}"), limits, resolve=names)
            return await fetcher.fetch(f"http://many.example.com:{port}/")

    assert isinstance(run(fetch(3)), Success)
    assert isinstance(run(fetch(2)), Failure)


def test_a_connection_to_ourselves_is_closed_before_a_byte_is_sent() -> None:
    async def fetch() -> tuple[object, list[bytes]]:
        site = Site(page(b"our own service"))
        guard = msgspec.structs.replace(
            make_guard(Policy()), judge_addresses=lambda _target, found: Success(tuple(found))
        )
        async with serving(site, "127.0.0.1") as port:
            # As if this machine's public address were 127.0.0.1.
            around = FetchDeps(
                guard=msgspec.structs.replace(
                    guard, judge_url=make_guard(opening(f"127.0.0.9/32:{port}")).judge_url
                ),
                resolve=always("127.0.0.1"),
                now=lambda: 0.0,
            )
            fetched = await Fetcher(around).fetch(f"http://ours.example.com:{port}/")
        return fetched.failure(), site.heads

    refusal, heads = run(fetch())

    assert isinstance(refusal, UrlDenied)
    assert (refusal.rule, refusal.stage) == ("self_connection", "dns")
    assert heads == []


def test_the_first_to_connect_wins_and_a_socket_for_it_alone_is_left() -> None:
    async def dial() -> str:
        async with serving(Site(None), "127.0.0.2") as port:
            opened = await connect_first([literal_address("127.0.0.2", port)] * 3)
            opened.socket.close()
            return opened.address

    assert run(dial()) == "127.0.0.2"


@pytest.mark.parametrize("count", [1, 2])
def test_a_cancelled_dial_leaves_nothing_behind(count: int) -> None:
    async def dial(port: int) -> tuple[bool, int]:
        # The second address has its turn after a quarter of a second.
        addresses = [literal_address("127.0.0.2", port)] * count
        task = asyncio.ensure_future(connect_first(addresses))
        await asyncio.wait({task}, timeout=0.3)
        task.cancel()
        await asyncio.wait({task})
        await asyncio.sleep(0)
        return task.cancelled(), len(asyncio.all_tasks())

    # A socket that is left open is a ResourceWarning, and those are errors here.
    with deaf_port("127.0.0.2") as port:
        assert run(dial(port)) == (True, 1)
