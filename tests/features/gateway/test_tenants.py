"""Several callers over one cache and one ledger: nobody sees or spends what is another's."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.doors.cli.run import webseam
from tests.features.gateway.keys import bearer_of_new_key
from tests.features.gateway.servers import Backend, running_backend

from .asgi import Answer, Site


@pytest.fixture
def backend() -> Iterator[Backend]:
    with running_backend() as one:
        yield one


def site_over(home: Path, backend: Backend, price: float) -> Site:
    (home / "config.yaml").write_text(
        f"services: {{tavily: {{api_key: k, base_url: '{backend.url.removesuffix('/search')}', price: {price}}}}}\n"
    )
    return Site(home, "settings")


def cached(site: Site, bearer: str, query: str = "tides") -> bool:
    answer = site.post("/api/search", {"query": query}, authorization=bearer)
    assert answer.status == 200, answer.body
    return bool(answer.json["receipt"]["cached"])


def test_answers_are_kept_for_each_scope_alone(tmp_path: Path, backend: Backend) -> None:
    site = site_over(tmp_path, backend, 0.0)
    ann, ben, eve = (
        bearer_of_new_key(site, "ann", "--cache", "team"),
        bearer_of_new_key(site, "ben", "--cache", "team"),
        bearer_of_new_key(site, "eve"),
    )

    seen = [cached(site, bearer) for bearer in (ann, ann, ben, eve, eve, "")]

    assert seen == [False, True, True, False, True, False]
    assert len(backend.asked) == 3


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/tavily/search", {"query": "tides", "include_raw_content": True}),
        ("POST", "/exa/search", {"query": "tides", "contents": {"text": True}}),
        ("POST", "/v2/search", {"query": "tides", "scrapeOptions": {"formats": ["markdown"]}}),
        ("GET", "/jina/s/tides", None),
        ("GET", "/gptresearcher?query=tides", None),
    ],
)
def test_a_key_that_may_only_search_gets_no_pages_with_its_rows(
    tmp_path: Path, method: str, path: str, body: object
) -> None:
    site = Site(tmp_path)
    ann = bearer_of_new_key(site, "ann", "--tool", "search")

    answer = site.ask(method, path, body, authorization=ann)

    assert (answer.status, "may not read pages" in answer.body.decode()) == (403, True)
    assert site.post("/tavily/search", {"query": "tides"}, authorization=ann).status == 200


def test_a_budget_is_a_keys_own(tmp_path: Path, backend: Backend) -> None:
    site = site_over(tmp_path, backend, 0.01)
    ann, eve = bearer_of_new_key(site, "ann", "--day", "0.025"), bearer_of_new_key(site, "eve")

    paid = [
        site.post("/tavily/search", {"query": f"tides {number}"}, authorization=ann)
        for number in range(3)
    ]
    other = site.post("/tavily/search", {"query": "tides"}, authorization=eve)
    native = site.post("/api/search", {"query": "tides 9"}, authorization=ann)

    assert [answer.status for answer in paid] == [200, 200, 432]
    assert "the budget of this key" in paid[-1].json["detail"]["error"]
    assert (other.status, native.status) == (200, 402)
    assert len(backend.asked) == 3


def over_mcp(site: Site, bearer: str, query: str) -> Answer:
    """Call the search over MCP, in the revision without sessions."""
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "web_search", "arguments": {"query": query}, "_meta": meta}
    return site.post(
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        authorization=bearer,
        accept="application/json, text/event-stream",
        content_type="application/json",
        mcp_protocol_version="2026-07-28",
        mcp_method="tools/call",
        mcp_name="web_search",
    )


def test_a_budget_holds_over_mcp_and_is_the_one_that_the_gateway_counts(
    tmp_path: Path, backend: Backend
) -> None:
    site = site_over(tmp_path, backend, 0.01)
    ann, eve = bearer_of_new_key(site, "ann", "--day", "0.025"), bearer_of_new_key(site, "eve")

    first = over_mcp(site, ann, "tides 1").json["result"]
    second = site.post("/api/search", {"query": "tides 2"}, authorization=ann)
    third = over_mcp(site, ann, "tides 3").json["result"]
    other = over_mcp(site, eve, "tides 3").json["result"]

    assert (first["isError"], second.status, other["isError"]) == (False, 200, False)
    assert third["isError"] is True
    assert third["structuredContent"]["failure"]["kind"] == "budget_exceeded"
    assert "the budget of this key" in third["content"][0]["text"]
    assert len(backend.asked) == 3


def test_changed_limits_of_a_key_hold_for_its_next_call_at_each_door(
    tmp_path: Path, backend: Backend
) -> None:
    site = site_over(tmp_path, backend, 0.01)
    ann = bearer_of_new_key(site, "ann", "--day", "1")

    def search(number: int) -> tuple[int, bool]:
        native = site.post("/api/search", {"query": f"tides {number}"}, authorization=ann)
        spoken = over_mcp(site, ann, f"waves {number}").json["result"]
        return native.status, spoken["isError"]

    before = search(1)
    webseam("keys", "set", "ann", "--day", "0.02", XDG_DATA_HOME=str(site.home / "data"))
    lowered = search(2)
    webseam("keys", "set", "ann", "--day", "none", XDG_DATA_HOME=str(site.home / "data"))
    freed = search(3)

    assert (before, lowered, freed) == ((200, False), (402, True), (200, False))
    assert len(backend.asked) == 4


def test_answers_over_mcp_are_kept_for_each_scope_alone(tmp_path: Path, backend: Backend) -> None:
    site = site_over(tmp_path, backend, 0.0)
    ann, eve = bearer_of_new_key(site, "ann"), bearer_of_new_key(site, "eve")

    seen = [
        over_mcp(site, bearer, "tides").json["result"]["structuredContent"]["receipt"]["cached"]
        for bearer in (ann, ann, eve)
    ]

    assert seen == [False, True, False]
