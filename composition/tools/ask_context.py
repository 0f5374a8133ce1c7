"""The context of a question: a callback for its steps, and the pages to answer from."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from contextvars import ContextVar
from functools import partial
from typing import TypeVar

import msgspec
from returns.result import Failure

from webseam.adapters.call_context import set_in_block
from webseam.adapters.timer import asyncio_timer
from webseam.ports.evidence import AskStep, SourcePage

_QUIET_SECONDS = 15.0


class AskContext(msgspec.Struct, frozen=True, kw_only=True):
    """``tell`` is called with each step; given ``pages`` replace the search."""

    tell: Callable[[AskStep], None] | None = None
    pages: tuple[SourcePage, ...] = ()


Step = TypeVar("Step")
Value = TypeVar("Value")
_ASK_CONTEXT: ContextVar[AskContext | None] = ContextVar("webseam_ask", default=None)


def current_ask_context() -> AskContext:
    """Return the context that applies here."""
    return _ASK_CONTEXT.get() or AskContext()


# Apply a context to every question that is answered inside the block.
tool_ask_context = partial(set_in_block, _ASK_CONTEXT)


async def stream_tool_steps(
    work: Callable[[], Awaitable[Value]],
    pages: Sequence[SourcePage] = (),
    *,
    quiet: float = _QUIET_SECONDS,
) -> AsyncGenerator[AskStep | Value | None]:
    """Yield each step of ``work``, then its result; None after ``quiet`` seconds without a step.

    Closing the generator cancels the work.
    """

    async def work_in_context(tell: Callable[[AskStep], None]) -> Value:
        with tool_ask_context(AskContext(tell=tell, pages=tuple(pages))):
            return await work()

    async with aclosing(stream_steps(work_in_context, quiet=quiet)) as items:
        async for item in items:
            yield item


async def stream_steps(
    work: Callable[[Callable[[Step], None]], Awaitable[Value]], *, quiet: float = _QUIET_SECONDS
) -> AsyncGenerator[Step | Value | None]:
    """Yield each step that ``work`` tells, then its result; None after ``quiet`` seconds."""
    steps: asyncio.Queue[Step | None] = asyncio.Queue()
    task = asyncio.ensure_future(work(steps.put_nowait))
    task.add_done_callback(lambda _: steps.put_nowait(None))
    try:
        while not (task.done() and steps.empty()):
            if isinstance(step := await asyncio_timer(steps.get(), quiet), Failure):
                yield None
            elif step.unwrap() is not None:
                yield step.unwrap()
        yield task.result()
    finally:
        task.cancel()
        await asyncio.wait([task])
