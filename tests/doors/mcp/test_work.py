"""How much work an MCP result is: the next part that is added pays here, where it is seen.

A bound is little more than what was counted when it was written (Python 3.11, 2026-11-18).
"""

import asyncio

import pytest

from tests.doors.client.counting import SNIPPET, Count, count_calls, count_patterns
from webseam.composition.doors.mcp.mcp_calls import fit_mcp_result
from webseam.composition.doors.mcp.result_fence import ResultFence
from webseam.kernel.text import trim
from webseam.kernel.text.trim import max_text_tokens

LIMIT = 20_000


async def keep(_record: object) -> None:
    pytest.fail("nothing is cut")


async def make_result(row_count: int) -> int:
    web = [
        {
            "position": n,
            "title": f"Part {n}",
            "url": f"https://a.example/{n}",
            "description": SNIPPET,
        }
        for n in range(row_count)
    ]
    receipt = {"backend": "tavily", "requested": 10, "attempts": [{"backend": "tavily"}]}
    envelope = {"success": True, "data": {"web": web}, "receipt": receipt}
    result = await fit_mcp_result("web_search", envelope, LIMIT, keep, ResultFence("af9cbf46"))
    return len(result["structuredContent"]["data"]["web"])


# The texts of few rows are not counted, those of more are, and of many most are left out.
FEW, COUNTED, MANY = (5, 10), (22, 26), (60, 100)


@pytest.mark.parametrize(
    ("count", "rows", "most", "most_per_row"),
    [
        (count_calls, FEW, 398, 61.5),
        (count_patterns, FEW, 31, 5.5),
        (count_calls, COUNTED, 1830, 68),
        (count_patterns, COUNTED, 60, 2),
        (count_calls, MANY, 5950, 2),
        (count_patterns, MANY, 390, 0),
    ],
)
def test_a_result_is_no_more_work_than_it_was(
    count: Count, rows: tuple[int, int], most: int, most_per_row: float
) -> None:
    async def count_work(row_count: int) -> int:
        return await count(make_result(row_count))

    few, many = (asyncio.run(count_work(row_count)) for row_count in rows)

    assert few <= most
    assert (many - few) / (rows[1] - rows[0]) <= most_per_row


def test_the_tokens_of_a_result_are_counted_where_its_bytes_pass_the_limit_and_each_text_once(
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
    assert sum(counted) < 22 * 2 * len(SNIPPET)
