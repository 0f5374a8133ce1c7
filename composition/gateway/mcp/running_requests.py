"""Requests under way: so many at once, and no more than half of them for one caller."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Protocol

from ...mcp.exchange import McpExchange, McpSession
from ...mcp.json_rpc import Json, RpcError, RpcRequest
from ...mcp.mcp_server import McpServer, answer_message, await_answer, close_unbegun
from ...mcp.offer import Outcome


class ReplyChannel(Protocol):
    """The way back to whoever sent a request."""

    def add(self, message: Json, /) -> None:
        """Tell something meanwhile."""

    def reply(self, answer: Json | None, /) -> None:
        """Answer, once; None for a request that was cancelled."""


class RunningRequests:
    """The tasks that answer requests."""

    def __init__(self, most: int) -> None:
        """Run at most ``most`` at once."""
        self._most = most
        self._tasks: set[asyncio.Task[Json]] = set()
        self._owners: Counter[str] = Counter()

    def refusal(self, owner: str, count: int = 1) -> tuple[int, str] | None:
        """Return the status and the reason when there is no room for more of ``owner``."""
        if len(self._tasks) + count > self._most:
            return 503, "Too many requests are under way."
        if self._owners[owner] + count > max(self._most // 2, 1):
            return 429, "Too many of your requests are under way."
        return None

    def start(
        self,
        server: McpServer,
        request: RpcRequest,
        session: McpSession,
        way: ReplyChannel,
        owner: str,
    ) -> asyncio.Task[Json]:
        """Begin to answer a request."""
        exchange, outcome = server.begin(request, session, way.add)
        task = asyncio.get_running_loop().create_task(_answered(exchange, outcome))
        self._tasks.add(task)
        self._owners[owner] += 1

        def end(_: object) -> None:
            self._release(task, owner)
            exchange.end()
            close_unbegun(outcome)
            way.reply(None if task.cancelled() else task.result())

        # Not in the task itself: one that is cancelled before it runs ends nothing.
        task.add_done_callback(end)
        return task

    async def aclose(self) -> None:
        """Cancel them all, and wait for their ends."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _release(self, task: asyncio.Task[Json], owner: str) -> None:
        self._tasks.discard(task)
        self._owners[owner] -= 1
        if not self._owners[owner]:
            del self._owners[owner]


async def _answered(exchange: McpExchange, outcome: Outcome | Awaitable[Outcome]) -> Json:
    if isinstance(outcome, dict | RpcError):
        return answer_message(exchange, outcome)
    return await await_answer(exchange, outcome)
