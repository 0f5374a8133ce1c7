"""The body of a request: all of it, within its size and time, or nothing."""

import asyncio
from collections.abc import Awaitable, Callable, MutableMapping
from typing import Any, TypeAlias

from ....adapters.dialect.refusal import Refusal
from .heads import refuse_large_body

Message: TypeAlias = MutableMapping[str, Any]
Receive: TypeAlias = Callable[[], Awaitable[Message]]
Send: TypeAlias = Callable[[Message], Awaitable[None]]

_SLOW = "The body did not come in time."


async def read_body(receive: Receive, max_bytes: int, seconds: float) -> bytes | Refusal:
    """Return the body; a caller that went away is a refusal that nobody will read."""
    message = await _next(receive, seconds)
    if isinstance(message, Refusal):
        return message
    if not message.get("more_body", False):
        body: bytes = message.get("body", b"")
        return body if len(body) <= max_bytes else refuse_large_body(max_bytes)
    return await _rest(receive, message, max_bytes, seconds)


async def _rest(receive: Receive, first: Message, most: int, seconds: float) -> bytes | Refusal:
    # One time for all of it: who sends a byte a second is never late with the next one.
    ending = asyncio.get_running_loop().time() + seconds
    parts, size, message = [first.get("body", b"")], len(first.get("body", b"")), first
    while message.get("more_body", False):
        following = await _next(receive, ending - asyncio.get_running_loop().time())
        if isinstance(following, Refusal):
            return following
        message = following
        part: bytes = message.get("body", b"")
        size += len(part)
        if size > most:
            return refuse_large_body(most)
        parts.append(part)
    return b"".join(parts)


async def _next(receive: Receive, seconds: float) -> Message | Refusal:
    try:
        async with asyncio.timeout(seconds):
            message = await receive()
    except TimeoutError:
        return Refusal(kind="deadline", message=_SLOW)
    if message["type"] == "http.disconnect":
        return Refusal(kind="invalid", message="The caller went away.")
    return message
