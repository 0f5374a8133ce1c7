"""MCP at the gateway's own address, behind the same doors."""

from pathlib import Path

import pytest

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


def test_where_keys_are_required_it_needs_one(tmp_path: Path) -> None:
    assert hello(Site(tmp_path, require_key=True)).status == 401
