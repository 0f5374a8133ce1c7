"""Whoever asks for a page, and through whichever door, its worker is the key's own."""

import asyncio
from pathlib import Path
from typing import Any

from returns.result import Success

from tests.features.gateway.jobs import until_done
from tests.features.gateway.keys import bearer_of_new_key
from webseam.adapters.call_context import CALL_OWNER
from webseam.testing import FakeBackend

from .asgi import Site

URL = "https://example.com/a"
CALL = {
    "jsonrpc": "2.0", "id": 1, "method": "tools/call",
    "params": {"name": "web_extract", "arguments": {"urls": [URL]}},
}  # fmt: skip
PAGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("/api/extract", {"urls": [URL]}),
    ("/api/extract", {"urls": [f"{URL}?{number}" for number in range(12)]}),
    ("/tavily/extract", {"urls": [URL]}),
    ("/tavily/crawl", {"url": URL}),
    ("/exa/contents", {"urls": [URL]}),
    ("/v2/scrape", {"url": URL}),
    ("/v2/batch/scrape", {"urls": [URL]}),
)


def test_the_owner_of_a_page_is_the_key_that_asked(tmp_path: Path) -> None:
    owners: list[str] = []

    def extract(url: str) -> object:
        owners.append(CALL_OWNER.get())
        return Success({"url": url, "content": "words"})

    site = Site(tmp_path, FakeBackend(extract=extract))
    keys = {
        bearer_of_new_key(site, name, "--cache", name).removeprefix("Bearer ")
        for name in ("ann", "ben")
    }
    mcp = {"accept": "application/json, text/event-stream", "content_type": "application/json"}

    async def life(token: str) -> None:
        bearer = f"Bearer {token}"
        for path, body in PAGES:
            answer = await site.asked("POST", path, body, authorization=bearer)
            assert answer.status == 200, answer.body
            if "batch" in path:
                await until_done(site, f"{path}/{answer.json['id']}", authorization=bearer)
            assert set(owners) == {token.split("_")[1]}, path
            owners.clear()
        hello = {
            **CALL,
            "method": "initialize",
            "params": {
                "protocolVersion": "2025-06-18",
                "capabilities": {},
                "clientInfo": {"name": "t", "version": "1"},
            },
        }
        begun = await site.asked("POST", "/mcp", hello, authorization=bearer, **mcp)
        called = await site.asked(
            "POST",
            "/mcp",
            CALL,
            authorization=bearer,
            mcp_session_id=begun.headers["mcp-session-id"],
            **mcp,
        )
        assert called.status == 200, called.body
        assert set(owners) == {token.split("_")[1]}, called.body
        owners.clear()

    for token in sorted(keys):
        asyncio.run(life(token))
    asyncio.run(site.asked("POST", "/api/extract", {"urls": [URL]}))
    assert owners == [""]
