"""Answer calls by path: metrics, the playground, the native tools, the dialects."""

import asyncio
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import msgspec

from webseam.adapters.features.gateway import asks
from webseam.adapters.features.gateway.replies import (
    Call,
    Refusal,
    Reply,
    refuse_invalid,
    text_reply,
)
from webseam.adapters.features.gateway.request_parsing import name_refused_value, unread_fields
from webseam.ports.keys import KEY_TOOLS, KeyTool

from ...doors.client.web import Web
from ...session import use_session_memory
from ...wiring.backend_rows import Root
from ...wiring.target_health import read_target_health
from . import native_api
from .admission import Answer, CallAdmission, SendStream
from .asgi_replies import (
    READ_METHODS,
    Receive,
    RequestTalk,
    Stream,
    ignored_headers,
    refuse_http_method,
)
from .callers import LOCAL_CALLER, GatewayCaller
from .job_board import JobBoard
from .metrics import GatewayMetrics, backend_health_metrics, sum_metrics
from .model_conversations import WebToolReply, answer_conversation, conversation_memory
from .playground.playground_calls import CALL_PATHS as LOOKS, playground_status, search_one_backend
from .request_heads import MAX_QUERY_FIELDS
from .request_performer import PerformerDeps, RequestPerformer
from .shared_clients import SharedClients
from .workers import WorkerTeam, fetch_from_worker

_PROMETHEUS_MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


class EndpointMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint that matches a path; ``rest`` is the text that its star matches."""

    dialect: asks.Dialect
    endpoint: asks.Endpoint
    prefix: str
    path: str
    rest: str = ""


class DialectTable:
    """The endpoints of all dialects, by method and path."""

    def __init__(self, dialects: Sequence[asks.Dialect]) -> None:
        self.dialects: Mapping[str, asks.Dialect] = {dialect.name: dialect for dialect in dialects}

    def find_matches(self, method: str, path: str) -> list[EndpointMatch]:
        """Return the endpoint of the dialect in the prefix, or all endpoints that share a path."""
        if (dialect := self.prefix_dialect(path)) is not None:
            rest = path[1:].partition("/")[2]
            return _match_dialect(dialect, f"/{dialect.name}", method, f"/{rest}")
        return [
            match
            for candidate in self.dialects.values()
            for match in _match_dialect(candidate, "", method, path)
            if match.endpoint.root is not None
        ]

    def prefix_dialect(self, path: str) -> asks.Dialect | None:
        """Return the dialect whose prefix a path has."""
        return self.dialects.get(path[1:].partition("/")[0])

    def accepted_methods(self, path: str) -> tuple[str, ...]:
        """Return the methods that a path accepts."""
        methods = ("GET", "POST", "DELETE", "PUT")
        return tuple(method for method in methods if self.find_matches(method, path))


def _match_dialect(
    dialect: asks.Dialect, prefix: str, method: str, path: str
) -> list[EndpointMatch]:
    return [
        EndpointMatch(dialect=dialect, endpoint=endpoint, prefix=prefix, path=path, rest=rest)
        for endpoint in dialect.endpoints
        if endpoint.method == method and (rest := match_path(endpoint.path, path)) is not None
    ][:1]


def match_path(template: str, path: str) -> str | None:
    """Return the text that the star of a template matches; None if the path does not match.

    A final slash is ignored: a redirect would lose the body.

    >>> match_path("/search", "/search/"), match_path("/crawl/*/errors", "/crawl/7/errors")
    ('', '7')
    >>> match_path("/r/**", "/r/http://a/b")
    'http://a/b'
    >>> match_path("/crawl/*", "/crawl/7/errors") is None
    True
    """
    before, star, after = template.partition("*")
    if not star:
        return "" if path.rstrip("/") == template.rstrip("/") else None
    if after == "*":
        return path.removeprefix(before) if path.startswith(before) else None
    trimmed = path.rstrip("/")
    if not trimmed.startswith(before) or not trimmed.endswith(after):
        return None
    middle = trimmed[len(before) : len(trimmed) - len(after)]
    return unquote(middle) if middle and "/" not in middle else None


def key_in_gateway_path(path: str) -> tuple[str, str]:
    """Return the key in a path, and the path without it.

    Some clients cannot send a header, but keep a path prefix.

    >>> key_in_gateway_path("/k/secret/searxng/search"), key_in_gateway_path("/search")
    (('secret', '/searxng/search'), ('', '/search'))
    """
    if not path.startswith("/k/"):
        return "", path
    key, _, rest = path[3:].partition("/")
    return unquote(key), f"/{rest}"


_TOOLS_BY_PATH: dict[str, KeyTool] = {f"/api/{tool}": tool for tool in KEY_TOOLS}


class EndpointCall(msgspec.Struct, frozen=True, kw_only=True):
    """One request, and what answers it; ``keys`` are those in its path and head.

    ``caller`` is who these keys name. ``refused`` is why the body was not read.
    """

    talk: RequestTalk
    call: Call
    keys: tuple[str, ...]
    caller: GatewayCaller | Refusal
    refused: Refusal | None
    webs: SharedClients
    receive: Receive
    stream: SendStream


class Endpoints:
    """Answers calls after the head check."""

    def __init__(
        self,
        desk: CallAdmission,
        table: DialectTable,
        jobs: JobBoard,
        figures: GatewayMetrics,
        team: WorkerTeam | None = None,
    ) -> None:
        self._team, self._admission, self._table, self._jobs = team, desk, table, jobs
        self._metrics = figures

    async def answer(self, request: EndpointCall) -> Answer:
        """Answer a call by its path: metrics, the playground, a tool, or a dialect."""
        call = request.call
        if call.path.rstrip("/") == "/metrics":
            return await self._answer_metrics(request)
        if call.path in LOOKS:
            return await self._answer_playground(request)
        if (tool := _TOOLS_BY_PATH.get(call.path.rstrip("/"))) is not None:
            return await self._answer_native_tool(request, tool)
        return await self._answer_dialect_call(request)

    async def _answer_metrics(self, request: EndpointCall) -> Reply | Refusal:
        talk, caller, root = request.talk, request.caller, request.webs.root
        talk.route = "/metrics"
        if talk.head.method not in READ_METHODS:
            return refuse_http_method(*READ_METHODS)
        if (team := self._team) is not None and team.is_from_worker(talk.head):
            # The worker that forwards this has admitted the caller.
            return text_reply(self._metrics_text(), _PROMETHEUS_MEDIA_TYPE)
        if isinstance(caller, Refusal):
            return caller
        if caller.record is not None:
            return Refusal(kind="forbidden", message="Figures are for the owner of this gateway.")
        host = talk.head.headers.get("host", "")
        ports = () if team is None else team.others
        fetch = fetch_from_worker
        fetches = [fetch(team, port, "/metrics", host) for port in ports if team]
        texts = [text.decode() for text in await asyncio.gather(*fetches)]
        # All workers share the ledger, so one of them reports the backends.
        targets = await asyncio.to_thread(read_target_health, root.settings.stores, root.files)
        states = ((target.backend, target.task, not target.reason) for target in targets)
        summed = sum_metrics([self._metrics_text(), *texts])
        return text_reply(summed + backend_health_metrics(states), _PROMETHEUS_MEDIA_TYPE)

    def _metrics_text(self) -> str:
        queue = self._admission.queue
        gauges = {
            "running": queue.busy,
            "waiting": queue.waiting,
            "jobs": self._jobs.running,
            "tasks": len(asyncio.all_tasks()),
        }
        return self._metrics.metrics_text(gauges)

    async def _answer_playground(self, request: EndpointCall) -> Answer:
        call, webs = request.call, request.webs
        request.talk.route = call.path
        method = "GET" if call.path == "/api/status" else "POST"
        if call.method != method:
            return refuse_http_method(method)
        if isinstance(caller := await self._admit_caller(request, (), "search"), Refusal):
            return caller
        if method == "GET":
            return playground_status(caller, webs)

        async def work(_web: Web) -> Answer:
            figures = self._metrics.for_key(caller.key_name)
            return await search_one_backend(call, caller, webs, figures)

        return await self._admission.serve(caller, webs, work, request.receive)

    async def _answer_native_tool(self, request: EndpointCall, tool: KeyTool) -> Answer:
        call = request.call
        request.talk.route = f"/api/{tool}"
        if call.method != "POST":
            return refuse_http_method("POST")
        if isinstance(caller := await self._admit_caller(request, (), tool), Refusal):
            return caller

        async def work(web: Web) -> Answer:
            figures = self._metrics.for_key(caller.key_name)
            reply = await native_api.run_native_tool(tool, call, web, figures)
            if isinstance(reply, Stream):
                await request.stream(reply)
                return None
            return reply

        is_long = native_api.wants_native_events(tool, call)
        webs, receive = request.webs, request.receive
        return await self._admission.serve(caller, webs, work, receive, long=is_long)

    async def _answer_dialect_call(self, request: EndpointCall) -> Answer:
        call, talk, webs = request.call, request.talk, request.webs
        if not isinstance(match := self._match_endpoint(call, talk), EndpointMatch):
            return request.refused or match
        dialect, endpoint = match.dialect, match.endpoint
        dialect_call = msgspec.structs.replace(
            call, path=match.path, rest=match.rest, base=f"{call.base}{match.prefix}"
        )
        talk.dialect, talk.route = dialect.name, endpoint.path
        talk.refuse = lambda refusal: dialect.refuse(refusal, dialect_call)
        # All that parses the body comes before the first await: it has its turn until then.
        keys = dialect.keys(dialect_call)
        reading, idle = _read_request(endpoint, dialect_call)
        caller = await self._admit_caller(request, keys, endpoint.tool)
        if isinstance(caller, Refusal):
            return caller
        talk.ignored = idle
        if isinstance(permitted := _check_rights(reading, caller), Reply | Refusal):
            return permitted
        deps = PerformerDeps(
            webs=webs,
            jobs=self._jobs,
            queue=self._admission.queue,
            figures=self._metrics.for_key(caller.key_name),
        )

        async def work(web: Web) -> Answer:
            performer = RequestPerformer(caller, web, deps)
            written = await _perform_reading(permitted, performer, webs.key_root(caller.record))
            talk.ignored = (*idle, *(dialect.names.get(name, name) for name in performer.unused))
            talk.provenance = performer.provenance_headers
            if isinstance(written, Stream):
                headers = ignored_headers(talk.ignored)
                await request.stream(msgspec.structs.replace(written, headers=headers))
                return None
            return written.rename_fields(dialect.names) if isinstance(written, Refusal) else written

        return await self._admission.serve(caller, webs, work, request.receive, long=endpoint.long)

    def _match_endpoint(self, call: Call, talk: RequestTalk) -> EndpointMatch | Reply | Refusal:
        matches = self._table.find_matches(call.method, call.path)
        if len(matches) == 1 and matches[0].prefix:
            return matches[0]
        claims = [match for match in matches if match.endpoint.root and match.endpoint.root(call)]
        if len(claims) == 1:
            return claims[0]
        if matches:
            names = ", ".join(f"/{match.dialect.name}{match.path}" for match in matches)
            message = f"Several APIs have this path, and the body fits none or many: {names}."
            return Refusal(kind="invalid", message=message)
        if methods := self._table.accepted_methods(call.path):
            return refuse_http_method(*methods, refuse=talk.refuse)
        return Refusal(kind="missing", message="There is nothing at this path.")

    async def _admit_caller(
        self, request: EndpointCall, keys: Sequence[str], tool: KeyTool | None
    ) -> GatewayCaller | Refusal:
        talk, caller = request.talk, request.caller
        more = [key for key in keys if key not in request.keys]
        if more and (isinstance(caller, Refusal) or caller is LOCAL_CALLER):
            caller = await self._admission.identify(talk.head, more)
        if isinstance(caller, Refusal):
            return caller
        talk.caller = caller.name
        refused = await self._admission.admit(caller, tool) or request.refused
        return refused or self._admission.join_session(caller, talk.head)


async def _perform_reading(
    reading: asks.GatewayRequest | asks.ConversationRequest, performer: RequestPerformer, root: Root
) -> Reply | Refusal | Stream:
    if not isinstance(reading, asks.ConversationRequest):
        return await performer.perform(reading)
    performer.unused += reading.unread
    memory = conversation_memory(reading.chat.messages, reading.found)

    async def run(request: asks.SearchRequest | asks.PagesRequest) -> WebToolReply:
        with use_session_memory(memory):
            return await performer.run_web_tool(request)

    return await answer_conversation(reading, run, root, performer.unused)


def _check_rights(reading: asks.Reading, caller: GatewayCaller) -> asks.Reading:
    """Return what a call asks for, or a refusal if its key lacks a further right for it."""
    rights: tuple[KeyTool, ...] = ()
    if isinstance(reading, asks.ConversationRequest):
        rights = reading.rights
    elif isinstance(reading, asks.PagesRequest) or getattr(reading, "pages", None) is not None:
        # A search with page texts, or one that follows on a page, also needs the right to extract.
        rights = ("extract",)
    return next(filter(None, map(caller.explain_refusal, rights)), None) or reading


def _read_request(endpoint: asks.Endpoint, call: Call) -> tuple[asks.Reading, tuple[str, ...]]:
    """Return the request in a call, or a refusal; and the names of its idle fields."""
    if call.unread and not endpoint.bare:
        message = f"The query is not UTF-8, or has more than {MAX_QUERY_FIELDS} fields."
        return refuse_invalid(message), ()
    reading = endpoint.read(call)
    if endpoint.bare:
        return reading, ()
    idle, unknown = unread_fields(call, endpoint)
    if unknown is not None and not isinstance(reading, Refusal):
        reading = unknown
    return name_refused_value(reading, call) if isinstance(reading, Refusal) else reading, idle
