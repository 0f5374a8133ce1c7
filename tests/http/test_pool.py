"""Turns in the pool: as many as allowed, first come first served, none ever lost."""

import asyncio

from webseam.adapters.http.transport import ConnectionPool


def test_a_turn_goes_to_whoever_came_first() -> None:
    async def main() -> list[str]:
        pool, entered = ConnectionPool(1), list[str]()

        async def enter(name: str) -> None:
            await pool.wait_for_slot()
            entered.append(name)
            pool.release_slot()

        assert pool.try_take_slot()
        waiting = [asyncio.ensure_future(enter(name)) for name in ("first", "second")]
        await asyncio.sleep(0)
        assert not pool.try_take_slot()
        pool.release_slot()
        # It was handed on, so that nobody jumps the queue.
        assert not pool.try_take_slot()
        await asyncio.gather(*waiting)
        return entered

    assert asyncio.run(main()) == ["first", "second"]


def test_a_turn_that_comes_together_with_a_cancel_goes_to_the_next() -> None:
    async def main() -> bool:
        pool = ConnectionPool(1)
        pool.try_take_slot()
        gone, next_one = (asyncio.ensure_future(pool.wait_for_slot()) for _ in range(2))
        await asyncio.sleep(0)
        pool.release_slot()
        gone.cancel()
        await asyncio.wait([gone, next_one])
        pool.release_slot()
        return gone.cancelled() and pool.try_take_slot()

    assert asyncio.run(main())


def test_a_turn_passes_over_those_who_no_longer_wait() -> None:
    async def main() -> bool:
        pool = ConnectionPool(1)
        pool.try_take_slot()
        gone = asyncio.ensure_future(pool.wait_for_slot())
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait([gone])
        pool.release_slot()
        return pool.try_take_slot()

    assert asyncio.run(main())
