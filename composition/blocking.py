"""From plain calls to our async tools: one loop in a thread, one toolbox, for the whole process."""

import asyncio
import atexit
import contextlib
import threading
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import Future
from typing import TypeVar

from returns.result import Failure

from ..kernel.envelopes import ToolReply, failed
from .tools.toolbox import Toolbox, open_toolbox

Value = TypeVar("Value")

# How often a call that waits looks whether the user has interrupted it, in seconds.
LOOK = 0.1
AT_ONCE = 5
_FAREWELL = 5.0


class Interrupted(Exception):  # noqa: N818  it says what happened
    """The user interrupted the call; what was under way is cancelled."""


class Bridge:
    """Calls tools from any thread. Settings are read and the loop started at the first call."""

    def __init__(
        self,
        environment: Callable[[], Mapping[str, str]],
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        """Take the settings from ``environment``; give up when ``interrupted`` says so."""
        self._environment = environment
        self._interrupted = interrupted
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._toolbox: Toolbox | None = None

    def ask(self, tool: str, calls: Sequence[Mapping[str, object]]) -> list[ToolReply]:
        """Call ``tool`` once for each of ``calls``, a few at once; one reply each, in order."""
        return self._wait(self._ask(tool, calls))

    def close(self) -> None:
        """Close what is open and end the loop; a later call opens it again."""
        with self._lock:
            loop, self._loop = self._loop, None
        if loop is None:
            return
        closing = asyncio.run_coroutine_threadsafe(self._close(), loop)
        with contextlib.suppress(Exception):
            closing.result(_FAREWELL)
        loop.call_soon_threadsafe(loop.stop)
        if self._thread is not None:
            self._thread.join(_FAREWELL)

    async def _ask(self, tool: str, calls: Sequence[Mapping[str, object]]) -> list[ToolReply]:
        if self._toolbox is None:
            opened = open_toolbox(self._environment(), platform="hermes")
            if isinstance(opened, Failure):
                # Not kept: the next call reads the settings again.
                return [failed(opened.failure()) for _ in calls]
            self._toolbox = opened.unwrap()
            await self._toolbox.__aenter__()
        tools, gate = self._toolbox.tools, asyncio.Semaphore(AT_ONCE)

        async def one(args: Mapping[str, object]) -> ToolReply:
            async with gate:
                return (await tools.ask(tool, args)).reply

        return await asyncio.gather(*[one(args) for args in calls])

    async def _close(self) -> None:
        toolbox, self._toolbox = self._toolbox, None
        if toolbox is not None:
            await toolbox.__aexit__(None, None, None)

    def _wait(self, work: Coroutine[object, object, Value]) -> Value:
        running: Future[Value] = asyncio.run_coroutine_threadsafe(work, self._started())
        while True:
            try:
                return running.result(LOOK)
            except TimeoutError:
                # Ours, unless the work itself ended with one.
                if running.done():
                    return running.result()
                if self._interrupted():
                    running.cancel()
                    raise Interrupted from None

    def _started(self) -> asyncio.AbstractEventLoop:
        with self._lock:
            if self._loop is None:
                self._loop = asyncio.new_event_loop()
                self._thread = threading.Thread(
                    target=_serve, args=(self._loop,), name="webseam-hermes", daemon=True
                )
                self._thread.start()
                atexit.register(self.close)
            return self._loop


def _serve(loop: asyncio.AbstractEventLoop) -> None:
    loop.run_forever()
    loop.close()
