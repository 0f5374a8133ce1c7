"""Loops whose clock can be put forward: a time limit is reached without waiting for it."""

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

Value = TypeVar("Value")


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
