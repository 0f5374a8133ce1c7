"""Loops whose clock can be put forward: a time limit is reached without waiting for it."""

import asyncio
import os
import selectors
import time
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Value = TypeVar("Value")
# A server in the same loop has answered by then, unless a thread works for it.
_IDLE_SECONDS = 0.05


class ForwardLoop(asyncio.SelectorEventLoop):
    """An event loop whose time is ``ahead`` of this machine's by so many seconds."""

    ahead = 0.0

    def time(self) -> float:
        return super().time() + self.ahead


class ManualClockLoop(ForwardLoop):
    """An event loop whose time passes only when a test says so, however slow the machine is."""

    def __init__(self) -> None:
        self._start = 0.0
        super().__init__()
        self._start = asyncio.SelectorEventLoop.time(self)

    def time(self) -> float:
        return self._start + self.ahead


class SkippingLoop(ForwardLoop):
    """An event loop that puts its clock forward to the next timer when nothing else is left to do.

    Pauses between attempts take no time. Servers stand in the same loop; only the loop's own executor
    may work in threads.
    """

    def __init__(self) -> None:
        self._calls_in_threads = 0
        super().__init__(_SkippingSelector(self))

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> "asyncio.Future[Any]":  # type: ignore[override]  # noqa: ANN401
        self._calls_in_threads += 1
        future = super().run_in_executor(executor, func, *args)
        future.add_done_callback(self._count_returned_call)
        return future

    def _count_returned_call(self, _future: "asyncio.Future[Any]") -> None:
        self._calls_in_threads -= 1

    def skip(self, seconds: float) -> None:
        """Put the clock forward, unless a thread works for the loop."""
        if not self._calls_in_threads:
            self.ahead += seconds


class _SkippingSelector(selectors.DefaultSelector):
    def __init__(self, loop: SkippingLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None or timeout <= _IDLE_SECONDS:
            return super().select(timeout)
        ready = super().select(_IDLE_SECONDS)
        if not ready:
            self._loop.skip(timeout - _IDLE_SECONDS)
        return ready


def run(
    call: Coroutine[Any, Any, Value], loop_factory: Callable[[], ForwardLoop] = ForwardLoop
) -> Value:
    with asyncio.Runner(loop_factory=loop_factory) as runner:
        return runner.run(call)


async def pass_time(seconds: float) -> None:
    """Put the clock forward, and return when whatever is due by then has been called."""
    loop = asyncio.get_running_loop()
    assert isinstance(loop, ForwardLoop)
    passed = loop.create_future()
    loop.call_later(seconds, passed.set_result, None)
    loop.ahead += seconds
    await passed


def until(happened: Callable[[], bool], seconds: float = 60.0) -> None:
    """Look again and again, for as long as a busy machine may take."""
    end = time.monotonic() + seconds
    while not happened():
        assert time.monotonic() < end
        os.sched_yield()
