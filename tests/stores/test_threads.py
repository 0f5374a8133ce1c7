"""Threads for calls that block: bounded, cancellable, and never in the way of an end."""

import asyncio
import socket
import threading
from concurrent.futures import CancelledError, Future

import pytest

from webseam.adapters.threads import DaemonThreads, run_thread_to_end


def test_calls_run_side_by_side_and_never_more_than_so_many() -> None:
    threads = DaemonThreads(3, "webseam-test")
    running, go, lock = [0, 0], threading.Event(), threading.Lock()
    three = threading.Event()

    def call() -> int:
        with lock:
            running[0] += 1
            running[1] = max(running)
            if running[0] == 3:
                three.set()
        go.wait(60)
        with lock:
            running[0] -= 1
        return 1

    futures = [threads.submit(call) for _ in range(20)]
    assert three.wait(60)
    go.set()

    assert sum(future.result(60) for future in futures) == 20
    assert running == [0, 3]


def test_a_call_that_is_cancelled_in_the_queue_never_runs() -> None:
    threads = DaemonThreads(1, "webseam-test")
    go, started = threading.Event(), threading.Event()

    def hang() -> str:
        started.set()
        go.wait(60)
        return "hung"

    first = threads.submit(hang)
    second = threads.submit(lambda: "second")
    assert started.wait(60)
    assert second.cancel()
    go.set()
    third = threads.submit(lambda: "third")

    assert (first.result(60), third.result(60)) == ("hung", "third")


def test_exception_of_a_thread_is_raised_by_its_future() -> None:
    threads = DaemonThreads(1, "webseam-test")

    def fail() -> str:
        raise socket.gaierror(socket.EAI_AGAIN, "x")

    future: Future[str] = threads.submit(fail)

    assert isinstance(future.exception(5), socket.gaierror)


def test_the_threads_never_keep_the_process_from_ending() -> None:
    threads = DaemonThreads(1, "webseam-test")

    threads.submit(lambda: "x").result(60)

    running = [thread for thread in threading.enumerate() if thread.name == "webseam-test"]
    assert running
    assert all(thread.daemon for thread in running)


def test_leaving_waits_for_what_runs_and_drops_what_waits() -> None:
    go, started = threading.Event(), threading.Event()

    def call() -> str:
        started.set()
        go.wait(60)
        return "done"

    with DaemonThreads(1, "webseam-test") as threads:
        first, second = threads.submit(call), threads.submit(lambda: "second")
        assert started.wait(60)
        second.add_done_callback(lambda _: go.set())

    assert first.result(0) == "done"
    with pytest.raises(CancelledError):
        second.result(0)


def test_cancelled_thread_call_ends_after_its_thread() -> None:
    began, go_on, steps = threading.Event(), threading.Event(), list[str]()

    def write() -> None:
        began.set()
        go_on.wait(120)
        steps.append("written")
        message = "the disk is full"
        raise OSError(message)

    async def work() -> None:
        try:
            await run_thread_to_end(write)
        finally:
            steps.append("closed")

    async def cancel() -> None:
        working = asyncio.ensure_future(work())
        await asyncio.to_thread(began.wait, 30)
        working.cancel()
        await asyncio.sleep(0)
        go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await working

    asyncio.run(cancel())

    assert steps == ["written", "closed"]
