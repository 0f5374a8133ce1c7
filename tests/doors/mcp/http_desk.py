"""The ASGI application without a socket: requests in, whole answers and open streams out."""

import asyncio
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from tests.doors.mcp.desk import MODERN_META, PAGE, ROWS, MemoryTexts, settings_of
from webseam.composition.features.gateway.mcp.application import Application
from webseam.composition.features.gateway.mcp.delivery import Receive
from webseam.composition.features.gateway.mcp.opening import mcp_application
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.testing import FakeBackend

JSON_HEADERS = {
    "host": "127.0.0.1:8808",
    "content-type": "application/json",
    "accept": "application/json, text/event-stream",
}


class Exchanged:
    """One request under way: ``status``, ``headers``, and the body as it comes."""

    def __init__(self) -> None:
        self.status = 0
        self.headers: dict[str, str] = {}
        self.body = b""
        self.left = asyncio.Event()
        self.news = asyncio.Event()
        self.task: asyncio.Task[None] | None = None

    @property
    def json(self) -> dict[str, Any]:
        message: dict[str, Any] = json.loads(self.body)
        return message

    @property
    def events(self) -> list[tuple[str, Any]]:
        """The id and the message of each event so far; None for one that says nothing."""
        found: list[tuple[str, Any]] = []
        for block in self.body.decode().split("\n\n"):
            fields = dict(
                line.split(":", 1) for line in block.split("\n") if line and line[0] != ":"
            )
            if "data" in fields:
                data = fields["data"].strip()
                found.append((fields.get("id", "").strip(), json.loads(data) if data else None))
        return found

    async def ended(self) -> "Exchanged":
        assert self.task is not None
        await asyncio.wait_for(self.task, 120)
        return self

    async def until(self, count: int) -> "Exchanged":
        """Wait until so many events are there."""
        while len(self.events) < count:
            self.news.clear()
            await asyncio.wait_for(self.news.wait(), 120)
        return self

    def leave(self) -> None:
        self.left.set()


class HttpDesk:
    """The application over a fake backend."""

    def __init__(self, folder: Path, backend: FakeBackend | None = None, config: str = "") -> None:
        self.backend = backend or FakeBackend(rows=ROWS, document=PAGE)
        self.texts = MemoryTexts()
        self.environment = {**settings_of(folder, config), "WEBSEAM_KEYS": str(folder / "keys.db")}
        parts = ToolboxOverrides(
            backend=self.backend, texts=self.texts, settings={"cache.enabled": False}
        )
        made = mcp_application(self.environment, parts=parts)
        self.made = made
        self._application: Application | None = made.value_or(None)
        self.session = ""

    def send(
        self,
        method: str,
        path: str = "/mcp",
        body: bytes = b"",
        receive: Receive | None = None,
        /,
        **headers: str,
    ) -> Exchanged:
        """Send a request; underscores in names of headers stand for dashes."""
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        exchanged = Exchanged()
        scope = {
            "type": "http",
            "method": method,
            "path": path,
            "headers": [(name.encode(), value.encode()) for name, value in named.items()],
        }
        sent = False

        async def whole() -> Mapping[str, Any]:
            nonlocal sent
            if not sent:
                sent = True
                return {"type": "http.request", "body": body}
            await exchanged.left.wait()
            return {"type": "http.disconnect"}

        async def answer(event: Mapping[str, Any]) -> None:
            if event["type"] == "http.response.start":
                exchanged.status = event["status"]
                exchanged.headers = {k.decode(): v.decode() for k, v in event["headers"]}
            else:
                exchanged.body += event.get("body", b"")
            exchanged.news.set()

        assert self._application is not None, self.made
        call = self._application(scope, receive or whole, answer)
        exchanged.task = asyncio.ensure_future(call)
        return exchanged

    def begun_with(self, receive: Receive, **parts: Any) -> Exchanged:  # noqa: ANN401  any part
        """Post what ``receive`` gives to an application with other ``parts``."""
        assert self._application is not None
        known = msgspec.structs.replace(self._application._parts, **parts)  # noqa: SLF001
        self._application = Application(known)
        return self.send("POST", "/mcp", b"", receive, **JSON_HEADERS)

    def post(self, message: object, /, **headers: str) -> Exchanged:
        named = {**JSON_HEADERS, **({"mcp-session-id": self.session} if self.session else {})}
        named = {**named, **{name.replace("_", "-"): value for name, value in headers.items()}}
        return self.send("POST", "/mcp", json.dumps(message).encode(), **named)

    async def begin(self, **headers: str) -> Exchanged:
        """Shake hands in the older revision."""
        params = {"protocolVersion": "2025-11-25", "capabilities": {}}
        opened = await self.post(request("initialize", params), **headers).ended()
        self.session = opened.headers.get("mcp-session-id", "")
        return opened

    def modern(
        self, method: str, params: Mapping[str, Any] | None = None, /, **headers: str
    ) -> Exchanged:
        """Send a request of the newer revision, with all its headers."""
        fields = {**(params or {})}
        fields["_meta"] = {**MODERN_META, **fields.get("_meta", {})}
        named = {"mcp_protocol_version": "2026-07-28", "mcp_method": method}
        name = fields.get("uri", fields.get("name"))
        if name is not None:
            named["mcp_name"] = str(name)
        return self.post(request(method, fields), **{**named, **headers})

    async def aclose(self) -> None:
        assert self._application is not None
        await self._application.aclose()


def request(
    method: str, params: Mapping[str, Any] | None = None, known: object = 1
) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": known, "method": method, "params": dict(params or {})}
