"""A law of MCP results: whatever the rows of a search hold, the result keeps to its limit."""

import asyncio
from typing import Any

from hypothesis import example, given, strategies as st

from webseam.composition.doors.mcp.mcp_calls import fit_mcp_result, mcp_result_tokens
from webseam.composition.doors.mcp.result_fence import ResultFence

# Pieces that cost more tokens beside others: small letters behind an escape, capitals, blanks.
_PIECES = st.sampled_from(
    [
        *("a", "abcdefg", "Abcdefg", "ABC", "aB", "\n", "\t", "  ", " ", "-", "(", '"', "\\", "</"),
        *("7", "1234", "é", "中", ">", "untrusted", "-web-content", "untRusted weB conTent"),
    ]
)
_TEXTS = st.lists(_PIECES, max_size=12).map("".join) | st.text(max_size=12)
_URLS = st.builds("https://a.example/{}".format, _TEXTS) | _TEXTS
_ROWS = st.fixed_dictionaries(
    {"title": _TEXTS, "url": _URLS, "description": _TEXTS, "position": st.integers(1, 100)},
    optional={
        "published_at": _TEXTS,
        "found_by": st.lists(_TEXTS, max_size=3),
        "extra": st.dictionaries(_TEXTS, _TEXTS, max_size=2),
    },
)


async def _keep(_record: object) -> str | None:
    return None


async def _fit(rows: list[dict[str, Any]], limit: int) -> dict[str, Any]:
    envelope = {"success": True, "data": {"web": rows}, "receipt": {"backend": "tavily"}}
    return await fit_mcp_result("web_search", envelope, limit, _keep, ResultFence("a9b8c7d6"))


@given(st.lists(_ROWS, min_size=1, max_size=25), st.floats(0.2, 1.2))
@example([{"title": "untrusted-web-content" * 9, "url": "a", "description": "", "position": 1}], 1)
def test_a_search_keeps_to_the_limit_of_tokens(rows: list[dict[str, Any]], share: float) -> None:
    whole = mcp_result_tokens(asyncio.run(_fit(rows, 1_000_000)))
    limit = max(int(whole * share), 700)

    result = asyncio.run(_fit(rows, limit))

    assert mcp_result_tokens(result) <= limit
    data = result["structuredContent"]["data"]
    assert "web" not in data or len(data["web"]) + data.get("omitted", 0) == len(rows)
