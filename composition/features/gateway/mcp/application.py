"""The ASGI application: Streamable HTTP, the older revision with sessions, the newer without."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import Any, TypeAlias

import msgspec

from webseam.adapters.features.gateway.replies import DEFAULT_STATUSES
from webseam.composition.doors.mcp.batches import BatchAnswers, rpc_batch_refusal
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import (
    INVALID_REQUEST,
    NO_BATCH_ERROR,
    Batch,
    Id,
    Json,
    Message,
    Notification,
    Response,
    RpcError,
    RpcRequest,
    Unreadable,
    read_mcp_message,
    rpc_error_message,
)
from webseam.composition.doors.mcp.mcp_server import McpServer

from ..fair_queue import BodyTurns
from .delivery import (
    MAX_BODY_BYTES,
    MAX_BODY_SECONDS,
    Delivery,
    Headers,
    Receive,
    SendEvent,
    add_mcp_cors_headers,
    deliver_mcp_stream,
    explain_mcp_media_mismatch,
    read_mcp_body,
    send_mcp_json,
    send_mcp_refusal,
    send_mcp_reply,
)
from .heads import HostRules, McpHead, is_modern_mcp, mcp_header_mismatch, read_mcp_head
from .running_requests import ReplyChannel, RunningRequests
from .sessions import HttpSession, HttpSessions, MessageStream
from .tenants import Authenticator, Challenge, MakeToolset, Principal, TenantServers

_DUPLICATE_REQUEST = RpcError(INVALID_REQUEST, "A request with this id is under way.")
RESOURCE_METADATA_PATH = "/.well-known/oauth-protected-resource"
_ENDPOINT_PATHS = ("/", "/mcp")
CARD_PATH = "/mcp/server-card"
_CARD_HEADERS = (
    ("content-type", "application/mcp-server-card+json"),
    ("cache-control", "public, max-age=3600"),
)
# After this time without an answer, the server opens an event stream.
_MAX_SINGLE_REPLY_SECONDS = 15.0
_SESSION_HEADER = "mcp-session-id"
_RETRY_HEADERS = (("retry-after", "1"),)


class PostBody(msgspec.Struct, frozen=True, kw_only=True):
    """The messages of a POST, sorted: requests, notifications with responses, and refused ones."""

    message: Message | Batch
    requests: tuple[RpcRequest, ...]
    heeded: tuple[Notification | Response, ...]
    refused: tuple[Unreadable, ...]

    @property
    def errors(self) -> Json | list[Json] | None:
        """The errors for refused messages; None without any."""
        errors = [rpc_error_message(refused.id, refused.refusal) for refused in self.refused]
        return errors if errors and isinstance(self.message, Batch) else next(iter(errors), None)

    @property
    def cancelled(self) -> list[object]:
        """The ids of requests that the client cancels."""
        return [
            message.params.get("requestId")
            for message in self.heeded
            if isinstance(message, Notification) and message.method == "notifications/cancelled"
        ]

    def reply_channel(self, stream: MessageStream) -> ReplyChannel:
        """Return the channel for replies; a batch collects its replies into one message."""
        if not isinstance(self.message, Batch):
            return stream
        answers = BatchAnswers(self.message, stream.reply)
        for refused in self.refused:
            answers.add_answer(rpc_error_message(refused.id, refused.refusal))
        return _BatchReplyChannel(stream, answers)


class _BatchReplyChannel:
    """A stream that the requests of a batch share."""

    def __init__(self, stream: MessageStream, answers: BatchAnswers) -> None:
        self.add = stream.add
        self.reply = answers.add_answer


def sort_mcp_messages(message: Message | Batch, busy: Iterable[Id]) -> PostBody:
    """Sort messages by kind; refuse requests whose id is in ``busy``."""
    busy_ids = set(busy)
    requests: list[RpcRequest] = []
    heeded: list[Notification | Response] = []
    refused: list[Unreadable] = []
    for entry in message.messages if isinstance(message, Batch) else (message,):
        if isinstance(entry, Notification | Response):
            heeded.append(entry)
        elif isinstance(entry, Unreadable):
            refused.append(entry)
        elif entry.id in busy_ids:
            refused.append(Unreadable(id=entry.id, refusal=_DUPLICATE_REQUEST))
        else:
            busy_ids.add(entry.id)
            requests.append(entry)
    return PostBody(
        message=message, requests=tuple(requests), heeded=tuple(heeded), refused=tuple(refused)
    )


Metadata: TypeAlias = Callable[[McpHead], Json | None]


class ApplicationDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators and limits. ``session_prefix`` names the worker that holds a session."""

    tenants: TenantServers
    door: Authenticator
    rules: HostRules
    metadata: Metadata | None = None
    card: Json | None = None
    most_at_once: int = 256
    patience: float = _MAX_SINGLE_REPLY_SECONDS
    body_bytes: int = MAX_BODY_BYTES
    body_seconds: float = MAX_BODY_SECONDS
    session_prefix: str = ""


class Application:
    """Answers MCP over HTTP; ``aclose`` ends running requests."""

    def __init__(self, parts: ApplicationDeps) -> None:
        """Answer with ``parts``."""
        self._parts = parts
        self._sessions = HttpSessions(prefix=parts.session_prefix)
        self._running = RunningRequests(parts.most_at_once)
        self._bodies = BodyTurns(parts.most_at_once)

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: SendEvent) -> None:
        """Answer one request, or run the lifespan."""
        if scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        elif scope["type"] == "http":
            head = read_mcp_head(scope)
            send = add_mcp_cors_headers(head, send)
            card = self._parts.card
            # The card is for everyone, also for pages of other origins.
            if card is not None and (head.method, head.path) == ("GET", CARD_PATH):
                await send_mcp_reply(send, 200, msgspec.json.encode(card), _CARD_HEADERS)
            else:
                await self._answer_http(head, receive, send)

    async def aclose(self) -> None:
        """End all sessions and calls, and close the tools."""
        self._sessions.close()
        await self._running.aclose()
        await self._parts.tenants.aclose()

    def reload(self, make: MakeToolset) -> None:
        """Use new tools for new calls; running calls keep the old ones."""
        self._parts.tenants.renew(make)

    async def _run_lifespan(self, receive: Receive, send: SendEvent) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _answer_http(self, head: McpHead, receive: Receive, send: SendEvent) -> None:
        refusal = self._parts.rules.explain_refusal(head)
        if refusal is not None:
            await send_mcp_refusal(send, *refusal)
            return
        if head.method == "OPTIONS":
            await send_mcp_reply(send, 204)
            return
        if head.path.startswith(RESOURCE_METADATA_PATH):
            await self._send_oauth_metadata(head, send)
            return
        # A client whose base address ends in a slash asks for //mcp.
        if f"/{head.path.strip('/')}" not in _ENDPOINT_PATHS:
            await send_mcp_refusal(send, 404, "The endpoint is /mcp.")
            return
        principal = await self._parts.door.admit(head)
        if isinstance(principal, Challenge):
            await send_mcp_refusal(send, principal.status, principal.message, principal.headers)
            return
        await self._answer_principal(head, principal, receive, send)

    async def _send_oauth_metadata(self, head: McpHead, send: SendEvent) -> None:
        metadata = None if self._parts.metadata is None else self._parts.metadata(head)
        if metadata is None or head.method != "GET":
            await send_mcp_refusal(send, 404, "There is nothing at this path.")
        else:
            await send_mcp_json(send, 200, metadata)

    async def _answer_principal(
        self, head: McpHead, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        if head.method == "POST":
            await self._answer_post(head, principal, receive, send)
        elif head.method in ("GET", "DELETE") and _SESSION_HEADER in head.headers:
            await self._answer_session_method(head, principal, receive, send)
        else:
            # GET and DELETE need a session.
            await send_mcp_refusal(send, 405, "Send messages with POST.", (("allow", "POST"),))

    async def _answer_post(
        self, head: McpHead, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        mismatch = explain_mcp_media_mismatch(head)
        if mismatch is not None:
            await send_mcp_refusal(send, *mismatch)
            return
        body = await read_mcp_body(receive, self._parts.body_bytes, self._parts.body_seconds)
        if not isinstance(body, bytes):
            # Close the connection, so that the server does not read the rest of the body.
            await send_mcp_refusal(send, *body, (("connection", "close"),))
            return
        refusal = await self._bodies.enter(principal.id, body)
        if refusal is not None:
            await send_mcp_refusal(send, DEFAULT_STATUSES[refusal.kind], refusal.message)
            return
        message = read_mcp_message(body)
        if isinstance(message, Unreadable):
            await send_mcp_json(send, 400, rpc_error_message(message.id, message.refusal))
        elif is_modern_mcp(head, message):
            await self._answer_modern(head, principal, message, receive, send)
        else:
            await self._answer_legacy(head, principal, message, receive, send)

    async def _answer_modern(
        self,
        head: McpHead,
        principal: Principal,
        message: Message | Batch,
        receive: Receive,
        send: SendEvent,
    ) -> None:
        if isinstance(message, Batch):
            await send_mcp_json(send, 400, rpc_error_message(None, NO_BATCH_ERROR))
            return
        if not isinstance(message, RpcRequest):
            await send_mcp_reply(send, 202)
            return
        mismatch = mcp_header_mismatch(head, message)
        if mismatch is not None:
            await send_mcp_json(send, 400, rpc_error_message(message.id, mismatch))
            return
        refusal = self._running.explain_refusal(principal.id)
        if refusal is not None:
            await send_mcp_refusal(send, *refusal, _RETRY_HEADERS)
            return
        stream = MessageStream("")
        server = self._parts.tenants.server_of(principal)
        task = self._running.start(server, message, McpSession(), stream, principal.id)
        if await deliver_mcp_stream(stream, Delivery(patience=self._parts.patience), receive, send):
            # In this revision a client cancels by closing the stream.
            task.cancel()

    async def _answer_legacy(
        self,
        head: McpHead,
        principal: Principal,
        message: Message | Batch,
        receive: Receive,
        send: SendEvent,
    ) -> None:
        session, headers = self._find_or_begin_session(head, principal, message)
        if session is None:
            has_session = _SESSION_HEADER in head.headers
            reason = "This session has ended." if has_session else "Send initialize first."
            await send_mcp_refusal(send, 404 if has_session else 400, reason)
            return
        refusal = rpc_batch_refusal(session.session) if isinstance(message, Batch) else None
        if refusal is not None:
            await send_mcp_json(send, 400, rpc_error_message(None, refusal))
            return
        post = sort_mcp_messages(message, session.tasks)
        server = self._parts.tenants.server_of(principal)
        self._handle_notices(server, session, post)
        if not post.requests:
            errors = post.errors
            await (
                send_mcp_reply(send, 202) if errors is None else send_mcp_json(send, 400, errors)
            )
            return
        busy_refusal = self._running.explain_refusal(principal.id, len(post.requests))
        if busy_refusal is not None:
            await send_mcp_refusal(send, *busy_refusal, _RETRY_HEADERS)
            return
        stream = self._start_requests(server, session, post)
        delivery = Delivery(patience=self._parts.patience, resumable=True, headers=headers)
        await deliver_mcp_stream(stream, delivery, receive, send)

    def _start_requests(
        self, server: McpServer, session: HttpSession, post: PostBody
    ) -> MessageStream:
        """Start all requests of a POST; they share one stream."""
        stream = session.open_stream()
        channel = post.reply_channel(stream)
        for request in post.requests:
            task = self._running.start(server, request, session.session, channel, session.owner)
            session.tasks[request.id] = task
            task.add_done_callback(partial(_forget_session_request, session, request.id))
        # A batch may cancel its own requests.
        _cancel_session_requests(session, post)
        return stream

    def _find_or_begin_session(
        self, head: McpHead, principal: Principal, message: Message | Batch
    ) -> tuple[HttpSession | None, Headers]:
        if isinstance(message, RpcRequest) and message.method == "initialize":
            session = self._sessions.begin(principal.id)
            return session, ((_SESSION_HEADER, session.id),)
        return self._sessions.find(head.get(_SESSION_HEADER), principal.id), ()

    def _handle_notices(self, server: McpServer, session: HttpSession, post: PostBody) -> None:
        for notice in post.heeded:
            if isinstance(notice, Response):
                server.receive_answer(session.session, notice)
        _cancel_session_requests(session, post)

    async def _answer_session_method(
        self, head: McpHead, principal: Principal, receive: Receive, send: SendEvent
    ) -> None:
        session = self._sessions.find(head.get(_SESSION_HEADER), principal.id)
        if session is None:
            await send_mcp_refusal(send, 404, "This session has ended.")
        elif head.method == "DELETE":
            self._sessions.end(session)
            await send_mcp_reply(send, 200)
        elif "text/event-stream" not in head.get("accept"):
            await send_mcp_refusal(send, 406, "A stream is text/event-stream.")
        else:
            await self._listen_to_session(head, session, receive, send)

    async def _listen_to_session(
        self, head: McpHead, session: HttpSession, receive: Receive, send: SendEvent
    ) -> None:
        """Resume a lost stream, or hold an empty one open: this server sends no notifications."""
        last = head.get("last-event-id")
        stream, last_number = session.open_stream(), 0
        if last:
            resumed = session.resume(last)
            if resumed is None:
                stream.end()
                await send_mcp_refusal(send, 404, "There is no such event.")
                return
            stream, last_number = resumed
        patience = self._parts.patience
        delivery = Delivery(
            patience=patience, resumable=True, last_number=last_number, streamed=True
        )
        await deliver_mcp_stream(stream, delivery, receive, send)
        if not last:
            stream.end()


def _cancel_session_requests(session: HttpSession, post: PostBody) -> None:
    for request_id in post.cancelled:
        session.cancel(request_id)


def _forget_session_request(session: HttpSession, request_id: Id, _: object) -> None:
    session.tasks.pop(request_id, None)
