"""Filters through a client: a cache and a route hand them on, and the receipt says what was done."""

import asyncio
import json
from pathlib import Path
from typing import Any

import httpx

import webseam
from webseam.testing import ScriptedTransport

ROWS = [
    {"title": "A", "url": "https://a.example/", "snippet": "High.", "published_at": "2026-02-01"},
    {"title": "B", "url": "https://evil.example/", "snippet": "Low.", "published_at": "2001-01-01"},
    {"title": "C", "url": "https://a.example/c", "snippet": "Both.", "engine": "x"},
]


def test_a_cached_route_hands_filters_on_and_its_rows_are_checked(tmp_path: Path) -> None:
    transport = ScriptedTransport([httpx.Response(200, json={"results": ROWS})])
    environment = {
        "HOME": str(tmp_path),
        "XDG_DATA_HOME": str(tmp_path / "data"),
        "WEBSEAM_CACHE": str(tmp_path / "cache"),
        "WEBSEAM_JSON_SEARCH_URL": "https://api.example/search",
    }
    filters: Any = {
        "country": "DE",
        "include_domains": ["a.example"],
        "published_after": "2026-01-01",
    }

    async def search_twice() -> list[webseam.SearchOutcome]:
        async with webseam.open(transport=transport, environment=environment) as web:
            return [webseam.unwrap(await web.search("tides", **filters)) for _ in range(2)]

    outcomes = asyncio.run(search_twice())

    assert json.loads(transport.requests[0].content) == {"query": "tides", **filters}
    assert [outcome.receipt.cached for outcome in outcomes] == [False, True]
    for outcome in outcomes:
        receipt = outcome.receipt
        assert [row.title for row in outcome.rows] == ["A", "C"]
        assert receipt.sent == ("include_domains", "published_after", "country")
        assert receipt.verified == ("include_domains", "published_after")
        assert (receipt.filtered, receipt.undated, receipt.unread) == (1, 1, ("engine",))
