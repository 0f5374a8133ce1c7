"""How much work an MCP result is: the next part that is added pays here, where it is seen.

A bound is little more than what was counted when it was written (Python 3.11, 2026-11-18).
"""

import asyncio

import pytest

from tests.client.test_work import SNIPPET, Count, count_calls, count_patterns
from webseam.composition.mcp.mcp_calls import fit_mcp_result
from webseam.composition.mcp.result_fence import ResultFence
from webseam.kernel.text import trim
from webseam.kernel.text.trim import max_text_tokens

LIMIT = 20_000


async def keep(_text: str) -> None:
    pytest.fail("nothing is cut")


async def make_result(rows: int) -> int:
    web = [
        {
            "position": n,
            "title": f"Part {n}",
            "url": f"https://a.example/{n}",
            "description": SNIPPET,
        }
        for n in range(rows)
    ]
    receipt = {"backend": "tavily", "requested": 10, "attempts": [{"backend": "tavily"}]}
    envelope = {"success": True, "data": {"web": web}, "receipt": receipt}
    result = await fit_mcp_result("web_search", envelope, LIMIT, keep, ResultFence("af9cbf46"))
    return len(result["structuredContent"]["data"]["web"])


@pytest.mark.parametrize(
    ("count", "most", "most_per_row"), [(count_calls, 410, 64), (count_patterns, 42, 7)]
)
def test_a_result_is_no_more_work_than_it_was(count: Count, most: int, most_per_row: float) -> None:
    async def count_work(rows: int) -> int:
        return await count(make_result(rows))

    few, many = (asyncio.run(count_work(rows)) for rows in (5, 10))

    assert few <= most
    assert (many - few) / 5 <= most_per_row


def test_the_tokens_of_a_result_are_counted_only_where_its_bytes_pass_the_limit(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    counted: list[int] = []

    def count(text: str) -> int:
        counted.append(len(text.encode()))
        return max_text_tokens(text)

    monkeypatch.setattr(trim, "max_text_tokens", count)

    assert asyncio.run(make_result(10)) == 10
    assert counted == []
    assert asyncio.run(make_result(22)) == 22
    assert len(counted) == 1
    assert counted[0] > LIMIT
