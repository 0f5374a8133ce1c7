"""Names: asked in threads of their own, in time, with a typed answer when there is none."""

import asyncio
import socket
import threading
from collections.abc import Sequence
from concurrent.futures import Future

import pytest
from returns.result import Failure, Success

from webseam.adapters.pages.fetch.names import Lookups, find_addresses, system_resolve
from webseam.ports import DnsNotFound, DnsUnavailable

from .support import always, run


def test_the_system_is_asked_for_this_machines_own_name() -> None:
    assert "127.0.0.1" in run(_asked("localhost"))


async def _asked(host: str) -> Sequence[str]:
    return await system_resolve(host, 80)


def test_each_address_is_named_once() -> None:
    found = run(_asked("127.0.0.1"))

    assert list(found) == ["127.0.0.1"]


@pytest.mark.parametrize(
    ("raised", "error"),
    [
        (socket.gaierror(socket.EAI_NONAME, "x"), DnsNotFound(host="a.example")),
        (socket.gaierror(socket.EAI_AGAIN, "x"), DnsUnavailable(host="a.example")),
        (socket.gaierror(socket.EAI_FAIL, "x"), DnsUnavailable(host="a.example")),
        (UnicodeError("label too long"), DnsNotFound(host="a.example")),
        (OSError("x"), DnsUnavailable(host="a.example")),
    ],
)
def test_a_name_without_an_address_is_told_from_a_name_server_without_an_answer(
    raised: Exception, error: object
) -> None:
    async def fail(_host: str, _port: int) -> Sequence[str]:
        raise raised

    assert run(find_addresses(fail, "a.example", 80, 1.0)) == Failure(error)


def test_no_addresses_is_no_such_name() -> None:
    found = run(find_addresses(always(), "a.example", 80, 1.0))

    assert found == Failure(DnsNotFound(host="a.example"))


def test_a_name_server_that_hangs_is_given_up() -> None:
    async def hang(_host: str, _port: int) -> Sequence[str]:
        await asyncio.Event().wait()
        return ()

    found = run(find_addresses(hang, "a.example", 80, 0.01))

    assert found == Failure(DnsUnavailable(host="a.example"))


def test_an_answer_is_handed_on_as_it_is() -> None:
    found = run(find_addresses(always("1.1.1.1", "1.1.1.1"), "a.example", 80, 1.0))

    assert found == Success(("1.1.1.1", "1.1.1.1"))


def test_lookups_run_side_by_side_and_never_more_than_so_many() -> None:
    lookups: Lookups[int] = Lookups(3)
    running, go, lock = [0, 0], threading.Event(), threading.Lock()
    three = threading.Event()

    def look() -> int:
        with lock:
            running[0] += 1
            running[1] = max(running)
            if running[0] == 3:
                three.set()
        go.wait(60)
        with lock:
            running[0] -= 1
        return 1

    futures = [lookups.submit(look) for _ in range(20)]
    assert three.wait(60)
    go.set()

    assert sum(future.result(60) for future in futures) == 20
    assert running == [0, 3]


def test_a_lookup_that_is_cancelled_in_the_queue_never_runs() -> None:
    lookups: Lookups[str] = Lookups(1)
    go, started = threading.Event(), threading.Event()

    def hang() -> str:
        started.set()
        go.wait(60)
        return "hung"

    first = lookups.submit(hang)
    second = lookups.submit(lambda: "second")
    assert started.wait(60)
    assert second.cancel()
    go.set()
    third = lookups.submit(lambda: "third")

    assert (first.result(60), third.result(60)) == ("hung", "third")


def test_what_a_lookup_raises_is_raised_where_it_is_awaited() -> None:
    lookups: Lookups[str] = Lookups(1)

    def fail() -> str:
        raise socket.gaierror(socket.EAI_AGAIN, "x")

    future: Future[str] = lookups.submit(fail)

    assert isinstance(future.exception(5), socket.gaierror)


def test_the_threads_never_keep_the_process_from_ending() -> None:
    lookups: Lookups[str] = Lookups(1)

    lookups.submit(lambda: "x").result(60)

    threads = [thread for thread in threading.enumerate() if thread.name == "webseam-dns"]
    assert threads
    assert all(thread.daemon for thread in threads)
