"""The DevTools protocol over a browser's pipe: JSON messages, each ended by a zero byte.

One task speaks and listens. While it waits for an answer, what else the browser says is handed to
``on_event``, so there is nothing to lock and nothing to clean up.

https://chromedevtools.github.io/devtools-protocol/ (read 2026-08-20)
"""

import asyncio
import json
from collections.abc import Awaitable, Callable, Collection
from typing import Any, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import ParseFailed, ResponseTooLarge

# Of any shape: each reader says what it needs.
Fields: TypeAlias = dict[str, Any]
Lost: TypeAlias = ParseFailed | ResponseTooLarge


class Message(msgspec.Struct, frozen=True, kw_only=True):
    """An answer when it has an ``id``, an event when it has a ``method``."""

    id: int = 0
    method: str = ""
    params: Fields = msgspec.field(default_factory=dict)
    result: Fields = msgspec.field(default_factory=dict)
    error: Fields | None = None
    session: str = msgspec.field(default="", name="sessionId")


async def ignore_event(_message: Message) -> None:
    """Let an event pass."""


class DevTools:
    """A conversation with a browser. ``session`` is the page that is spoken to, blank for all.

    Frames of other sites and workers have sessions of their own, which ``tell_in`` speaks to.
    """

    def __init__(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, html_bytes: int
    ) -> None:
        """Begin; a message that the reader does not hold is a page of more than ``html_bytes``."""
        self.session = ""
        self._html_bytes = html_bytes
        self.on_event: Callable[[Message], Awaitable[None]] = ignore_event
        self._reader = reader
        self._writer = writer
        self._last = 0

    def tell(self, method: str, **params: object) -> int:
        """Send a command without waiting for its answer."""
        return self.tell_in(self.session, method, **params)

    def tell_in(self, session: str, method: str, **params: object) -> int:
        """Send a command to another session than the page's."""
        self._last += 1
        command: Fields = {"id": self._last, "method": method, "params": params}
        if session:
            command["sessionId"] = session
        self._writer.write(json.dumps(command).encode("ascii") + b"\0")
        return self._last

    async def ask(self, method: str, **params: object) -> Result[Fields, Lost]:
        """Send a command and return its answer."""
        number = self.tell(method, **params)
        while True:
            heard = await self.listen()
            if isinstance(heard, Failure):
                return heard
            message = heard.unwrap()
            if message.id == number:
                return _answer(message)

    async def hear(self, numbers: Collection[int]) -> Result[None, Lost]:
        """Wait until each of several commands is answered, in whatever order."""
        waiting = set(numbers)
        while waiting:
            heard = await self.listen()
            if isinstance(heard, Failure):
                return heard
            waiting.discard(heard.unwrap().id)
        return Success(None)

    async def listen(self) -> Result[Message, Lost]:
        """Return the next message, after an event was handled."""
        heard = await self._read()
        if isinstance(heard, Success) and (message := heard.unwrap()).method:
            await self.on_event(message)
        # A browser may have much to say; others have a turn in between.
        await asyncio.sleep(0)
        return heard

    async def _read(self) -> Result[Message, Lost]:
        try:
            raw = await self._reader.readuntil(b"\0")
            # Not msgspec: a page's text may hold half a surrogate pair, which it refuses.
            return Success(msgspec.convert(json.loads(raw[:-1]), Message))
        except asyncio.LimitOverrunError:
            return Failure(ResponseTooLarge(what="decoded", limit=self._html_bytes))
        except (OSError, asyncio.IncompleteReadError):
            return Failure(ParseFailed(reason="crashed"))
        except (ValueError, RecursionError):
            return Failure(ParseFailed(reason="crashed", detail="it spoke another language"))


def _answer(message: Message) -> Result[Fields, Lost]:
    if message.error is None:
        return Success(message.result)
    detail = str(message.error.get("message", ""))[:200]
    return Failure(ParseFailed(reason="crashed", detail=detail))
