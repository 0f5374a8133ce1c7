"""A limit for the time that a callback takes for itself."""

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from typing import cast

from ...ports.middleware import CallbackTimeoutError
from .thread_messages import NextCall


class CallbackTimer:
    """One callback's time. While it waits for ``next_call``, which is the rest's, it stands."""

    def __init__(self, seconds: float) -> None:
        """Give the callback so many seconds; they begin to run with ``spend``."""
        self._seconds = seconds
        self._scope = asyncio.timeout(seconds)
        self._waiting = 0
        self._unspent = seconds

    async def spend(
        self, call: Callable[[dict[str, object]], Awaitable[object]], facts: Mapping[str, object]
    ) -> object:
        """Return what ``call`` gives of what is ``told``, or raise ``CallbackTimeoutError``."""
        arguments = dict(facts)
        if "next_call" in facts:
            arguments["next_call"] = self._pausing(cast("NextCall", facts["next_call"]))
        try:
            async with self._scope:
                answer = await call(arguments)
                # From here on nobody waits: next_call, if it was kept, is late.
                self._waiting = -1
                return answer
        except TimeoutError:
            # The callback may have raised one of its own.
            if not self._scope.expired():
                raise
            raise CallbackTimeoutError(self._seconds) from None
        finally:
            self._waiting = -1

    def _pausing(self, next_call: NextCall) -> NextCall:
        async def go_on(next_payload: object = None) -> object:
            self._pause()
            try:
                return await next_call(next_payload)
            finally:
                self._resume()

        return go_on

    def _pause(self) -> None:
        if self._waiting == 0:
            self._unspent = (self._scope.when() or 0.0) - asyncio.get_running_loop().time()
            self._scope.reschedule(None)
        self._waiting += self._waiting >= 0

    def _resume(self) -> None:
        self._waiting -= self._waiting > 0
        if self._waiting == 0:
            self._scope.reschedule(asyncio.get_running_loop().time() + self._unspent)
