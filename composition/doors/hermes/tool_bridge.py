"""Call async tools from synchronous code, with one toolbox per process, for Hermes."""

import asyncio
from collections.abc import Callable, Mapping, Sequence

from returns.result import Failure

from webseam.kernel.envelopes import ToolReply, error_reply

from ...tools.toolbox import Toolbox, open_toolbox
from ..client.loop_thread import Interrupted, LoopThread

__all__ = ["Interrupted", "ToolBridge"]

MAX_CONCURRENT_CALLS = 5


class ToolBridge:
    """Calls tools from any thread. The first call reads the settings and starts the loop."""

    def __init__(
        self,
        environment: Callable[[], Mapping[str, str]],
        interrupted: Callable[[], bool] = lambda: False,
    ) -> None:
        """Read settings from ``environment``; stop a call when ``interrupted`` returns True."""
        self.environment, self._interrupted = environment, interrupted
        self._loop = LoopThread("webseam-hermes")
        self._toolbox: Toolbox | None = None
        self._generation = -1

    def ask(self, tool: str, calls: Sequence[Mapping[str, object]]) -> list[ToolReply]:
        """Call ``tool`` once for each of ``calls``, a few at once; one reply each, in order."""
        return self._loop.run(self._call_batch(tool, calls), self._interrupted)

    def close(self) -> None:
        """Close the toolbox and end the loop; a later call opens them again."""
        self._loop.close()

    async def _call_batch(
        self, tool: str, calls: Sequence[Mapping[str, object]]
    ) -> list[ToolReply]:
        if (toolbox := self._toolbox) is None or self._generation != self._loop.generation:
            if isinstance(opened := open_toolbox(self.environment(), platform="hermes"), Failure):
                # Do not cache the error: the next call reads the settings again.
                return [error_reply(opened.failure()) for _ in calls]
            self._toolbox = toolbox = opened.unwrap()
            self._generation = self._loop.generation
            self._loop.add_closer(self, self._close_toolbox)
            await toolbox.__aenter__()
        tools, gate = toolbox.tools, asyncio.Semaphore(MAX_CONCURRENT_CALLS)

        async def call_tool(args: Mapping[str, object]) -> ToolReply:
            async with gate:
                return (await tools.ask(tool, args)).reply

        return await asyncio.gather(*[call_tool(args) for args in calls])

    async def _close_toolbox(self) -> None:
        toolbox, self._toolbox = self._toolbox, None
        if toolbox is not None:
            await toolbox.__aexit__(None, None, None)
