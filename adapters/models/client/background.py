"""An answer that a provider works on in the background: asked for until it is there."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import NamedTuple

from returns.result import Failure, Result

from ....ports.errors import DeadlineExceeded, WebError
from .attempts import TimeBudget
from .calling import Fetched


class Polling(NamedTuple):
    """How often to ask, what is not there yet, and after which failures to ask again."""

    seconds: float
    pending: Callable[[Fetched], str]
    retry: Callable[[WebError, int], float | None]


async def wait_for(
    fetch: Callable[[], Awaitable[Result[Fetched, WebError]]], polling: Polling, budget: TimeBudget
) -> Result[Fetched, WebError]:
    """Return the first response that is no longer pending, or why there is none in time.

    A failure on the way there does not end the work: it is asked for again, as often as any call.
    """
    attempt = 0
    while polling.seconds < budget.left:
        await asyncio.sleep(polling.seconds)
        fetched = await fetch()
        if isinstance(fetched, Failure):
            attempt += 1
            if polling.retry(fetched.failure(), attempt) is None:
                return fetched
        elif not polling.pending(fetched.unwrap()):
            return fetched
    return Failure(DeadlineExceeded(deadline=budget.seconds))
