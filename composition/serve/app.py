"""The gateway as an ASGI application: nothing here knows which server carries it.

A request is judged by its head, read, told whose it is, let in by its turn, and answered in the
words of the dialect that it came in.
"""

import asyncio
import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import msgspec
from returns.result import Failure, Result

from ...adapters.dialect.declaration import header_keys
from ...adapters.dialect.refusal import Refusal
from ...adapters.dialect.wire import Call, Reply, json_reply, text_reply
from ...ports.errors import WebError
from ...ports.keys import KEY_TOOLS, KeyTool
from ..client.web import Web
from ..mcp.http.application import WELL_KNOWN, Application
from ..settings.schema import ServeSettings
from . import native
from .bodies import Receive, Send, read_body
from .callers import Caller, Door
from .desk import Answer, Desk, SendStream
from .figures import Figures
from .heads import (
    Head,
    HostRules,
    is_welcome,
    judge_head,
    public_host,
    public_scheme,
    read_head,
    split_query,
)
from .jobs import Jobs
from .journal import Write
from .limits import Limits
from .openapi import openapi_document
from .performer import Performer, Workplace
from .playground.assets import asset
from .playground.looks import PATHS as LOOKS, look, status
from .replies import Stream, send_reply, send_stream
from .routing import Match, Table, key_in_path
from .webs import Webs

Reading: TypeAlias = Callable[[], Result[Webs, WebError]]

_NATIVE = "native"
_CLOSING = (("connection", "close"),)
_ALLOWED = "authorization, content-type, traceparent, x-api-key, x-request-id, x-subscription-token"
_TOOL_PATHS: dict[str, KeyTool] = {f"/api/{tool}": tool for tool in KEY_TOOLS}


class Talk:
    """One request on its way, and what the log will say of it."""

    def __init__(self, head: Head) -> None:
        """Begin with what came in."""
        self.head = head
        self.id = head.id or os.urandom(8).hex()
        self.started = time.monotonic()
        self.dialect = _NATIVE
        self.route = "other"
        self.caller = ""
        self.failure = ""
        self.status = 0
        self.refuse: Callable[[Refusal], Reply] = native.refuse


class GatewayParts(msgspec.Struct, frozen=True, kw_only=True):
    """What a gateway is made of. ``read`` reads the settings again.

    ``mcp`` answers at ``/mcp``; where it has an OAuth server of its own, it alone says who calls.
    """

    webs: Webs
    door: Door
    table: Table
    rules: HostRules
    limits: Limits
    journal: Write
    read: Reading
    mcp: Application
    mcp_admits: bool = False


class Gateway:
    """The application. ``reload`` and ``drain`` are for whoever hears the signals."""

    def __init__(self, parts: GatewayParts) -> None:
        """Serve with ``parts``."""
        self._parts = parts
        self._webs = parts.webs
        self._desk = Desk(parts.door, parts.limits)
        self._jobs = Jobs()
        self._figures = Figures()
        self._ready = True
        self._retiring: set[asyncio.Task[None]] = set()

    @property
    def settings(self) -> ServeSettings:
        """What the settings said about serving when it began."""
        return self._parts.webs.root.settings.serve

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        """Answer one request, or begin and end with the server."""
        if scope["type"] == "http":
            talk = Talk(read_head(scope))
            if is_mcp(talk.head.path):
                await self._mcp(talk, scope, receive, send)
            else:
                await self._http(talk, receive, send)
        elif scope["type"] == "lifespan":
            await self._live(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003})

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
        self._parts.door.keys.close()
        await send({"type": "lifespan.shutdown.complete"})

    async def _mcp(
        self, talk: Talk, scope: Mapping[str, Any], receive: Receive, send: Send
    ) -> None:
        """Hand a request of MCP on, once it is known to come by our name and with a good key."""
        talk.dialect, talk.route = "mcp", "/mcp"
        head, parts = talk.head, self._parts
        refusal = judge_head(head, parts.rules, parts.limits.body)
        caller: Caller | Refusal | None = None
        if refusal is None and not parts.mcp_admits and head.method != "OPTIONS":
            keys = header_keys(self._call(talk, head.path, b""))
            caller = self._desk.door.admit(keys, local=not head.forwarded)
        if isinstance(caller, Caller):
            talk.caller = caller.name
        refused = refusal or (caller if isinstance(caller, Refusal) else None)
        if refused is not None:
            reply = _closing(native.refuse(refused), talk, refused)
            talk.status = reply.status
            await send_reply(reply, send, (("x-request-id", talk.id),))
        else:
            await parts.mcp(scope, receive, _overheard(talk, send))
        self._write_down(talk)

    async def _http(self, talk: Talk, receive: Receive, send: Send) -> None:
        more = (("x-request-id", talk.id), *self._cross_origin(talk.head))
        if talk.head.trace:
            more = (*more, ("traceparent", talk.head.trace))
            _join_trace(talk.head)

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

    async def _answer(self, talk: Talk, receive: Receive, stream: SendStream) -> Answer:
        parts, head = self._parts, talk.head
        refusal = judge_head(head, parts.rules, parts.limits.body)
        if refusal is not None:
            return _closing(native.refuse(refusal), talk, refusal)
        key, path = key_in_path(head.path)
        fixed = self._fixed(talk, path)
        if fixed is not None:
            return fixed
        body = await read_body(receive, parts.limits.body, parts.limits.body_seconds)
        if isinstance(body, Refusal):
            return _closing(native.refuse(body), talk, body)
        call = self._call(talk, path, body)
        return await self._asked(talk, call, (key,) if key else (), receive, stream)

    async def _asked(
        self,
        talk: Talk,
        call: Call,
        keys: tuple[str, ...],
        receive: Receive,
        stream: SendStream,
    ) -> Answer:
        if call.path == "/metrics":
            return self._metrics(talk, (*keys, *header_keys(call)))
        if call.path in LOOKS:
            return await self._look(talk, call, keys, receive)
        tool = _TOOL_PATHS.get(call.path.rstrip("/"))
        if tool is not None:
            return await self._native(talk, tool, call, keys=keys, receive=receive, stream=stream)
        return await self._dialect(talk, call, keys, receive)

    def _call(self, talk: Talk, path: str, body: bytes) -> Call:
        head, rules = talk.head, self._parts.rules
        now = datetime.now(UTC)
        return Call(
            method=head.method,
            path=path,
            query=split_query(head.search) if head.search else (),
            search=head.search,
            headers=head.headers,
            body=body,
            base=f"{public_scheme(head, rules)}://{public_host(head, rules)}",
            today=now.date(),
            now=int(now.timestamp()),
            id=talk.id,
        )

    def _fixed(self, talk: Talk, path: str) -> Reply | None:
        """Return what needs no caller: whether we live, and what we speak."""
        if talk.head.method == "OPTIONS":
            return Reply(status=204)
        replies: dict[str, Callable[[], Reply]] = {
            "/health": lambda: json_reply({"status": "ok"}),
            "/ready": lambda: json_reply(
                {"status": "ready" if self._ready else "ending"}, 200 if self._ready else 503
            ),
            "/openapi.json": lambda: Reply(body=openapi_document()),
        }
        if talk.head.method not in ("GET", "HEAD"):
            return None
        page = asset(path, talk.head.search)
        if path not in replies and page is None:
            return None
        talk.route = path
        return replies[path]() if page is None else page

    def _metrics(self, talk: Talk, keys: tuple[str, ...]) -> Reply | Refusal:
        talk.route = "/metrics"
        caller = self._desk.door.admit(keys, local=not talk.head.forwarded)
        if isinstance(caller, Refusal):
            return caller
        if caller.record is not None:
            return Refusal(kind="forbidden", message="Figures are for the owner of this gateway.")
        queue = self._desk.queue
        gauges = {"running": queue.busy, "waiting": queue.waiting, "jobs": self._jobs.running}
        return text_reply(self._figures.text(gauges), "text/plain; version=0.0.4; charset=utf-8")

    async def _look(
        self, talk: Talk, call: Call, keys: tuple[str, ...], receive: Receive
    ) -> Answer:
        """Answer what the playground asks."""
        talk.route = call.path
        method = "GET" if call.path == "/api/status" else "POST"
        if call.method != method:
            return _not_allowed(method)
        caller = self._admit(talk, (*keys, *header_keys(call)), "search")
        if isinstance(caller, Refusal):
            return caller
        webs = self._webs
        if method == "GET":
            return status(caller, webs)

        async def work(_web: Web) -> Answer:
            return await look(call, caller, webs, self._figures)

        return await self._desk.serve(caller, webs, work, receive)

    async def _native(  # noqa: PLR0913  one request and its ways out
        self,
        talk: Talk,
        tool: KeyTool,
        call: Call,
        *,
        keys: tuple[str, ...],
        receive: Receive,
        stream: SendStream,
    ) -> Answer:
        talk.route = f"/api/{tool}"
        if call.method != "POST":
            return _not_allowed("POST")
        caller = self._admit(talk, (*keys, *header_keys(call)), tool)
        if isinstance(caller, Refusal):
            return caller

        async def work(web: Web) -> Answer:
            reply = await native.run_tool(tool, call, web, self._figures)
            if isinstance(reply, Stream):
                await stream(reply)
                return None
            return reply

        long = "text/event-stream" in call.header("accept")
        return await self._desk.serve(caller, self._webs, work, receive, long=long)

    async def _dialect(
        self, talk: Talk, call: Call, keys: tuple[str, ...], receive: Receive
    ) -> Answer:
        match = self._match(call)
        if not isinstance(match, Match):
            return match
        dialect, endpoint = match.dialect, match.endpoint
        own = msgspec.structs.replace(
            call, path=match.path, rest=match.rest, base=f"{call.base}{match.prefix}"
        )
        talk.dialect, talk.route = dialect.name, endpoint.path
        talk.refuse = lambda refusal: dialect.refuse(refusal, own)
        caller = self._admit(talk, (*keys, *dialect.keys(own)), endpoint.tool)
        if isinstance(caller, Refusal):
            return caller
        reading = endpoint.read(own)
        if isinstance(reading, Reply | Refusal):
            return reading

        place = Workplace(
            webs=self._webs, jobs=self._jobs, queue=self._desk.queue, figures=self._figures
        )

        async def work(web: Web) -> Answer:
            return await Performer(caller, web, place).perform(reading)

        return await self._desk.serve(caller, self._webs, work, receive, long=endpoint.long)

    def _match(self, call: Call) -> Match | Reply | Refusal:
        """Return the one endpoint that a call is for, or why there is none."""
        matches = self._parts.table.find(call.method, call.path)
        if len(matches) == 1 and matches[0].prefix:
            return matches[0]
        claimed = [match for match in matches if match.endpoint.root and match.endpoint.root(call)]
        if len(claimed) == 1:
            return claimed[0]
        if matches:
            names = ", ".join(f"/{match.dialect.name}{match.path}" for match in matches)
            message = f"Several APIs have this path, and the body fits none or many: {names}."
            return Refusal(kind="invalid", message=message)
        methods = self._parts.table.methods(call.path)
        if methods:
            return _not_allowed(*methods)
        return Refusal(kind="missing", message="There is nothing at this path.")

    def _admit(self, talk: Talk, keys: tuple[str, ...], tool: KeyTool | None) -> Caller | Refusal:
        caller = self._desk.admit(talk.head, keys, tool)
        if isinstance(caller, Caller):
            talk.caller = caller.name
        return caller

    def _cross_origin(self, head: Head) -> tuple[tuple[str, str], ...]:
        """Return what lets the page of a welcome origin read the answer."""
        origin = head.headers.get("origin", "")
        if not origin or not is_welcome(origin, head, self._parts.rules):
            return ()
        return (
            ("access-control-allow-origin", origin),
            ("access-control-allow-headers", _ALLOWED),
            ("access-control-allow-methods", "GET, POST, DELETE"),
            ("vary", "origin"),
        )

    def _write_down(self, talk: Talk) -> None:
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


def _closing(reply: Reply, talk: Talk, refusal: Refusal) -> Reply:
    """End the connection too: what follows on it is not to be trusted, or is still to come."""
    talk.failure = refusal.kind
    # A body that is late is the caller's, not ours (RFC 9110, section 15.5.9).
    status = 408 if refusal.kind == "deadline" else reply.status
    return msgspec.structs.replace(reply, status=status, headers=(*reply.headers, *_CLOSING))


def is_mcp(path: str) -> bool:
    """Tell whether a path is that of the MCP server, or of what OAuth clients are told of it."""
    return path in ("/mcp", "/mcp/") or path.startswith(WELL_KNOWN)


def _overheard(talk: Talk, send: Send) -> Callable[[Mapping[str, Any]], Awaitable[None]]:
    """Return what sends on, and keeps the status for the log."""

    async def sent(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            talk.status = message["status"]
        await send(dict(message))

    return sent


def _not_allowed(*methods: str) -> Reply:
    refusal = Refusal(kind="invalid", message=f"This path takes {', '.join(methods)}.")
    allow = (("allow", ", ".join(methods)),)
    return msgspec.structs.replace(native.refuse(refusal), status=405, headers=allow)


def _join_trace(head: Head) -> None:
    """Have spans of this call belong to the caller's trace, where OpenTelemetry is in use."""
    if "opentelemetry.trace" not in sys.modules:
        return
    from opentelemetry import context, propagate  # noqa: PLC0415  an extra

    context.attach(propagate.extract({"traceparent": head.trace}))
