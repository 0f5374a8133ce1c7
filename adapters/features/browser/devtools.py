"""The DevTools protocol over a browser's pipe: JSON messages, each ended by a zero byte.

One task sends and reads. While it waits for an answer, events go to ``on_event``, so there is
nothing to lock and nothing to clean up.

https://chromedevtools.github.io/devtools-protocol/ (read 2026-08-20)
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import ParseFailed, ResponseTooLarge

# Any JSON object: each reader converts the fields that it needs.
Fields: TypeAlias = dict[str, Any]
DevToolsError: TypeAlias = ParseFailed | ResponseTooLarge


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """An answer when it has an ``id``, an event when it has a ``method``."""

    id: int = 0
    method: str = ""
    params: Fields = msgspec.field(default_factory=dict)
    result: Fields = msgspec.field(default_factory=dict)
    error: Fields | None = None
    session: str = msgspec.field(default="", name="sessionId")


async def _ignore_event(_message: Message) -> None: ...


class DevTools:
    """A connection to a browser. ``session`` is the page's session, blank for the browser.

    Frames of other sites and workers have sessions of their own; see ``send_to_session``.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, html_bytes: int
    ) -> None:
        """Use two streams; a message over the reader's limit is a page over ``html_bytes``."""
        self.session = ""
        self.on_event: Callable[[Message], Awaitable[None]] = _ignore_event
        self._reader, self._writer = reader, writer
        self._html_bytes, self._last_id = html_bytes, 0

    def send_command(self, method: str, **params: object) -> int:
        """Send a command without waiting for its answer."""
        return self.send_to_session(self.session, method, **params)

    def send_to_session(self, session: str, method: str, **params: object) -> int:
        """Send a command to another session than the page's."""
        self._last_id += 1
        command: Fields = {"id": self._last_id, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        self._writer.write(json.dumps(command).encode("ascii") + b"\0")
        return self._last_id

    async def call(self, method: str, **params: object) -> Result[Fields, DevToolsError]:
        """Send a command and return its answer."""
        number = self.send_command(method, **params)
        while True:
            received = await self.next_message()
            if isinstance(received, Failure):
                return received
            message = received.unwrap()
            if message.id == number:
                return _command_result(message)

    async def await_commands(self, numbers: Collection[int]) -> Result[None, DevToolsError]:
        """Wait until each of several commands is answered, in whatever order."""
        waiting = set(numbers)
        while waiting:
            received = await self.next_message()
            if isinstance(received, Failure):
                return received
            waiting.discard(received.unwrap().id)
        return Success(None)

    async def next_message(self) -> Result[Message, DevToolsError]:
        """Return the next message, after an event was handled."""
        received = await self._read_message()
        if isinstance(received, Success) and (message := received.unwrap()).method:
            await self.on_event(message)
        # A browser may send many messages: let other tasks run in between.
        await asyncio.sleep(0)
        return received

    async def _read_message(self) -> Result[Message, DevToolsError]:
        try:
            raw = await self._reader.readuntil(b"\0")
            # Not msgspec: a page's text may hold half a surrogate pair, which it refuses.
            return Success(msgspec.convert(json.loads(raw[:-1]), Message))
        except asyncio.LimitOverrunError:
            return Failure(ResponseTooLarge(what="decoded", limit=self._html_bytes))
        except (OSError, asyncio.IncompleteReadError):
            return Failure(ParseFailed(reason="crashed"))
        except (ValueError, RecursionError):
            return Failure(ParseFailed(reason="crashed", detail="its message was invalid"))


def _command_result(message: Message) -> Result[Fields, DevToolsError]:
    if message.error is None:
        return Success(message.result)
    detail = str(message.error.get("message", ""))[:200]
    return Failure(ParseFailed(reason="crashed", detail=detail))
