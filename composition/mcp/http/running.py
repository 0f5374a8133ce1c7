"""Requests under way: so many at once, and no more than half of them for one caller."""

from __future__ import annotations

import asyncio
import inspect
from collections import Counter
from collections.abc import Awaitable

from ..exchange import Exchange, Session
from ..offer import Outcome
from ..server import Server, answer_message
from ..wire import INTERNAL_ERROR, Refusal, Request
from .sessions import Stream


class Running:
    """The tasks that answer requests."""

    def __init__(self, most: int) -> None:
        """Run at most ``most`` at once."""
        self._most = most
        self._tasks: set[asyncio.Task[None]] = set()
        self._owners: Counter[str] = Counter()

    def refusal(self, owner: str) -> tuple[int, str] | None:
        """Return the status and the reason when there is no room for one more of ``owner``."""
        if len(self._tasks) >= self._most:
            return 503, "Too many requests are under way."
        if self._owners[owner] >= max(self._most // 2, 1):
            return 429, "Too many of your requests are under way."
        return None

    def start(
        self, server: Server, request: Request, session: Session, stream: Stream, owner: str
    ) -> asyncio.Task[None]:
        """Begin to answer a request into a stream."""
        exchange, outcome = server.begin(request, session, stream.add)
        task = asyncio.get_running_loop().create_task(_answer(exchange, outcome, stream))
        self._tasks.add(task)
        self._owners[owner] += 1
        task.add_done_callback(lambda _: self._end(task, stream, owner))
        return task

    async def aclose(self) -> None:
        """Cancel them all, and wait for their ends."""
        for task in list(self._tasks):
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def _end(self, task: asyncio.Task[None], stream: Stream, owner: str) -> None:
        self._tasks.discard(task)
        self._owners[owner] -= 1
        if not self._owners[owner]:
            del self._owners[owner]
        # A task that is cancelled before it runs ends nothing itself.
        stream.end()


async def _answer(
    exchange: Exchange, outcome: Outcome | Awaitable[Outcome], stream: Stream
) -> None:
    try:
        ended = await outcome if inspect.isawaitable(outcome) else outcome
        stream.add(answer_message(exchange, ended))
    except Exception as error:  # noqa: BLE001  the boundary: a bug is told, and holds no secret
        what = f"This is a bug in webseam ({type(error).__name__})."
        stream.add(answer_message(exchange, Refusal(INTERNAL_ERROR, what)))
    finally:
        exchange.end()
        stream.end()
