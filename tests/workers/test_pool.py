"""A pool of workers that nothing gets out of, and nothing is left of."""

import asyncio
import os
import select
import signal
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from threading import Thread

import pytest
from returns.result import Failure, Success

from tests.workers.hostile import CONVERTER
from tests.workers.observe import SOON, children, forks, hostile, pipes, run, threads
from webseam.adapters.features.documents.conversion import convert
from webseam.adapters.pages.workers.limits import WorkerLimits
from webseam.adapters.pages.workers.pool import Workers
from webseam.ports.errors import ParseFailed, UnsupportedContent, WebError
from webseam.ports.pages import ReadPage

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="looks into /proc")


def page(content: str, url: str = "") -> Success[ReadPage]:
    return Success(ReadPage(title=url, content=content))


def test_a_worker_gives_what_the_conversion_gives() -> None:
    text = "# Bread\n\nCrust."
    html = "<!doctype html><title>Bread</title><article><h1>Bread</h1><p>" + "Some crust. " * 40
    bodies = [
        (text.encode(), "text/markdown"),
        (html.encode(), "text/html"),
        (b"\x89PNG\r\n\x1a\n", ""),
    ]

    async def ask() -> list[object]:
        async with Workers(1) as workers:
            return [await workers.convert(body, kind, "https://e.org/a") for body, kind in bodies]

    assert run(ask()) == [convert(body, kind, "https://e.org/a") for body, kind in bodies]


def test_type_and_url_reach_the_worker_and_failures_come_back() -> None:
    async def ask() -> object:
        async with hostile() as workers:
            return await workers.convert(b"refuse", "image/png", "https://e.org/")

    assert run(ask()) == Failure(UnsupportedContent(content_type="image/png", url="https://e.org/"))


@pytest.mark.parametrize(
    ("deed", "failure"),
    [
        ("spin", ParseFailed(reason="out_of_time")),
        ("eat", ParseFailed(reason="out_of_memory")),
        ("deepen", ParseFailed(reason="too_complex")),
        ("exit", ParseFailed(reason="crashed", detail="the worker ended with 3")),
        (
            "kill",
            ParseFailed(reason="crashed", detail="the worker ended with -9", by_machine=True),
        ),
        ("raise", ParseFailed(reason="crashed", detail="the worker ended with 1")),
    ],
)
def test_broken_worker_is_a_failure_and_the_next_page_is_read(deed: str, failure: WebError) -> None:
    async def ask() -> list[object]:
        async with hostile() as workers:
            return [await workers.convert(body) for body in (deed.encode(), b"next")]

    assert run(ask()) == [Failure(failure), page("next")]


def test_worker_that_does_nothing_is_killed_by_the_clock() -> None:
    # A page on a busy machine needs some time, too.
    limits = WorkerLimits(wall_seconds=3.0)

    async def ask() -> list[object]:
        async with hostile(2, limits) as workers:
            idle = await asyncio.gather(workers.convert(b"block"), workers.convert(b"stop"))
            return [*idle, await workers.convert(b"next")]

    out_of_time = Failure(ParseFailed(reason="out_of_time", by_machine=True))
    assert run(ask()) == [out_of_time, out_of_time, page("next")]


@pytest.mark.parametrize("deed", [b"lie", b"mumble"])
def test_an_answer_that_is_none_is_a_crash(deed: bytes) -> None:
    async def ask() -> list[object]:
        async with hostile() as workers:
            return [await workers.convert(body) for body in (deed, b"next")]

    lied, after = run(ask())

    assert isinstance(lied, Failure)
    assert lied.failure().reason == "crashed"
    assert after == page("next")


def test_output_of_a_library_stays_out_of_the_answers() -> None:
    async def ask() -> list[object]:
        async with hostile() as workers:
            return [await workers.convert(body) for body in (b"print", b"next")]

    assert run(ask()) == [page("printed"), page("next")]


def test_no_key_is_in_a_workers_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_API_KEY", "canary")

    async def ask() -> str:
        async with hostile() as workers:
            return (await workers.convert(b"environment")).unwrap().content

    names = run(ask()).split()

    assert "SOME_API_KEY" not in names
    assert "PATH" in names


def test_a_worker_that_died_while_idle_is_replaced_before_it_is_asked() -> None:
    async def ask() -> list[object]:
        async with hostile() as workers:
            pid = int((await workers.convert(b"pid")).unwrap().content)
            ended = select.poll()
            ended.register(os.pidfd_open(pid), select.POLLIN)
            os.kill(pid, signal.SIGKILL)
            await asyncio.to_thread(ended.poll)
            return [await workers.convert(b"next")]

    assert run(ask()) == [page("next")]


def test_a_worker_is_kept_until_it_has_done_its_share_or_has_grown() -> None:
    limits = WorkerLimits(conversions=3, memory_bytes=256 << 20)

    async def ask(*deeds: bytes) -> list[str]:
        async with hostile(limits=limits) as workers:
            return [(await workers.convert(deed)).unwrap().content for deed in deeds]

    one, two, three, fourth = run(ask(b"pid", b"pid", b"pid", b"pid"))
    grown, fresh = run(ask(b"grow" + b" " * 300_000, b"pid"))

    assert one == two == three != fourth
    assert grown != fresh


def test_many_at_once_each_get_their_own_answer() -> None:
    async def ask() -> Sequence[object]:
        async with hostile(2) as workers:
            asked = [workers.convert(f"page {number}".encode()) for number in range(100)]
            return await asyncio.gather(*asked)

    assert run(ask()) == [page(f"page {number}") for number in range(100)]


def test_the_same_few_workers_serve_one_crowd_after_the_other() -> None:
    async def ask() -> set[str]:
        seen: set[str] = set()
        async with hostile(2) as workers:
            for _ in range(10):
                answers = await asyncio.gather(*(workers.convert(b"pid") for _ in range(20)))
                seen.update(answer.unwrap().content for answer in answers)
        return seen

    assert len(run(ask())) <= 2


def test_a_parent_that_ignores_the_clock_does_not_stop_it() -> None:
    before = signal.signal(signal.SIGPROF, signal.SIG_IGN)

    async def ask() -> object:
        # On a busy machine the wall clock would be first, and would hide a clock that stands still.
        limits = WorkerLimits(cpu_seconds=0.3, wall_seconds=60.0)
        async with hostile(limits=limits) as workers:
            return await workers.convert(b"spin")

    try:
        assert run(ask()) == Failure(ParseFailed(reason="out_of_time"))
    finally:
        signal.signal(signal.SIGPROF, before)


def test_one_pool_serves_several_event_loops() -> None:
    workers = hostile(2)
    found: list[object] = []

    async def ask(body: bytes) -> object:
        return await workers.convert(body)

    try:
        found = [run(ask(b"one")), run(ask(b"two"))]
        beside = Thread(target=lambda: found.append(run(ask(b"three"))))
        beside.start()
        beside.join()
    finally:
        workers.close()

    assert found == [page("one"), page("two"), page("three")]


def test_a_closed_pool_starts_anew_when_asked() -> None:
    workers = hostile()

    async def ask() -> object:
        async with workers:
            return await workers.convert(b"x")

    assert [run(ask()), run(ask())] == [page("x"), page("x")]


def test_nothing_is_left_after_closing() -> None:
    run_once = hostile(2)

    async def ask() -> None:
        async with run_once as workers:
            await asyncio.gather(*(workers.convert(b"x") for _ in range(10)))

    run(ask())
    before = pipes()
    run(ask())

    assert (children(), threads(), pipes()) == (set(), [], before)


def test_closing_ends_what_runs_and_what_waits() -> None:
    async def ask() -> list[object]:
        workers = hostile(limits=WorkerLimits())
        running = asyncio.ensure_future(workers.convert(b"block"))
        waiting = asyncio.ensure_future(workers.convert(b"x"))
        gone = asyncio.ensure_future(workers.convert(b"y"))
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.to_thread(workers.close)
        return list(await asyncio.gather(running, waiting, gone, return_exceptions=True))

    *failures, cancelled = run(ask())

    assert [failure.failure().reason for failure in failures] == ["crashed", "crashed"]  # type: ignore[attr-defined]  # of failures
    assert isinstance(cancelled, asyncio.CancelledError)
    assert (children(), threads()) == (set(), [])


def test_an_idle_worker_leaves_by_itself() -> None:
    workers = hostile(limits=WorkerLimits(idle_seconds=0.05))

    async def ask() -> None:
        await workers.convert(b"x")

    run(ask())
    for thread in threads():
        thread.join(60)

    assert (children(), threads()) == (set(), [])


def test_two_hundred_cancelled_calls_leave_nothing_and_the_next_are_answered() -> None:
    async def cancelled(workers: Workers, number: int) -> None:
        call = asyncio.ensure_future(workers.convert(b"block" if number % 50 == 0 else b"x"))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        call.cancel()
        await asyncio.gather(call, return_exceptions=True)

    async def ask() -> list[object]:
        async with hostile(2) as workers:
            await workers.convert(b"warm")
            for number in range(0, 200, 10):
                await asyncio.gather(*(cancelled(workers, number + more) for more in range(10)))
            return [await workers.convert(b"x") for _ in range(20)]

    before = pipes()

    assert run(ask()) == [page("x")] * 20
    assert (children(), threads(), pipes()) == (set(), [], before)


def test_the_event_loop_goes_on_while_a_page_takes_long() -> None:
    async def ask() -> bool:
        async with hostile() as workers:
            call = asyncio.ensure_future(workers.convert(b"spin"))
            for _ in range(1000):
                await asyncio.sleep(0)
            was_done = call.done()
            await call
            return was_done

    assert run(ask()) is False


@pytest.mark.parametrize(
    ("workers", "detail"),
    [
        (Workers(1, SOON, converter="nowhere.at.all:convert"), "no worker could be started"),
        (
            Workers(1, WorkerLimits(start_seconds=0.3), converter="tests.workers.hostile:never"),
            "no worker was ready within 0.3 s",
        ),
    ],
    ids=["broken", "never ready"],
)
def test_worker_that_cannot_start_is_a_failure(workers: Workers, detail: str) -> None:
    async def ask() -> object:
        async with workers:
            return await workers.convert(b"x")

    assert run(ask()) == Failure(ParseFailed(reason="crashed", detail=detail, by_machine=True))


def test_worker_killed_while_it_starts_is_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Workers are given this variable, so that the first one can leave a mark for the second.
    monkeypatch.setenv("TMPDIR", str(tmp_path))

    async def ask() -> object:
        async with Workers(1, converter="tests.workers.hostile:killed_once") as workers:
            return await workers.convert(b"next")

    assert run(ask()) == page("next")
    assert [mark.name for mark in tmp_path.iterdir()] == ["killed"]


def test_caller_that_gives_up_during_a_start_leaves_the_server_to_the_next_caller() -> None:
    async def ask() -> tuple[object, set[int], set[int]]:
        async with hostile() as workers:
            call = asyncio.ensure_future(workers.convert(b"x"))
            while not children():  # noqa: ASYNC110  a process sets no event
                await asyncio.sleep(0)
            call.cancel()
            first = children()
            return await workers.convert(b"next"), first, children()

    answer, first, second = run(ask())

    assert answer == page("next")
    assert first == second


def test_no_python_to_start_is_a_value(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/nowhere/python")

    async def ask() -> object:
        async with hostile() as workers:
            return await workers.convert(b"x")

    assert run(ask()) == Failure(
        ParseFailed(reason="crashed", detail="no worker could be started", by_machine=True)
    )


def test_closing_does_not_wait_for_a_worker_that_warms_up_for_ever() -> None:
    slow = WorkerLimits(start_seconds=60)
    workers = Workers(1, slow, converter="tests.workers.hostile:never")

    closing = threading.Thread(target=workers.close)

    # The thread that warms starts a process after close() has looked for one.
    with workers._server_lock:  # noqa: SLF001  the order is the case
        workers.warm()
        closing.start()
        while not workers._is_closing:  # noqa: SLF001
            pass
    closing.join(slow.start_seconds / 2)

    assert not closing.is_alive()
    assert (children(), threads()) == (set(), [])


def test_warming_starts_one_worker_once() -> None:
    async def ask() -> tuple[set[int], int, str]:
        async with Workers(4, SOON, converter=CONVERTER) as workers:
            workers.warm()
            workers.warm()
            pid = (await workers.convert(b"pid")).unwrap().content
            return forks(), len(children()), pid

    processes, servers, pid = run(ask())

    assert (processes, servers) == ({int(pid)}, 1)


def test_warming_starts_no_more_workers_than_are_wanted_or_allowed() -> None:
    async def ask(wanted: int) -> int:
        async with Workers(2, SOON, converter=CONVERTER) as workers:
            workers.warm(wanted)
            workers.warm(wanted)
            answers = await asyncio.gather(*(workers.convert(b"pid") for _ in range(4)))
            assert {int(answer.unwrap().content) for answer in answers} <= forks()
            while len(forks()) < 2:  # noqa: ASYNC110  a process sets no event
                await asyncio.sleep(0)
            return len(forks())

    assert [run(ask(2)), run(ask(9))] == [2, 2]
