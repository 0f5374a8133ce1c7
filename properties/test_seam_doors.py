"""The seam at every door: what a backend sent is found again, is named, or stands in a table.

A search in which every key of a row and of the receipt says something goes through each door, with
a plugin that changes one title and with none. ``LEFT_OUT`` says what a door leaves out and why.
"""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import msgspec
import pytest
from returns.result import Success

import webseam
from properties.dialect_calls import PLAYED, find_endpoint, make_call, sample_fields
from properties.sample_replies import replies_of
from properties.seam_world import DOCUMENT, QUERY, URL, USAGE, World, row
from tests.answering import Asked, Reply, answering
from tests.services.pick import SERVICES
from webseam import json_backend
from webseam.adapters.features.gateway.asks import SearchRequest
from webseam.adapters.services.calls import Access
from webseam.adapters.services.declaration import Service
from webseam.adapters.services.json_api.block import read_json_search
from webseam.adapters.services.json_api.encoding import json_search_service
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.composition.doors.client.web import Web
from webseam.composition.doors.hermes.provider import hermes_page_entry, hermes_search_reply
from webseam.composition.features.bulk.bulk_searches import _make_search_row
from webseam.composition.features.testing.door_law import (
    lost_from_text,
    lost_from_tool,
    lost_page_from_tool,
    without_fences,
)
from webseam.composition.terminal.search_output import Format, print_search
from webseam.composition.tools.stages import CallOutcome
from webseam.composition.wiring.service_backends import bundled_service_names, service_deps
from webseam.kernel.features.bulk.url_lists import ListEntry
from webseam.ports import WebBackend
from webseam.ports.receipts import TraceEntry, Usage
from webseam.ports.secrets import Secret
from webseam.ports.web import QueryFields, SearchOutcome
from webseam.testing import FakeBackend

# What the receipt of that search says, apart from times; a door that loses one of these is found.
RECEIPT: dict[str, object] = {
    "backend": "sentinel-backend", "query": "sentinel query", "asked_max_results": 9,
    "max_results": 3, "clamped": True,
    "filters": ("exclude_domains", "published_after", "country", "language"),
    "sent": ("exclude_domains", "country"), "emulated": (),
    "verified": ("exclude_domains",), "refused": ("published_after", "language"),
    "returned": 7, "rejected": 1, "trimmed": 1, "filtered": 1, "undated": 0, "blocked": 1,
    "cached": True, "age": 4321.0,
    "warnings": ("sentinel warning", "`Score` is not read; the seam's name is `score`"),
    "usage": USAGE, "unread": ("engine", "Score", "sentinel_key"),
    "new_share": 1.0, "no_progress": False,
}  # fmt: skip
HTTP_OK = 200
NOTE = TraceEntry(source="editor", name="tool_execution", reason="changed data.web[].title")


@pytest.fixture(params=[False, True], ids=["bare", "plugin"])
def world(request: pytest.FixtureRequest, tmp_path: Path) -> World:
    return World(tmp_path, has_plugin=request.param)


def assert_whole(outcome: SearchOutcome, *, has_plugin: bool) -> None:
    """Assert that a typed result has every sentinel; nothing here comes from the result."""
    title = "edited sentinel" if has_plugin else "sentinel title one"
    names = ("title", "url", "snippet", "published_at", "score", "origin", "source")
    source = "sentinel-backend"
    assert [tuple(getattr(it, name) for name in names) for it in outcome.rows] == [
        (
            title,
            "https://one.example/",
            "sentinel snippet one",
            "2026-01-31",
            0.123,
            "model",
            source,
        ),
        (
            "sentinel title undated",
            "https://undated.example/",
            "sentinel snippet undated",
            None,
            0.12,
            "index",
            source,
        ),
        (
            "sentinel title three",
            "https://three.example/",
            "sentinel snippet three",
            None,
            None,
            "index",
            source,
        ),
    ]
    assert str(outcome.answer) == "sentinel answer"
    assert [(bad.index, bad.field) for bad in outcome.rejected] == [(4, "url")]
    receipt = msgspec.structs.asdict(outcome.receipt)
    assert {name: receipt[name] for name in RECEIPT} == RECEIPT
    assert outcome.receipt.middleware == ((NOTE,) if has_plugin else ())
    assert outcome.receipt.fetched_at


def test_the_async_client_has_every_sentinel(world: World) -> None:
    assert_whole(world.search(), has_plugin=world.has_plugin)


def test_the_blocking_client_has_every_sentinel(world: World) -> None:
    parts = msgspec.structs.asdict(world.parts)
    options = {name: parts[name] for name in ("settings", "environment", "backend", "policy")}

    with webseam.open_blocking(**options, rows="quarantine", filters="best-effort") as web:
        outcome = web.search(QUERY)

    assert_whole(outcome, has_plugin=world.has_plugin)


def test_the_json_of_a_tool_has_every_sentinel(world: World) -> None:
    envelope = world.call()

    envelope["receipt"]["fetched_at"] = (outcome := world.search()).receipt.fetched_at
    assert lost_from_tool(outcome, envelope) == ()


def test_an_mcp_result_has_every_sentinel_in_its_data_and_the_rows_in_its_text(
    world: World,
) -> None:
    result, outcome = world.mcp(), world.search()

    data = without_fences(result["structuredContent"])
    data["receipt"]["fetched_at"] = outcome.receipt.fetched_at
    assert lost_from_tool(outcome, data) == ()
    text = without_fences(result["content"][0]["text"])
    assert lost_from_text(outcome, text, LEFT_OUT["MCP text"]) == ()


def test_the_gateways_own_api_has_every_sentinel(world: World) -> None:
    body, headers = world.gateway("/api/search", QUERY)

    envelope, outcome = json.loads(body), world.search()
    envelope["receipt"]["fetched_at"] = outcome.receipt.fetched_at
    # A gateway answers many callers, so it does not count what one of them has seen.
    receipt = msgspec.structs.replace(outcome.receipt, new_share=None)
    outcome = msgspec.structs.replace(outcome, receipt=receipt)
    assert lost_from_tool(outcome, envelope) == ()
    assert headers["content-type"].startswith("application/json")


def test_a_row_of_a_bulk_search_has_every_sentinel(world: World) -> None:
    outcome = world.search()

    made = _make_search_row(0, ListEntry(source="s", offset=0, url="q"), Success(outcome))

    assert json.loads(made.results) == json.loads(msgspec.json.encode(outcome.rows))
    assert made.answer == "sentinel answer"
    assert json.loads(made.rejected) == json.loads(msgspec.json.encode(outcome.rejected))
    assert json.loads(made.receipt or "") == json.loads(msgspec.json.encode(outcome.receipt))


# What a door leaves out on purpose, and why.
ROWS_ALONE = "It is a table of rows; what is about the search goes to standard error or --json."
NO_FIELD = "The API of the vendor has no field for it."
READ_BY_A_MODEL = "A model reads the rows; the rest is in the data beside the text."
RECEIPT_KEYS = ("receipt.query", "receipt.unread", "receipt.warnings", "receipt.attempts")
NUMBERS = ("row.score", "receipt.usage", "receipt.age")
LEFT_OUT: dict[str, dict[str, str]] = {
    "MCP text": dict.fromkeys(
        (
            "row.source",
            "row.score",
            "rejected",
            *RECEIPT_KEYS[:1],
            *RECEIPT_KEYS[2:],
            "receipt.usage",
        ),
        READ_BY_A_MODEL,
    ),
    "terminal": dict.fromkeys(
        (
            "row.source",
            "row.published_at",
            "receipt.query",
            "receipt.unread",
            "receipt.attempts",
            *NUMBERS,
        ),
        "A person reads titles, addresses and texts; --json and --explain have the rest.",
    ),
    "markdown": dict.fromkeys(
        ("row.source", "row.published_at", "rejected", *RECEIPT_KEYS, *NUMBERS), ROWS_ALONE
    ),
    "text": dict.fromkeys(
        ("row.source", "row.published_at", "rejected", *RECEIPT_KEYS, *NUMBERS), ROWS_ALONE
    ),
    "jsonl": dict.fromkeys(("answer", "rejected", *RECEIPT_KEYS, *NUMBERS), ROWS_ALONE),
    "csv": dict.fromkeys(("answer", "rejected", *RECEIPT_KEYS, *NUMBERS), ROWS_ALONE),
}


@pytest.mark.parametrize("form", [None, "text", "markdown", "jsonl", "csv", "json"])
def test_the_terminal_has_every_sentinel(
    world: World, form: Format | None, capsys: pytest.CaptureFixture[str]
) -> None:
    called: CallOutcome = world.run(lambda web: _ask(web, QUERY))

    print_search(called, QUERY, form, seconds=0.1)

    printed, told = capsys.readouterr()
    outcome = called.outcome
    assert isinstance(outcome, SearchOutcome)
    if form == "json":
        envelope = json.loads(printed)
        # The terminal leaves out what holds its default.
        usage = msgspec.convert(envelope["receipt"]["usage"], Usage)
        envelope["receipt"]["usage"] = msgspec.to_builtins(usage)
        assert lost_from_tool(outcome, envelope) == ()
        return
    left_out = LEFT_OUT["terminal" if form is None else form]
    assert lost_from_text(outcome, f"{printed}\n{told}", left_out) == ()
    assert "sentinel warning" in told


async def _ask(web: Web, fields: QueryFields) -> CallOutcome:
    tools = (await web.tools()).unwrap()
    return await tools.ask("web_search", fields)


def test_the_typed_page_has_every_sentinel(world: World) -> None:
    page = world.extract()

    title = "edited sentinel" if world.has_plugin else "sentinel title"
    shown = {name: getattr(page, name) for name in DOCUMENT if name != "engine"}
    assert shown == {**{n: v for n, v in DOCUMENT.items() if n != "engine"}, "title": title}
    receipt = page.receipt
    assert (receipt.unread, receipt.warnings, receipt.usage) == (
        ("engine",),
        ("sentinel warning",),
        USAGE,
    )
    assert [it.source for it in receipt.middleware] == ["editor"] * world.has_plugin


def test_a_page_has_every_sentinel_in_json(world: World) -> None:
    page, args = world.extract(), {"urls": [URL]}
    body, _ = world.gateway("/api/extract", args)
    data = without_fences(world.mcp("web_extract", args)["structuredContent"])
    # The data joins the title and the text, and shows no raw text.
    assert "sentinel content" in data["data"]["results"][0]["content"]
    data["data"]["results"][0]["content"] = page.content
    for envelope in (world.call("web_extract", args), json.loads(body), data):
        envelope["receipt"]["pages"][0]["fetched_at"] = page.receipt.fetched_at

        assert lost_page_from_tool(page, envelope) == ()


# A search of each dialect, and what it leaves out beside what every dialect does.
# Their scores, if they have any, fall with the position, because clients sort by them.
EVERY_DIALECT = ("row.source", "row.score", "rejected", "receipt.warnings", "receipt.usage")
DIALECTS: dict[str, tuple[str, str, object, tuple[str, ...]]] = {
    "tavily": ("POST", "search", {"query": "sentinel query", "include_answer": True}, ()),
    # Exa sends the texts of its rows only to those who ask for ``contents``.
    "exa": ("POST", "search", {"query": "sentinel query"}, ("row.snippet", "answer", "receipt.query")),
    "brave": ("GET", "res/v1/web/search?q=sentinel+query", None, ("answer",)),
    "serper": ("POST", "search", {"q": "sentinel query"}, ("answer",)),
    "searxng": ("GET", "search?q=sentinel+query&format=json", None, ("answer",)),
    "firecrawl": ("POST", "v2/search", {"query": "sentinel query"}, ("row.published_at", "answer", "receipt.query")),
    "linkup": ("POST", "v1/search", {"q": "sentinel query", "depth": "standard", "outputType": "searchResults"}, ("row.published_at", "answer", "receipt.query")),
    "perplexity": ("POST", "search", {"query": "sentinel query"}, ("answer", "receipt.query")),
    "jina": ("GET", "s/?q=sentinel+query", None, ("row.published_at", "answer", "receipt.query")),
    # It reads the pages of the rows, and shows their text.
    "gptresearcher": ("GET", "?query=sentinel+query&max_results=3", None, ("row.title", "row.snippet", "row.published_at", "answer", "receipt.query")),
    "openwebui": ("POST", "search", {"query": "sentinel query", "count": 3}, ("row.published_at", "answer", "receipt.query")),
}  # fmt: skip


def test_every_dialect_that_searches_is_under_the_law() -> None:
    searching = {
        name
        for name, sample in PLAYED
        if isinstance(
            find_endpoint(name, sample).read(make_call(sample, sample_fields(sample))),
            SearchRequest,
        )
    }

    # A model writes the answer of this one; its sources are rows alone.
    assert searching - {"openai"} == {*DIALECTS}


def told_in(headers: dict[str, str]) -> str:
    """Return what the gateway's own headers say."""
    return " ".join(value for name, value in headers.items() if name.startswith("x-webseam-"))


@pytest.mark.parametrize("name", DIALECTS)
def test_a_dialect_has_the_sentinels_that_its_api_has_fields_for(world: World, name: str) -> None:
    method, path, body, left_out = DIALECTS[name]
    written, headers = world.gateway(f"/{name}/{path}", body, method)
    outcome = world.run(lambda web: web.search("sentinel query", max_results=3)).unwrap()

    assert (
        lost_from_text(outcome, f"{written} {told_in(headers)}", {*EVERY_DIALECT, *left_out}) == ()
    )
    assert headers["x-webseam-unread"] == "engine, Score, sentinel_key"


# Clients of SearXNG and Serper show an answer in place of the rows, so theirs have none.
# Dialects in which a search is a chat, and what the answer leaves out beside the rest.
QUESTION = {"role": "user", "content": "sentinel query"}
# What Claude Code sends to its own search; other questions need a model.
CLAUDES = {"role": "user", "content": "Perform a web search for the query: sentinel query"}
WEB_SEARCH = {"type": "web_search_20250305", "name": "web_search"}
CHATS: dict[str, tuple[str, dict[str, object], tuple[str, ...]]] = {
    "openai, whole": ("openai/v1/chat/completions", {}, ("receipt.query",)),
    "openai, streamed": ("openai/v1/chat/completions", {"stream": True}, ("receipt.query",)),
    "perplexity": ("perplexity/chat/completions", {}, ("receipt.query",)),
    "anthropic": ("anthropic/v1/messages", {"max_tokens": 9, "messages": [CLAUDES], "tools": [WEB_SEARCH]}, ("row.published_at",)),
}  # fmt: skip


@pytest.mark.parametrize("name", CHATS)
def test_a_chat_has_the_rows_and_the_answer(world: World, name: str) -> None:
    path, fields, left_out = CHATS[name]
    body = {"model": "m", "messages": [QUESTION], **fields}
    written, headers = world.gateway(f"/{path}", body)
    outcome = world.run(lambda web: web.search("sentinel query", max_results=3)).unwrap()

    assert (
        lost_from_text(outcome, f"{written} {told_in(headers)}", {*EVERY_DIALECT, *left_out}) == ()
    )


class CitingModel:
    """A model that cites three sources; it keeps what it was asked."""

    def __init__(self) -> None:
        self.asked = ""

    def answer(self, asked: Asked) -> Reply:
        self.asked = str(asked.body["messages"])
        message = {"role": "assistant", "content": "High [1], low [2], both [3]."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return Reply({"id": "1", "model": "m", "choices": [choice]})


# Its text is written by a model, which reads the texts of the rows and has an answer of its own.
RESPONSES_LEAVE_OUT = {*EVERY_DIALECT, "row.published_at", "answer"}


@pytest.mark.parametrize("enabled", ["", "plugin", "stream", "plugin and stream"])
def test_a_response_cites_the_rows_and_its_model_reads_them(tmp_path: Path, enabled: str) -> None:
    body = {
        "input": "sentinel query",
        "tools": [{"type": "web_search"}],
        "stream": "stream" in enabled,
        "include": ["web_search_call.action.sources"],
    }
    model = CitingModel()
    with answering(model.answer) as address:
        settings: dict[str, object] = {
            "providers": {"custom": {"base_url": f"{address}/v1", "api_key": "k"}},
            "small_work": {"provider": "custom", "model": "m"},
        }
        world = World(tmp_path, has_plugin="plugin" in enabled, settings=settings)
        written, headers = world.gateway("/openai/v1/responses", body)
    outcome = world.run(lambda web: web.search("sentinel query", max_results=3)).unwrap()

    shown = f"{written} {told_in(headers)}"
    assert lost_from_text(outcome, shown, {*RESPONSES_LEAVE_OUT, "row.snippet"}) == ()
    sources = [{"type": "url", "url": row.url} for row in outcome.rows]
    assert msgspec.json.encode(sources).decode() in written
    asked = f"{model.asked} {told_in(headers)}"
    assert lost_from_text(outcome, asked, RESPONSES_LEAVE_OUT) == ()


# Hermes gives its model the data of a reply; what a receipt says stays in webseam's own log.
HERMES_LEAVES_OUT = {
    f"receipt.{name}"
    for name in (*RECEIPT, "attempts", "fetched_at", "middleware")
    if RECEIPT.get(name) not in ((), 0, False)
}


def test_hermes_has_every_row_and_the_answer(world: World) -> None:
    called: CallOutcome = world.run(lambda web: _ask(web, QUERY))

    reply: Any = hermes_search_reply(called.reply)

    assert set(lost_from_tool(world.search(), reply)) - HERMES_LEAVES_OUT == set()
    assert set(reply) == {"success", "data"}


def test_hermes_has_every_text_of_a_page(world: World) -> None:
    async def ask(web: Web) -> CallOutcome:
        return await (await web.tools()).unwrap().ask("web_extract", {"urls": [URL]})

    entry = hermes_page_entry(URL, world.run(ask).reply)

    page = world.extract()
    # Its entry has the final address among the metadata.
    metadata = {**(page.metadata or {}), "sourceURL": page.final_url, "title": page.title}
    assert entry == {
        "url": page.url,
        "title": page.title,
        "content": page.content,
        "raw_content": page.raw_content,
        "metadata": metadata,
    }


def plain_api(rows: list[dict[str, object]]) -> WebBackend:
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"results": rows}))
    return json_backend(search_url="https://api.example/", transport=transport).unwrap()


def described(rows: list[dict[str, object]]) -> WebBackend:
    block = {"url_template": "https://api.example/?q={query}", "results_path": "results"}
    service = json_search_service("mine", read_json_search(block).unwrap())
    transport = httpx.MockTransport(lambda _: httpx.Response(200, json={"results": rows}))
    access = Access(base_url=service.address.base_url)
    return ServiceBackend(service, [access], service_deps(transport))


class Own:
    """A backend of a user's own, which has nothing but its methods."""

    def __init__(self, rows: list[dict[str, object]]) -> None:
        self._rows = rows

    async def search(self, _query: object, /) -> Success[list[dict[str, object]]]:
        return Success(self._rows)


KINDS: dict[str, Callable[[list[dict[str, object]]], Any]] = {
    "own": Own, "fake": FakeBackend, "plain API": plain_api, "described": described,
}  # fmt: skip


def assert_out_of_json_doors(outcome: SearchOutcome, world: World) -> None:
    """Assert that what the client has comes out of the doors that speak JSON."""
    body, _ = world.gateway("/api/search", {"query": "q"})
    data = without_fences(world.mcp(args={"query": "q"})["structuredContent"])
    for envelope in (world.call(args={"query": "q"}), json.loads(body), data):
        envelope["receipt"] |= {"fetched_at": outcome.receipt.fetched_at, "new_share": 1.0}
        assert lost_from_tool(outcome, envelope) == ()


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_backend_comes_out_of_the_doors(tmp_path: Path, kind: str) -> None:
    rows = [row("one", published_at="2026-01-31", score=0.123, engine="x")]
    world = World(tmp_path, has_plugin=True, backend=KINDS[kind](rows))

    outcome: SearchOutcome = world.run(lambda web: web.search("q")).unwrap()

    (found,) = outcome.rows
    assert (found.url, found.title, found.snippet) == (
        rows[0]["url"],
        "edited sentinel",
        rows[0]["snippet"],
    )
    assert (found.published_at, found.score) == ("2026-01-31", 0.123)
    assert outcome.receipt.unread == ("engine",)
    assert_out_of_json_doors(outcome, world)


def sample_backend(name: str) -> WebBackend | None:
    """Return a service's backend that is sent a search of its sample; None without one."""
    service = SERVICES[name]
    for reply in replies_of(name) if service.search is not None else ():
        decoded = service.search.decode(reply)  # type: ignore[union-attr]
        if reply.status == HTTP_OK and isinstance(decoded, Success) and decoded.unwrap():
            body = httpx.Response(200, json=reply.payload, text=reply.text or None)
            return sent(service, body)
    return None


def sent(service: Service, response: httpx.Response) -> WebBackend:
    """Return a service's backend that gets one response to every call."""
    transport = httpx.MockTransport(lambda _: response)
    base_url = service.address.base_url or "https://api.example"
    secrets = {option.name: Secret("key") for option in service.options}
    access = Access(base_url=base_url, values=secrets)
    return ServiceBackend(service, [access], service_deps(transport))


@pytest.mark.parametrize("name", bundled_service_names())
def test_the_rows_of_every_service_come_out_of_the_doors(tmp_path: Path, name: str) -> None:
    backend = sample_backend(name)
    if backend is None:
        pytest.skip("its sample has no search")
    world = World(tmp_path, has_plugin=False, backend=backend)

    outcome: SearchOutcome = world.run(lambda web: web.search("q")).unwrap()

    assert outcome.rows
    assert_out_of_json_doors(outcome, world)
