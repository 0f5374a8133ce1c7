"""The messages of one request sent to its client: alone as JSON, or one by one as events."""

from __future__ import annotations

import asyncio
from typing import Any

import msgspec

from .asgi import EventStream, Headers, Receive, SendEvent, send_whole_reply, wait_for_disconnect
from .sessions import MessageStream
from .statuses import answer_status

_RETRY_MS = 1_000


class Delivery(msgspec.Struct, frozen=True, kw_only=True):
    """How one answer goes out.

    ``resumable`` numbers the events, ``place`` is the last that the client has seen, ``streamed``
    leaves out the wait for a single message, and ``patience`` is how long that wait may be.
    """

    patience: float
    resumable: bool = False
    headers: Headers = ()
    place: int = 0
    streamed: bool = False


async def deliver_stream(
    stream: MessageStream, delivery: Delivery, receive: Receive, send: SendEvent
) -> bool:
    """Send what comes into a stream; tell whether the client left before its end."""
    leaving = asyncio.ensure_future(wait_for_disconnect(receive))
    try:
        if not delivery.streamed and await _is_single(stream, delivery, leaving):
            await _send_single(stream, delivery, send)
            return False
        if leaving.done():
            return True
        events = EventStream(send)
        await events.begin(delivery.headers)
        if delivery.resumable and not delivery.place:
            await events.prime(f"{stream.name}-0", _RETRY_MS)
        return await _pour(stream, delivery, events, leaving)
    finally:
        leaving.cancel()


async def _is_single(stream: MessageStream, way: Delivery, leaving: asyncio.Future[None]) -> bool:
    """Wait for the first message, and tell whether it is the only one."""
    await _either(stream, 0, leaving, way.patience)
    return stream.over and len(stream.after(0)) == 1


async def _send_single(stream: MessageStream, way: Delivery, send: SendEvent) -> None:
    (_, data), *_ = stream.after(0)
    # The older revision has no statuses for errors.
    status = 200 if way.resumable else answer_status(data)
    await send_whole_reply(send, status, data, (("content-type", "application/json"), *way.headers))


async def _pour(
    stream: MessageStream, way: Delivery, events: EventStream, leaving: asyncio.Future[None]
) -> bool:
    place = way.place
    while not leaving.done():
        for number, data in stream.after(place):
            await events.event(data, f"{stream.name}-{number}" if way.resumable else "")
            place = number
        if stream.over:
            await events.end()
            return False
        if not await _either(stream, place, leaving, way.patience):
            await events.keep_alive()
    return True


async def _either(
    stream: MessageStream, place: int, leaving: asyncio.Future[None], seconds: float
) -> bool:
    """Wait for a message after a place, or for the client to leave; tell whether either came."""
    news = asyncio.ensure_future(stream.wait(place, seconds))
    both: set[asyncio.Future[Any]] = {news, leaving}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if news.done():
        return news.result()
    news.cancel()
    return True
