"""Our own API: the envelopes of the tools, with statuses, limits and progress."""

import asyncio
import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema_rs
import msgspec
import pytest
from returns.result import Failure, Success

from webseam import errors
from webseam.composition.features.gateway.metrics import backend_health_metrics
from webseam.composition.features.gateway.openapi import openapi_document
from webseam.composition.features.testing.fakes import FakeBackend

from .asgi import ROWS, Site, exchange, scope_of


@pytest.fixture
def site(tmp_path: Path) -> Site:
    return Site(tmp_path)


def schema(site: Site, name: str) -> Any:  # noqa: ANN401  a validator
    document = site.get("/openapi.json").json
    return jsonschema_rs.validator_for({**document, "$ref": f"#/components/schemas/{name}"})


def test_a_search_gives_the_envelope_of_the_tool(site: Site) -> None:
    answer = site.post("/api/search", {"query": "tides", "max_results": 1})

    assert answer.status == 200
    assert answer.headers["content-type"] == "application/json"
    assert answer.json["data"]["web"] == [
        {
            "title": "Tides",
            "url": "https://example.com/tides",
            "description": "High at noon.",
            "position": 1,
            "published_at": "2026-11-01",
        }
    ]
    assert answer.json["receipt"]["trimmed"] == 1
    schema(site, "SearchAnswer").validate(answer.json)


def test_pages_are_read_and_gone_on_in(site: Site) -> None:
    page = site.post("/api/extract", {"urls": ["https://example.com/a"], "char_limit": 8})
    handle = page.json["receipt"]["pages"][0]["handle"]

    more = site.post("/api/more", {"handle": handle, "cursor": 0})

    assert (page.status, more.status) == (200, 200)
    assert more.json["data"]["text"] == "# Tides\n\nHigh at noon."
    schema(site, "ExtractAnswer").validate(page.json)
    schema(site, "MoreAnswer").validate(more.json)


def test_words_are_found_in_a_page_and_its_hidden_text_is_not_given(site: Site) -> None:
    page = site.post("/api/extract", {"urls": ["https://example.com/a"], "char_limit": 8})
    handle = page.json["receipt"]["pages"][0]["handle"]

    found = site.post("/api/more", {"handle": handle, "find": "noon"})
    hidden = site.post("/api/more", {"handle": handle, "part": "hidden"})
    both = site.post("/api/more", {"handle": handle, "part": "menus", "find": "noon"})

    assert (found.status, found.json["data"]["status"]) == (200, "found")
    schema(site, "MoreAnswer").validate(found.json)
    assert (hidden.status, hidden.json["failure"]["field"]) == (400, "part")
    assert (both.status, both.json["failure"]["field"]) == (400, "part")


def test_nothing_found_is_an_answer(tmp_path: Path) -> None:
    answer = Site(tmp_path, FakeBackend([])).post("/api/search", {"query": "tides"})

    assert (answer.status, answer.json["data"]["web"]) == (200, [])


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (errors.RateLimited(backend="b", retry_after=7.2), 429),
        (errors.AuthFailed(backend="b", status=401), 502),
        (errors.DeadlineExceeded(backend="b", deadline=1.0), 504),
        (
            errors.BudgetExceeded(
                budget="today", cap=1.0, remaining=0.0, price=0.1, setting="budgets.day"
            ),
            402,
        ),
        (errors.UpstreamUnavailable(backend="b", status=503), 502),
        (errors.NotConfigured(reason="Nothing is set"), 503),
    ],
)
def test_a_failure_has_its_status_and_its_envelope(
    tmp_path: Path, error: errors.WebError, status: int
) -> None:
    site = Site(tmp_path, FakeBackend(search=Failure(error)))

    answer = site.post("/api/search", {"query": "tides"})

    assert (answer.status, answer.json["success"], answer.json["failure"]["kind"]) == (
        status,
        False,
        error.kind,
    )
    assert answer.headers.get("retry-after") == {429: "8", 503: "1"}.get(status)
    schema(site, "Failure").validate(answer.json)


@pytest.mark.parametrize(
    ("method", "path", "body", "status"),
    [
        ("POST", "/api/search", b"{", 400),
        ("POST", "/api/search", b"\xff", 400),
        ("POST", "/api/search", b"[" * 9_000, 400),
        ("POST", "/api/search", {"query": " "}, 400),
        ("POST", "/api/search", {"query": "a", "colour": "red"}, 400),
        ("POST", "/api/extract", {"urls": ["http://169.254.169.254/"]}, 403),
        ("POST", "/api/extract", {"urls": ["not a url"]}, 400),
        ("POST", "/api/extract", {"urls": ["https://example.com/"] * 101}, 400),
        ("POST", "/api/extract", {"urls": ["http://10.0.0.1/"] * 6}, 403),
        ("POST", "/api/more", {"handle": "../../etc/passwd"}, 400),
        ("POST", "/api/x", {"query": "a"}, 503),
        ("POST", "/api/ask", {"question": " "}, 400),
        ("GET", "/api/search", None, 405),
        ("GET", "/nothing", None, 404),
        ("POST", "/health", {}, 405),
        ("POST", "/api/search", b"x" * (1024 * 1024 + 1), 413),
    ],
)
def test_wrong_calls_have_a_status_and_an_error(
    site: Site, method: str, path: str, body: object, status: int
) -> None:
    answer = site.ask(method, path, body)

    assert (answer.status, answer.json["success"]) == (status, False)
    assert answer.json["error"]


def test_many_pages_are_one_envelope(site: Site) -> None:
    urls = [f"https://example.com/{n}" for n in range(11)] + ["http://10.0.0.1/"]

    answer = site.post("/api/extract", {"urls": urls})

    assert (answer.status, answer.json["failed"]) == (200, 1)
    assert [page["url"] for page in answer.json["data"]["results"]] == urls


@pytest.mark.parametrize("pages", [1, 6])
def test_progress_comes_as_events(site: Site, pages: int) -> None:
    urls = [f"https://example.com/{n}" for n in range(pages)]

    answer = site.post("/api/extract", {"urls": urls}, accept="text/event-stream")
    events = [
        dict(line.split(": ", 1) for line in part.splitlines())
        for part in answer.body.decode().split("\n\n")
        if part
    ]

    assert answer.headers["content-type"] == "text/event-stream"
    assert [one["event"] for one in events] == ["start", *["page"] * pages, "done"]
    assert json.loads(events[0]["data"]) == {"total": pages}
    assert [page["url"] for page in json.loads(events[-1]["data"])["data"]["results"]] == urls


def test_health_needs_nothing_and_ready_ends_with_draining(site: Site) -> None:
    before = site.get("/ready")
    site.gateway.drain()

    assert (site.get("/health").status, before.status, site.get("/ready").status) == (200, 200, 503)


def test_the_log_has_a_line_a_call_with_its_id_and_no_secret(tmp_path: Path) -> None:
    site = Site(tmp_path, token="hunter2-hunter2-hunter2")
    trace = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    ok = site.post(
        "/api/search",
        {"query": "my secret question"},
        authorization="Bearer hunter2-hunter2-hunter2",
        x_request_id="call-7",
        traceparent=trace,
    )
    site.post("/k/hunter2-hunter2-hunter2/tavily/search", {"query": "q"}, x_request_id="a b\n")
    site.post("/api/search", {"query": "q"}, authorization="Bearer wrong-hunter")

    log = json.dumps(site.lines)

    assert (ok.headers["x-request-id"], ok.headers["traceparent"]) == ("call-7", trace)
    assert [(line["status"], line["route"], line["caller"]) for line in site.lines] == [
        (200, "/api/search", "owner"),
        (200, "/search", "owner"),
        (401, "/api/search", ""),
    ]
    assert site.lines[0]["id"] == "call-7"
    assert site.lines[0]["trace"] == "0af7651916cd43dd8448eb211c80319c"
    assert site.lines[2]["failure"] == "unauthorized"
    assert "hunter" not in log
    assert "secret question" not in log


def test_figures_are_for_prometheus(site: Site) -> None:
    site.post("/api/search", {"query": "tides"})
    site.post("/api/search", {"query": ""})

    text = site.get("/metrics").body.decode()

    assert 'webseam_requests_total{dialect="native",route="/api/search",status="200"} 1' in text
    assert 'webseam_failures_total{kind="invalid_query"} 1' in text
    assert 'webseam_request_seconds_bucket{le="+Inf"} 2' in text
    assert "webseam_running 0" in text


@pytest.mark.parametrize("accept", ["application/json", "application/json, text/event-stream"])
def test_a_call_that_takes_too_long_is_given_up_on(tmp_path: Path, accept: str) -> None:
    site = Site(tmp_path, FakeBackend(search=lambda _query: asyncio.Event().wait()), timeout=0.05)

    answer = site.post("/api/search", {"query": "tides"}, accept=accept)

    assert (answer.status, answer.json["failure"]["kind"]) == (504, "deadline")


def test_a_caller_who_leaves_takes_the_call_along(tmp_path: Path) -> None:
    ended: list[str] = []

    begun = asyncio.Event()

    async def slow(_query: object) -> None:
        begun.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("cancelled")

    site = Site(tmp_path, FakeBackend(search=slow))
    messages: Iterator[dict[str, Any]] = iter(
        [
            {"type": "http.request", "body": b'{"query": "tides"}', "more_body": False},
            {"type": "http.disconnect"},
        ]
    )
    asked: list[int] = []

    async def receive() -> dict[str, Any]:
        asked.append(1)
        if len(asked) > 1:
            await begun.wait()
        return next(messages)

    answer = asyncio.run(exchange(site.gateway, scope_of("POST", "/api/search", {}), receive))

    assert (answer.status, ended) == (0, ["cancelled"])


def test_a_bug_is_told_and_the_next_call_is_answered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    site = Site(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr(
            "webseam.composition.features.gateway.native_api.native_reply_with_status",
            lambda _reply: 1 / 0,
        )
        broken = site.post("/api/search", {"query": "tides"})

    assert (broken.status, broken.json["error"]) == (
        502,
        "This is a bug in webseam; please report it.",
    )
    assert site.post("/api/search", {"query": "tides"}).status == 200


def test_a_slow_body_is_not_waited_for(site: Site) -> None:
    parts = iter([b'{"qu', b"ery"])

    async def receive() -> dict[str, Any]:
        part = next(parts, None)
        if part is None:
            await asyncio.Event().wait()
        return {"type": "http.request", "body": part, "more_body": True}

    quick = msgspec.structs.replace(site.gateway._parts.limits, body_seconds=0.02)  # noqa: SLF001
    site.gateway._parts = msgspec.structs.replace(site.gateway._parts, limits=quick)  # noqa: SLF001
    answer = asyncio.run(exchange(site.gateway, scope_of("POST", "/api/search", {}), receive))

    assert (answer.status, answer.headers["connection"]) == (408, "close")


def test_a_reload_goes_on_with_new_settings_and_bad_ones_change_nothing(tmp_path: Path) -> None:
    site = Site(tmp_path)

    async def life() -> list[int]:
        ok = await site.asked("POST", "/api/extract", {"urls": ["https://example.com/"]})
        (tmp_path / "config.yaml").write_text("policy:\n  deny_domains: [example.com]\n")
        await site.gateway.reload()
        denied = await site.asked("POST", "/api/extract", {"urls": ["https://example.com/"]})
        (tmp_path / "config.yaml").write_text("policy: 7\n")
        await site.gateway.reload()
        still = await site.asked("POST", "/api/extract", {"urls": ["https://example.com/"]})
        return [ok.status, denied.status, still.status]

    assert asyncio.run(life()) == [200, 403, 403]
    assert [line["event"] for line in site.lines if "event" in line] == [
        "reloaded",
        "reload refused",
    ]


@pytest.mark.parametrize("content", [None, "", "# all gone\n", "policy:\n"])
def test_a_settings_file_that_is_gone_or_emptied_changes_nothing_either(
    tmp_path: Path, content: str | None
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("policy:\n  deny_domains: [example.com]\n")
    site = Site(tmp_path)

    async def life() -> int:
        config.unlink()
        if content is not None:
            config.write_text(content)
        await site.gateway.reload()
        return (await site.asked("POST", "/api/extract", {"urls": ["https://example.com/"]})).status

    assert asyncio.run(life()) == 403
    assert [line["event"] for line in site.lines if "event" in line] == ["reload refused"]


def test_a_call_under_way_outlives_a_reload(tmp_path: Path) -> None:
    async def life() -> int:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def search(_query: object) -> object:
            begun.set()
            await go_on.wait()
            return Success(ROWS)

        site = Site(tmp_path, FakeBackend(search=search))
        call = asyncio.create_task(site.asked("POST", "/api/search", {"query": "tides"}))
        await begun.wait()
        await site.gateway.reload()
        await asyncio.sleep(0)
        go_on.set()
        return (await call).status

    assert asyncio.run(life()) == 200


@pytest.mark.parametrize("body", [b'{"query": ', b'{"query": "\xff"}', b"[" * 9_000, b"q=tides"])
def test_a_body_that_is_no_json_is_told_so_and_nobody_is_asked(site: Site, body: bytes) -> None:
    answer = site.ask("POST", "/api/search", body)

    assert (answer.status, answer.json["error"]) == (400, "The body is not JSON in UTF-8.")
    assert not site.backend.searched  # type: ignore[attr-defined]


@pytest.mark.parametrize("body", [b"[]", b'"tides"', b"5"])
def test_arguments_are_an_object(site: Site, body: bytes) -> None:
    answer = site.ask("POST", "/api/search", body)

    assert (answer.status, answer.json["error"]) == (400, "The body must be a JSON object.")


def schema_parts(part: Any) -> Iterator[dict[str, Any]]:  # noqa: ANN401  JSON is anything
    """Yield every object in a document."""
    if isinstance(part, dict):
        yield part
    for inner in (
        part.values() if isinstance(part, dict) else part if isinstance(part, list) else ()
    ):
        yield from schema_parts(inner)


def test_every_reference_leads_somewhere_and_every_pattern_is_one_of_ecmascript() -> None:
    document: Any = json.loads(openapi_document())
    names = document["components"]["schemas"].keys()
    parts = list(schema_parts(document))

    references = {part["$ref"] for part in parts if isinstance(part.get("$ref"), str)}
    patterns = [part["pattern"] for part in parts if isinstance(part.get("pattern"), str)]

    assert {name.removeprefix("#/components/schemas/") for name in references} <= names
    assert patterns
    # Python's own marks, and repeats that give nothing back.
    assert not [one for one in patterns if re.search(r"\\[AZ\"]|\(\?P|[+*?}]\+", one)]
    assert not [one for one in patterns if re.compile(one) is None]


def test_metrics_tell_of_keys_the_process_the_version_and_backends(tmp_path: Path) -> None:
    site = Site(tmp_path)
    site.post("/api/search", {"query": "tides"})

    text = site.get("/metrics").body.decode()

    assert 'webseam_key_requests_total{key="local",status="200"} 1' in text
    assert re.search(r'webseam_build_info\{version="[^"]+",python="[^"]+"\} 1', text)
    assert re.search(r"process_cpu_seconds_total [0-9.e-]+\n", text)
    assert "process_start_time_seconds" in text
    states = [("tavily", "search", False), ("tavily", "search", True), ("exa", "search", False)]
    up = backend_health_metrics(states)
    assert 'webseam_backend_up{backend="exa",task="search"} 0' in up
    assert 'webseam_backend_up{backend="tavily",task="search"} 1' in up
    assert backend_health_metrics([]) == ""


@pytest.mark.parametrize("path", ["/health", "/ready", "/metrics", "/openapi.json", "/docs"])
def test_read_only_paths_answer_writes_with_405(site: Site, path: str) -> None:
    answer = site.ask("PUT", path)

    assert (answer.status, answer.headers["allow"]) == (405, "GET, HEAD")


def test_missing_key_is_answered_with_its_scheme(tmp_path: Path) -> None:
    guarded = Site(tmp_path, require_key=True, token="t-0123456789abcdef")

    ours, theirs = (
        guarded.post(path, {"query": "q"}) for path in ("/api/search", "/tavily/search")
    )

    assert (ours.status, ours.headers["www-authenticate"]) == (401, "Bearer")
    assert (theirs.status, theirs.headers["www-authenticate"]) == (401, "Bearer")


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("GET", "/searxng/search?q=%ff&format=json", None),
        ("GET", "/brave/res/v1/web/search?q=tides&x=%c3", None),
        ("GET", "/searxng/search?format=json&q=t" + "&a=1" * 300, None),
        ("GET", "/jina/s/%ff", None),
        ("POST", "/searxng/search", b"q=%ff&format=json"),
        ("POST", "/searxng/search", b"q=\xff&format=json"),
        ("POST", "/searxng/search", b"q=t&format=json" + b"&a=1" * 300),
    ],
)
def test_a_query_that_cannot_be_read_is_refused_and_not_guessed(
    site: Site, method: str, path: str, body: bytes | None
) -> None:
    answer = site.ask(method, path, body, content_type="application/x-www-form-urlencoded")

    assert answer.status in (400, 422)
    assert b"UTF-8" in answer.body
    assert not site.backend.searched  # type: ignore[attr-defined]


def test_the_query_of_a_page_that_is_read_stays_as_it_is(site: Site) -> None:
    answer = site.get("/jina/r/https://example.com/find?q=%ff")

    assert answer.status == 200
    assert site.backend.extracted == ["https://example.com/find?q=%ff"]  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    "path", ["//api/search", "/api//search", "//tavily//search", "/tavily/search//", "//search"]
)
def test_a_base_address_with_a_slash_at_its_end_leads_to_the_same(
    tmp_path: Path, path: str
) -> None:
    answer = Site(tmp_path).post(path, {"query": "tides"}, authorization="Bearer any")

    assert answer.status == 200


def test_slashes_in_a_url_of_a_path_stay_as_they_are(tmp_path: Path) -> None:
    site = Site(tmp_path)

    site.get("//jina//r/https://example.com//a//b")

    assert site.backend.extracted == ["https://example.com//a//b"]  # type: ignore[attr-defined]


@pytest.mark.parametrize("path", ["/health/", "/ready/", "/metrics/", "/openapi.json/"])
def test_a_slash_at_the_end_makes_no_difference(tmp_path: Path, path: str) -> None:
    assert Site(tmp_path).get(path).status == 200


def test_json_may_begin_with_the_mark_of_utf_8(tmp_path: Path) -> None:
    site = Site(tmp_path)

    for path in ("/api/search", "/tavily/search", "/search"):
        assert site.post(path, b'\xef\xbb\xbf{"query": "tides"}').status == 200


def test_a_body_that_is_compressed_is_refused_as_such(tmp_path: Path) -> None:
    body = gzip.compress(b'{"query": "tides"}')

    answer = Site(tmp_path).post("/api/search", body, content_encoding="gzip")

    assert (answer.status, answer.json["error"]) == (400, "Send the body as it is, uncompressed.")


def test_no_content_has_no_length(tmp_path: Path) -> None:
    answer = Site(tmp_path).ask("OPTIONS", "/api/search")

    assert answer.status == 204
    assert not {"content-length", "content-type"} & answer.headers.keys()
