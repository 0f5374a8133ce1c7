"""A backend whose rows have a sentinel at every key."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from returns.result import Success

from tests.features.gateway.asgi import request
from webseam.composition.doors.client.web import Web
from webseam.composition.doors.mcp.exchange import McpSession
from webseam.composition.doors.mcp.json_rpc import RpcRequest
from webseam.composition.doors.mcp.mcp_server import McpServer, mcp_answer_message
from webseam.composition.doors.mcp.toolset import UsersTools
from webseam.composition.doors.mcp.web_offer import WebOffer
from webseam.composition.features.gateway.gateway_setup import open_gateway
from webseam.composition.tools.toolbox import ToolboxOverrides
from webseam.kernel import Policy
from webseam.ports import WebBackend
from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import Abilities, Served
from webseam.ports.receipts import Usage
from webseam.ports.web import QueryFields, SearchAnswer, SearchOutcome, WebExtractResult
from webseam.testing import FakeBackend

URL = "https://page.example/a"


QUERY: QueryFields = {
    "query": "sentinel query", "max_results": 9, "exclude_domains": ["filtered.example"],
    "published_after": "2020-01-01", "country": "DE", "language": "de",
}  # fmt: skip


USAGE = Usage(input_tokens=98_761, output_tokens=1, total_tokens=98_762)


ATTEMPT = BackendAttempt(backend="sentinel-attempt", outcome="answered", milliseconds=7)


ABILITIES = Abilities(max_results=3, filters={"country": "native", "exclude_domains": "native"})


def row(name: str, **more: object) -> dict[str, object]:
    fields = {"title": f"sentinel title {name}", "snippet": f"sentinel snippet {name}"}
    return {"url": f"https://{name}.example/", **fields, **more}


ROWS: list[object] = [
    row("one", published_at="2026-01-31", score=0.123, origin="model", engine="x", Score=1),
    row("undated", score=0.12),
    row("filtered"),
    row("denied"),
    {**row("bad"), "url": "javascript:1"},
    SearchAnswer(text="sentinel answer"),
    row("three"),
    row("trimmed"),
]


SERVED = Served(
    answer=ROWS,
    cached=True,
    age=4321.0,
    warnings=("sentinel warning",),
    usage=USAGE,
    attempts=(ATTEMPT,),
    unread=("sentinel_key",),
)


DOCUMENT = {
    "url": URL, "title": "sentinel title", "content": "sentinel content", "engine": "x",
    "raw_content": "sentinel raw", "final_url": "https://page.example/b",
    "metadata": {"author": "sentinel author"},
}  # fmt: skip


PLUGIN = """
import json


def register(ctx):
    ctx.register_middleware("tool_execution", edit)


def edit(*, next_call, args, **_):
    result = json.loads(next_call(args))
    for row in result["data"].get("web", [])[:1]:
        row["title"] = "edited sentinel"
    for page in result["data"].get("results", []):
        page["title"] = "edited sentinel"
    return json.dumps(result)
"""


def fake(rows: object = SERVED) -> WebBackend:
    return FakeBackend(
        search=Success(rows),
        extract=Success(Served(answer=DOCUMENT, warnings=("sentinel warning",), usage=USAGE)),
        name="sentinel-backend",
        abilities=ABILITIES,
    )


class World:
    """The parts of every door: a backend, and the plugin or none."""

    def __init__(
        self,
        home: Path,
        *,
        has_plugin: bool,
        backend: WebBackend | None = None,
        settings: dict[str, object] | None = None,
    ) -> None:
        (home / "plugins").mkdir()
        (home / "plugins" / "editor.py").write_text(PLUGIN, "utf-8")
        enabled = ["editor"] if has_plugin else []
        self.has_plugin = has_plugin
        self.parts = ToolboxOverrides(
            environment={"HOME": str(home), "WEBSEAM_CONFIG": str(home / "config.yaml")},
            settings={
                "cache": {"enabled": False},
                "plugins": {"enabled": enabled, "folder": str(home / "plugins")},
                **(settings or {}),
            },
            backend=backend or fake(),
            policy=Policy(deny_domains=("denied.example",)),
            rows="quarantine",
            filters="best-effort",
        )

    def run(self, work: Callable[[Web], Any]) -> Any:  # noqa: ANN401  what the work returns
        async def main() -> Any:  # noqa: ANN401  as above
            async with Web(self.parts) as web:
                return await work(web)

        return asyncio.run(main())

    def search(self) -> SearchOutcome:
        """Search through the async client."""
        found: SearchOutcome = self.run(lambda web: web.search(QUERY)).unwrap()
        return found

    def extract(self) -> WebExtractResult:
        page: WebExtractResult = self.run(lambda web: web.extract(URL)).unwrap()
        return page

    def call(self, tool: str = "web_search", args: object = None) -> dict[str, Any]:
        text = self.run(lambda web: web.call(tool, args or QUERY))
        envelope: dict[str, Any] = json.loads(text)
        return envelope

    def mcp(self, tool: str = "web_search", args: object = None) -> dict[str, Any]:
        server, session = McpServer(WebOffer(lambda: UsersTools(self.parts))), McpSession()
        session.version = "2025-11-25"
        params = {"name": tool, "arguments": args or QUERY}

        async def main() -> Any:  # noqa: ANN401  JSON
            asked = RpcRequest(id=1, method="tools/call", params=params)
            exchange, outcome = server.begin(asked, session, lambda _: None)
            return mcp_answer_message(exchange, await outcome)  # type: ignore[misc]

        answer: dict[str, Any] = asyncio.run(main())
        return dict(answer["result"])

    def gateway(self, path: str, body: object, method: str = "POST") -> tuple[Any, dict[str, str]]:
        gateway = open_gateway(self.parts, lambda _: None).unwrap()
        answer = asyncio.run(request(gateway, method, path, body))
        assert answer.status == 200, answer.body
        return answer.body.decode(), answer.headers
