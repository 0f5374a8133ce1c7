"""Both revisions, without a transport."""

from pathlib import Path

import pytest
from returns.result import Failure, Result, Success

from tests.doors.mcp.desk import META_PREFIX, MODERN_META, Desk
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import (
    Notification,
    Response,
    RpcRequest,
    Unreadable,
    read_mcp_message,
    rpc_error_message,
)
from webseam.errors import HttpStatus, WebError
from webseam.testing import FakeBackend


@pytest.fixture(params=["2025", "2026"])
def desk(request: pytest.FixtureRequest, tmp_path: Path) -> Desk:
    return Desk(tmp_path, modern=request.param == "2026")


@pytest.mark.parametrize(
    ("line", "code"),
    [
        (b"{", -32700),
        (b"\xff", -32700),
        (b"[" * 100_000, -32700),
        (b"[]", -32600),
        (b'"text"', -32600),
        (b'{"id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 5}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": true, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
    ],
)
def test_invalid_message_is_refused(line: bytes, code: int) -> None:
    message = read_mcp_message(line)

    assert isinstance(message, Unreadable)
    assert message.refusal.code == code


def test_messages_are_told_apart() -> None:
    request = read_mcp_message(b'{"jsonrpc": "2.0", "id": "a", "method": "ping"}')
    notification = read_mcp_message(b'{"jsonrpc": "2.0", "method": "notifications/initialized"}')
    response = read_mcp_message(b'{"jsonrpc": "2.0", "id": 3, "result": {}}')

    assert request == RpcRequest(id="a", method="ping", params={})
    assert notification == Notification(method="notifications/initialized", params={})
    assert isinstance(response, Response)


def test_an_error_without_a_known_id_has_none() -> None:
    message = read_mcp_message(b"{")

    assert isinstance(message, Unreadable)
    assert "id" not in rpc_error_message(message.id, message.refusal)


@pytest.mark.parametrize(
    ("wanted", "agreed"),
    [
        ("2025-11-25", "2025-11-25"),
        ("2024-11-05", "2024-11-05"),
        ("2026-07-28", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
    ],
)
def test_a_handshake_agrees_on_a_version_of_the_older_revision(
    tmp_path: Path, wanted: str, agreed: str
) -> None:
    desk = Desk(tmp_path)
    desk.session = McpSession()

    result = desk.result("initialize", {"protocolVersion": wanted, "capabilities": {}})

    assert result["protocolVersion"] == desk.session.version == agreed
    assert result["serverInfo"]["name"] == "webseam"
    assert "logging" in result["capabilities"]
    assert not {"resultType", "ttlMs", "_meta"} & set(result)


def test_discovery_names_the_newer_revision_alone(tmp_path: Path) -> None:
    result = Desk(tmp_path, modern=True).result("server/discover")

    assert result["supportedVersions"] == ["2026-07-28"]
    assert result["resultType"] == "complete"
    assert result["ttlMs"] > 0
    assert result["cacheScope"] == "public"
    assert "logging" not in result["capabilities"]
    assert result["_meta"][f"{META_PREFIX}serverInfo"]["name"] == "webseam"


def test_without_a_handshake_or_an_envelope_both_ways_are_named(tmp_path: Path) -> None:
    desk = Desk(tmp_path)
    desk.session = McpSession()

    error = desk.error("tools/list")

    assert error["code"] == -32602
    assert "initialize" in error["message"]
    assert f"{META_PREFIX}protocolVersion" in error["message"]
    assert desk.result("ping") == {}


@pytest.mark.parametrize(
    ("meta", "code"),
    [
        ({f"{META_PREFIX}protocolVersion": "2026-07-28"}, -32602),
        ({**MODERN_META, f"{META_PREFIX}protocolVersion": "2031-01-01"}, -32022),
        ({**MODERN_META, f"{META_PREFIX}logLevel": "loud"}, -32602),
    ],
)
def test_an_envelope_must_be_whole(tmp_path: Path, meta: dict[str, object], code: int) -> None:
    error = Desk(tmp_path).error("tools/list", {"_meta": meta})

    assert error["code"] == code
    if code == -32022:
        assert error["data"] == {"supported": ["2026-07-28"], "requested": "2031-01-01"}


@pytest.mark.parametrize(
    ("modern", "method"),
    [
        (True, "ping"),
        (True, "logging/setLevel"),
        (True, "initialize"),
        (False, "server/discover"),
        (False, "resources/subscribe"),
        (False, "nonsense"),
    ],
)
def test_a_method_of_the_other_revision_is_unknown(
    tmp_path: Path, method: str, *, modern: bool
) -> None:
    assert Desk(tmp_path, modern=modern).error(method)["code"] == -32601


@pytest.mark.parametrize(
    "method", ["tools/list", "resources/list", "resources/templates/list", "prompts/list"]
)
def test_lists_are_the_same_each_time_and_have_no_cursor(desk: Desk, method: str) -> None:
    assert desk.result(method) == desk.result(method)
    assert desk.error(method, {"cursor": ""})["code"] == -32602


def test_a_list_does_not_change_when_a_page_was_read(desk: Desk) -> None:
    before = desk.result("resources/list")

    desk.call("web_extract", urls=["https://tides.example/a"])

    assert desk.result("resources/list") == before
    assert before["resources"][0]["uri"] == "webseam://guide"


def test_an_unknown_tool_is_a_protocol_error(desk: Desk) -> None:
    assert desk.error("tools/call", {"name": "nonsense"})["code"] == -32602
    assert desk.error("tools/call", {"name": 5})["code"] == -32602
    assert desk.error("tools/call", {"name": "web_search", "arguments": []})["code"] == -32602


@pytest.mark.parametrize(
    "uri",
    [
        "webseam://nothing",
        "webseam://page/none",
        "webseam://page/none/x",
        f"webseam://page/none/{'9' * 5_000}",
        "file:///etc/hosts",
    ],
)
def test_a_resource_that_is_not_there_has_the_code_of_its_revision(desk: Desk, uri: str) -> None:
    error = desk.error("resources/read", {"uri": uri})

    assert error["code"] == (-32602 if desk.modern else -32002)
    assert error["data"] == {"uri": uri}
    assert desk.error("resources/read")["code"] == -32602


def test_the_guide_can_be_read(desk: Desk) -> None:
    result = desk.result("resources/read", {"uri": "webseam://guide"})

    assert "web_search" in result["contents"][0]["text"]
    assert result.get("cacheScope") == ("private" if desk.modern else None)


def test_a_level_decides_what_is_told(tmp_path: Path) -> None:
    desk = Desk(tmp_path)

    desk.call("web_search", query="tides")
    assert desk.told == []
    desk.call("web_search")
    assert [each["params"]["level"] for each in desk.told] == ["warning"]
    assert desk.result("logging/setLevel", {"level": "debug"}) == {}
    desk.call("web_search", query="tides")
    assert [each["params"]["level"] for each in desk.told] == ["warning", "info"]
    assert desk.error("logging/setLevel", {"level": "loud"})["code"] == -32602


def test_the_newer_revision_is_told_what_the_request_wants(tmp_path: Path) -> None:
    desk = Desk(tmp_path, modern=True)
    call = {"name": "web_search", "arguments": {"query": "tides"}}

    desk.result("tools/call", call)
    assert desk.told == []
    desk.result("tools/call", {**call, "_meta": {f"{META_PREFIX}logLevel": "info"}})

    assert [each["method"] for each in desk.told] == ["notifications/message"]


def test_progress_is_told_page_by_page_to_those_who_ask(desk: Desk) -> None:
    urls = [f"https://tides.example/{number}" for number in range(4)]
    call = {"name": "web_extract", "arguments": {"urls": urls}}

    desk.result("tools/call", call)
    assert desk.told == []
    desk.result("tools/call", {**call, "_meta": {"progressToken": "t"}})

    steps = [each["params"] for each in desk.told]
    assert [step["progress"] for step in steps] == [1, 2, 3, 4]
    assert {step["progressToken"] for step in steps} == {"t"}
    assert {step["total"] for step in steps} == {4}


def test_progress_says_which_page_could_not_be_read(tmp_path: Path) -> None:
    def extract(url: str) -> Result[object, WebError]:
        if url.endswith("/gone"):
            return Failure(HttpStatus(status=404))
        return Success({"url": url, "title": "T", "content": "The tide is low."})

    desk = Desk(tmp_path, FakeBackend([], extract=extract))
    urls = ["https://tides.example/here", "https://tides.example/gone"]
    call = {"name": "web_extract", "arguments": {"urls": urls}}

    desk.result("tools/call", {**call, "_meta": {"progressToken": "t"}})

    assert {each["params"]["message"] for each in desk.told} == {
        "Read https://tides.example/here",
        "Not read (http_status): https://tides.example/gone",
    }
