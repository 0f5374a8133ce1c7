"""Services that settings describe, asked over loopback."""

import asyncio
import json
from pathlib import Path
from typing import Any, cast

import pytest
from returns.result import Failure, Result

from tests.services.imitation import Imitation, Request
from tests.settings.support import load
from webseam.adapters.http.transport import FastTransport
from webseam.adapters.services.service_backend import ServiceBackend
from webseam.composition.planning.open_backends import close_after
from webseam.composition.settings.json_services import custom_json_services
from webseam.composition.settings.services import service_settings
from webseam.composition.wiring.service_backends import service_deps
from webseam.kernel import WebDeps, web_search
from webseam.ports import (
    BadPayload,
    InvalidRow,
    NotConfigured,
    SearchOutcome,
    UnsupportedFilter,
    WebError,
)
from webseam.ports.web import Query

ROWS = {"items": [{"title": "A", "url": "https://a.example/"}]}


def ask(
    tmp_path: Path, block: str, replies: list[Any], query: dict[str, object] | None = None
) -> tuple[Result[SearchOutcome, WebError], list[Request]]:
    """Search with a service that ``block`` describes; ``HOST`` in it is a server of ours."""

    async def go() -> tuple[Result[SearchOutcome, WebError], list[Request]]:
        script = [{"body": reply} for reply in replies]
        async with Imitation(script).running() as server:
            lines = block.replace("HOST", server.base_url).splitlines()
            config = "json:\n  mine:\n" + "".join(f"    {line}\n" for line in lines)
            settings = load(tmp_path, config).unwrap()
            service = custom_json_services(settings).unwrap()["mine"].service
            answer = service_settings(service, settings).unwrap()
            around = service_deps(FastTransport())
            backend = ServiceBackend(service, answer.accesses, around)
            outcome = await close_after(
                backend,
                web_search(
                    cast("Query", {"query": "tides & more", **(query or {})}),
                    WebDeps(backend=backend),
                ),
            )
            return outcome, server.requests

    return asyncio.run(go())


def test_a_template_of_a_url_is_enough(tmp_path: Path) -> None:
    block = "url_template: HOST/s/{query}?n={limit}&x={{y}}\nresults_path: items\n"

    outcome, (request,) = ask(tmp_path, block, [ROWS], {"max_results": 7})

    (row,) = outcome.unwrap().rows
    assert (row.title, row.url, row.source) == ("A", "https://a.example/", "mine")
    assert (request.method, request.path) == ("GET", "/s/tides%20%26%20more?n=7&x={y}")
    assert request.body == b""


def test_nothing_that_is_asked_leaves_its_place(tmp_path: Path) -> None:
    block = "url_template: HOST/s/{query}/end?q={query}\nresults_path: items\n"

    _, (request,) = ask(tmp_path, block, [ROWS], {"query": "../../x?y=z#é@evil.example"})

    escaped = "..%2F..%2Fx%3Fy%3Dz%23%C3%A9%40evil.example"
    assert request.path == f"/s/{escaped}/end?q={escaped}"


def test_a_body_is_filled_and_sent_as_json(tmp_path: Path) -> None:
    block = """\
endpoint: HOST/v1/search
body: {q: '{query}', top: {n: '{limit}', where: '{country}'}, all: ['{query}!', true, 1.5]}
limit_parameter: count
headers: {X-Version: 2, Accept: application/vnd.a+json}
auth: header
auth_name: X-Token
api_key: k-1
results_path: $.data[0]['x.y']
html_fields: [title, snippet]
fields: {title: [name, head.line], url: link, snippet: text, published_at: when, score: rank}
"""
    reply = {
        "data": [
            {
                "x.y": [
                    {
                        "name": "",
                        "head": {"line": "<b>B</b>"},
                        "link": "https://b.example/",
                        "text": "x &amp; y",
                        "when": 1741000000,
                        "rank": 2,
                    },
                ]
            }
        ]
    }

    outcome, (request,) = ask(tmp_path, block, [reply], {"max_results": 3, "country": "DE"})

    (row,) = outcome.unwrap().rows
    assert (row.title, row.snippet, row.published_at, row.score) == (
        "B",
        "x & y",
        "2025-03-03T11:06:40Z",
        2.0,
    )
    assert (request.method, request.path) == ("POST", "/v1/search")
    assert json.loads(request.body) == {
        "q": "tides & more",
        "top": {"n": 3, "where": "DE"},
        "all": ["tides & more!", True, 1.5],
        "count": 3,
    }
    headers = {name: request.headers[name] for name in ("x-version", "accept", "x-token")}
    assert headers == {"x-version": "2", "accept": "application/vnd.a+json", "x-token": "k-1"}


def test_unused_parameters_are_not_sent(tmp_path: Path) -> None:
    block = """\
endpoint: HOST/s?fixed=1
parameters: {q: '{query}', c: '{country}', l: '{language}', a: '{after}', b: '{before}', safe: true}
limit_parameter: n
results_path: items
"""
    signed = f"{block}auth: query\nauth_name: token\napi_key: k 1\n"
    _, (request,) = ask(tmp_path, block, [ROWS])
    requests = {
        "country": "DE",
        "language": "de",
        "published_after": "2026-01-31",
        "max_results": 2,
    }
    with_all, (full,) = ask(tmp_path, signed, [ROWS], requests)

    assert request.path == "/s?fixed=1&q=tides+%26+more&safe=true"
    assert full.path == (
        "/s?fixed=1&q=tides+%26+more&c=DE&l=de&a=2026-01-31&safe=true&n=2&token=k+1"
    )
    assert isinstance(with_all.value_or(None), SearchOutcome)


def test_a_form_is_sent_as_one(tmp_path: Path) -> None:
    block = "endpoint: HOST/\nbody_format: form\nbody: {q: '{query}', c: '{country}'}\nresults_path: ''\napi_key: k\n"

    outcome, (request,) = ask(tmp_path, block, [[{"url": "https://a.example/"}]])

    assert len(outcome.unwrap().rows) == 1
    assert request.body == b"q=tides+%26+more"
    assert request.headers["content-type"] == "application/x-www-form-urlencoded"
    assert request.headers["authorization"] == "Bearer k"


def test_error_in_a_success_is_found_by_the_described_path(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: items\n"
    by_error = f"{block}error_path: error\n"
    by_success = f"{block}success_path: status\nsuccess_value: ok\n"

    failed, _ = ask(tmp_path, by_error, [{"error": "No query"}])
    unpointed, _ = ask(tmp_path, block, [{"error": "No query", "items": []}])
    partial, _ = ask(tmp_path, block, [{"error": "page 2 is missing", **ROWS}])
    empty, _ = ask(tmp_path, block, [{"error": None, "items": []}])
    refused, _ = ask(tmp_path, by_success, [{"status": "The API is off"}])
    fine, _ = ask(tmp_path, by_success, [{"status": "ok", **ROWS}])

    assert failed.failure() == BadPayload(
        problem="error_object", path="$.error", status=200, detail="No query", backend="mine"
    )
    assert unpointed.failure() == failed.failure()
    assert (len(partial.unwrap().rows), len(empty.unwrap().rows)) == (1, 0)
    error = refused.failure()
    assert isinstance(error, BadPayload)
    assert (error.path, error.detail) == ("$.status", "The API is off")
    assert len(fine.unwrap().rows) == 1


@pytest.mark.parametrize("reply", [{}, {"items": None}, {"items": {}}, [], None, "x"])
def test_a_path_that_leads_nowhere_is_told_with_the_path(tmp_path: Path, reply: object) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: data.items\n"

    outcome, _ = ask(tmp_path, block, [reply])

    assert outcome.failure() == BadPayload(
        problem="shape", path="$.data.items", status=200, backend="mine"
    )


def test_a_mapping_that_leads_nowhere_is_a_bad_row_with_the_field(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: items\nfields: {url: link}\n"

    outcome, _ = ask(tmp_path, block, [ROWS])

    error = outcome.failure()
    assert isinstance(error, InvalidRow)
    assert (error.index, error.field) == (0, "url")


def test_usual_names_are_read_where_the_settings_say_nothing(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: items\nfields: {published_at: when}\n"
    reply = {
        "items": [
            {
                "name": "A",
                "link": "https://a.example/",
                "content": "High.",
                "engine": "x",
                "when": "Mar 3, 2025",
                "date": 1,
                "thumbnail": "",
            },
            {"title": "B", "href": "https://b.example/", "body": "Low.", "text": "Low, and more."},
        ]
    }

    outcome, _ = ask(tmp_path, block, [reply])

    found = outcome.unwrap()
    assert [(row.title, row.url, row.snippet, row.published_at) for row in found.rows] == [
        ("A", "https://a.example/", "High.", "2025-03-03"),
        ("B", "https://b.example/", "Low.", None),
    ]
    assert found.receipt.unread == ("engine", "date", "text")
    taken = "`name` as `title`, `link` as `url`, `content` as `snippet`, `href` as `url`, `body` as"
    assert found.receipt.warnings == (f"mine has other names: webseam reads {taken} `snippet`",)


def test_a_name_that_the_settings_give_is_the_only_one(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: items\nfields: {snippet: about.text}\n"
    row = {"title": "A", "url": "https://a.example/", "content": "High.", "about": {"text": "Low."}}

    outcome, _ = ask(tmp_path, block, [{"items": [row]}])

    (found,) = outcome.unwrap().rows
    assert found.snippet == "Low."
    receipt = outcome.unwrap().receipt
    assert (receipt.unread, receipt.warnings) == (("content",), ())


def test_a_date_that_is_none_for_sure_is_left_out_with_a_warning(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: items\n"
    row = {"title": "A", "url": "https://a.example/", "published_at": "03/05/2025"}

    outcome, _ = ask(tmp_path, block, [{"items": [row]}])

    (found,) = outcome.unwrap().rows
    assert found.published_at is None
    assert outcome.unwrap().receipt.warnings == (
        "1 row has a date that is none for sure and was left out, such as '03/05/2025'",
    )


def test_filters_without_a_place_are_refused_or_done_on_the_rows(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nresults_path: items\n"

    refused, _ = ask(tmp_path, block, [ROWS], {"country": "DE"})
    filtered, _ = ask(tmp_path, block, [ROWS], {"include_domains": ["b.example"]})
    written, (request,) = ask(
        tmp_path, f"{block}site_operator: true\n", [ROWS], {"include_domains": ["a.example"]}
    )

    assert isinstance(refused.failure(), UnsupportedFilter)
    assert filtered.unwrap().rows == ()
    assert "site%3Aa.example" in request.path
    assert len(written.unwrap().rows) == 1


def test_a_key_goes_nowhere_in_clear_text(tmp_path: Path) -> None:
    config = "json: {mine: {url_template: 'http://a.example/{query}', api_key: k}}\n"
    settings = load(tmp_path, config).unwrap()
    service = custom_json_services(settings).unwrap()["mine"].service

    answer = service_settings(service, settings)

    assert isinstance(answer, Failure)
    assert answer.failure().reason.startswith(
        "a key is only sent over https or to this machine; services.mine.allow_plain_http: true"
    )


def test_a_key_that_is_wanted_and_missing_is_said(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nauth: bearer\nresults_path: items\n"

    outcome, requests = ask(tmp_path, block, [ROWS])

    assert requests == []
    error = outcome.failure()
    assert isinstance(error, NotConfigured)
    assert error.settings == ("services.mine.api_key",)


def test_a_body_that_is_a_list_is_sent_as_one(tmp_path: Path) -> None:
    block = "endpoint: HOST/\nbody: ['{query}', {n: '{limit}'}]\nlimit_parameter: n\nresults_path: items\n"

    _, (request,) = ask(tmp_path, block, [ROWS], {"max_results": 4})

    assert (json.loads(request.body), request.path) == (["tides & more", {"n": 4}], "/?n=4")


def test_a_refusal_is_judged_by_its_status(tmp_path: Path) -> None:
    block = "url_template: HOST/?q={query}\nerror_path: error\nresults_path: items\n"

    outcome, _ = ask(tmp_path, block, [])

    assert outcome.failure().kind == "upstream_unavailable"


def test_a_key_may_come_from_a_variable_that_the_settings_name(tmp_path: Path) -> None:
    config = "json: {mine: {url_template: 'https://a.example/{query}', api_key_env: MY_KEY}}\n"
    settings = load(tmp_path, config, environment={"MY_KEY": "k-2"}).unwrap()
    service = custom_json_services(settings).unwrap()["mine"].service

    answer = service_settings(service, settings).unwrap()

    assert answer.accesses[0].key == "k-2"
    assert str(answer.origins["api_key"]) == "MY_KEY"
