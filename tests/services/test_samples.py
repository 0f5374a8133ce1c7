"""Every service against a server that imitates it: one sample file each, found by its name."""

import asyncio
import json
import re
from pathlib import Path
from typing import Any, cast
from urllib.parse import parse_qsl

import msgspec
import pytest
from returns.result import Failure, Result

from tests.services.imitation import Imitation, Request
from tests.services.pick import SERVICES, sample_of
from webseam.adapters.services.calls import Access, ServiceCall
from webseam.adapters.services.declaration import Service
from webseam.adapters.services.operations import ExtractAsk, SearchAsk
from webseam.adapters.services.sender import RequestWriter
from webseam.adapters.user_agent import USER_AGENT
from webseam.composition.wiring.service_backends import bundled_service_names, service_backend
from webseam.kernel import WebDeps, web_extract_many, web_search
from webseam.kernel.laws.field_checks import check_query
from webseam.ports import SearchOutcome, WebBackend, WebError, WebExtractResult
from webseam.ports.secrets import Secret
from webseam.ports.web import Query

# Noon of 5 March 2025 in UTC, for rows that are "2 hours ago".
NOW = 1_741_176_000.0
SAMPLES = {path.stem: path for path in (Path(__file__).parent / "samples").glob("*.yaml")}


def samples() -> list[tuple[str, dict[str, Any]]]:
    return [(name, sample_of(name)) for name in sorted(SAMPLES)]


def cases() -> list[Any]:
    return [
        pytest.param(name, sample, case, id=f"{name}: {case['name']}")
        for name, sample in samples()
        for case in sample["cases"]
    ]


def addresses() -> list[Any]:
    return [
        pytest.param(name, address, id=f"{name}: {address['url']}")
        for name, sample in samples()
        for address in sample.get("addresses", [])
    ]


def test_every_service_has_a_sample_and_every_sample_a_service() -> None:
    assert set(SAMPLES) == set(bundled_service_names())


@pytest.mark.parametrize(("name", "sample", "case"), cases())
def test_a_service_keeps_to_its_sample(
    name: str, sample: dict[str, Any], case: dict[str, Any]
) -> None:
    asyncio.run(play(SERVICES[name], sample, case))


@pytest.mark.parametrize(("name", "address"), addresses())
def test_a_service_is_asked_at_its_own_address(name: str, address: dict[str, Any]) -> None:
    service = SERVICES[name]
    values = {name: Secret(value) for name, value in address.get("options", {}).items()}
    access = Access(base_url=service.address.base_url, values=values)

    request = RequestWriter().write(_call(service, address, access), access)

    assert str(request.url) == address["url"]


async def play(service: Service, sample: dict[str, Any], case: dict[str, Any]) -> None:
    exchanges = case.get("exchanges", [])
    imitation = Imitation([exchange["reply"] for exchange in exchanges])
    async with imitation.running():
        options = case.get("options", sample.get("options", {}))
        base_url = imitation.base_url + case.get("base", "")
        made = service_backend(service, options, base_url=base_url, attempts=1, now=lambda: NOW)
        backend = made.unwrap()
        try:
            await check(backend, _told(case, imitation.base_url))
        finally:
            await backend.aclose()
    assert len(imitation.requests) == len(exchanges), "calls sent"
    for sent, exchange in zip(imitation.requests, exchanges, strict=True):
        check_request(sent, exchange.get("request", {}))


async def check(backend: WebBackend, case: dict[str, Any]) -> None:
    deps = WebDeps(backend=backend, filters=case.get("filters", "strict"))
    if "search" in case:
        check_search(await web_search(cast("Query", _plain(case["search"])), deps), case)
    else:
        pages = await web_extract_many(case["extract"], deps)
        for page, expected in zip(pages, case["pages"], strict=True):
            check_page(page, expected)


def check_search(searched: Result[SearchOutcome, WebError], case: dict[str, Any]) -> None:
    if "failure" in case:
        check_failure(searched, case["failure"])
        return
    outcome = searched.unwrap()
    answer = json.loads(msgspec.json.encode(outcome))
    if "rows" in case:
        assert [_telling(row) for row in answer["rows"]] == case["rows"]
    assert len(outcome.rows) == case.get("count", len(outcome.rows))
    assert (answer["answer"] or {}).get("text") == case.get("answer")
    assert answer["receipt"] | case.get("receipt", {}) == answer["receipt"]


def check_page(page: Result[WebExtractResult, WebError], expected: dict[str, Any]) -> None:
    if "failure" in expected:
        check_failure(page, expected["failure"])
        return
    answer = json.loads(msgspec.json.encode(page.unwrap()))
    assert {name: answer[name] for name in expected} == expected


def check_failure(result: object, expected: dict[str, Any]) -> None:
    assert isinstance(result, Failure), f"expected a failure, got {result}"
    error: WebError = result.failure()
    answer = {"kind": error.kind} | json.loads(msgspec.json.encode(error))
    assert answer | expected == answer


def check_request(sent: Request, expected: dict[str, Any]) -> None:
    if "method" in expected:
        assert sent.method == expected["method"]
    if "path" in expected:
        assert sent.path == expected["path"]
    for name, value in expected.get("headers", {}).items():
        # Samples name the User-Agent without the version, which every release changes.
        found = sent.headers.get(name)
        assert (found and found.replace(USER_AGENT, "webseam")) == value, name
    if "body" in expected:
        assert json.loads(sent.body) == expected["body"]
        assert sent.headers["content-type"] == "application/json"
    if "form" in expected:
        assert dict(parse_qsl(sent.body.decode(), keep_blank_values=True)) == expected["form"]


def _call(service: Service, address: dict[str, Any], access: Access) -> ServiceCall:
    if "extract" in address:
        assert service.extract is not None
        return service.extract.encode(ExtractAsk(urls=tuple(address["extract"]), access=access))
    assert service.search is not None
    query = check_query(address["search"]).unwrap()
    return service.search.encode(SearchAsk(query=query, access=access))


def _told(case: dict[str, Any], base_url: str) -> dict[str, Any]:
    """Write the server's address where a case expects it: its port is never the same."""
    expected = {name: case[name] for name in ("rows", "pages") if name in case}
    written = json.dumps(expected, default=str).replace("{base}", base_url)
    return {**case, **json.loads(written)}


def _telling(row: dict[str, Any]) -> dict[str, Any]:
    """Give a row's own fields: no place, no absent date or score, no usual origin."""
    usual: dict[str, Any] = {
        "published_at": None,
        "score": None,
        "origin": "index",
        "found_by": [],
        "content": None,
        "error": None,
    }
    own = {name: value for name, value in row.items() if name not in ("position", "source")}
    return {name: value for name, value in own.items() if usual.get(name, ...) != value}


def _plain(query: dict[str, Any]) -> dict[str, Any]:
    """Give dates as text, as a caller would: YAML reads them as dates."""
    return {
        name: str(value) if re.match("published", name) else value for name, value in query.items()
    }
