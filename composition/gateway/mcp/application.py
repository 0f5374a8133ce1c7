"""The ASGI application: Streamable HTTP, the older revision with sessions, the newer without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

import msgspec

from ...mcp.batches import BatchAnswers, batch_refusal
from ...mcp.exchange import McpSession
from ...mcp.json_rpc import (
    INVALID_REQUEST,
    NO_BATCH,
    Batch,
    Id,
    Json,
    Message,
    Notification,
    Response,
    RpcError,
    RpcRequest,
    Unreadable,
    error_message,
    read_message,
)
from ...mcp.mcp_server import McpServer
from .delivery import (
    BODY_SECONDS,
    MAX_BODY_BYTES,
    Delivery,
    Headers,
    Receive,
    SendEvent,
    deliver_stream,
    explain_media_mismatch,
    read_body,
    send_json,
    send_refusal,
    send_whole_reply,
    with_origin,
)
from .heads import HostRules, McpHead, header_mismatch, is_modern, read_mcp_head
from .running_requests import ReplyChannel, RunningRequests
from .sessions import HttpSession, HttpSessions, MessageStream
from .tenants import Authenticator, Challenge, MakeToolset, Principal, TenantServers

_UNDER_WAY = RpcError(INVALID_REQUEST, "A request with this id is under way.")


class PostBody(msgspec.Struct, frozen=True, kw_only=True):
    """Its messages: those to answer, those to heed, and those that cannot be either."""

    whole: Message | Batch
    requests: tuple[RpcRequest, ...]
    heeded: tuple[Notification | Response, ...]
    refused: tuple[Unreadable, ...]

    @property
    def errors(self) -> Json | list[Json] | None:
        """What is said of those that are refused; None if none is."""
        told = [error_message(each.id, each.refusal) for each in self.refused]
        return told if told and isinstance(self.whole, Batch) else next(iter(told), None)

    @property
    def cancelled(self) -> list[object]:
        """The ids of requests that are not wanted any more."""
        notifications = [each for each in self.heeded if isinstance(each, Notification)]
        return [
            each.params.get("requestId")
            for each in notifications
            if each.method == "notifications/cancelled"
        ]

    def way(self, stream: MessageStream) -> ReplyChannel:
        """Return the way back for each request, through one stream."""
        if not isinstance(self.whole, Batch):
            return stream
        answers = BatchAnswers(self.whole, stream.reply)
        for each in self.refused:
            answers.take(error_message(each.id, each.refusal))
        return _Together(stream, answers)


class _Together:
    """A stream that several requests share."""

    def __init__(self, stream: MessageStream, answers: BatchAnswers) -> None:
        self.add = stream.add
        self.reply = answers.take


def sort_messages(message: Message | Batch, busy: Iterable[Id]) -> PostBody:
    """Sort what came; ``busy`` are the ids of requests that are under way."""
    known = set(busy)
    requests: list[RpcRequest] = []
    heeded: list[Notification | Response] = []
    refused: list[Unreadable] = []
    for each in message.messages if isinstance(message, Batch) else (message,):
        if isinstance(each, Notification | Response):
            heeded.append(each)
        elif isinstance(each, Unreadable):
            refused.append(each)
        elif each.id in known:
            refused.append(Unreadable(id=each.id, refusal=_UNDER_WAY))
        else:
            known.add(each.id)
            requests.append(each)
    return PostBody(
        whole=message, requests=tuple(requests), heeded=tuple(heeded), refused=tuple(refused)
    )


# The ASGI application: Streamable HTTP, the older revision with sessions, the newer without.

Metadata: TypeAlias = Callable[[McpHead], Json | None]
WELL_KNOWN = "/.well-known/oauth-protected-resource"
_ENDPOINTS = ("/", "/mcp")
# How long an answer may take before the client is told that it is on its way.
_EARLY_REPLY_SECONDS = 15.0
_SESSION = "mcp-session-id"
_AGAIN = (("retry-after", "1"),)


class HttpParts(msgspec.Struct, frozen=True, kw_only=True):
    """What the application is made of. ``metadata`` is what OAuth clients are told.

    Ids of sessions begin with ``session_prefix``: it tells which of several workers has one.
    """

    tenants: TenantServers
    door: Authenticator
    rules: HostRules
    metadata: Metadata | None = None
    most_at_once: int = 256
    patience: float = _EARLY_REPLY_SECONDS
    body_bytes: int = MAX_BODY_BYTES
    body_seconds: float = BODY_SECONDS
    session_prefix: str = ""


class Application:
    """Answers HTTP requests; ``aclose`` ends what is under way."""

    def __init__(self, parts: HttpParts) -> None:
        """Answer with ``parts``."""
        self._parts = parts
        self._sessions = HttpSessions(prefix=parts.session_prefix)
        self._running = RunningRequests(parts.most_at_once)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: SendEvent) -> None:
        """Answer one request, or begin and end with the server."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            head = read_mcp_head(scope)
            await self._http(head, receive, with_origin(head, send))

    async def aclose(self) -> None:
        """End all sessions and calls, and let go of what the tools hold."""
        self._sessions.close()
        await self._running.aclose()
        await self._parts.tenants.aclose()

    def reload(self, make: MakeToolset) -> None:
        """Have calls from now on use other tools; those under way go on with the old."""
        self._parts.tenants.renew(make)

    async def _live(self, receive: Receive, send: SendEvent) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _http(self, head: McpHead, receive: Receive, send: SendEvent) -> None:
        refusal = self._parts.rules.refusal(head)
        if refusal is not None:
            await send_refusal(send, *refusal)
            return
        if head.method == "OPTIONS":
            await send_whole_reply(send, 204)
            return
        if head.path.startswith(WELL_KNOWN):
            await self._tell_metadata(head, send)
            return
        # A base address that ends in a slash makes //mcp of it.
        if f"/{head.path.strip('/')}" not in _ENDPOINTS:
            await send_refusal(send, 404, "The endpoint is /mcp.")
            return
        principal = await self._parts.door.admit(head)
        if isinstance(principal, Challenge):
            await send_refusal(send, principal.status, principal.message, principal.headers)
            return
        await self._admitted(head, principal, receive, send)

    async def _tell_metadata(self, head: McpHead, send: SendEvent) -> None:
        metadata = None if self._parts.metadata is None else self._parts.metadata(head)
        if metadata is None or head.method != "GET":
            await send_refusal(send, 404, "There is nothing at this path.")
        else:
            await send_json(send, 200, metadata)

    async def _admitted(
        self, head: McpHead, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        if head.method == "POST":
            await self._post(head, principal, receive, send)
        elif head.method in ("GET", "DELETE") and _SESSION in head.headers:
            await self._session_verb(head, principal, receive, send)
        else:
            # Without a session there is nothing to listen to, and nothing to end.
            await send_refusal(send, 405, "Send messages with POST.", (("allow", "POST"),))

    async def _post(
        self, head: McpHead, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        wrong = explain_media_mismatch(head)
        if wrong is not None:
            await send_refusal(send, *wrong)
            return
        body = await read_body(receive, self._parts.body_bytes, self._parts.body_seconds)
        if not isinstance(body, bytes):
            # What is left of the body is not to be waited for.
            await send_refusal(send, *body, (("connection", "close"),))
            return
        message = read_message(body)
        if isinstance(message, Unreadable):
            await send_json(send, 400, error_message(message.id, message.refusal))
        elif is_modern(head, message):
            await self._modern(head, principal, message, receive, send)
        else:
            await self._legacy(head, principal, message, receive, send)

    async def _modern(
        self,
        head: McpHead,
        principal: Principal,
        message: Message | Batch,
        receive: Receive,
        send: SendEvent,
    ) -> None:
        if isinstance(message, Batch):
            await send_json(send, 400, error_message(None, NO_BATCH))
            return
        if not isinstance(message, RpcRequest):
            await send_whole_reply(send, 202)
            return
        wrong = header_mismatch(head, message)
        if wrong is not None:
            await send_json(send, 400, error_message(message.id, wrong))
            return
        full = self._running.refusal(principal.id)
        if full is not None:
            await send_refusal(send, *full, _AGAIN)
            return
        stream = MessageStream("")
        server = self._parts.tenants.server_of(principal)
        task = self._running.start(server, message, McpSession(), stream, principal.id)
        if await deliver_stream(stream, Delivery(patience=self._parts.patience), receive, send):
            # In this revision a closed stream is the cancellation.
            task.cancel()

    async def _legacy(
        self,
        head: McpHead,
        principal: Principal,
        message: Message | Batch,
        receive: Receive,
        send: SendEvent,
    ) -> None:
        session, headers = self._session_for(head, principal, message)
        if session is None:
            known = _SESSION in head.headers
            what = "This session has ended." if known else "Send initialize first."
            await send_refusal(send, 404 if known else 400, what)
            return
        refusal = batch_refusal(session.session) if isinstance(message, Batch) else None
        if refusal is not None:
            await send_json(send, 400, error_message(None, refusal))
            return
        post = sort_messages(message, session.tasks)
        server = self._parts.tenants.server_of(principal)
        self._heed(server, session, post)
        if not post.requests:
            errors = post.errors
            await (send_whole_reply(send, 202) if errors is None else send_json(send, 400, errors))
            return
        full = self._running.refusal(principal.id, len(post.requests))
        if full is not None:
            await send_refusal(send, *full, _AGAIN)
            return
        stream = self._begin(server, session, post)
        way = Delivery(patience=self._parts.patience, resumable=True, headers=headers)
        await deliver_stream(stream, way, receive, send)

    def _begin(self, server: McpServer, session: HttpSession, post: PostBody) -> MessageStream:
        """Begin to answer requests, all into one stream."""
        stream = session.open_stream()
        way = post.way(stream)
        for each in post.requests:
            task = self._running.start(server, each, session.session, way, session.owner)
            session.tasks[each.id] = task
            task.add_done_callback(partial(_forget, session, each.id))
        # A batch may take back what it asks for itself.
        _cancel(session, post)
        return stream

    def _session_for(
        self, head: McpHead, principal: Principal, message: Message | Batch
    ) -> tuple[HttpSession | None, Headers]:
        if isinstance(message, RpcRequest) and message.method == "initialize":
            begun = self._sessions.begin(principal.id)
            return begun, ((_SESSION, begun.id),)
        return self._sessions.find(head.get(_SESSION), principal.id), ()

    def _heed(self, server: McpServer, session: HttpSession, post: PostBody) -> None:
        for each in post.heeded:
            if isinstance(each, Response):
                server.hear(session.session, each)
        _cancel(session, post)

    async def _session_verb(
        self, head: McpHead, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        session = self._sessions.find(head.get(_SESSION), principal.id)
        if session is None:
            await send_refusal(send, 404, "This session has ended.")
        elif head.method == "DELETE":
            self._sessions.end(session)
            await send_whole_reply(send, 200)
        elif "text/event-stream" not in head.get("accept"):
            await send_refusal(send, 406, "A stream is text/event-stream.")
        else:
            await self._listen(head, session, receive, send)

    async def _listen(
        self, head: McpHead, session: HttpSession, receive: Receive, send: SendEvent
    ) -> None:
        """Go on in a stream that was lost; or stay open, as nothing here ever changes."""
        last = head.get("last-event-id")
        stream, place = session.open_stream(), 0
        if last:
            resumed = session.resume(last)
            if resumed is None:
                stream.end()
                await send_refusal(send, 404, "There is no such event.")
                return
            stream, place = resumed
        patience = self._parts.patience
        way = Delivery(patience=patience, resumable=True, place=place, streamed=True)
        await deliver_stream(stream, way, receive, send)
        if not last:
            stream.end()


def _cancel(session: HttpSession, post: PostBody) -> None:
    for known in post.cancelled:
        session.cancel(known)


def _forget(session: HttpSession, known: Id, _: object) -> None:
    session.tasks.pop(known, None)
