"""The gateway as an ASGI application, independent of the server that runs it.

Each request passes these steps: head check, caller, body, queue, answer in its own dialect.
"""

import asyncio
import time
from codecs import BOM_UTF8
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, TypeAlias

import msgspec
from returns.result import Failure, Result

from webseam.adapters.features.gateway.asks import header_keys
from webseam.adapters.features.gateway.replies import Call, Refusal, Reply, json_reply
from webseam.adapters.pages.fetch.user_headers import DIRECTORY_PATH, DIRECTORY_TYPE, PageSigner
from webseam.adapters.pages.workers.pool import close_shared_workers
from webseam.ports.errors import WebError
from webseam.ports.jobs import JobStore

from ...settings.entries import Entries
from ...wiring.backend_rows import Root
from ...wiring.store_setup import KeyRates, store_states
from . import asgi_replies as talks, request_heads as heads
from .admission import Answer, CallAdmission, SendStream, ServeLimits
from .callers import CallerIdentifier, GatewayCaller
from .docs_page import docs_page_reply
from .endpoints import DialectTable, EndpointCall, Endpoints, key_in_gateway_path
from .gateway_settings import explain_unusable
from .job_board import JobBoard
from .journal import Write
from .loop_watch import watch_loop
from .mcp.application import CARD_PATH, RESOURCE_METADATA_PATH, Application
from .metrics import GatewayMetrics
from .openapi import openapi_document
from .playground.playground_calls import playground_asset
from .reloadable_clients import ReloadableClients
from .running_jobs import RunningJobs
from .settings import ServeSettings
from .shared_clients import SharedClients
from .worker_channel import TeamBoard, WorkerChannel
from .workers import PEER_HEADER, WorkerTeam, forward_request

ReadClients: TypeAlias = Callable[[], Result[Root, WebError]]

_ALLOWED_HEADERS = (
    "authorization, content-type, traceparent, x-api-key, x-request-id, x-subscription-token, "
    f"{heads.SESSION_HEADER}"
)


class GatewayDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators of a gateway. ``read`` reads the settings again, where no supervisor does.

    ``mcp`` answers at ``/mcp`` and checks callers itself if ``mcp_admits``. ``team`` lists the
    workers, if there are several, and ``board`` tells which of them listen; ``jobs`` is the job
    store that several gateways share.
    """

    webs: SharedClients
    door: CallerIdentifier
    table: DialectTable
    rules: heads.HostRules
    limits: ServeLimits
    rates: KeyRates
    journal: Write
    read: ReadClients
    mcp: Application
    mcp_admits: bool = False
    jobs: JobStore | None = None
    team: WorkerTeam | None = None
    board: TeamBoard | None = None


class Gateway:
    """The application. Signal handlers call ``request_reload`` and ``drain``."""

    def __init__(self, parts: GatewayDeps) -> None:
        self._parts = parts
        self._clients = ReloadableClients(parts.webs, parts.mcp)
        self._admission = CallAdmission(parts.door, parts.rules, parts.limits, parts.rates)
        self._jobs = JobBoard(RunningJobs(), parts.jobs)
        self._metrics = GatewayMetrics()
        admission, jobs, metrics = self._admission, self._jobs, self._metrics
        self._endpoints = Endpoints(admission, parts.table, jobs, metrics, parts.team)
        self._ready = True
        self._must_reload = False
        self._reloading: asyncio.Task[None] | None = None

    @property
    def settings(self) -> ServeSettings:
        """The serve settings at the start."""
        return self._parts.webs.root.settings.of(ServeSettings)

    @property
    def entries(self) -> Entries:
        """The origin of each setting."""
        return self._parts.webs.root.settings.entries

    async def __call__(
        self, scope: Mapping[str, Any], receive: talks.Receive, send: talks.Send
    ) -> None:
        """Answer one request, or run the lifespan."""
        if scope["type"] == "http":
            scope = heads.strip_path_prefix(scope, self._parts.rules.prefix)
            talk = talks.RequestTalk(self._read_head(scope))
            port = self._forwarding_port(talk.head)
            if port is not None and self._parts.team is not None:
                await forward_request(self._parts.team, port, scope, receive, send)
            elif is_mcp_path(talk.head.path):
                await self._serve_mcp(talk, scope, receive, send)
            else:
                await self._serve_http(talk, receive, send)
        elif scope["type"] == "lifespan":
            await self._run_lifespan(receive, send)
        else:
            await send({"type": "websocket.close", "code": 1003})

    def _read_head(self, scope: Mapping[str, Any]) -> heads.RequestHead:
        """Return the head of a request; a forwarded one keeps the peer of its caller."""
        head, team = heads.read_gateway_head(scope), self._parts.team
        if team is None or not team.is_from_worker(head):
            return head
        return msgspec.structs.replace(head, peer=head.headers.get(PEER_HEADER, head.peer))

    def _forwarding_port(self, head: heads.RequestHead) -> int | None:
        parts = self._parts
        port = None if parts.team is None else parts.team.worker_port(head)
        if port is None or heads.judge_gateway_head(head, parts.rules, parts.limits.body):
            return None
        return port

    def drain(self) -> None:
        """Report from now on that the gateway is not ready."""
        self._ready = False

    async def explain_unusable(self) -> WebError | None:
        """Return why no call can be served with the settings of the start; None if it can."""
        return await explain_unusable(self._webs, None)

    def request_reload(self) -> None:
        """Read the settings again, or once more if a reload is under way."""
        self._must_reload = True
        if self._reloading is None or self._reloading.done():
            self._reloading = asyncio.get_running_loop().create_task(self._reload_while_asked())

    async def reload(self) -> None:
        """Read the settings again for new calls; keep the old ones if those cannot serve."""
        refused: WebError | None
        if isinstance(root := self._parts.read(), Failure):
            refused = root.failure()
        else:
            refused = await self._clients.prepare_root(root.unwrap())
        if refused is not None:
            message = refused.message
            self._parts.journal({"level": "error", "event": "reload refused", "message": message})
            return
        self._clients.take()
        self._parts.journal({"level": "info", "event": "reloaded"})

    def obey(self, channel: WorkerChannel) -> None:
        """Take the settings that a supervisor brings."""
        channel.begin_to_obey(self._clients)

    async def _reload_while_asked(self) -> None:
        while self._must_reload:
            self._must_reload = False
            await self.reload()

    @property
    def _webs(self) -> SharedClients:
        return self._clients.current

    async def _run_lifespan(self, receive: talks.Receive, send: talks.Send) -> None:
        await receive()
        watch = asyncio.create_task(watch_loop(self._metrics.count_stall))
        await send({"type": "lifespan.startup.complete"})
        await receive()
        watch.cancel()
        self._ready = False
        await self._jobs.aclose()
        await self._parts.mcp.aclose()
        if self._reloading is not None:
            self._reloading.cancel()
        await self._clients.aclose()
        await asyncio.to_thread(close_shared_workers)
        await asyncio.to_thread(self._parts.door.keys.store.close)
        await self._admission.rates.aclose()
        await send({"type": "lifespan.shutdown.complete"})

    async def _serve_mcp(
        self,
        talk: talks.RequestTalk,
        scope: Mapping[str, Any],
        receive: talks.Receive,
        send: talks.Send,
    ) -> None:
        """Pass a request to the MCP server after checking its head and its key."""
        talk.dialect, talk.route = "mcp", "/mcp"
        if talk.head.trace:
            talks.join_caller_trace(talk.head)
        head, parts = talk.head, self._parts
        refusal = heads.judge_gateway_head(head, parts.rules, parts.limits.body)
        caller: GatewayCaller | Refusal | None = None
        is_open = parts.mcp_admits or head.method == "OPTIONS" or head.path == CARD_PATH
        if refusal is None and not is_open:
            keys = header_keys(self._make_call(talk, head.path))
            caller = await self._admission.identify(head, keys)
        if isinstance(caller, GatewayCaller):
            talk.caller = caller.name
        refused = refusal or (caller if isinstance(caller, Refusal) else None)
        if refused is not None:
            reply = talks.add_close_header(talks.refusal_envelope(refused), talk, refused)
            talk.status = reply.status
            await talks.send_gateway_reply(reply, send, (("x-request-id", talk.id),))
        else:
            await parts.mcp(scope, receive, talks.make_status_recorder(talk, send))
        self._record_request(talk)

    async def _serve_http(
        self, talk: talks.RequestTalk, receive: talks.Receive, send: talks.Send
    ) -> None:
        extra_headers = (("x-request-id", talk.id), *self._cors_headers(talk.head))
        if talk.head.trace:
            extra_headers = (*extra_headers, ("traceparent", talk.head.trace))
            talks.join_caller_trace(talk.head)

        async def stream(pieces: talks.Stream) -> None:
            talk.status = pieces.status
            await talks.send_gateway_stream(pieces, send, extra_headers)

        if isinstance(answer := await self._answer_http(talk, receive, stream), Refusal):
            talk.failure = answer.kind if answer.error is None else answer.error.kind
            answer = talk.refuse(answer)
        if answer is not None:
            talk.status = answer.status
            await talks.send_gateway_reply(
                answer,
                send,
                (*extra_headers, *talk.provenance, *talks.ignored_headers(talk.ignored)),
            )
        self._record_request(talk)

    async def _answer_http(
        self, talk: talks.RequestTalk, receive: talks.Receive, stream: SendStream
    ) -> Answer:
        parts, head = self._parts, talk.head
        key, path = key_in_gateway_path(head.path)
        call, dialect = self._make_call(talk, path), parts.table.prefix_dialect(path)
        if dialect is not None:
            talk.dialect, talk.refuse = dialect.name, lambda refusal: dialect.refuse(refusal, call)
        if (refusal := heads.judge_gateway_head(head, parts.rules, parts.limits.body)) is not None:
            return talks.add_close_header(talk.refuse(refusal), talk, refusal)
        if (fixed := self._fixed_reply(talk, path)) is not None:
            return fixed
        keys = (*((key,) if key else ()), *header_keys(call))
        caller = await self._admission.identify(head, keys)
        body = await talks.read_gateway_body(receive, parts.limits.body, parts.limits.body_seconds)
        if isinstance(body, Refusal):
            return talks.add_close_header(talk.refuse(body), talk, body)
        # A key may also stand in the body: until it is read, the caller is an address.
        address = self._admission.caller_address(head)
        owner = address if isinstance(caller, Refusal) else caller.id
        # Some programs send a byte order mark; RFC 8259, section 8.1, lets us ignore it.
        body = body.removeprefix(BOM_UTF8)
        refused = await self._admission.bodies.enter(owner, body)
        request = EndpointCall(
            talk=talk,
            call=msgspec.structs.replace(call, body=b"" if refused else body),
            keys=keys,
            caller=caller,
            refused=refused,
            webs=self._webs,
            receive=receive,
            stream=stream,
        )
        return await self._endpoints.answer(request)

    def _make_call(self, talk: talks.RequestTalk, path: str) -> Call:
        head, rules = talk.head, self._parts.rules
        now = datetime.now(UTC)
        query = heads.split_gateway_query(head.search) if head.search else ()
        return Call(
            method=head.method,
            path=path,
            query=query or (),
            unread=query is None,
            search=head.search,
            headers=head.headers,
            base=heads.gateway_caller_base(head, rules),
            today=now.date(),
            now=int(now.timestamp()),
            id=talk.id,
        )

    def _fixed_reply(self, talk: talks.RequestTalk, path: str) -> Reply | None:
        """Return a reply that needs no caller, such as /health; None for other paths."""
        if talk.head.method == "OPTIONS":
            return Reply(status=204)
        prefix = heads.gateway_caller_prefix(talk.head, self._parts.rules)
        replies: dict[str, Callable[[], Reply]] = {
            "/health": lambda: json_reply({"status": "ok"}),
            "/ready": self._readiness_reply,
            "/openapi.json": lambda: Reply(body=openapi_document(prefix)),
            "/docs": docs_page_reply,
        }
        if (signer := self._webs.signer) is not None:
            replies[DIRECTORY_PATH] = lambda: _key_directory_reply(signer)
        name = path.rstrip("/")
        if talk.head.method not in talks.READ_METHODS:
            return talks.refuse_http_method(*talks.READ_METHODS) if name in replies else None
        page = playground_asset(path, talk.head.search)
        if name not in replies and page is None:
            return None
        talk.route = path if page is not None else name
        return replies[name]() if page is None else page

    def _readiness_reply(self) -> Reply:
        """Report whether calls are taken, how often the loop stalled, and the shared stores.

        Any worker may get this question, so all give the answer of the team. Until each worker has
        listened once, none is asked to take calls: whoever starts the gateway learns that it holds.
        Later a worker that is missing is no reason to send callers away from the others.
        """
        team = None if self._parts.board is None else self._parts.board.state()
        status = "ready"
        if not self._ready:
            status = "ending"
        elif team is not None and not team.is_complete:
            status = "starting"
        body: dict[str, object] = {"status": status, "loop_stalls": self._metrics.loop_stalls}
        if team is not None:
            body |= {"workers": team.workers, "missing": team.missing}
        if states := store_states(self._webs.root.settings.stores):
            body["stores"] = states
        return json_reply(body, 200 if status == "ready" else 503)

    def _cors_headers(self, head: heads.RequestHead) -> tuple[tuple[str, str], ...]:
        origin = head.headers.get("origin", "")
        if not origin or not heads.is_allowed_origin(origin, head, self._parts.rules):
            return ()
        return (
            ("access-control-allow-origin", origin),
            ("access-control-allow-headers", _ALLOWED_HEADERS),
            ("access-control-allow-methods", "GET, POST, DELETE"),
            ("vary", "origin"),
        )

    def _record_request(self, talk: talks.RequestTalk) -> None:
        seconds = time.monotonic() - talk.started
        if talk.failure:
            self._metrics.count_failure(talk.failure)
        self._metrics.count_request(talk.dialect, talk.route, talk.status, seconds, talk.caller)
        fields: dict[str, object] = {
            "level": "info", "id": talk.id, "method": talk.head.method, "dialect": talk.dialect,
            "route": talk.route, "caller": talk.caller, "status": talk.status,
            "ms": round(seconds * 1000, 1),
        }  # fmt: skip
        if talk.failure:
            fields["failure"] = talk.failure
        if talk.head.trace:
            fields["trace"] = talk.head.trace.split("-")[1]
        self._parts.journal(fields)


def is_mcp_path(path: str) -> bool:
    """Tell whether a path belongs to the MCP server or to its OAuth metadata."""
    return path in ("/mcp", "/mcp/", CARD_PATH) or path.startswith(RESOURCE_METADATA_PATH)


def _key_directory_reply(signer: PageSigner) -> Reply:
    body, headers = signer.sign_key_directory(time.time())
    return Reply(body=body, media_type=DIRECTORY_TYPE, headers=headers)
