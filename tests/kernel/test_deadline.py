"""A backend that hangs: the kernel gives up on it, by a timer that is handed to it."""

import asyncio
from collections.abc import Awaitable, Coroutine, Sequence
from typing import TypeVar, cast

import pytest
from returns.result import Failure, Result, Success

from webseam import asyncio_timer
from webseam.adapters.timer import SharedTimer
from webseam.kernel import WebDeps, web_extract, web_extract_many, web_search
from webseam.ports import BackendAbout, BackendCrashed, DeadlineExceeded, NotConfigured, WebBackend
from webseam.ports.planning import Timer
from webseam.testing import FakeBackend

from .ask import GOOD, URL

Value = TypeVar("Value")
OTHER = "https://b.example/"


class Patient:
    """A timer that lets everything finish, and remembers the limits."""

    def __init__(self) -> None:
        self.limits: list[float] = []

    async def __call__(
        self, work: Awaitable[Value], seconds: float, /
    ) -> Result[Value, DeadlineExceeded]:
        self.limits.append(seconds)
        return Success(await work)


async def late(work: Awaitable[Value], seconds: float, /) -> Result[Value, DeadlineExceeded]:
    """Find at once that it took too long."""
    cast("Coroutine[object, object, Value]", work).close()
    return Failure(DeadlineExceeded(deadline=seconds))


TIMERS: tuple[Timer, ...] = (asyncio_timer, SharedTimer())


async def hang(_: object) -> object:
    return await asyncio.get_running_loop().create_future()


class Hanging(FakeBackend):
    def __init__(self) -> None:
        super().__init__(search=hang, extract=hang)
        self.about = BackendAbout(name="hanging", batch=2)

    async def extract_many(self, _urls: Sequence[str], /) -> object:
        return await hang(None)


@pytest.mark.parametrize("timer", TIMERS)
def test_a_backend_that_hangs_is_a_deadline_exceeded(timer: Timer) -> None:
    deps = WebDeps(backend=Hanging(), deadline=0.0, timer=timer)

    assert asyncio.run(web_search("q", deps)).failure() == DeadlineExceeded(
        deadline=0.0, backend="hanging"
    )
    late = DeadlineExceeded(deadline=0.0, backend="hanging", url=URL)
    assert asyncio.run(web_extract(URL, deps)).failure() == late
    assert asyncio.run(web_extract_many([URL, OTHER], deps)) == (
        Failure(late),
        Failure(DeadlineExceeded(deadline=0.0, backend="hanging", url=OTHER)),
    )


def test_pages_that_are_late_together_are_each_a_deadline_exceeded() -> None:
    deps = WebDeps(backend=Hanging(), deadline=3.0, timer=late)

    pages = asyncio.run(web_extract_many([URL, OTHER], deps))

    assert [page.failure() for page in pages] == [
        DeadlineExceeded(deadline=3.0, backend="hanging", url=url) for url in (URL, OTHER)
    ]


def test_a_backend_that_answers_in_time_is_not_changed_by_a_deadline() -> None:
    timer = Patient()
    backend = FakeBackend(rows=[GOOD], document="text")
    deps = WebDeps(backend=backend, deadline=7.0, timer=timer)

    assert len(asyncio.run(web_search("q", deps)).unwrap().rows) == 1
    assert asyncio.run(web_extract(URL, deps)).unwrap().content == "text"
    assert timer.limits == [7.0, 7.0]


def test_a_deadline_that_nobody_keeps_is_refused_and_the_backend_not_asked() -> None:
    backend = FakeBackend(rows=[GOOD])

    failure = asyncio.run(web_search("q", WebDeps(backend=backend, deadline=7.0))).failure()

    assert failure == NotConfigured(
        reason="A deadline is set, but no timer to enforce it",
        settings=("WebDeps.timer",),
        backend="fake",
    )
    assert backend.searched == []


def test_an_awaitable_that_is_no_coroutine_is_let_go_without_a_timer() -> None:
    class Ready(FakeBackend):
        def search(self, _query: object, /) -> object:  # type: ignore[override]
            return asyncio.get_running_loop().create_future()

    failure = asyncio.run(
        web_search("q", WebDeps(backend=cast("WebBackend", Ready()), deadline=7.0))
    ).failure()

    assert isinstance(failure, NotConfigured)


@pytest.mark.parametrize("timer", TIMERS)
def test_a_timeout_of_the_backends_own_is_its_crash(timer: Timer) -> None:
    deps = WebDeps(backend=FakeBackend(raises=TimeoutError), deadline=60.0, timer=timer)

    failure = asyncio.run(web_search("q", deps)).failure()

    assert isinstance(failure, BackendCrashed)
    assert failure.error == "TimeoutError"


@pytest.mark.parametrize("timer", TIMERS)
def test_a_cancellation_from_outside_passes_through_the_timer(timer: Timer) -> None:
    deps = WebDeps(backend=FakeBackend(raises=asyncio.CancelledError), deadline=60.0, timer=timer)

    async def call() -> None:
        await web_search("q", deps)

    with pytest.raises(asyncio.CancelledError):
        asyncio.run(call())
