"""A few shards at a time: what each gives, and what becomes of the others when one fails."""

import asyncio
import gc

import pytest

from webseam.adapters.features.bulk.window_engine import run_shard_window
from webseam.ports.bulk import Shard


def shards(count: int) -> list[Shard]:
    return [
        Shard(number=number, kind="warc", source="a.warc", offset=0, first=number, rows=1)
        for number in range(count)
    ]


def test_no_more_than_allowed_are_under_way_and_each_is_given_once() -> None:
    under_way = most = 0

    async def work(shard: Shard) -> int:
        nonlocal under_way, most
        under_way += 1
        most = max(most, under_way)
        await asyncio.sleep(0)
        under_way -= 1
        return shard.number

    async def everything() -> list[int]:
        return [number async for number in run_shard_window(shards(9), work, at_once=lambda: 3)]

    assert sorted(asyncio.run(everything())) == list(range(9))
    assert most == 3


def test_shards_that_fail_together_are_one_failure_and_none_is_forgotten() -> None:
    forgotten: list[dict[str, object]] = []

    async def work(_shard: Shard) -> int:
        await asyncio.sleep(0)
        message = "the disk is full"
        raise OSError(message)

    async def everything() -> None:
        asyncio.get_running_loop().set_exception_handler(lambda _, about: forgotten.append(about))
        with pytest.raises(OSError, match="full"):
            async for _ in run_shard_window(shards(3), work, at_once=lambda: 3):
                pass
        gc.collect()

    asyncio.run(everything())
    gc.collect()

    assert forgotten == []
