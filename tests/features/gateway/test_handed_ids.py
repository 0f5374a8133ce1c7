"""Whoever has the id that another key was given gets nothing by it, at every door."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.answering import answering
from tests.features.gateway.jobs import until_done
from tests.features.gateway.keys import bearer_of_new_key
from tests.features.gateway.models import Models
from tests.features.models.x_search.imitation import imitation
from webseam.composition.features.gateway.gateway_setup import all_dialects
from webseam.composition.features.models.x_search_tool import TOOL as X_TOOL
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.composition.tools.feature_tools import feature_tools
from webseam.ports.tools import ExtractArguments, MoreArguments, SearchArguments
from webseam.ports.x_search import XSearchRequest

from .asgi import ROWS, Answer, Site

URL = "https://s2.example/tides"
TEXT = "# Tides of ann\n\n" + "High at noon. " * 200
SEARCHES = {"type": "web_search"}
MCP = {"accept": "application/json, text/event-stream", "content_type": "application/json"}
HELLO = {
    "protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"},
}  # fmt: skip


class Door:
    """A gateway, a key that is given ids, and one that shares its cache and has other domains."""

    def __init__(self, home: Path, model: str, xai: str) -> None:
        (home / "config.yaml").write_text(
            f"providers: {{custom: {{base_url: '{model}', api_key: k}}, "
            f"xai: {{base_url: '{xai}', api_key: xai-key}}}}\n"
            "small_work: {provider: custom, model: m}\n"
        )
        self.site = Site(home, FakeBackend(ROWS, TEXT))
        self.ann = bearer_of_new_key(self.site, "ann", "--cache", "team")
        self.ben = bearer_of_new_key(self.site, "ben", "--cache", "team", "--domain", "s1.example")

    async def post(self, who: str, path: str, body: object, **headers: str) -> Answer:
        return await self.site.asked("POST", path, body, authorization=who, **headers)

    async def rpc(self, who: str, method: str, params: dict[str, Any], session: str = "") -> Answer:
        message = {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}
        headers = {**MCP, **({"mcp_session_id": session} if session else {})}
        return await self.post(who, "/mcp", message, **headers)

    async def handle(self) -> str:
        page = await self.post(self.ann, "/api/extract", {"urls": [URL], "char_limit": 100})
        return str(page.json["receipt"]["pages"][0]["handle"])

    async def session(self, who: str) -> str:
        return (await self.rpc(who, "initialize", HELLO)).headers["mcp-session-id"]


# Gives an id to ann; the second function uses it as somebody, and returns the answer.
Use = Callable[[str], Awaitable[Answer]]


async def more_over_http(door: Door) -> Use:
    handle = await door.handle()
    return lambda who: door.post(who, "/api/more", {"handle": handle})


async def more_over_mcp(door: Door) -> Use:
    handle = await door.handle()
    call = {"name": "web_more", "arguments": {"handle": handle}}

    async def use(who: str) -> Answer:
        return await door.rpc(who, "tools/call", call, await door.session(who))

    return use


async def page_resource(door: Door) -> Use:
    handle = await door.handle()

    async def use(who: str) -> Answer:
        uri = {"uri": f"webseam://page/{handle}"}
        return await door.rpc(who, "resources/read", uri, await door.session(who))

    return use


async def page_that_mcp_cut(door: Door) -> Use:
    arguments = {"name": "web_extract", "arguments": {"urls": [URL], "char_limit": 100}}
    cut = await door.rpc(door.ann, "tools/call", arguments, await door.session(door.ann))
    pages = cut.json["result"]["structuredContent"]["receipt"]["pages"]
    return lambda who: door.post(who, "/api/more", {"handle": pages[0]["handle"]})


async def response(door: Door) -> Use:
    body = {"input": "Tides of ann?", "tools": [SEARCHES]}
    first = await door.post(door.ann, "/v1/responses", body)
    following = {**body, "previous_response_id": first.json["id"]}
    return lambda who: door.post(who, "/v1/responses", following)


async def x_answer(door: Door) -> Use:
    first = await door.post(door.ann, "/api/x", {"query": "posts of ann", "store": True})
    following = {"query": "and?", "previous_response_id": first.json["response_id"]}
    return lambda who: door.post(who, "/api/x", following)


def job(path: str, body: dict[str, Any], rest: str = "", method: str = "GET") -> Any:  # noqa: ANN401
    async def begin(door: Door) -> Use:
        started = await door.post(door.ann, path, body)
        at = f"{path}/{started.json['id']}"
        await until_done(door.site, at, authorization=door.ann)
        return lambda who: door.site.asked(method, f"{at}{rest}", None, authorization=who)

    return begin


async def session(door: Door) -> Use:
    begun = await door.session(door.ann)
    return lambda who: door.rpc(who, "ping", {}, begun)


BATCH, CRAWL = {"urls": [URL]}, {"url": URL}
DOORS: dict[str, Callable[[Door], Awaitable[Use]]] = {
    "/api/more": more_over_http,
    "web_more over mcp": more_over_mcp,
    "resources/read": page_resource,
    "a page cut by mcp": page_that_mcp_cut,
    "/v1/responses": response,
    "/api/x": x_answer,
    "mcp-session-id": session,
    **{
        f"{version}{kind}{rest}": job(f"{version}{kind}", body, rest)
        for version in ("/v1", "/v2")
        for kind, body in (("/batch/scrape", BATCH), ("/crawl", CRAWL))
        for rest in ("", "/errors")
    },
}


@pytest.fixture
def door(tmp_path: Path) -> Iterator[Door]:
    model = Models()
    with imitation() as xai, answering(model.answer) as address:
        yield Door(tmp_path, f"{address}/v1", xai.url)


@pytest.mark.parametrize("name", DOORS)
def test_an_id_is_good_for_the_key_that_was_given_it_alone(door: Door, name: str) -> None:
    async def life() -> tuple[Answer, Answer]:
        use = await DOORS[name](door)
        return await use(door.ann), await use(door.ben)

    own, other = asyncio.run(life())

    assert succeeded(own), own.body
    assert not succeeded(other), other.body
    assert b"High at noon" not in other.body
    assert b"of ann" not in other.body


def succeeded(answer: Answer) -> bool:
    """Tell whether a call has what it asked for; MCP has failures under the status 200."""
    events = [line for line in answer.body.splitlines() if line.startswith(b"data: ")]
    body = json.loads(events[-1][6:] if events else answer.body or b"{}")
    is_error = isinstance(body, dict) and ("error" in body and body["error"] is not None)
    result = body.get("result") if isinstance(body, dict) else None
    return answer.status == 200 and not is_error and not (result or {}).get("isError")


def test_a_key_of_the_same_domains_and_cache_may_go_on_in_a_page(door: Door) -> None:
    eve = bearer_of_new_key(door.site, "eve", "--cache", "team", "--domain", "s2.example")

    async def life() -> Answer:
        return await door.post(eve, "/api/more", {"handle": await door.handle()})

    assert asyncio.run(life()).status == 200


# Fields that are called an id and lead to nothing that was handed out.
_NO_HANDED_IDS = {
    "user_profile_id": "Anthropic's, changes nothing", "workspace_id": "Anthropic's, changes nothing",
    "ids": "of Exa: URLs, each read afresh", "id": "of OpenAI, changes nothing",
}  # fmt: skip
_HANDED_IDS = {"previous_response_id", "handle", "cursor"}


def test_every_field_and_path_that_takes_an_id_is_tried_here() -> None:
    shapes: list[Any] = [SearchArguments, ExtractArguments, MoreArguments, XSearchRequest]
    endpoints = [endpoint for dialect in all_dialects() for endpoint in dialect.endpoints]
    shapes += [endpoint.shape for endpoint in endpoints if endpoint.shape is not None]
    names = {field.encode_name for shape in shapes for field in msgspec.structs.fields(shape)}
    names |= {name for endpoint in endpoints for name in endpoint.idle}
    ids = {
        name
        for name in names
        if name.endswith(("_id", "_ids", "handle", "cursor")) or name in ("id", "ids")
    }
    paths = {endpoint.path for endpoint in endpoints if "/*" in endpoint.path}
    jobs = {path.replace("/*", "") for path in paths if "**" not in path}

    assert X_TOOL in list(feature_tools())
    assert ids - _NO_HANDED_IDS.keys() == _HANDED_IDS
    assert jobs <= DOORS.keys()
