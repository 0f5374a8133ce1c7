"""Sessions of the older revision: what a client agreed on, and streams that it can come back to.

A lost connection is no cancellation there: the work goes on, its messages are kept, and a client
that names the last one it saw is given the rest.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from ....adapters.values.numbers import parse_whole_number
from ...mcp.exchange import McpSession
from ...mcp.json_rpc import Id, Json

Clock: TypeAlias = Callable[[], float]

MAX_SESSIONS = 1_000
IDLE_SECONDS = 3_600.0
_MAX_STREAMS = 32
_MAX_EVENTS = 1_000


class MessageStream:
    """The messages of one request, in order, for whoever reads them and from where on."""

    def __init__(self, name: str) -> None:
        """Begin with none."""
        self.name = name
        self.over = False
        self._events: list[bytes] = []
        self._dropped = 0
        self._news = asyncio.Event()

    def add(self, message: Json | list[Json]) -> None:
        """Add a message, or a batch of them; of very many, the oldest are forgotten."""
        self._events.append(msgspec.json.encode(message))
        if len(self._events) > _MAX_EVENTS:
            self._events.pop(0)
            self._dropped += 1
        self._ring()

    def reply(self, answer: Json | list[Json] | None) -> None:
        """End with an answer, or without one."""
        if answer is not None:
            self.add(answer)
        self.end()

    def end(self) -> None:
        """Say that there will be no more."""
        self.over = True
        self._ring()

    @property
    def count(self) -> int:
        """How many messages there have been."""
        return self._dropped + len(self._events)

    def after(self, place: int) -> list[tuple[int, bytes]]:
        """Return the messages after a place, each with its own."""
        first = max(place - self._dropped, 0)
        return [
            (self._dropped + number, data)
            for number, data in enumerate(self._events[first:], first + 1)
        ]

    async def wait(self, place: int, seconds: float) -> bool:
        """Wait for messages after a place, but no longer than that; tell whether there are any."""
        if self.over or self.count > place:
            return True
        try:
            # Not ``wait_for``: Python 3.11's loses a cancellation that comes with the news.
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _ring(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class HttpSession:
    """One client of the older revision."""

    def __init__(self, owner: str, now: Clock, prefix: str = "") -> None:
        """Belong to ``owner``: nobody else may use it."""
        # 0x21 to 0x7E, and nothing to guess.
        self.id = f"{prefix}{secrets.token_urlsafe(32)}"
        self.owner = owner
        self.session = McpSession()
        self.tasks: dict[Id, asyncio.Task[Json]] = {}
        self.seen = now()
        self._streams: dict[str, MessageStream] = {}

    def open_stream(self) -> MessageStream:
        """Begin a stream; of those that are over, the oldest make room."""
        stream = MessageStream(secrets.token_hex(8))
        self._streams[stream.name] = stream
        over = [each.name for each in self._streams.values() if each.over]
        for name in over[: max(len(self._streams) - _MAX_STREAMS, 0)]:
            del self._streams[name]
        return stream

    def resume(self, last: str) -> tuple[MessageStream, int] | None:
        """Return the stream that an event belongs to, and the event's place in it."""
        name, _, place = last.rpartition("-")
        stream, event = self._streams.get(name), parse_whole_number(place)
        return None if stream is None or event is None else (stream, event)

    def cancel(self, known: object) -> None:
        """Stop a request that the client no longer wants."""
        task = self.tasks.get(known) if isinstance(known, int | str) else None
        if task is not None:
            task.cancel()

    def end(self) -> None:
        """Stop everything."""
        for task in list(self.tasks.values()):
            task.cancel()
        for stream in self._streams.values():
            stream.end()


class HttpSessions:
    """All sessions. One that nobody used for long ends; beyond the limit, the idlest does."""

    def __init__(
        self, now: Clock = time.monotonic, most: int = MAX_SESSIONS, prefix: str = ""
    ) -> None:
        """Keep time by ``now``, and at most ``most`` of them, whose ids begin with ``prefix``."""
        self._now = now
        self._prefix = prefix
        self._most = most
        self._known: dict[str, HttpSession] = {}

    def begin(self, owner: str) -> HttpSession:
        """Begin a session of ``owner``."""
        self._sweep()
        session = HttpSession(owner, self._now, self._prefix)
        self._known[session.id] = session
        return session

    def find(self, known: str, owner: str) -> HttpSession | None:
        """Return a session of ``owner``; one of somebody else is none."""
        session = self._known.get(known)
        if session is None or session.owner != owner:
            return None
        session.seen = self._now()
        return session

    def end(self, session: HttpSession) -> None:
        """End a session."""
        self._known.pop(session.id, None)
        session.end()

    def close(self) -> None:
        """End them all."""
        for session in list(self._known.values()):
            self.end(session)

    def _sweep(self) -> None:
        oldest = self._now() - IDLE_SECONDS
        idle = sorted(
            (each for each in self._known.values() if not each.tasks), key=lambda each: each.seen
        )
        too_many = len(self._known) + 1 - self._most
        for place, session in enumerate(idle):
            if session.seen < oldest or place < too_many:
                self.end(session)
