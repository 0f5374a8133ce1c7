"""How much work a search through the gateway is: the next part that is added pays here.

A bound is little more than what was counted when it was written (Python 3.11, 2026-11-18).
"""

import asyncio

import pytest

from tests.doors.client.counting import ROWS, Count, body_of, count_calls, count_patterns, serving
from webseam.composition.features.gateway.gateway import Gateway
from webseam.composition.features.gateway.gateway_setup import open_gateway
from webseam.composition.tools.toolbox import ToolboxOverrides

from .asgi import request


async def search(gateway: Gateway, rows: int) -> None:
    body = {"query": "wind turbines", "max_results": rows}
    answer = await request(gateway, "POST", "/api/search", body)
    assert answer.body.count(b'"position"') == rows


async def close(gateway: Gateway) -> None:
    events = iter(("lifespan.startup", "lifespan.shutdown"))

    async def receive() -> dict[str, str]:
        return {"type": next(events)}

    async def send(_message: object) -> None:
        await asyncio.sleep(0)

    await gateway({"type": "lifespan"}, receive, send)


async def work_of(count: Count, rows: int) -> int:
    async with serving(body_of(rows)) as base:
        settings = {
            "backend": "tavily",
            "cache.enabled": False,
            "services": {"tavily": {"api_key": "a-made-up-key", "base_url": base}},
        }
        parts = ToolboxOverrides(settings=settings, environment={})
        gateway = open_gateway(parts, lambda _line: None).unwrap()
        for _ in range(5):
            await search(gateway, rows)
        # The least of a few: a background write may fall into one of them.
        least = min([await count(search(gateway, rows)) for _ in range(5)])
        await close(gateway)
    return least


@pytest.mark.parametrize(
    ("count", "most", "most_per_row"), [(count_calls, 905, 23.5), (count_patterns, 5, 0)]
)
def test_a_warm_search_through_the_gateway_is_no_more_work_than_it_was(
    count: Count, most: int, most_per_row: float
) -> None:
    few, many = (asyncio.run(work_of(count, rows)) for rows in ROWS)

    assert few <= most
    assert (many - few) / (ROWS[1] - ROWS[0]) <= most_per_row
