"""A client without a transport: requests in, answers and notifications out."""

import asyncio
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from returns.result import Failure, Result, Success

from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import (
    CAPABILITIES_KEY,
    META_PREFIX,
    VERSION_KEY,
    RpcError,
    RpcRequest,
)
from webseam.composition.doors.mcp.mcp_server import McpServer, mcp_answer_message
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.ports.errors import InvalidQuery, WebError
from webseam.testing import FakeBackend

ROWS = [
    {"title": "Tides", "url": "https://tides.example/a", "snippet": "High at noon."},
    {"title": "Ebb", "url": "https://ebb.example/b", "snippet": "Low at six."},
]
PAGE = "# Tides\n\nHigh at noon."
MODERN_META = {VERSION_KEY: "2026-07-28", CAPABILITIES_KEY: {}}
__all__ = ["META_PREFIX", "MODERN_META", "PAGE", "ROWS", "Desk", "MemoryTexts", "settings_of"]


class MemoryTexts:
    """A ``TextStore`` in memory."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}

    async def save(self, text: str, /) -> Result[str, WebError]:
        handle = f"handle{len(self.texts)}"
        self.texts[handle] = text
        return Success(handle)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        if handle not in self.texts:
            return Failure(InvalidQuery(field="handle", reason="no text is stored under it"))
        return Success(self.texts[handle])


def settings_of(folder: Path, text: str = "") -> dict[str, str]:
    """Return an environment with a settings file of its own and nothing else."""
    file = folder / "config.yaml"
    file.write_text(text, "utf-8")
    return {"WEBSEAM_CONFIG": str(file), "HOME": str(folder), "WEBSEAM_CACHE": str(folder)}


class Desk:
    """A server over a fake backend, and one client of it."""

    def __init__(
        self,
        folder: Path,
        backend: FakeBackend | None = None,
        *,
        config: str = "cache: false",
        modern: bool = False,
        settings: Mapping[str, object] | None = None,
    ) -> None:
        self.backend = backend or FakeBackend(rows=ROWS, document=PAGE)
        self.texts = MemoryTexts()
        parts = ToolboxOverrides(
            environment=settings_of(folder, config),
            backend=self.backend,
            texts=self.texts,
            settings=settings or {},
        )
        self.toolset = UsersTools(parts)
        self.server = McpServer(WebOffer(lambda: self.toolset))
        self.session = McpSession()
        self.modern = modern
        self.told: list[dict[str, Any]] = []
        if not modern:
            self.session.version = "2025-11-25"

    def ask(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """Return the whole answer to one request."""
        return asyncio.run(self.answer(method, params))

    async def answer(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        fields = dict(params or {})
        if self.modern:
            fields["_meta"] = {**MODERN_META, **fields.get("_meta", {})}
        request = RpcRequest(id=1, method=method, params=fields)
        exchange, outcome = self.server.begin(request, self.session, self.told.append)
        ended = outcome if isinstance(outcome, dict | RpcError) else await outcome
        return mcp_answer_message(exchange, ended)

    def result(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer = self.ask(method, params)
        assert "result" in answer, answer
        result: dict[str, Any] = answer["result"]
        return result

    def error(self, method: str, params: Mapping[str, Any] | None = None) -> dict[str, Any]:
        answer = self.ask(method, params)
        assert "error" in answer, answer
        error: dict[str, Any] = answer["error"]
        return error

    def call(self, name: str, **arguments: object) -> dict[str, Any]:
        return self.result("tools/call", {"name": name, "arguments": arguments})
