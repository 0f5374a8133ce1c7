"""Who is let in: names, pages of others, keys, and what each key may."""

import asyncio
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure

from tests.doors.cli.run import webseam
from tests.features.gateway.keys import new_key
from webseam.composition.features.gateway.gateway_setup import open_gateway
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.ports.errors import PaymentRequired, WebError

from .asgi import ROWS, Site, exchange, request, scope_of, whole

QUESTION = {"query": "tides"}
TOKEN = "a-token-of-twenty-letters"
DOUBLED = (
    b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list", "method": "tools/call", "params":'
    b'{"_meta": {"io.modelcontextprotocol/protocolVersion": "2026-07-28",'
    b'"io.modelcontextprotocol/clientCapabilities": {}}, "name": "web_search",'
    b'"arguments": {"query": "ebb", "query": "flood"}}}'
)


@pytest.mark.parametrize(
    "host", ["localhost", "127.0.0.1:8787", "[::1]:80", "LOCALHOST:1", "a.localhost", "127.8.8.8"]
)
def test_names_of_this_machine_are_ours(tmp_path: Path, host: str) -> None:
    assert Site(tmp_path).post("/api/search", QUESTION, host=host).status == 200


@pytest.mark.parametrize(
    "host",
    [
        "evil.example",
        "evil.example:8787",
        "localhost.evil.example",
        "192.0.2.1",
        "127.0.0.1.evil.example",
        "0.0.0.0",  # noqa: S104  a name, nothing is bound
        "a b",
        "[::1",
        "localhost@evil.example",
    ],
)
def test_a_name_that_was_rebound_to_this_machine_is_not_ours(tmp_path: Path, host: str) -> None:
    site = Site(tmp_path)

    answers = [
        site.post("/api/search", QUESTION, host=host),
        site.get("/search?q=a&format=json", host=host),
        site.get("/health", host=host),
    ]

    assert {answer.status for answer in answers} <= {400, 403}
    assert site.backend.searched == []  # type: ignore[attr-defined]


def test_a_name_that_the_settings_list_is_ours(tmp_path: Path) -> None:
    site = Site(tmp_path, hosts=["Gate.Corp"])

    assert site.post("/api/search", QUESTION, host="gate.corp:80").status == 200
    assert site.post("/api/search", QUESTION, host="other.corp").status == 403


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"origin": "http://127.0.0.1:9999"},
        {"origin": "https://127.0.0.1:8787"},
        {"sec_fetch_site": "cross-site"},
        {"sec_fetch_site": "same-site", "sec_fetch_mode": "no-cors"},
        {"sec_fetch_site": "cross-site", "sec_fetch_mode": "navigate"},
    ],
)
@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("POST", "/api/search"),
        ("GET", "/searxng/search?q=a&format=json"),
        ("GET", "/?q=a&format=json"),
    ],
)
def test_the_page_of_somebody_else_cannot_call(
    tmp_path: Path, headers: dict[str, str], method: str, path: str
) -> None:
    site = Site(tmp_path)

    answer = site.ask(method, path, QUESTION if method == "POST" else None, **headers)

    assert (answer.status, "access-control-allow-origin" in answer.headers) == (403, False)
    assert site.backend.searched == []  # type: ignore[attr-defined]
    shown = headers.get("origin", "another site")
    assert f"Pages of {shown} may not call" in answer.body.decode()


def test_our_own_page_and_welcome_ones_can_call(tmp_path: Path) -> None:
    site = Site(tmp_path, origins=["https://app.example/"])

    own = site.post(
        "/api/search", QUESTION, origin="http://127.0.0.1:8787", sec_fetch_site="same-origin"
    )
    asked = site.ask(
        "OPTIONS", "/api/search", origin="https://app.example", access_control_request_method="POST"
    )
    other = site.post(
        "/api/search", QUESTION, origin="https://app.example", sec_fetch_site="cross-site"
    )

    assert (own.status, asked.status, other.status) == (200, 204, 200)
    assert (
        other.headers["access-control-allow-origin"]
        == asked.headers["access-control-allow-origin"]
        == "https://app.example"
    )


@pytest.mark.parametrize(
    "headers", [{}, {"authorization": "Bearer anything"}, {"x_api_key": "anything"}]
)
def test_on_this_machine_no_key_is_needed_and_any_is_ignored(
    tmp_path: Path, headers: dict[str, str]
) -> None:
    assert Site(tmp_path).post("/api/search", QUESTION, **headers).status == 200


def test_forwarded_request_is_not_from_this_machine(tmp_path: Path) -> None:
    site = Site(tmp_path)

    answers = [
        site.post("/api/search", QUESTION, **{name: "127.0.0.1"})
        for name in ("x_forwarded_for", "forwarded", "x_real_ip", "via")
    ]

    assert [answer.status for answer in answers] == [401] * 4


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": f"Bearer {TOKEN}"}, 200),
        ({"authorization": TOKEN}, 200),
        ({"x_api_key": TOKEN}, 200),
        ({"authorization": f"bearer  {TOKEN} "}, 200),
        ({"authorization": f"Bearer {TOKEN}x"}, 401),
        ({"authorization": f"Bearer {TOKEN[:-1]}"}, 401),
        ({"authorization": f"Basic {TOKEN}"}, 401),
        ({"authorization": "Bearer ü"}, 401),
        ({"authorization": "Bearer"}, 401),
    ],
)
def test_with_a_token_every_call_needs_it(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    site = Site(tmp_path, token=TOKEN)

    answers = [
        site.post("/api/search", QUESTION, **headers),
        site.ask("GET", "/metrics", **headers),
    ]

    assert [answer.status for answer in answers] == [status, status]


def test_a_key_may_stand_in_the_path_for_clients_that_send_no_header(tmp_path: Path) -> None:
    site = Site(tmp_path, token=TOKEN)

    assert site.get(f"/k/{TOKEN}/searxng/search?q=a&format=json").status == 200
    assert site.get("/k/wrong/searxng/search?q=a&format=json").status == 401


def test_a_key_that_is_there_is_good_until_it_is_revoked_and_any_other_is_refused(
    tmp_path: Path,
) -> None:
    site = Site(tmp_path)
    text = new_key(site, "ann")

    good = site.post("/api/search", QUESTION, authorization=f"Bearer {text}")
    wrong = site.post("/api/search", QUESTION, authorization="Bearer wsk_000000000000_" + "a" * 43)
    without = site.post("/api/search", QUESTION)
    webseam("keys", "revoke", "ann", XDG_DATA_HOME=str(site.home / "data"))
    gone = site.post("/api/search", QUESTION, authorization=f"Bearer {text}")

    assert (good.status, wrong.status, without.status, gone.status) == (200, 401, 200, 401)


def test_required_key_refuses_calls_without_one(tmp_path: Path) -> None:
    site = Site(tmp_path, require_key=True)

    assert site.post("/api/search", QUESTION).status == 401
    assert site.get("/health").status == 200


def test_a_key_may_only_what_it_may(tmp_path: Path) -> None:
    site = Site(tmp_path)
    bearer = f"Bearer {new_key(site, 'ann', '--tool', 'search', '--domain', 'example.com')}"

    rows = site.post("/api/search", QUESTION, authorization=bearer)
    page = site.post("/api/extract", {"urls": ["https://example.com/"]}, authorization=bearer)
    scraped = site.post("/tavily/extract", {"urls": ["https://example.com/"]}, authorization=bearer)
    figures = site.get("/metrics", authorization=bearer)

    assert [row["url"] for row in rows.json["data"]["web"]] == ["https://example.com/tides"]
    assert (page.status, scraped.status, figures.status) == (403, 403, 403)
    assert scraped.json == {"detail": {"error": "This key may not read pages."}}


def test_a_key_reads_pages_of_its_domains_alone(tmp_path: Path) -> None:
    site = Site(tmp_path)
    bearer = f"Bearer {new_key(site, 'ann', '--domain', 'example.com')}"

    urls = [
        "https://example.com/",
        "https://docs.example.com/",
        "https://example.org/",
        "https://notexample.com/",
    ]
    answers = [
        site.post("/api/extract", {"urls": [url]}, authorization=bearer).status for url in urls
    ]

    assert answers == [200, 200, 403, 403]


def test_too_many_calls_of_one_key_wait_and_others_do_not(tmp_path: Path) -> None:
    site = Site(tmp_path)
    ann, ben = (f"Bearer {new_key(site, name, '--rate', '2')}" for name in ("ann", "ben"))

    answers = [site.post("/tavily/search", QUESTION, authorization=ann) for _ in range(3)]
    other = site.post("/tavily/search", QUESTION, authorization=ben)

    assert [answer.status for answer in answers] == [200, 200, 429]
    assert 25 <= int(answers[-1].headers["retry-after"]) <= 30
    assert other.status == 200


def test_handle_of_a_key_cannot_be_used_by_another(tmp_path: Path) -> None:
    site = Site(tmp_path)
    ann, ben, eve = (
        f"Bearer {new_key(site, name, *more)}"
        for name, *more in (("ann", "--cache", "team"), ("ben", "--cache", "team"), ("eve",))
    )
    page = site.post(
        "/api/extract", {"urls": ["https://example.com/"], "char_limit": 8}, authorization=ann
    )
    handle = page.json["receipt"]["pages"][0]["handle"]

    statuses = [
        site.post("/api/more", {"handle": handle}, authorization=bearer).status
        for bearer in (ann, ben, eve)
    ]
    local = site.post("/api/more", {"handle": handle})

    assert statuses == [200, 200, 400]
    assert local.status == 400


def refused_gateway(environment: dict[str, str], arguments: dict[str, object]) -> WebError:
    parts = ToolboxOverrides(environment=environment, settings=arguments)
    return open_gateway(parts, lambda _fields: None).failure()


@pytest.mark.parametrize("host", ["0.0.0.0", "192.0.2.1", "::"])  # noqa: S104  it is refused
def test_off_this_machine_nothing_is_served_without_a_key(tmp_path: Path, host: str) -> None:
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}

    refused = refused_gateway(environment, {"serve.host": host})
    short = refused_gateway(environment, {"serve.host": host, "serve.token": "short"})

    assert refused.kind == "not_configured"
    assert short.kind == "invalid_setting"
    assert "webseam keys add" in refused.message
    assert "16 characters" in short.message


def test_off_this_machine_even_this_machine_needs_a_key(tmp_path: Path) -> None:
    site = Site(tmp_path, host="0.0.0.0", token=TOKEN)  # noqa: S104  nothing is bound

    assert site.post("/api/search", QUESTION).status == 401
    assert (
        site.post("/api/search", QUESTION, host="gate.corp", authorization=f"Bearer {TOKEN}").status
        == 200
    )


def test_a_proxy_that_is_named_says_by_which_host_a_caller_came(tmp_path: Path) -> None:
    site = Site(tmp_path, hosts=["gate.corp"], proxies=["10.0.0.9"], token=TOKEN)
    passed = {
        "host": "127.0.0.1",
        "x_forwarded_host": "gate.corp",
        "x_forwarded_proto": "https",
        "authorization": f"Bearer {TOKEN}",
    }

    named = asyncio.run(
        request(site.gateway, "POST", "/api/search", QUESTION, peer="10.0.0.9", **passed)
    )
    stranger = asyncio.run(
        request(
            site.gateway,
            "POST",
            "/api/search",
            QUESTION,
            peer="10.0.0.8",
            **{**passed, "host": "x.test"},
        )
    )

    assert (named.status, stranger.status) == (200, 403)


@pytest.mark.parametrize(
    "headers",
    [
        [(b"content-length", b"5"), (b"transfer-encoding", b"chunked")],
        [(b"content-length", b"5"), (b"content-length", b"6")],
        [(b"content-length", b"+5")],
        [(b"content-length", b"5,5")],
        [(b"transfer-encoding", b"gzip, chunked")],
        [(b"transfer-encoding", b"chunked"), (b"transfer-encoding", b"identity")],
        [(b"host", b"localhost")],
        [(b"authorization", b"Bearer a"), (b"authorization", b"Bearer b")],
    ],
)
def test_ambiguous_framing_is_refused(tmp_path: Path, headers: list[tuple[bytes, bytes]]) -> None:
    site = Site(tmp_path)
    scope: dict[str, Any] = scope_of("POST", "/api/search", {})
    scope["headers"] += headers

    answer = asyncio.run(exchange(site.gateway, scope, whole(b'{"query": "a"}')))

    assert (answer.status, answer.headers["connection"]) == (400, "close")
    assert site.backend.searched == []  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/search", b'{"query": "ebb", "query": "flood"}'),
        ("POST", "/tavily/search", b'{"query": "ebb", "query": "flood"}'),
        ("POST", "/search", b'{"q": "ebb", "q": "flood"}'),
        (
            "POST",
            "/mcp",
            DOUBLED,
        ),
    ],
)
def test_of_a_name_that_stands_there_twice_the_last_counts_at_every_door(
    tmp_path: Path, method: str, path: str, body: bytes
) -> None:
    backend = FakeBackend(ROWS)
    kind = {"content_type": "application/json", "accept": "application/json, text/event-stream"}
    mcp = {"mcp_protocol_version": "2026-07-28", "mcp_method": "tools/call"}
    headers = {**kind, **mcp, "mcp_name": "web_search"}

    answer = Site(tmp_path, backend).ask(method, path, body, **headers)

    assert answer.status == 200
    assert [each.query for each in backend.searched] == ["flood"]


@pytest.mark.parametrize("digits", [b"9" * 5_000, b"99999999999"])
def test_a_body_that_says_it_is_very_long_is_refused(tmp_path: Path, digits: bytes) -> None:
    scope: dict[str, Any] = scope_of("POST", "/api/search", {})
    scope["headers"] += [(b"content-length", digits)]

    answer = asyncio.run(exchange(Site(tmp_path).gateway, scope, whole(b"{}")))

    assert answer.status == 413


def test_files_for_tls_that_cannot_be_used_are_told_before_it_listens(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path / "data")}
    nonsense = tmp_path / "nonsense.pem"
    nonsense.write_text("nonsense")

    missing = tmp_path / "missing.pem"

    refused = [
        refused_gateway(
            environment, {"serve.certificate": str(file), "serve.certificate_key": str(key)}
        )
        for file, key in ((missing, nonsense), (nonsense, missing), (nonsense, nonsense))
    ]

    assert [each.message for each in refused] == [
        f"{missing}: serve.certificate: cannot be read: no such file or directory.",
        f"{missing}: serve.certificate_key: cannot be read: no such file or directory.",
        f"{nonsense}: serve.certificate: is no PEM certificate whose key is in {nonsense}.",
    ]


def test_keys_in_the_clear_are_warned_of(tmp_path: Path) -> None:
    warned = Site(tmp_path, host="0.0.0.0", token=TOKEN)  # noqa: S104  nothing is bound
    behind = Site(tmp_path, host="0.0.0.0", token=TOKEN, proxies=["10.0.0.9"])  # noqa: S104

    assert [line["level"] for line in warned.lines] == ["warning"]
    assert behind.lines == []


@pytest.mark.parametrize("path", ["/health", "/ready", "/metrics"])
@pytest.mark.parametrize("bind", ["0.0.0.0", "127.0.0.1"])  # noqa: S104  nothing is bound
def test_probes_come_by_address_whatever_the_names_are(
    tmp_path: Path, bind: str, path: str
) -> None:
    site = Site(tmp_path, host=bind, hosts=["gate.corp"], token=TOKEN)
    key = {"authorization": f"Bearer {TOKEN}"}

    answers = [
        site.get(path, host=host, **key)
        for host in ("127.0.0.1:8787", "10.1.2.3", "[2001:db8::1]:8787", "gate.corp")
    ]

    assert [answer.status for answer in answers] == [200] * 4
    assert site.get(path, host="evil.example", **key).status == 403
    assert site.get("/v1/models", host="10.1.2.3", **key).status == 403


@pytest.mark.parametrize(
    ("settings", "path", "headers"),
    [
        ({"prefix": "/web/seam"}, "/web/seam", {}),
        ({"prefix": "/web/seam"}, "", {}),
        ({"proxies": ["127.0.0.1"]}, "", {"x_forwarded_prefix": "/web/seam/"}),
    ],
)
def test_below_a_prefix_every_address_has_it(
    tmp_path: Path, settings: dict[str, object], path: str, headers: dict[str, str]
) -> None:
    site = Site(tmp_path, token=TOKEN, **settings)
    key = {"authorization": f"Bearer {TOKEN}", **headers}

    job = site.post(f"{path}/firecrawl/v2/crawl", {"url": "https://example.com/"}, **key)
    openapi = site.get(f"{path}/openapi.json", **headers)

    assert job.json["url"].startswith("http://127.0.0.1:8787/web/seam/firecrawl/v2/crawl/")
    assert openapi.json["servers"] == [{"url": "/web/seam"}]
    for page in ("/", "/docs", "/playground/script.js", "/health"):
        assert site.get(f"{path}{page}", **headers).status == 200, page


@pytest.mark.parametrize("prefix", ["//evil.example", "/a b", "/a/../b?c", "x"])
def test_a_prefix_that_is_no_path_or_from_a_stranger_counts_for_nothing(
    tmp_path: Path, prefix: str
) -> None:
    trusting = Site(tmp_path / "a", proxies=["127.0.0.1"])
    strict = Site(tmp_path / "b")

    answers = [
        trusting.get("/openapi.json", x_forwarded_prefix=prefix),
        strict.get("/openapi.json", x_forwarded_prefix="/web"),
    ]

    assert [answer.json["servers"] for answer in answers] == [[{"url": "/"}]] * 2


def test_exa_tells_why_a_page_was_not_read(tmp_path: Path) -> None:
    price = PaymentRequired(
        amount=Decimal("0.01"), currency="USD", payee="a.example", backend="pages"
    )
    site = Site(tmp_path, FakeBackend(extract=Failure(price)))

    statuses = site.post("/exa/contents", {"urls": ["https://a.example/"]}).json["statuses"]

    assert "0.01 USD to a.example" in statuses[0]["error"]["message"]
