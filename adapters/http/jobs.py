"""A job that a service works on: handed over, asked after until it is done, and then read."""

from collections.abc import Awaitable, Callable
from typing import TypeAlias

import msgspec
from returns.result import Result, Success

from ...ports.errors import HttpStatus, WebError
from .service import Access, Call, ExtractAsk, Job, Reply

Ask: TypeAlias = Callable[[Callable[[Access], Call]], Awaitable[Result[Reply, WebError]]]

_NOT_THERE = frozenset({404, 405, 501})
# What no service needs to be done, so that one that never ends is left.
_MOST_CALLS = 100


async def finish(
    job: Job, urls: tuple[str, ...], ask: Ask, pause: Callable[[float], Awaitable[None]]
) -> Result[Reply, WebError]:
    """Return the last reply, which knows the earlier ones, or what went wrong on the way."""
    whose = Access()

    def first(access: Access) -> Call:
        nonlocal whose
        whose = access
        return job.encode(ExtractAsk(urls=urls, access=access))

    reply = await ask(first)
    earlier: tuple[Reply, ...] = ()
    while isinstance(reply, Success):
        newest = msgspec.structs.replace(reply.unwrap(), earlier=earlier)
        step = job.follow(ExtractAsk(urls=urls, access=whose), newest)
        if step is None or len(earlier) + 1 >= _MOST_CALLS:
            return Success(newest)
        earlier = (*earlier, reply.unwrap())
        await pause(step.wait)
        reply = await ask(_always(step.call))
    return reply


def is_not_there(error: WebError) -> bool:
    """Tell whether a service has no such jobs: its address for them does not exist."""
    return isinstance(error, HttpStatus) and error.status in _NOT_THERE


def _always(call: Call) -> Callable[[Access], Call]:
    # A job is known to the key that it was handed over with, and to no other.
    return lambda _access: call
