"""Batches: revision 2025-03-26 has them, those before and after it do not.

https://modelcontextprotocol.io/specification/2025-03-26/basic#batching (read 2026-11-17)
"""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.doors.mcp.desk import META_PREFIX, ROWS
from tests.doors.mcp.http_desk import HttpDesk, request
from tests.doors.mcp.pipe import Client
from webseam.composition.doors.mcp.json_rpc import MAX_BATCH_MESSAGES
from webseam.testing import FakeBackend

BATCHED = "2025-03-26"
OTHERS = ("2024-11-05", "2025-06-18", "2025-11-25")
PING = request("ping", known=7)
SEARCH = {"name": "web_search", "arguments": {"query": "tides"}}
INITIALIZED = {"jsonrpc": "2.0", "method": "notifications/initialized"}
NOTHING = {"jsonrpc": "2.0", "id": 8}
PAGES = {"urls": ["https://tides.example/a", "https://tides.example/b"]}


def opener(version: str = BATCHED) -> dict[str, Any]:
    return {"protocolVersion": version, "capabilities": {}, "clientInfo": {}}


def codes(answers: list[dict[str, Any]]) -> dict[object, int | None]:
    """Return the code of each error by its id; None where there is a result."""
    return {each.get("id"): each.get("error", {}).get("code") for each in answers}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    made = Client(tmp_path)
    made.send("initialize", 1, **opener())
    made.hear()
    yield made
    made.close()


def test_a_batch_is_answered_with_one(client: Client) -> None:
    client.take([PING, INITIALIZED, request("tools/call", SEARCH, "a"), request("tools/list")])

    answers = client.hear()

    assert [each["id"] for each in answers] == [7, "a", 1]
    assert codes(answers) == {7: None, "a": None, 1: None}
    assert client.desk.backend.searched


def test_invalid_message_of_a_batch_is_refused_alone(client: Client) -> None:
    client.take([PING, NOTHING, 5, [PING], request("initialize", opener(), 9), request("none")])

    answers = client.hear()

    assert codes(answers) == {7: None, 8: -32600, None: -32600, 9: -32600, 1: -32601}
    assert len(answers) == 6


@pytest.mark.parametrize("batch", [[], [PING] * (MAX_BATCH_MESSAGES + 1)], ids=["empty", "long"])
def test_an_empty_batch_and_a_very_long_one_are_no_batches(
    client: Client, batch: list[object]
) -> None:
    client.take(batch)

    assert client.hear()["error"]["code"] == -32600


def test_a_batch_without_requests_has_no_answer(client: Client) -> None:
    client.take([INITIALIZED, {"jsonrpc": "2.0", "id": 3, "result": {}}])
    client.take(PING)

    assert client.hear()["id"] == 7


@pytest.mark.parametrize("version", OTHERS)
def test_other_revisions_have_no_batches(tmp_path: Path, version: str) -> None:
    client = Client(tmp_path)
    client.take([PING])
    client.send("initialize", 1, **opener(version))
    client.take([PING])

    heard = [client.hear() for _ in range(3)]

    assert codes([heard[0]]) == codes([heard[2]]) == {None: -32600}
    assert BATCHED in heard[0]["error"]["message"]
    client.close()


def waiting() -> tuple[FakeBackend, threading.Event]:
    started = threading.Event()

    async def search(_query: object) -> None:
        started.set()
        await asyncio.Event().wait()

    return FakeBackend(search=search), started


def cancel(known: object) -> dict[str, Any]:
    params = {"requestId": known}
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}


def test_a_cancelled_request_of_a_batch_is_left_out(tmp_path: Path) -> None:
    backend, started = waiting()
    client = Client(tmp_path, backend)
    client.send("initialize", 1, **opener())
    client.hear()
    client.take([request("tools/call", SEARCH, 2), PING])
    assert started.wait(120)
    client.take([cancel(2)])

    assert codes(client.hear()) == {7: None}
    client.close()


def test_a_batch_of_cancelled_requests_has_no_answer(tmp_path: Path) -> None:
    client = Client(tmp_path, waiting()[0])
    client.send("initialize", 1, **opener())
    client.hear()
    client.take([request("tools/call", SEARCH, 2), cancel(2)])
    client.server.wait_for_answers()
    client.take(PING)

    assert client.hear()["id"] == 7
    client.close()


def over_http(
    folder: Path,
    work: Callable[[HttpDesk], Awaitable[None]],
    version: str,
    backend: FakeBackend | None = None,
) -> None:
    async def whole() -> None:
        desk = HttpDesk(folder, backend)
        try:
            opened = await desk.post(request("initialize", opener(version))).ended()
            desk.session = opened.headers["mcp-session-id"]
            await work(desk)
        finally:
            await desk.aclose()

    asyncio.run(whole())


def test_a_batch_over_http_is_answered_with_one(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        batch = [request("tools/call", SEARCH, "a"), INITIALIZED, {}, NOTHING, PING, PING]
        answered = await desk.post(batch).ended()
        assert answered.status == 200
        assert answered.headers["content-type"] == "application/json"
        answers: Any = answered.json
        assert [each.get("id") for each in answers] == ["a", 8, 7, 7, None]
        assert [each["error"]["code"] for each in answers if "error" in each] == [-32600] * 3

    over_http(tmp_path, work, BATCHED)


def test_progress_of_a_batch_comes_before_its_answers(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        call = {"name": "web_extract", "arguments": PAGES}
        calls = [
            request("tools/call", {**call, "_meta": {"progressToken": each}}, each)
            for each in ("a", "b")
        ]
        answered = await desk.post(calls).ended()
        assert answered.headers["content-type"] == "text/event-stream"
        *told, (_, answers) = [each for each in answered.events if each[1] is not None]
        assert {each["params"]["progressToken"] for _, each in told} == {"a", "b"}
        assert codes(answers) == {"a": None, "b": None}

    over_http(tmp_path, work, BATCHED)


@pytest.mark.parametrize(
    ("batch", "status"),
    [([INITIALIZED, cancel(3)], 202), ([INITIALIZED, NOTHING], 400), ([], 400)],
)
def test_a_batch_without_requests_is_accepted_or_refused(
    tmp_path: Path, batch: list[object], status: int
) -> None:
    async def work(desk: HttpDesk) -> None:
        assert (await desk.post(batch).ended()).status == status

    over_http(tmp_path, work, BATCHED)


@pytest.mark.parametrize("version", OTHERS)
def test_other_revisions_have_no_batches_over_http(tmp_path: Path, version: str) -> None:
    async def work(desk: HttpDesk) -> None:
        refused = await desk.post([PING]).ended()
        assert (refused.status, refused.json["error"]["code"]) == (400, -32600)

    over_http(tmp_path, work, version)


def test_the_newer_revision_has_no_batches_over_http(tmp_path: Path) -> None:
    async def work(desk: HttpDesk) -> None:
        meta = {
            f"{META_PREFIX}protocolVersion": "2026-07-28",
            f"{META_PREFIX}clientCapabilities": {},
        }
        batch = [request("tools/list", {"_meta": meta})]
        refused = await desk.post(batch, mcp_protocol_version="2026-07-28").ended()
        assert (refused.status, refused.json["error"]["code"]) == (400, -32600)

    over_http(tmp_path, work, BATCHED)


def test_a_batch_of_cancelled_requests_ends_over_http(tmp_path: Path) -> None:
    started = asyncio.Event()

    async def search(_query: object) -> None:
        started.set()
        await asyncio.Event().wait()

    async def work(desk: HttpDesk) -> None:
        called = desk.post([request("tools/call", SEARCH, 2)])
        await asyncio.wait_for(started.wait(), 120)
        assert (await desk.post(cancel(2)).ended()).status == 202
        assert [each for _, each in (await called.ended()).events if each is not None] == []

    over_http(tmp_path, work, BATCHED, FakeBackend(search=search))


def test_a_request_that_its_own_batch_cancels_is_not_run_over_http(tmp_path: Path) -> None:
    backend = FakeBackend(rows=ROWS)

    async def work(desk: HttpDesk) -> None:
        batch = [request("tools/call", SEARCH, 2), PING, cancel(2)]
        answers: Any = (await desk.post(batch).ended()).json
        assert codes(answers) == {7: None}
        assert backend.searched == []

    over_http(tmp_path, work, BATCHED, backend)
