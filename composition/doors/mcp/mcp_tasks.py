"""Tasks (SEP-2663): the client of a long tool call gets a handle and asks for the result later.

github.com/modelcontextprotocol/ext-tasks, specification 2026-07-28 (read 2026-11-18)
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any

import msgspec

from .exchange import McpExchange
from .json_rpc import INVALID_PARAMS, MISSING_CAPABILITY, TASKS_KEY, Json, RpcError

if TYPE_CHECKING:
    from .offer import Outcome

# A full table answers calls directly; one caller fills at most half of it.
_MAX_TASKS = 256
_LIFETIME_SECONDS = 3600
_POLL_SECONDS = 2
MISSING_TASKS_ERROR = RpcError(
    MISSING_CAPABILITY,
    f"This needs the client capability extensions.{TASKS_KEY}.",
    {"requiredCapabilities": {"extensions": {TASKS_KEY: {}}}},
)


class McpTask(msgspec.Struct, kw_only=True):
    """A running or finished call; its result is the message that answers it."""

    id: str
    owner: str
    exchange: McpExchange
    call: Any  # asyncio.Task[Json]; asyncio is not imported before the first answer
    created: float
    updated: float

    def describe(self) -> Json:
        """Return the state, with the result or the error of a finished call."""
        message = self.call.result() if self.call.done() and not self.call.cancelled() else {}
        ended = "cancelled"
        if message:
            ended = "completed" if "result" in message else "failed"
        progress = self.exchange.status
        return {
            "taskId": self.id,
            "status": ended if self.call.done() else "working",
            **({"statusMessage": progress} if progress else {}),
            "createdAt": _timestamp(self.created),
            "lastUpdatedAt": _timestamp(self.updated),
            "ttlMs": _LIFETIME_SECONDS * 1000,
            "pollIntervalMs": _POLL_SECONDS * 1000,
            **{name: message[name] for name in ("result", "error") if name in message},
        }


class McpTasks:
    """The tasks of all callers; a caller sees its own alone."""

    def __init__(self, prefix: str = "") -> None:
        """Begin each id with ``prefix``, which names the worker that holds the task."""
        self._prefix = prefix
        self._tasks: dict[str, McpTask] = {}

    def has_room(self, owner: str) -> bool:
        """Tell whether ``owner`` can start a task; forget tasks whose time is over."""
        oldest = time.time() - _LIFETIME_SECONDS
        for task in [task for task in self._tasks.values() if task.created < oldest]:
            self._tasks.pop(task.id).call.cancel()
        owned = Counter(task.owner for task in self._tasks.values())[owner]
        return len(self._tasks) < _MAX_TASKS and owned < _MAX_TASKS // 2

    def start(self, owner: str, exchange: McpExchange, call: Coroutine[Any, Any, Json]) -> Json:
        """Run ``call``, which returns the message of its answer; return the new task."""
        import asyncio  # not before the first answer
        import secrets

        running, now = asyncio.get_running_loop().create_task(call), time.time()
        task_id = self._prefix + secrets.token_urlsafe(24)
        task = McpTask(
            id=task_id, owner=owner, exchange=exchange, call=running, created=now, updated=now
        )
        running.add_done_callback(lambda _: setattr(task, "updated", time.time()))
        self._tasks[task_id] = task
        return {"resultType": "task", **task.describe()}

    async def answer(self, owner: str, exchange: McpExchange) -> Outcome:
        """Answer ``tasks/get``, ``tasks/update`` or ``tasks/cancel``."""
        if not exchange.has_extension(TASKS_KEY):
            return MISSING_TASKS_ERROR
        if isinstance(task_id := exchange.text_parameter("taskId"), RpcError):
            return task_id
        self.has_room(owner)
        task = self._tasks.get(task_id)
        if task is None or task.owner != owner:
            text = "There is no such task; a task is kept for an hour."
            return RpcError(INVALID_PARAMS, text, {"field": "taskId"})
        if exchange.method == "tasks/get":
            return task.describe()
        if exchange.method == "tasks/cancel":
            task.call.cancel()
        # No task asks the client for input, so an update changes nothing.
        return {}

    async def aclose(self) -> None:
        """Cancel the running calls and wait for them."""
        import asyncio

        calls = [task.call for task in self._tasks.values()]
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)


def _timestamp(seconds: float) -> str:
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(seconds))
