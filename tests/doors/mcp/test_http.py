"""Streamable HTTP in both revisions, nearly all of it without a socket."""

import asyncio
import base64
import os
import socket
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest
from returns.result import Failure

from tests.doors.cli.run import webseam
from tests.doors.mcp.desk import ROWS, settings_of
from tests.doors.mcp.http_desk import JSON_HEADERS, HttpDesk, request
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import RpcRequest
from webseam.composition.doors.mcp.mcp_server import McpServer
from webseam.composition.doors.mcp.offer import Toolset
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.features.gateway.mcp.running_requests import RunningRequests
from webseam.composition.features.gateway.mcp.serving import serve_http
from webseam.composition.features.gateway.mcp.sessions import (
    MAX_IDLE_SECONDS,
    HttpSessions,
    MessageStream,
)
from webseam.composition.wiring.root import open_settings_key_store
from webseam.ports.errors import NotConfigured
from webseam.ports.keys import KeyRecord
from webseam.testing import FakeBackend, FakeClock

SEARCH = {"name": "web_search", "arguments": {"query": "tides"}}


def run(desk: HttpDesk, work: Callable[[HttpDesk], Awaitable[None]]) -> None:
    async def whole() -> None:
        try:
            await work(desk)
        finally:
            await desk.aclose()

    asyncio.run(whole())


def new_key(desk: HttpDesk, **limits: object) -> str:
    record = KeyRecord(id="", name="friend", cache="", made="", **limits)  # type: ignore[arg-type]  # a table
    made = open_settings_key_store(desk.environment).unwrap().add(record).unwrap()
    assert made is not None
    return made.text


def test_a_session_begins_is_used_and_ends(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        opened = await desk.begin()
        assert opened.status == 200
        assert opened.json["result"]["protocolVersion"] == "2025-11-25"
        assert all(0x21 <= ord(each) <= 0x7E for each in desk.session)
        notified = await desk.post(
            {"jsonrpc": "2.0", "method": "notifications/initialized"}
        ).ended()
        assert (notified.status, notified.body) == (202, b"")
        called = await desk.post(request("tools/call", SEARCH)).ended()
        assert called.json["result"]["structuredContent"]["data"]["web"][0]["url"] == ROWS[0]["url"]
        ended = await desk.send("DELETE", **JSON_HEADERS, mcp_session_id=desk.session).ended()
        assert ended.status == 200
        assert (await desk.post(request("ping")).ended()).status == 404

    run(HttpDesk(tmp_path), work)


def test_without_a_session_the_older_revision_is_refused(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        assert (await desk.post(request("tools/list")).ended()).status == 400
        desk.session = "none"
        assert (await desk.post(request("tools/list")).ended()).status == 404
        assert (await desk.send("GET", **JSON_HEADERS).ended()).headers["allow"] == "POST"
        gone = await desk.send("GET", **JSON_HEADERS, mcp_session_id="none").ended()
        assert gone.status == 404

    run(HttpDesk(tmp_path), work)


def test_the_newer_revision_has_no_sessions(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        found = await desk.modern("server/discover").ended()
        assert found.json["result"]["resultType"] == "complete"
        assert "mcp-session-id" not in found.headers
        called = await desk.modern("tools/call", SEARCH).ended()
        assert called.json["result"]["isError"] is False

    run(HttpDesk(tmp_path), work)


@pytest.mark.parametrize(
    ("call", "headers", "refusal"),
    [
        (("tools/list", {}), {"mcp_method": "tools/call"}, (400, -32020)),
        (("tools/list", {}), {"mcp_protocol_version": "2031-01-01"}, (400, -32020)),
        (("tools/call", SEARCH), {"mcp_name": "web_more"}, (400, -32020)),
        (("tools/call", SEARCH), {"mcp_name": "=?base64?????="}, (400, -32020)),
        (("nonsense", {}), {}, (404, -32601)),
        (("resources/read", {"uri": "webseam://none"}), {}, (400, -32602)),
        (("tools/call", {"name": "none"}), {}, (400, -32602)),
    ],
)
def test_refusals_of_the_newer_revision_have_a_status(
    tmp_path: Path,
    call: tuple[str, dict[str, object]],
    headers: dict[str, str],
    refusal: tuple[int, int],
) -> None:
    async def work(desk: HttpDesk) -> None:
        refused = await desk.modern(*call, **headers).ended()
        assert (refused.status, refused.json["error"]["code"]) == refusal

    run(HttpDesk(tmp_path), work)


def test_a_name_may_come_in_base64(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        name = f"=?base64?{base64.b64encode(b'web_search').decode()}?="
        called = await desk.modern("tools/call", SEARCH, mcp_name=name).ended()
        assert called.status == 200

    run(HttpDesk(tmp_path), work)


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example:8808"}, 421),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"content_type": "text/plain"}, 415),
        ({"accept": "application/json"}, 406),
        ({"host": "localhost:1234", "origin": "http://localhost:5173"}, 200),
        ({"host": "[::1]:8808"}, 200),
        ({"accept": "*/*"}, 200),
    ],
)
def test_names_and_pages_of_others_are_refused(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    async def work(desk: HttpDesk) -> None:
        answered = await desk.modern("server/discover", **headers).ended()
        assert answered.status == status
        allowed = answered.headers.get("access-control-allow-origin")
        assert allowed == (headers.get("origin") if status == 200 else None)

    run(HttpDesk(tmp_path), work)


def test_invalid_http_requests_are_refused(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        assert (await desk.send("POST", "/mcp", b"{", **JSON_HEADERS).ended()).status == 400
        large = b" " * (4 * 1024 * 1024 + 1)
        assert (await desk.send("POST", "/mcp", large, **JSON_HEADERS).ended()).status == 413
        assert (await desk.send("PUT", **JSON_HEADERS).ended()).status == 405
        assert (await desk.send("OPTIONS", **JSON_HEADERS).ended()).status == 204
        assert (await desk.send("POST", "/other", **JSON_HEADERS).ended()).status == 404
        known = "/.well-known/oauth-protected-resource"
        assert (await desk.send("GET", known, **JSON_HEADERS).ended()).status == 404

    run(HttpDesk(tmp_path), work)


def test_progress_comes_as_a_stream_that_ends_with_the_answer(tmp_path: Path) -> None:
    urls = [f"https://tides.example/{number}" for number in range(3)]
    call = {"name": "web_extract", "arguments": {"urls": urls}, "_meta": {"progressToken": 1}}

    async def work(desk: HttpDesk) -> None:
        modern = await desk.modern("tools/call", call).ended()
        assert modern.headers["content-type"] == "text/event-stream"
        assert [event[0] for event in modern.events] == [""] * 4
        assert modern.events[-1][1]["result"]["resultType"] == "complete"
        await desk.begin()
        legacy = await desk.post(request("tools/call", call)).ended()
        messages = [message for _, message in legacy.events]
        assert messages[0] is None
        assert [each["params"]["progress"] for each in messages[1:4]] == [1, 2, 3]
        assert messages[4]["result"]["isError"] is False

    run(HttpDesk(tmp_path), work)


class Gate:
    """A backend whose second page waits; it remembers that it was stopped."""

    def __init__(self) -> None:
        self.waiting, self.open, self.stopped = asyncio.Event(), asyncio.Event(), asyncio.Event()

    async def extract(self, url: str) -> object:
        from returns.result import Success  # noqa: PLC0415

        if url.endswith("slow"):
            self.waiting.set()
            try:
                await self.open.wait()
            except asyncio.CancelledError:
                self.stopped.set()
                raise
        return Success({"url": url, "content": "Words."})


SLOW = {
    "name": "web_extract",
    "arguments": {"urls": ["https://a.example/fast", "https://a.example/slow"]},
    "_meta": {"progressToken": 1},
}


def test_a_lost_stream_of_the_older_revision_goes_on_and_can_be_resumed(tmp_path: Path) -> None:
    async def work() -> None:
        gate = Gate()
        desk = HttpDesk(tmp_path, FakeBackend(extract=gate.extract))
        await desk.begin()
        lost = await desk.post(request("tools/call", SLOW)).until(2)
        lost.leave()
        await lost.ended()
        last = lost.events[-1][0]
        listening = {**JSON_HEADERS, "mcp_session_id": desk.session, "last_event_id": last}
        again = desk.send("GET", **listening)
        gate.open.set()
        await again.ended()
        progress, answer = [message for _, message in again.events]
        assert progress["params"]["progress"] == 2
        assert answer["result"]["isError"] is False
        for unknown in ("none-1", f"{last.rpartition('-')[0]}-{'9' * 5_000}"):
            asked = {**listening, "last_event_id": unknown}
            assert (await desk.send("GET", **asked).ended()).status == 404
        await desk.aclose()

    asyncio.run(work())


def test_a_closed_stream_of_the_newer_revision_stops_the_backend(tmp_path: Path) -> None:
    async def work() -> None:
        gate = Gate()
        desk = HttpDesk(tmp_path, FakeBackend(extract=gate.extract))
        lost = await desk.modern("tools/call", SLOW).until(1)
        lost.leave()
        await lost.ended()
        await asyncio.wait_for(gate.stopped.wait(), 120)
        await desk.aclose()

    asyncio.run(work())


def test_a_cancelled_request_of_the_older_revision_stops_the_backend(tmp_path: Path) -> None:
    async def work() -> None:
        gate = Gate()
        desk = HttpDesk(tmp_path, FakeBackend(extract=gate.extract))
        await desk.begin()
        called = desk.post(request("tools/call", SLOW, known="c"))
        await asyncio.wait_for(gate.waiting.wait(), 120)
        twice = await desk.post(request("tools/call", SLOW, known="c")).ended()
        assert "under way" in twice.json["error"]["message"]
        cancel = {"method": "notifications/cancelled", "params": {"requestId": "c"}}
        assert (await desk.post({"jsonrpc": "2.0", **cancel}).ended()).status == 202
        await asyncio.wait_for(gate.stopped.wait(), 120)
        await called.ended()
        assert not any("result" in (message or {}) for _, message in called.events)
        await desk.aclose()

    asyncio.run(work())


def test_a_client_of_the_older_revision_may_just_listen(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        await desk.begin()
        listening = {**JSON_HEADERS, "mcp_session_id": desk.session}
        stream = await desk.send("GET", **listening).until(1)
        assert stream.events[0][1] is None
        stream.leave()
        await stream.ended()
        plain = {**listening, "accept": "application/json"}
        assert (await desk.send("GET", **plain).ended()).status == 406

    run(HttpDesk(tmp_path), work)


def test_a_subscription_is_acknowledged_first(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        stream = await desk.modern("subscriptions/listen").until(1)
        assert stream.events[0][1]["method"] == "notifications/subscriptions/acknowledged"
        stream.leave()
        await stream.ended()

    run(HttpDesk(tmp_path), work)


def test_a_token_is_compared_and_a_key_is_found(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        none = await desk.modern("tools/list").ended()
        assert (none.status, none.headers["www-authenticate"]) == (401, "Bearer")
        bad = await desk.modern("tools/list", authorization="Bearer nonsense").ended()
        assert bad.status == 401
        owner = await desk.modern("tools/list", authorization="bearer t0ken").ended()
        assert len(owner.json["result"]["tools"]) == 4
        assert "Authorization: Bearer" in none.json["error"]["message"]
        key = new_key(desk, tools=("search",), rate=1.0)
        named = await desk.modern("tools/list", x_api_key=key).ended()
        assert named.status == 200
        mine = {"authorization": f"Bearer {key}"}
        listed = await desk.modern("tools/list", **mine).ended()
        assert [tool["name"] for tool in listed.json["result"]["tools"]] == ["web_search"]
        page = {"name": "web_extract", "arguments": {"urls": ["https://a.example/"]}}
        refused = (await desk.modern("tools/call", page, **mine).ended()).json["result"]
        assert refused["structuredContent"]["failure"]["kind"] == "call_refused"
        first = (await desk.modern("tools/call", SEARCH, **mine).ended()).json["result"]
        again = (await desk.modern("tools/call", SEARCH, **mine).ended()).json["result"]
        assert first["isError"] is False
        assert again["structuredContent"]["failure"]["kind"] == "rate_limited"
        assert again["structuredContent"]["failure"]["retry_after"] > 0
        unknown = await desk.modern("tools/call", {"name": "none"}, **mine).ended()
        assert unknown.status == 400

    run(HttpDesk(tmp_path, config="mcp: {token: t0ken}"), work)


def test_a_session_belongs_to_whoever_began_it(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        key = new_key(desk)
        await desk.begin(authorization=f"Bearer {key}")
        stolen = await desk.post(request("ping"), authorization="Bearer t0ken").ended()
        assert stolen.status == 404
        own = await desk.post(request("ping"), authorization=f"Bearer {key}").ended()
        assert own.status == 200

    run(HttpDesk(tmp_path, config="mcp: {token: t0ken}"), work)


@pytest.mark.parametrize(
    ("path", "status"), [("//mcp", 400), ("/mcp/", 400), ("/", 400), ("/mcp/more", 404)]
)
def test_a_slash_too_many_leads_to_the_same(tmp_path: Path, path: str, status: int) -> None:
    async def work(desk: HttpDesk) -> None:
        assert (await desk.send("POST", path, b"{}", **JSON_HEADERS).ended()).status == status

    run(HttpDesk(tmp_path), work)


def test_off_loopback_nothing_is_served_without_a_key(tmp_path: Path) -> None:
    refused = HttpDesk(tmp_path, config="mcp: {host: 0.0.0.0}").made

    assert isinstance(refused, Failure)
    assert isinstance(refused.failure(), NotConfigured)
    assert "webseam keys add" in refused.failure().message


def test_off_loopback_a_key_or_a_token_opens_the_door(tmp_path: Path) -> None:
    config = "mcp: {host: 0.0.0.0, hosts: [mcp.example]}"
    new_key(HttpDesk(tmp_path))

    async def work(desk: HttpDesk) -> None:
        refused = await desk.modern("tools/list", host="mcp.example").ended()
        assert refused.status == 401
        local = await desk.modern("tools/list", host="127.0.0.1").ended()
        assert local.status == 421

    run(HttpDesk(tmp_path, config=config), work)


def test_a_key_for_some_domains_sees_those_alone(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        mine = {"authorization": f"Bearer {new_key(desk, domains=('ebb.example',))}"}
        called = await desk.modern("tools/call", SEARCH, **mine).ended()
        rows = called.json["result"]["structuredContent"]["data"]["web"]
        assert [row["url"] for row in rows] == ["https://ebb.example/b"]
        page = {"name": "web_extract", "arguments": {"urls": ["https://tides.example/a"]}}
        refused = await desk.modern("tools/call", page, **mine).ended()
        failure = refused.json["result"]["structuredContent"]["failure"]
        assert failure["kind"] == "url_denied"

    run(HttpDesk(tmp_path), work)


def test_sessions_are_few_and_end_when_nobody_uses_them() -> None:
    async def work() -> None:
        clock = FakeClock()
        sessions = HttpSessions(clock, most=2)
        first, second = sessions.begin("a"), sessions.begin("a")
        clock.advance(1)
        assert sessions.find(first.id, "a") is first
        sessions.begin("a")
        assert sessions.find(second.id, "a") is None
        clock.advance(MAX_IDLE_SECONDS + 1)
        sessions.begin("a")
        assert sessions.find(first.id, "a") is None

    asyncio.run(work())


def test_a_stream_forgets_its_oldest_messages_and_keeps_their_places() -> None:
    async def work() -> None:
        stream = MessageStream("s")
        for number in range(1_002):
            stream.add({"n": number})
        assert stream.messages_after(0)[0] == (3, b'{"n":2}')
        assert stream.messages_after(1_001) == [(1_002, b'{"n":1001}')]
        assert not await stream.wait_for_messages(1_002, 0.001)

    asyncio.run(work())


@pytest.mark.parametrize(
    ("words", "problem"),
    [
        (("--http", "--port", "70000"), "--port: must be a whole number <= 65535."),
        (("--http", "--token", ""), "--token: must not be empty."),
        (("--port", "8808"), "--port: goes with --http."),
        (("--host", "127.0.0.1"), "--host: goes with --http."),
    ],
)
def test_an_option_that_is_wrong_is_bad_input(words: tuple[str, ...], problem: str) -> None:
    ran = webseam("mcp", *words)

    assert (ran.code, ran.err) == (2, f"webseam: {problem}\n")


def test_a_head_that_never_ends_is_refused_before_anybody_is_asked_for_a_key(
    tmp_path: Path,
) -> None:
    with subprocess.Popen(
        [sys.executable, "-m", "webseam.composition.doors.cli", "mcp", "--http", "--port", "0"],
        stderr=subprocess.PIPE,
        env={**os.environ, **settings_of(tmp_path)},
    ) as server:
        assert server.stderr is not None
        port = int(server.stderr.readline().split(b":")[3].split(b"/")[0])
        with socket.create_connection(("127.0.0.1", port), timeout=20) as client:
            client.sendall(b"GET /mcp HTTP/1.1\r\nx: " + b"a" * 70_000)
            status = client.recv(12)
        server.terminate()

    assert status == b"HTTP/1.1 431"


def test_a_body_that_does_not_come_in_time_is_refused(tmp_path: Path) -> None:
    async def never() -> dict[str, object]:
        await asyncio.Event().wait()
        return {}

    async def work(desk: HttpDesk) -> None:
        refused = await desk.begun_with(never, body_seconds=0.0).ended()
        assert (refused.status, refused.headers["connection"]) == (408, "close")

    run(HttpDesk(tmp_path), work)


def test_a_missing_web_server_is_told_with_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)

    refused = serve_http({})

    assert isinstance(refused, Failure)
    assert "pip install 'webseam[mcp]'" in refused.failure().message


@pytest.mark.parametrize(
    ("config", "setting"),
    [
        ("mcp: {issuer: 'https://id.example'}", "mcp.resource"),
        ("mcp: {issuer: 'https://id.example', resource: 'https://a.example/mcp'}", "mcp.jwks"),
        ("mcp: {issuer: 'https://id.example', resource: 'a.example', jwks: k}", "mcp.resource"),
    ],
)
def test_half_of_oauth_is_refused_by_name(tmp_path: Path, config: str, setting: str) -> None:
    refused = HttpDesk(tmp_path, config=config).made

    assert isinstance(refused, Failure)
    assert setting in refused.failure().message


def test_oauth_without_its_library_is_told_with_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "jwt", None)
    config = "mcp: {issuer: 'https://id.example', resource: 'https://a.example/mcp', jwks: k}"

    refused = HttpDesk(tmp_path, config=config).made

    assert isinstance(refused, Failure)
    assert "pip install 'webseam[mcp]'" in refused.failure().message


def test_no_caller_takes_more_than_half_of_the_room() -> None:
    async def work() -> None:
        server, owners = McpServer(WebOffer(_no_tools)), RunningRequests(4)
        for number in (1, 2):
            owners.start(
                server,
                RpcRequest(id=number, method="ping", params={}),
                McpSession(),
                MessageStream(""),
                "ann",
            )
        assert owners.explain_refusal("ann") == (429, "Too many of your requests are under way.")
        assert owners.explain_refusal("eve") is None
        for number in (3, 4):
            owners.start(
                server,
                RpcRequest(id=number, method="ping", params={}),
                McpSession(),
                MessageStream(""),
                "eve",
            )
        assert owners.explain_refusal("ben") == (503, "Too many requests are under way.")
        await owners.aclose()
        assert owners.explain_refusal("ann") is None

    asyncio.run(work())


def _no_tools() -> Toolset:
    raise AssertionError


def test_settings_that_are_wrong_are_told_at_the_start(tmp_path: Path) -> None:
    refused = HttpDesk(tmp_path, config="services: {nobody: {api_key: k}}").made

    assert isinstance(refused, Failure)
    assert "services.nobody" in refused.failure().message
