"""The gateway as an ASGI application: nothing here knows which server carries it.

A request is judged by its head, read, told whose it is, let in by its turn, and answered in the
words of the dialect that it came in.
"""

import asyncio
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import msgspec
from returns.result import Failure, Result

from ...adapters.gateway.gateway_requests import header_keys
from ...adapters.gateway.refusal import Call, Refusal, Reply, json_reply
from ...ports.errors import WebError
from ...ports.jobs import JobStore
from ..settings.entries import Entries
from ..settings.schema import ServeSettings
from ..wiring.store_setup import KeyRates, store_states
from .admission import Answer, CallAdmission, SendStream, ServeLimits
from .api.endpoints import DialectTable, Endpoints, key_in_path
from .api.openapi import openapi_document
from .callers import CallerIdentifier, GatewayCaller
from .http.heads import (
    HostRules,
    RequestHead,
    is_allowed_origin,
    judge_head,
    public_host,
    public_scheme,
    read_head,
    split_query,
)
from .http.request_talk import (
    READS,
    Receive,
    RequestTalk,
    Send,
    Stream,
    close_connection,
    join_trace,
    read_body,
    record_status,
    refusal_envelope,
    refuse_method,
    send_reply,
    send_stream,
)
from .journal import Write
from .mcp.application import WELL_KNOWN, Application
from .mcp.tenants import tools_maker
from .metrics import GatewayMetrics
from .playground.playground_calls import playground_asset
from .work.board import JobBoard
from .work.running_jobs import RunningJobs
from .work.shared_clients import SharedClients
from .workers import PEER, WorkerTeam, forward_request

Reading: TypeAlias = Callable[[], Result[SharedClients, WebError]]

_ALLOWED = "authorization, content-type, traceparent, x-api-key, x-request-id, x-subscription-token"


class GatewayParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a gateway is made of. ``read`` reads the settings again.

    ``mcp`` answers at ``/mcp``; where it has an OAuth server of its own, it alone says who calls.
    ``team`` are the workers that this is one of, if there are several; ``jobs`` is what gateways on
    several machines know of each other's jobs.
    """

    webs: SharedClients
    door: CallerIdentifier
    table: DialectTable
    rules: HostRules
    limits: ServeLimits
    rates: KeyRates
    journal: Write
    read: Reading
    mcp: Application
    mcp_admits: bool = False
    jobs: JobStore | None = None
    team: WorkerTeam | None = None


class Gateway:
    """The application. ``reload`` and ``drain`` are for whoever hears the signals."""

    def __init__(self, parts: GatewayParts) -> None:
        """Serve with ``parts``."""
        self._parts = parts
        self._webs = parts.webs
        self._desk = CallAdmission(parts.door, parts.rules, parts.limits, parts.rates)
        self._jobs = JobBoard(RunningJobs(), parts.jobs)
        self._figures = GatewayMetrics()
        self._endpoints = Endpoints(self._desk, parts.table, self._jobs, self._figures, parts.team)
        self._ready = True
        self._retiring: set[asyncio.Task[None]] = set()

    @property
    def settings(self) -> ServeSettings:
        """What the settings said about serving when it began."""
        return self._parts.webs.root.settings.serve

    @property
    def entries(self) -> Entries:
        """Where each of the settings came from."""
        return self._parts.webs.root.settings.entries

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request, or begin and end with the server."""
        if scope["type"] == "http":
            talk = RequestTalk(self._head(scope))
            port = self._port_for(talk.head)
            if port is not None and self._parts.team is not None:
                await forward_request(self._parts.team, port, scope, receive, send)
            elif is_mcp(talk.head.path):
                await self._mcp(talk, scope, receive, send)
            else:
                await self._http(talk, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003})

    def _head(self, scope: Mapping[str, Any]) -> RequestHead:
        """Return the head of a request, as it was when a worker took it."""
        head, team = read_head(scope), self._parts.team
        if team is None or not team.passed_on(head):
            return head
        return msgspec.structs.replace(head, peer=head.headers.get(PEER, head.peer))

    def _port_for(self, head: RequestHead) -> int | None:
        """Return where the worker is that has to answer, once the head is fit to be passed on."""
        parts = self._parts
        port = None if parts.team is None else parts.team.port_for(head)
        fit = port is not None and judge_head(head, parts.rules, parts.limits.body) is None
        return port if fit else None

    def drain(self) -> None:
        """Say from now on that no more calls should come."""
        self._ready = False

    def reload(self) -> None:
        """Read the settings again. What is under way goes on with those of before.

        Settings that cannot be read change nothing.
        """
        webs = self._parts.read()
        if isinstance(webs, Failure):
            message = webs.failure().message
            self._parts.journal({"level": "error", "event": "reload refused", "message": message})
            return
        before, self._webs = self._webs, webs.unwrap()
        task = asyncio.get_running_loop().create_task(before.retire())
        self._retiring.add(task)
        task.add_done_callback(self._retiring.discard)
        clients = self._webs
        self._parts.mcp.reload(tools_maker(clients.parts, clients.root))
        self._parts.journal({"level": "info", "event": "reloaded"})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        await send({"type": "lifespan.startup.complete"})
        await receive()
        self._ready = False
        await self._jobs.aclose()
        await self._parts.mcp.aclose()
        await self._webs.retire()
        await asyncio.gather(*self._retiring)
        await asyncio.to_thread(self._parts.door.keys.store.close)
        await self._desk.rates.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _mcp(
        self, talk: RequestTalk, scope: Mapping[str, Any], receive: Receive, send: Send
    ) -> None:
        """Hand a request of MCP on, once it is known to come by our name and with a good key."""
        talk.dialect, talk.route = "mcp", "/mcp"
        if talk.head.trace:
            join_trace(talk.head)
        head, parts = talk.head, self._parts
        refusal = judge_head(head, parts.rules, parts.limits.body)
        caller: GatewayCaller | Refusal | None = None
        if refusal is None and not parts.mcp_admits and head.method != "OPTIONS":
            keys = header_keys(self._call(talk, head.path, b""))
            caller = await self._desk.identify(head, keys)
        if isinstance(caller, GatewayCaller):
            talk.caller = caller.name
        refused = refusal or (caller if isinstance(caller, Refusal) else None)
        if refused is not None:
            reply = close_connection(refusal_envelope(refused), talk, refused)
            talk.status = reply.status
            await send_reply(reply, send, (("x-request-id", talk.id),))
        else:
            await parts.mcp(scope, receive, record_status(talk, send))
        self._write_down(talk)

    async def _http(self, talk: RequestTalk, receive: Receive, send: Send) -> None:
        more = (("x-request-id", talk.id), *self._cross_origin(talk.head))
        if talk.head.trace:
            more = (*more, ("traceparent", talk.head.trace))
            join_trace(talk.head)

        async def stream(pieces: Stream) -> None:
            talk.status = pieces.status
            await send_stream(pieces, send, more)

        answer = await self._answer(talk, receive, stream)
        if isinstance(answer, Refusal):
            talk.failure = answer.kind if answer.error is None else answer.error.kind
            answer = talk.refuse(answer)
        if answer is not None:
            talk.status = answer.status
            await send_reply(answer, send, more)
        self._write_down(talk)

    async def _answer(self, talk: RequestTalk, receive: Receive, stream: SendStream) -> Answer:
        parts, head = self._parts, talk.head
        refusal = judge_head(head, parts.rules, parts.limits.body)
        if refusal is not None:
            return close_connection(refusal_envelope(refusal), talk, refusal)
        key, path = key_in_path(head.path)
        fixed = self._fixed(talk, path)
        if fixed is not None:
            return fixed
        body = await read_body(receive, parts.limits.body, parts.limits.body_seconds)
        if isinstance(body, Refusal):
            return close_connection(refusal_envelope(body), talk, body)
        call = self._call(talk, path, body)
        return await self._endpoints.answer(
            talk,
            call,
            (key,) if key else (),
            webs=self._webs,
            receive=receive,
            stream=stream,
        )

    def _call(self, talk: RequestTalk, path: str, body: bytes) -> Call:
        head, rules = talk.head, self._parts.rules
        now = datetime.now(UTC)
        query = split_query(head.search) if head.search else ()
        return Call(
            method=head.method,
            path=path,
            query=query or (),
            unread=query is None,
            search=head.search,
            headers=head.headers,
            # Some programs begin every UTF-8 with a mark (RFC 8259, section 8.1, lets us pass it).
            body=body.removeprefix(BOM_UTF8),
            base=f"{public_scheme(head, rules)}://{public_host(head, rules)}",
            today=now.date(),
            now=int(now.timestamp()),
            id=talk.id,
        )

    def _fixed(self, talk: RequestTalk, path: str) -> Reply | None:
        """Return what needs no caller: whether we live, and what we speak."""
        if talk.head.method == "OPTIONS":
            return Reply(status=204)
        replies: dict[str, Callable[[], Reply]] = {
            "/health": lambda: json_reply({"status": "ok"}),
            "/ready": self._readiness,
            "/openapi.json": lambda: Reply(body=openapi_document()),
        }
        name = path.rstrip("/")
        if talk.head.method not in READS:
            return refuse_method(*READS) if name in replies else None
        page = playground_asset(path, talk.head.search)
        if name not in replies and page is None:
            return None
        talk.route = path if page is not None else name
        return replies[name]() if page is None else page

    def _readiness(self) -> Reply:
        """Say whether calls are taken, and how the shared stores were when they were last used."""
        body: dict[str, object] = {"status": "ready" if self._ready else "ending"}
        states = store_states(self._webs.root.settings.stores)
        if states:
            body["stores"] = states
        return json_reply(body, 200 if self._ready else 503)

    def _cross_origin(self, head: RequestHead) -> tuple[tuple[str, str], ...]:
        """Return what lets the page of a welcome origin read the answer."""
        origin = head.headers.get("origin", "")
        if not origin or not is_allowed_origin(origin, head, self._parts.rules):
            return ()
        return (
            ("access-control-allow-origin", origin),
            ("access-control-allow-headers", _ALLOWED),
            ("access-control-allow-methods", "GET, POST, DELETE"),
            ("vary", "origin"),
        )

    def _write_down(self, talk: RequestTalk) -> None:
        seconds = time.monotonic() - talk.started
        if talk.failure:
            self._figures.failed(talk.failure)
        self._figures.answered(talk.dialect, talk.route, talk.status, seconds)
        fields: dict[str, object] = {
            "level": "info",
            "id": talk.id,
            "method": talk.head.method,
            "dialect": talk.dialect,
            "route": talk.route,
            "caller": talk.caller,
            "status": talk.status,
            "ms": round(seconds * 1000, 1),
        }
        if talk.failure:
            fields["failure"] = talk.failure
        if talk.head.trace:
            fields["trace"] = talk.head.trace.split("-")[1]
        self._parts.journal(fields)


def is_mcp(path: str) -> bool:
    """Tell whether a path is that of the MCP server, or of what OAuth clients are told of it."""
    return path in ("/mcp", "/mcp/") or path.startswith(WELL_KNOWN)
