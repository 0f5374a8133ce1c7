"""The ASGI application: Streamable HTTP, the older revision with sessions, the newer without."""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import msgspec

from ..exchange import Exchange, Session
from ..offer import Outcome
from ..server import Server, answer_message
from ..wire import (
    HEADER_MISMATCH,
    INTERNAL_ERROR,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    Json,
    Message,
    Notification,
    Refusal,
    Request,
    Response,
    Unreadable,
    error_message,
    read_message,
)
from .asgi import (
    MOST_BYTES,
    EventStream,
    Headers,
    Receive,
    SendEvent,
    gone,
    read_body,
    reply,
    reply_json,
)
from .doors import Challenge, Door, Principal
from .heads import Head, HostRules, head_of, is_modern, mismatch
from .sessions import HttpSession, Sessions, Stream
from .tenants import Tenants

Metadata: TypeAlias = Callable[[Head], Json | None]

WELL_KNOWN = "/.well-known/oauth-protected-resource"
_ENDPOINTS = ("", "/", "/mcp")
_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
# How long an answer may take before the client is told that it is on its way.
_PATIENCE = 15.0
_RETRY_MS = 1_000
_SESSION = "mcp-session-id"
_FORBIDDEN = 403
_ALLOWED = (
    b"accept, authorization, content-type, last-event-id, mcp-method, mcp-name,"
    b" mcp-protocol-version, mcp-session-id"
)


class HttpParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the application is made of. ``metadata`` is what OAuth clients are told."""

    tenants: Tenants
    door: Door
    rules: HostRules
    metadata: Metadata | None = None
    most_at_once: int = 256
    patience: float = _PATIENCE


class Application:
    """Answers HTTP requests; ``aclose`` ends what is under way."""

    def __init__(self, parts: HttpParts) -> None:
        """Answer with ``parts``."""
        self._parts = parts
        self._sessions = Sessions()
        self._running: set[asyncio.Task[None]] = set()

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: SendEvent) -> None:
        """Answer one request, or begin and end with the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            head = head_of(scope)
            await self._http(head, receive, _with_origin(head, send))

    async def aclose(self) -> None:
        """End all sessions and calls, and let go of what the tools hold."""
        self._sessions.close()
        for task in list(self._running):
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        await self._parts.tenants.aclose()

    async def _live(self, receive: Receive, send: SendEvent) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _http(self, head: Head, receive: Receive, send: SendEvent) -> None:
        refusal = self._parts.rules.refusal(head)
        if refusal is not None:
            await _refuse(send, *refusal)
            return
        if head.method == "OPTIONS":
            await reply(send, 204)
            return
        if head.path.startswith(WELL_KNOWN):
            await self._tell_metadata(head, send)
            return
        if head.path.rstrip("/") not in _ENDPOINTS:
            await _refuse(send, 404, "The endpoint is /mcp.")
            return
        principal = await self._parts.door.admit(head)
        if isinstance(principal, Challenge):
            await _refuse(send, principal.status, principal.message, principal.headers)
            return
        await self._admitted(head, principal, receive, send)

    async def _tell_metadata(self, head: Head, send: SendEvent) -> None:
        metadata = None if self._parts.metadata is None else self._parts.metadata(head)
        if metadata is None or head.method != "GET":
            await _refuse(send, 404, "There is nothing at this path.")
        else:
            await reply_json(send, 200, metadata)

    async def _admitted(
        self, head: Head, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        if head.method == "POST":
            await self._post(head, principal, receive, send)
        elif head.method in ("GET", "DELETE") and _SESSION in head.headers:
            await self._session_verb(head, principal, receive, send)
        else:
            # Without a session there is nothing to listen to, and nothing to end.
            await _refuse(send, 405, "Send messages with POST.", (("allow", "POST"),))

    async def _post(
        self, head: Head, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        wrong = _wrong_kind(head)
        if wrong is not None:
            await _refuse(send, *wrong)
            return
        body = await read_body(receive)
        if body is None:
            await _refuse(send, 413, f"A message may have {MOST_BYTES} bytes.")
            return
        message = read_message(body)
        if isinstance(message, Unreadable):
            await reply_json(send, 400, error_message(message.id, message.refusal))
        elif is_modern(head, message):
            await self._modern(head, principal, message, receive, send)
        else:
            await self._legacy(head, principal, message, receive, send)

    async def _modern(
        self,
        head: Head,
        principal: Principal,
        message: Message,
        receive: Receive,
        send: SendEvent,
    ) -> None:
        if not isinstance(message, Request):
            await reply(send, 202)
            return
        wrong = mismatch(head, message)
        if wrong is not None:
            await reply_json(send, 400, error_message(message.id, wrong))
            return
        stream = Stream("")
        server = self._parts.tenants.server_of(principal)
        task = self._start(server, message, Session(), stream)
        if task is None:
            await _refuse(send, 503, "Too many requests are under way.", (("retry-after", "1"),))
            return
        left = await self._deliver(stream, receive, send)
        if left:
            # In this revision a closed stream is the cancellation.
            task.cancel()

    async def _legacy(
        self,
        head: Head,
        principal: Principal,
        message: Message,
        receive: Receive,
        send: SendEvent,
    ) -> None:
        session, headers = self._session_for(head, principal, message)
        if session is None:
            known = _SESSION in head.headers
            what = "This session has ended." if known else "Send initialize first."
            await _refuse(send, 404 if known else 400, what)
            return
        server = self._parts.tenants.server_of(principal)
        if not isinstance(message, Request):
            self._heed(server, session, message)
            await reply(send, 202)
            return
        if message.id in session.tasks:
            twice = Refusal(INVALID_REQUEST, "A request with this id is under way.")
            await reply_json(send, 400, error_message(message.id, twice))
            return
        stream = session.open_stream()
        task = self._start(server, message, session.session, stream)
        if task is None:
            await _refuse(send, 503, "Too many requests are under way.", (("retry-after", "1"),))
            return
        session.tasks[message.id] = task
        task.add_done_callback(lambda _: session.tasks.pop(message.id, None))
        await self._deliver(stream, receive, send, resumable=True, headers=headers)

    def _session_for(
        self, head: Head, principal: Principal, message: Message
    ) -> tuple[HttpSession | None, Headers]:
        if isinstance(message, Request) and message.method == "initialize":
            begun = self._sessions.begin(principal.id)
            return begun, ((_SESSION, begun.id),)
        return self._sessions.find(head.get(_SESSION), principal.id), ()

    def _heed(self, server: Server, session: HttpSession, message: Message) -> None:
        if isinstance(message, Response):
            server.hear(session.session, message)
        elif isinstance(message, Notification) and message.method == "notifications/cancelled":
            session.cancel(message.params.get("requestId"))

    async def _session_verb(
        self, head: Head, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        session = self._sessions.find(head.get(_SESSION), principal.id)
        if session is None:
            await _refuse(send, 404, "This session has ended.")
        elif head.method == "DELETE":
            self._sessions.end(session)
            await reply(send, 200)
        elif "text/event-stream" not in head.get("accept"):
            await _refuse(send, 406, "A stream is text/event-stream.")
        else:
            await self._listen(head, session, receive, send)

    async def _listen(
        self, head: Head, session: HttpSession, receive: Receive, send: SendEvent
    ) -> None:
        """Go on in a stream that was lost; or stay open, as nothing here ever changes."""
        last = head.get("last-event-id")
        stream, place = session.open_stream(), 0
        if last:
            resumed = session.resume(last)
            if resumed is None:
                stream.end()
                await _refuse(send, 404, "There is no such event.")
                return
            stream, place = resumed
        await self._deliver(stream, receive, send, resumable=True, place=place, streamed=True)
        if not last:
            stream.end()

    def _start(
        self, server: Server, request: Request, session: Session, stream: Stream
    ) -> asyncio.Task[None] | None:
        """Begin to answer a request into a stream; None when too many are under way."""
        if len(self._running) >= self._parts.most_at_once:
            return None
        exchange, outcome = server.begin(request, session, stream.add)
        task = asyncio.get_running_loop().create_task(_answer(exchange, outcome, stream))
        self._running.add(task)
        task.add_done_callback(self._running.discard)
        # A task that is cancelled before it runs ends nothing itself.
        task.add_done_callback(lambda _: stream.end())
        return task

    async def _deliver(  # noqa: PLR0913  one answer and its ways out
        self,
        stream: Stream,
        receive: Receive,
        send: SendEvent,
        *,
        resumable: bool = False,
        headers: Headers = (),
        place: int = 0,
        streamed: bool = False,
    ) -> bool:
        """Send what comes into a stream; tell whether the client left before its end."""
        leaving = asyncio.ensure_future(gone(receive))
        try:
            if not streamed and await self._single(stream, leaving):
                (_, data), *_ = stream.after(0)
                status = 200 if resumable else _status_of(data)
                await reply(send, status, data, (("content-type", "application/json"), *headers))
                return False
            if leaving.done():
                return True
            events = EventStream(send)
            await events.begin(headers)
            if resumable and not place:
                await events.prime(f"{stream.name}-0", _RETRY_MS)
            return await self._pour(stream, events, leaving, place, resumable=resumable)
        finally:
            leaving.cancel()

    async def _single(self, stream: Stream, leaving: asyncio.Future[None]) -> bool:
        """Wait for the first message, and tell whether it is the only one."""
        await _either(stream, 0, leaving, self._parts.patience)
        return stream.over and len(stream.after(0)) == 1

    async def _pour(
        self,
        stream: Stream,
        events: EventStream,
        leaving: asyncio.Future[None],
        place: int,
        *,
        resumable: bool,
    ) -> bool:
        while not leaving.done():
            for number, data in stream.after(place):
                await events.event(data, f"{stream.name}-{number}" if resumable else "")
                place = number
            if stream.over:
                await events.end()
                return False
            if not await _either(stream, place, leaving, self._parts.patience):
                await events.keep_alive()
        return True


async def _either(
    stream: Stream, place: int, leaving: asyncio.Future[None], seconds: float
) -> bool:
    """Wait for a message after a place, or for the client to leave; tell whether either came."""
    news = asyncio.ensure_future(stream.wait(place, seconds))
    both: set[asyncio.Future[Any]] = {news, leaving}
    await asyncio.wait(both, return_when=asyncio.FIRST_COMPLETED)
    if news.done():
        return news.result()
    news.cancel()
    return True


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


def _with_origin(head: Head, send: SendEvent) -> SendEvent:
    """Have each answer say that the page which asks may read it; others never come this far."""
    origin = head.get("origin")
    if not origin:
        return send
    more = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-headers", _ALLOWED),
        (b"access-control-allow-methods", b"POST, GET, DELETE"),
        (b"access-control-expose-headers", b"mcp-session-id, www-authenticate"),
        (b"vary", b"origin"),
    ]

    async def sending(event: Mapping[str, Any]) -> None:
        start = event["type"] == "http.response.start" and event["status"] != _FORBIDDEN
        await send({**event, "headers": [*event["headers"], *more]} if start else event)

    return sending


def _wrong_kind(head: Head) -> tuple[int, str] | None:
    if head.get("content-type").partition(";")[0].strip().lower() != "application/json":
        return 415, "Send application/json."
    accept = head.get("accept")
    if "*/*" in accept or ("application/json" in accept and "text/event-stream" in accept):
        return None
    return 406, "Accept both application/json and text/event-stream."


def _status_of(data: bytes) -> int:
    error = msgspec.json.decode(data).get("error")
    return 200 if error is None else _STATUS.get(error["code"], 200)


async def _refuse(send: SendEvent, status: int, message: str, headers: Headers = ()) -> None:
    refusal = Refusal(INVALID_REQUEST, message)
    await reply_json(send, status, error_message(None, refusal), headers)
