"""MCP at the gateway's own address, behind the same doors."""

import asyncio
from collections.abc import Awaitable
from pathlib import Path

import pytest
from returns.result import Success

from webseam.testing import FakeBackend

from .asgi import Answer, Site

TOKEN = "a-token-of-twenty-letters"
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}},
}  # fmt: skip


def hello(site: Site, **headers: str) -> Answer:
    return site.post(
        "/mcp",
        HELLO,
        accept="application/json, text/event-stream",
        content_type="application/json",
        **headers,
    )


def test_the_tools_are_there_over_mcp(tmp_path: Path) -> None:
    site = Site(tmp_path)

    answer = hello(site)

    assert answer.status == 200, answer.body
    assert b'"serverInfo"' in answer.body
    assert [(line["route"], line["status"], line["caller"]) for line in site.lines] == [
        ("/mcp", 200, "local")
    ]


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 401),
        ({"authorization": f"Bearer {TOKEN}"}, 200),
        ({"authorization": "Bearer wrong"}, 401),
    ],
)
def test_it_has_the_gateways_key(tmp_path: Path, headers: dict[str, str], status: int) -> None:
    assert hello(Site(tmp_path, token=TOKEN), **headers).status == status


@pytest.mark.parametrize(
    "headers",
    [{"host": "evil.example"}, {"origin": "https://evil.example"}, {"x_forwarded_for": "1.2.3.4"}],
)
def test_it_has_the_gateways_doors(tmp_path: Path, headers: dict[str, str]) -> None:
    assert hello(Site(tmp_path), **headers).status in (401, 403)


def test_mcp_needs_a_key_where_keys_are_required(tmp_path: Path) -> None:
    assert hello(Site(tmp_path, require_key=True)).status == 401


def extracted(site: Site, url: str) -> Awaitable[Answer]:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    params = {"name": "web_extract", "arguments": {"urls": [url]}, "_meta": meta}
    return site.asked(
        "POST",
        "/mcp",
        {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params},
        accept="application/json, text/event-stream",
        content_type="application/json",
        mcp_protocol_version="2026-07-28",
        mcp_method="tools/call",
        mcp_name="web_extract",
    )


def test_a_reload_is_for_the_tools_over_mcp_as_well(tmp_path: Path) -> None:
    site = Site(tmp_path)

    async def life() -> list[str | None]:
        before = await extracted(site, "https://example.com/")
        (tmp_path / "config.yaml").write_text("policy:\n  deny_domains: [example.com]\n")
        same = await extracted(site, "https://example.com/")
        await site.gateway.reload()
        after = await extracted(site, "https://example.com/")
        results = [answer.json["result"] for answer in (before, same, after)]
        return [each["structuredContent"].get("failure", {}).get("kind") for each in results]

    assert asyncio.run(life()) == [None, None, "url_denied"]


@pytest.mark.parametrize("content", ["policy: nonsense\n", "policy:\n  bad: [\n", None])
@pytest.mark.parametrize("reloads", [False, True])
def test_settings_that_went_wrong_change_nothing_over_mcp_either(
    tmp_path: Path, content: str | None, *, reloads: bool
) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("policy:\n  deny_domains: [example.com]\n")
    site = Site(tmp_path)

    async def life() -> list[bool]:
        if content is None:
            config.unlink()
        else:
            config.write_text(content)
        if reloads:
            await site.gateway.reload()
        pages = [await extracted(site, f"https://example.{end}/") for end in ("com", "org")]
        return ["url_denied" in page.body.decode() for page in pages]

    assert asyncio.run(life()) == [True, False]


def test_a_call_over_mcp_outlives_a_reload(tmp_path: Path) -> None:
    async def life() -> bool:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def extract(url: str) -> object:
            begun.set()
            await go_on.wait()
            return Success({"url": url, "content": "Words."})

        site = Site(tmp_path, FakeBackend(extract=extract))
        call = asyncio.ensure_future(extracted(site, "https://example.com/"))
        await begun.wait()
        await site.gateway.reload()
        await asyncio.sleep(0)
        go_on.set()
        return bool((await call).json["result"]["isError"])

    assert asyncio.run(life()) is False
