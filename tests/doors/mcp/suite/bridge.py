"""HTTP in front of a stdio server, for the conformance suite, which speaks HTTP alone.

``python -m tests.doors.mcp.suite.bridge PORT COMMAND...``. A child for each session of the older
revision, one for all of the newer. Heads, names and sessions are the bridge's own: scenarios about
them say nothing of the stdio server; every message is the child's.
"""

import asyncio
import json
import sys
from collections.abc import Awaitable
from typing import Any

import uvicorn

from webseam.composition.doors.mcp.exchange import McpExchange, McpSession, Send
from webseam.composition.doors.mcp.json_rpc import (
    SUBSCRIPTION_KEY,
    VERSION_KEY,
    Json,
    Response,
    RpcError,
    RpcRequest,
)
from webseam.composition.doors.mcp.mcp_server import McpServer
from webseam.composition.doors.mcp.offer import Outcome
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.features.gateway.mcp.application import Application, ApplicationDeps
from webseam.composition.features.gateway.mcp.heads import HostRules
from webseam.composition.features.gateway.mcp.tenants import KeyAuthenticator, TenantServers
from webseam.composition.wiring.root import open_settings_key_store
from webseam.ports.secrets import Secret

_LIMIT = 64 * 1024 * 1024


class Waiting:
    """Who waits for an answer, and under which names of their own."""

    def __init__(self, request: RpcRequest, send: Send) -> None:
        self.request = request
        self.send = send
        self.answer: asyncio.Future[Json] = asyncio.get_running_loop().create_future()


class Child:
    """A stdio server, its messages sorted to those who wait for them."""

    def __init__(self, command: list[str]) -> None:
        self._command = command
        self._process: asyncio.subprocess.Process | None = None
        self._waiting: dict[int, Waiting] = {}
        self._count = 0
        self._starting = asyncio.Lock()
        self._reader: asyncio.Task[None] | None = None

    async def ask(self, request: RpcRequest, send: Send) -> Outcome:
        self._count += 1
        number = self._count
        params: Json = json.loads(json.dumps(request.params))
        if "progressToken" in params.get("_meta", {}):
            params["_meta"]["progressToken"] = number
        waiting = self._waiting[number] = Waiting(request, send)
        await self.write(
            {"jsonrpc": "2.0", "id": number, "method": request.method, "params": params}
        )
        try:
            message = await waiting.answer
        except asyncio.CancelledError:
            params = {"requestId": number}
            await self.write(
                {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": params}
            )
            raise
        finally:
            self._waiting.pop(number, None)
        if "error" in message:
            error = message["error"]
            return RpcError(error["code"], error["message"], error.get("data"))
        result: Json = message["result"]
        return result

    async def write(self, message: Json) -> None:
        async with self._starting:
            if self._process is None:
                pipe = asyncio.subprocess.PIPE
                self._process = await asyncio.create_subprocess_exec(
                    *self._command, stdin=pipe, stdout=pipe, limit=_LIMIT
                )
                self._reader = asyncio.ensure_future(self._read(self._process))
        assert self._process.stdin is not None
        self._process.stdin.write(json.dumps(message).encode() + b"\n")
        await self._process.stdin.drain()

    async def _read(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdout is not None
        while line := await process.stdout.readline():
            message = json.loads(line)
            if "id" in message and "method" not in message:
                waiting = self._waiting.get(message["id"])
                if waiting is not None and not waiting.answer.done():
                    _rename_subscription(message.get("result", {}), waiting.request.id)
                    waiting.answer.set_result(message)
            else:
                self._tell(message)

    def _tell(self, message: Json) -> None:
        params = message.get("params", {})
        number = params.get("progressToken", params.get("_meta", {}).get(SUBSCRIPTION_KEY))
        known = [self._waiting[number]] if number in self._waiting else [*self._waiting.values()]
        for waiting in known:
            own: Any = json.loads(json.dumps(message))
            if "progressToken" in params:
                own["params"]["progressToken"] = waiting.request.meta["progressToken"]
            _rename_subscription(own.get("params", {}), waiting.request.id)
            waiting.send(own)


def _rename_subscription(place: Json, known: object) -> None:
    meta = place.get("_meta")
    if isinstance(meta, dict) and SUBSCRIPTION_KEY in meta:
        meta[SUBSCRIPTION_KEY] = known


class BridgeServer(McpServer):
    """Hands every request to a child."""

    def __init__(self, command: list[str]) -> None:
        super().__init__(WebOffer(UsersTools))
        self._command = command
        self._children: dict[int, Child] = {}
        self._sessions: list[McpSession] = []
        self._shared: Child | None = None

    def begin(
        self, request: RpcRequest, session: McpSession, send: Send
    ) -> tuple[McpExchange, Outcome | Awaitable[Outcome]]:
        child = self._child(request, session)
        # As the older revision has it, so that nothing is added to the child's words.
        return McpExchange(request, session, send, modern=False), child.ask(request, send)

    def receive_answer(self, session: McpSession, response: Response) -> None:
        child = self._children.get(id(session))
        if child is not None:
            asyncio.ensure_future(child.write(response.message))  # noqa: RUF006  a line

    def _child(self, request: RpcRequest, session: McpSession) -> Child:
        legacy = request.method == "initialize" or id(session) in self._children
        if legacy and VERSION_KEY not in request.meta:
            if id(session) not in self._children:
                # Kept, so that no other session gets its place in memory.
                self._sessions.append(session)
                self._children[id(session)] = Child(self._command)
            return self._children[id(session)]
        if self._shared is None:
            self._shared = Child(self._command)
        return self._shared


def main(port: int, command: list[str]) -> None:
    server = BridgeServer(command)
    parts = ApplicationDeps(
        tenants=TenantServers(lambda _principal: UsersTools(), lambda _offer, **_: server),
        door=KeyAuthenticator(Secret(""), open_settings_key_store().unwrap(), open_=True),
        rules=HostRules(),
    )
    uvicorn.run(Application(parts), host="127.0.0.1", port=port, log_level="warning")


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
