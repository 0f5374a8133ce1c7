"""What is behind each path: figures, the playground's questions, our own tools, the dialects."""

import asyncio
from collections.abc import Mapping, Sequence
from urllib.parse import unquote

import msgspec

from ....adapters.gateway.gateway_requests import (
    Dialect,
    Endpoint,
    Reading,
    SearchRequest,
    header_keys,
)
from ....adapters.gateway.refusal import Call, Refusal, Reply, refuse_invalid, text_reply
from ....ports.keys import KEY_TOOLS, KeyTool
from ...client.web import Web
from ..admission import Answer, CallAdmission, SendStream
from ..callers import GatewayCaller
from ..http.heads import MAX_QUERY_FIELDS
from ..http.request_talk import READS, Receive, RequestTalk, Stream, refuse_method
from ..metrics import GatewayMetrics, sum_metrics
from ..playground.playground_calls import PATHS as LOOKS, look_at_backend, playground_status
from ..work.board import JobBoard
from ..work.performer import AskPerformer, PerformerDeps
from ..work.shared_clients import SharedClients
from ..workers import WorkerTeam, fetch_from_worker
from . import native_api


class EndpointMatch(msgspec.Struct, frozen=True, kw_only=True):
    """An endpoint that a path leads to; ``rest`` is what its star stands for."""

    dialect: Dialect
    endpoint: Endpoint
    prefix: str
    path: str
    rest: str = ""


class DialectTable:
    """The endpoints of all dialects, by method and path."""

    def __init__(self, dialects: Sequence[Dialect]) -> None:
        """Know the paths of ``dialects``."""
        self.dialects: Mapping[str, Dialect] = {dialect.name: dialect for dialect in dialects}

    def find(self, method: str, path: str) -> list[EndpointMatch]:
        """Return who may be meant: one dialect under its prefix, or those that share a path."""
        first, _, rest = path[1:].partition("/")
        dialect = self.dialects.get(first)
        if dialect is not None:
            return _matches(dialect, f"/{first}", method, f"/{rest}")
        return [
            match
            for each in self.dialects.values()
            for match in _matches(each, "", method, path)
            if match.endpoint.root is not None
        ]

    def methods(self, path: str) -> tuple[str, ...]:
        """Return the methods that a path knows."""
        every = ("GET", "POST", "DELETE", "PUT")
        return tuple(method for method in every if self.find(method, path))


def _matches(dialect: Dialect, prefix: str, method: str, path: str) -> list[EndpointMatch]:
    return [
        EndpointMatch(dialect=dialect, endpoint=endpoint, prefix=prefix, path=path, rest=rest)
        for endpoint in dialect.endpoints
        if endpoint.method == method and (rest := star_value(endpoint.path, path)) is not None
    ][:1]


def star_value(template: str, path: str) -> str | None:
    """Return what stands for the star of a template, None when a path is another.

    A slash at the end makes no difference: to send a caller elsewhere loses its body.

    >>> star_value("/search", "/search/"), star_value("/crawl/*/errors", "/crawl/7/errors")
    ('', '7')
    >>> star_value("/r/**", "/r/http://a/b")
    'http://a/b'
    >>> star_value("/crawl/*", "/crawl/7/errors") is None
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


def key_in_path(path: str) -> tuple[str, str]:
    """Return the key that stands in a path, and the path without it.

    Some clients can send no header, but keep a prefix.

    >>> key_in_path("/k/secret/searxng/search"), key_in_path("/search")
    (('secret', '/searxng/search'), ('', '/search'))
    """
    if not path.startswith("/k/"):
        return "", path
    key, _, rest = path[3:].partition("/")
    return unquote(key), f"/{rest}"


# What is behind each path: figures, the playground's questions, our own tools, the dialects.

_PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"
_TOOL_PATHS: dict[str, KeyTool] = {f"/api/{tool}": tool for tool in KEY_TOOLS}


class Endpoints:
    """Answers calls whose head was judged and whose body was read."""

    def __init__(
        self,
        desk: CallAdmission,
        table: DialectTable,
        jobs: JobBoard,
        figures: GatewayMetrics,
        team: WorkerTeam | None = None,
    ) -> None:
        """Let calls in through ``desk``; ``table`` knows the paths of the dialects."""
        self._team = team
        self._desk = desk
        self._table = table
        self._jobs = jobs
        self._figures = figures

    async def answer(  # noqa: PLR0913  one request, the settings of now, and its ways out
        self,
        talk: RequestTalk,
        call: Call,
        keys: tuple[str, ...],
        *,
        webs: SharedClients,
        receive: Receive,
        stream: SendStream,
    ) -> Answer:
        """Answer a call by its path: figures, the playground's questions, a tool, a dialect."""
        if call.path.rstrip("/") == "/metrics":
            return await self._metrics(talk, (*keys, *header_keys(call)))
        if call.path in LOOKS:
            return await self._look(talk, call, keys, webs, receive)
        tool = _TOOL_PATHS.get(call.path.rstrip("/"))
        if tool is not None:
            return await self._native(
                talk, tool, call, keys=keys, webs=webs, receive=receive, stream=stream
            )
        return await self._dialect(talk, call, keys, webs, receive)

    async def _metrics(self, talk: RequestTalk, keys: tuple[str, ...]) -> Reply | Refusal:
        talk.route = "/metrics"
        if talk.head.method not in READS:
            return refuse_method(*READS)
        team = self._team
        if team is not None and team.passed_on(talk.head):
            # Another worker asks, who has let the caller in.
            return text_reply(self._figures_now(), _PROMETHEUS)
        caller = await self._desk.identify(talk.head, keys)
        if isinstance(caller, Refusal):
            return caller
        if caller.record is not None:
            return Refusal(kind="forbidden", message="Figures are for the owner of this gateway.")
        if team is None:
            return text_reply(self._figures_now(), _PROMETHEUS)
        host = talk.head.headers.get("host", "")
        others = [fetch_from_worker(team, port, "/metrics", host) for port in team.others]
        texts = [each.decode() for each in await asyncio.gather(*others)]
        return text_reply(sum_metrics([self._figures_now(), *texts]), _PROMETHEUS)

    def _figures_now(self) -> str:
        queue = self._desk.queue
        gauges = {
            "running": queue.busy,
            "waiting": queue.waiting,
            "jobs": self._jobs.running,
            "tasks": len(asyncio.all_tasks()),
        }
        return self._figures.text(gauges)

    async def _look(
        self,
        talk: RequestTalk,
        call: Call,
        keys: tuple[str, ...],
        webs: SharedClients,
        receive: Receive,
    ) -> Answer:
        """Answer what the playground asks."""
        talk.route = call.path
        method = "GET" if call.path == "/api/status" else "POST"
        if call.method != method:
            return refuse_method(method)
        caller = await self._admit(talk, (*keys, *header_keys(call)), "search")
        if isinstance(caller, Refusal):
            return caller
        if method == "GET":
            return playground_status(caller, webs)

        async def work(_web: Web) -> Answer:
            return await look_at_backend(call, caller, webs, self._figures)

        return await self._desk.serve(caller, webs, work, receive)

    async def _native(  # noqa: PLR0913  one request and its ways out
        self,
        talk: RequestTalk,
        tool: KeyTool,
        call: Call,
        *,
        keys: tuple[str, ...],
        webs: SharedClients,
        receive: Receive,
        stream: SendStream,
    ) -> Answer:
        talk.route = f"/api/{tool}"
        if call.method != "POST":
            return refuse_method("POST")
        caller = await self._admit(talk, (*keys, *header_keys(call)), tool)
        if isinstance(caller, Refusal):
            return caller

        async def work(web: Web) -> Answer:
            reply = await native_api.run_tool(tool, call, web, self._figures)
            if isinstance(reply, Stream):
                await stream(reply)
                return None
            return reply

        long = "text/event-stream" in call.header("accept")
        return await self._desk.serve(caller, webs, work, receive, long=long)

    async def _dialect(
        self,
        talk: RequestTalk,
        call: Call,
        keys: tuple[str, ...],
        webs: SharedClients,
        receive: Receive,
    ) -> Answer:
        match = self._match(call)
        if not isinstance(match, EndpointMatch):
            return match
        dialect, endpoint = match.dialect, match.endpoint
        own = msgspec.structs.replace(
            call, path=match.path, rest=match.rest, base=f"{call.base}{match.prefix}"
        )
        talk.dialect, talk.route = dialect.name, endpoint.path
        talk.refuse = lambda refusal: dialect.refuse(refusal, own)
        caller = await self._admit(talk, (*keys, *dialect.keys(own)), endpoint.tool)
        if isinstance(caller, Refusal):
            return caller
        reading = _read(endpoint, own)
        if isinstance(reading, Reply | Refusal):
            return reading
        # Rows that come with the text of their pages are pages, whatever the path is called.
        wants_pages = isinstance(reading, SearchRequest) and reading.pages is not None
        refusal = caller.refusal("extract") if wants_pages else None
        if refusal is not None:
            return refusal

        place = PerformerDeps(
            webs=webs, jobs=self._jobs, queue=self._desk.queue, figures=self._figures
        )

        async def work(web: Web) -> Answer:
            return await AskPerformer(caller, web, place).perform(reading)

        return await self._desk.serve(caller, webs, work, receive, long=endpoint.long)

    def _match(self, call: Call) -> EndpointMatch | Reply | Refusal:
        """Return the one endpoint that a call is for, or why there is none."""
        matches = self._table.find(call.method, call.path)
        if len(matches) == 1 and matches[0].prefix:
            return matches[0]
        claimed = [match for match in matches if match.endpoint.root and match.endpoint.root(call)]
        if len(claimed) == 1:
            return claimed[0]
        if matches:
            names = ", ".join(f"/{match.dialect.name}{match.path}" for match in matches)
            message = f"Several APIs have this path, and the body fits none or many: {names}."
            return Refusal(kind="invalid", message=message)
        methods = self._table.methods(call.path)
        if methods:
            return refuse_method(*methods)
        return Refusal(kind="missing", message="There is nothing at this path.")

    async def _admit(
        self, talk: RequestTalk, keys: tuple[str, ...], tool: KeyTool | None
    ) -> GatewayCaller | Refusal:
        caller = await self._desk.admit(talk.head, keys, tool)
        if isinstance(caller, GatewayCaller):
            talk.caller = caller.name
        return caller


def _read(endpoint: Endpoint, call: Call) -> Reading:
    """Return what a call asks for; of a query that cannot be taken apart nothing is guessed."""
    if call.unread and not endpoint.bare:
        return refuse_invalid(
            f"The query is not UTF-8, or has more than {MAX_QUERY_FIELDS} fields."
        )
    return endpoint.read(call)
