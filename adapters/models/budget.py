"""The time that one call of a model may take, over all its attempts."""

import asyncio
from collections.abc import Awaitable
from typing import NamedTuple, TypeVar

import httpx
from returns.result import Failure, Result, Success

from ...ports.errors import ConnectFailed, DeadlineExceeded, WebError
from ..http.failures import network_error

Value = TypeVar("Value")


class TimeBudget(NamedTuple):
    """So many seconds, and the loop's time when they are over."""

    seconds: float
    until: float

    @property
    def left(self) -> float:
        """How many seconds there are left."""
        return self.until - asyncio.get_running_loop().time()

    async def bound(self, step: Awaitable[Value], host: str) -> Result[Value, WebError]:
        """Await one step; running out of time and whatever the network raises are failures.

        Each step has its own timeout, for the same end: one around a whole stream would go off in
        the middle of what the reader of the stream does.
        """
        try:
            async with asyncio.timeout_at(self.until):
                return Success(await step)
        except TimeoutError:
            return Failure(DeadlineExceeded(deadline=self.seconds))
        except httpx.HTTPError as error:
            return Failure(network_error(error, host))
        except OSError:
            return Failure(ConnectFailed())


def time_budget(seconds: float) -> TimeBudget:
    """Return a budget that begins now."""
    return TimeBudget(seconds, asyncio.get_running_loop().time() + seconds)
