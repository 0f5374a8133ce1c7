"""Sessions of the older MCP revision, with streams that a client can resume.

A lost connection does not cancel a request there: its messages are stored, and a client that names
the last event it received gets the rest.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable
from typing import TypeAlias

import msgspec

from webseam.adapters.values.json_values import parse_whole_number
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import Id, Json
from webseam.kernel.policy.session_memory import SessionMemory

Clock: TypeAlias = Callable[[], float]

MAX_SESSIONS = 1_000
MAX_IDLE_SECONDS = 3_600.0
_MAX_STREAMS = 32
_MAX_EVENTS = 1_000


class MessageStream:
    """The messages of one request, in order."""

    def __init__(self, name: str) -> None:
        """Begin with none."""
        self.name = name
        self.over = False
        self._events: list[bytes] = []
        self._dropped = 0
        self._news = asyncio.Event()

    def add(self, message: Json | list[Json]) -> None:
        """Add a message or a batch; drop the oldest over the limit."""
        self._events.append(msgspec.json.encode(message))
        if len(self._events) > _MAX_EVENTS:
            self._events.pop(0)
            self._dropped += 1
        self._wake_readers()

    def reply(self, answer: Json | list[Json] | None) -> None:
        """End with an answer, or without one."""
        if answer is not None:
            self.add(answer)
        self.end()

    def end(self) -> None:
        """Mark the stream as complete."""
        self.over = True
        self._wake_readers()

    @property
    def count(self) -> int:
        """The number of messages so far, including dropped ones."""
        return self._dropped + len(self._events)

    def messages_after(self, number_before: int) -> list[tuple[int, bytes]]:
        """Return the messages after number ``number_before``, each with its number."""
        first = max(number_before - self._dropped, 0)
        return [
            (self._dropped + number, data)
            for number, data in enumerate(self._events[first:], first + 1)
        ]

    async def wait_for_messages(self, number_before: int, seconds: float) -> bool:
        """Wait for messages after number ``number_before``; return False after ``seconds``."""
        if self.over or self.count > number_before:
            return True
        try:
            # Not ``wait_for``: Python 3.11's loses a cancellation that comes with the event.
            async with asyncio.timeout(seconds):
                await self._news.wait()
        except TimeoutError:
            return False
        return True

    def _wake_readers(self) -> None:
        self._news.set()
        self._news = asyncio.Event()


class HttpSession:
    """One client of the older revision."""

    def __init__(self, owner: str, now: Clock, prefix: str = "") -> None:
        """Start a session that only ``owner`` may use."""
        # MCP allows the characters 0x21 to 0x7E.
        self.id = f"{prefix}{secrets.token_urlsafe(32)}"
        self.owner = owner
        self.session = McpSession()
        self.session.memory = SessionMemory()
        self.tasks: dict[Id, asyncio.Task[Json]] = {}
        self.seen = now()
        self._streams: dict[str, MessageStream] = {}

    def open_stream(self) -> MessageStream:
        """Open a stream; drop the oldest complete ones over the limit."""
        stream = MessageStream(secrets.token_hex(8))
        self._streams[stream.name] = stream
        finished = [candidate.name for candidate in self._streams.values() if candidate.over]
        for name in finished[: max(len(self._streams) - _MAX_STREAMS, 0)]:
            del self._streams[name]
        return stream

    def resume(self, last: str) -> tuple[MessageStream, int] | None:
        """Return the stream of an event id and the number of the event; None if unknown."""
        name, _, number = last.rpartition("-")
        stream, event = self._streams.get(name), parse_whole_number(number)
        return None if stream is None or event is None else (stream, event)

    def cancel(self, request_id: object) -> None:
        """Cancel a request by its id."""
        task = self.tasks.get(request_id) if isinstance(request_id, int | str) else None
        if task is not None:
            task.cancel()

    def end(self) -> None:
        """Cancel all requests and end all streams."""
        for task in list(self.tasks.values()):
            task.cancel()
        for stream in self._streams.values():
            stream.end()


class HttpSessions:
    """All sessions. Idle ones end after an hour, or earlier over the limit."""

    def __init__(
        self, now: Clock = time.monotonic, most: int = MAX_SESSIONS, prefix: str = ""
    ) -> None:
        """Keep at most ``most`` sessions, whose ids begin with ``prefix``."""
        self._now = now
        self._prefix = prefix
        self._max_sessions = most
        self._by_id: dict[str, HttpSession] = {}

    def begin(self, owner: str) -> HttpSession:
        """Begin a session of ``owner``."""
        self._end_idle_sessions()
        session = HttpSession(owner, self._now, self._prefix)
        self._by_id[session.id] = session
        return session

    def find(self, session_id: str, owner: str) -> HttpSession | None:
        """Return a session of ``owner``; None if the owner has none with this id."""
        session = self._by_id.get(session_id)
        if session is None or session.owner != owner:
            return None
        session.seen = self._now()
        return session

    def end(self, session: HttpSession) -> None:
        """End a session."""
        self._by_id.pop(session.id, None)
        session.end()

    def close(self) -> None:
        """End all sessions."""
        for session in list(self._by_id.values()):
            self.end(session)

    def _end_idle_sessions(self) -> None:
        oldest = self._now() - MAX_IDLE_SECONDS
        idle = sorted(
            (session for session in self._by_id.values() if not session.tasks),
            key=lambda session: session.seen,
        )
        too_many = len(self._by_id) + 1 - self._max_sessions
        for index, session in enumerate(idle):
            if session.seen < oldest or index < too_many:
                self.end(session)
