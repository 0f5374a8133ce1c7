"""Tasks (SEP-2663): a long call returns a handle, and only its owner can use it."""

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure, Result, Success

from tests.doors.mcp.desk import MODERN_META
from tests.doors.mcp.http_desk import HttpDesk
from webseam.composition.doors.mcp import mcp_tasks
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import CAPABILITIES_KEY, TASKS_KEY, RpcError, RpcRequest
from webseam.composition.doors.mcp.mcp_server import McpServer, mcp_answer_message
from webseam.composition.features.gateway.mcp.tenants import Principal, TenantServers
from webseam.kernel.envelopes import ToolReply, error_reply
from webseam.ports.errors import InvalidQuery, WebError

DECLARED = {**MODERN_META, CAPABILITIES_KEY: {"extensions": {TASKS_KEY: {}}}}
ASK = {"name": "web_ask", "arguments": {"question": "When is high water?"}}


class SlowTools:
    """A toolset whose calls wait until they are released, or break."""

    def __init__(self, *, is_broken: bool = False) -> None:
        self.free, self.begun, self.stopped = asyncio.Event(), asyncio.Event(), 0
        self._is_broken = is_broken

    async def names(self) -> tuple[str, ...]:
        return ("web_ask",)

    async def limit(self) -> int:
        return 1000

    async def form(self) -> str:
        return "both"

    async def ask(
        self, _name: str, _arguments: object, tell: Callable[[str], None], /
    ) -> ToolReply:
        tell("Read https://tides.example")
        self.begun.set()
        if self._is_broken:
            raise ZeroDivisionError
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.stopped += 1
            raise
        return error_reply(InvalidQuery(field="question", reason="is no question"))

    async def keep(self, _record: object, /) -> Result[str, WebError]:
        return Success("handle")

    async def text(self, _handle: str, /) -> Result[str, WebError]:
        return Failure(InvalidQuery(field="handle", reason="is unknown"))


async def answer(
    server: McpServer, method: str, params: Mapping[str, Any], meta: Mapping[str, Any] = DECLARED
) -> dict[str, Any]:
    request = RpcRequest(id=1, method=method, params={**params, "_meta": meta})
    exchange, outcome = server.begin(request, McpSession(), lambda _: None)
    ended = outcome if isinstance(outcome, dict | RpcError) else await outcome
    return mcp_answer_message(exchange, ended)


async def settled(server: McpServer, task: Mapping[str, Any]) -> dict[str, Any]:
    for _ in range(1000):
        state: dict[str, Any] = (await answer(server, "tasks/get", task))["result"]
        if state["status"] != "working":
            return state
        await asyncio.sleep(0)
    raise AssertionError(task)


def test_a_long_call_returns_a_task_that_ends_with_the_result_of_the_call() -> None:
    async def work() -> None:
        tools = SlowTools()
        server = TenantServers(lambda _: tools).server_of(Principal(id="ann"))
        started = (await answer(server, "tools/call", ASK))["result"]
        await tools.begun.wait()
        task = {"taskId": started["taskId"]}
        working = (await answer(server, "tasks/get", task))["result"]
        assert (await answer(server, "tasks/update", task))["result"]["resultType"] == "complete"
        tools.free.set()
        ended = await settled(server, task)
        tools.free.set()
        direct = (await answer(server, "tools/call", ASK, MODERN_META))["result"]

        assert (started["resultType"], started["status"]) == ("task", "working")
        assert working["statusMessage"] == "Read https://tides.example"
        assert {"createdAt", "lastUpdatedAt", "ttlMs", "pollIntervalMs"} <= set(started)
        assert (ended["resultType"], ended["status"]) == ("complete", "completed")
        assert ended["result"]["isError"]
        failures = [it["structuredContent"]["failure"] for it in (ended["result"], direct)]
        assert failures[0] == failures[1]

    asyncio.run(work())


def test_a_task_can_be_cancelled_more_than_once_and_says_so() -> None:
    async def work() -> None:
        tools = SlowTools()
        server = TenantServers(lambda _: tools).server_of(Principal(id="ann"))
        started = (await answer(server, "tools/call", ASK))["result"]
        await tools.begun.wait()
        task = {"taskId": started["taskId"]}
        for _ in range(2):
            assert "result" in await answer(server, "tasks/cancel", task)
            assert (await settled(server, task))["status"] == "cancelled"
        assert tools.stopped == 1

    asyncio.run(work())


def test_a_bug_in_a_call_is_a_failed_task() -> None:
    async def work() -> None:
        tools = SlowTools(is_broken=True)
        server = TenantServers(lambda _: tools).server_of(Principal(id="ann"))
        started = (await answer(server, "tools/call", ASK))["result"]
        state = await settled(server, {"taskId": started["taskId"]})
        assert (state["status"], state["error"]["code"]) == ("failed", -32603)

    asyncio.run(work())


def test_a_task_belongs_to_its_owner_and_outlives_the_owners_server() -> None:
    async def work() -> None:
        tools = SlowTools()
        tenants = TenantServers(lambda _: tools)
        ann, bob = (tenants.server_of(Principal(id=name)) for name in ("ann", "bob"))
        tasks = [(await answer(ann, "tools/call", ASK))["result"] for _ in range(3)]
        assert len({task["taskId"] for task in tasks}) == 3
        assert all(len(task["taskId"]) >= 32 for task in tasks)
        task = {"taskId": tasks[0]["taskId"]}
        for method in ("tasks/get", "tasks/update", "tasks/cancel"):
            assert (await answer(bob, method, task))["error"]["code"] == -32602
            assert (await answer(ann, method, task, MODERN_META))["error"]["code"] == -32021
        tools.free.set()
        tenants.renew(lambda _: tools)
        again = tenants.server_of(Principal(id="ann"))
        assert again is not ann
        assert (await settled(again, task))["status"] == "completed"
        await tenants.aclose()

    asyncio.run(work())


def test_closing_stops_the_tasks() -> None:
    async def work() -> None:
        tools = SlowTools()
        tenants = TenantServers(lambda _: tools)
        await answer(tenants.server_of(Principal(id="ann")), "tools/call", ASK)
        await tools.begun.wait()
        await tenants.aclose()
        assert tools.stopped == 1

    asyncio.run(work())


def test_a_full_table_answers_directly_and_forgets_what_is_too_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async def work() -> None:
        tools = SlowTools()
        tools.free.set()
        server = TenantServers(lambda _: tools).server_of(Principal(id="ann"))
        monkeypatch.setattr(mcp_tasks, "_MAX_TASKS", 2)
        kinds = [(await answer(server, "tools/call", ASK))["result"] for _ in range(2)]
        assert [kind["resultType"] for kind in kinds] == ["task", "complete"]
        monkeypatch.setattr(mcp_tasks, "_LIFETIME_SECONDS", -1)
        task = {"taskId": kinds[0]["taskId"]}
        assert (await answer(server, "tasks/get", task))["error"]["code"] == -32602
        assert (await answer(server, "tools/call", ASK))["result"]["resultType"] == "task"

    asyncio.run(work())


def test_client_without_tasks_cannot_subscribe_to_them() -> None:
    async def work() -> None:
        server = TenantServers(lambda _: SlowTools()).server_of(Principal(id="ann"))
        listen = {"notifications": {"taskIds": ["x"]}}
        refused = await answer(server, "subscriptions/listen", listen, MODERN_META)
        assert refused["error"]["code"] == -32021
        for fault in ({}, {"taskId": 5}):
            assert (await answer(server, "tasks/get", fault))["error"]["code"] == -32602
        wrong = {"name": "web_ask", "arguments": 5}
        assert (await answer(server, "tools/call", wrong))["error"]["code"] == -32602

    asyncio.run(work())


def test_over_http_the_name_header_of_a_task_is_its_id(tmp_path: Path) -> None:
    async def work() -> list[int]:
        desk = HttpDesk(tmp_path)
        named = {"taskId": "unknown", "_meta": DECLARED}
        answers = [
            await desk.modern("tasks/get", named, mcp_name=name).ended()
            for name in ("unknown", "other")
        ]
        await desk.aclose()
        return [answered.json["error"]["code"] for answered in answers]

    assert asyncio.run(work()) == [-32602, -32020]
