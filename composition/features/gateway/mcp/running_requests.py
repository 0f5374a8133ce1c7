"""Run MCP requests within a limit, at most half of it for one caller."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Awaitable
from typing import Protocol

from webseam.composition.doors.mcp.exchange import McpExchange, McpSession
from webseam.composition.doors.mcp.json_rpc import Json, RpcError, RpcRequest
from webseam.composition.doors.mcp.mcp_server import (
    McpServer,
    await_mcp_answer,
    close_unbegun_request,
    mcp_answer_message,
)
from webseam.composition.doors.mcp.offer import Outcome


class ReplyChannel(Protocol):
    """Receives the messages for the sender of a request."""

    def add(self, message: Json, /) -> None:
        """Send a message before the answer."""

    def reply(self, answer: Json | None, /) -> None:
        """Answer, once; None for a request that was cancelled."""


class RunningRequests:
    """The tasks that answer requests."""

    def __init__(self, most: int) -> None:
        """Run at most ``most`` at once."""
        self._max_requests = most
        self._tasks: set[asyncio.Task[Json]] = set()
        self._owners: Counter[str] = Counter()

    def explain_refusal(self, owner: str, count: int = 1) -> tuple[int, str] | None:
        """Return status and reason if ``owner`` or the server is at the limit; else None."""
        if len(self._tasks) + count > self._max_requests:
            return 503, "Too many requests are under way."
        if self._owners[owner] + count > max(self._max_requests // 2, 1):
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
        task = asyncio.get_running_loop().create_task(_answer_request(exchange, outcome))
        self._tasks.add(task)
        self._owners[owner] += 1

        def end(_: object) -> None:
            self._release_request(task, owner)
            exchange.end()
            close_unbegun_request(outcome)
            way.reply(None if task.cancelled() else task.result())

        # A callback, because a task that is cancelled before it runs executes no ``finally``.
        task.add_done_callback(end)
        return task

    async def aclose(self) -> None:
        """Cancel all requests and wait for them."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _release_request(self, task: asyncio.Task[Json], owner: str) -> None:
        self._tasks.discard(task)
        self._owners[owner] -= 1
        if not self._owners[owner]:
            del self._owners[owner]


async def _answer_request(exchange: McpExchange, outcome: Outcome | Awaitable[Outcome]) -> Json:
    if isinstance(outcome, dict | RpcError):
        return mcp_answer_message(exchange, outcome)
    return await await_mcp_answer(exchange, outcome)
