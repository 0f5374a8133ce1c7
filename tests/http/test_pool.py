"""Turns in the pool: as many as allowed, first come first served, none ever lost."""

import asyncio

from webseam.adapters.http.transport import ConnectionPool


def test_a_turn_goes_to_whoever_came_first() -> None:
    async def main() -> list[str]:
        pool, entered = ConnectionPool(1), list[str]()

        async def enter(name: str) -> None:
            await pool.enter_in_turn()
            entered.append(name)
            pool.leave()

        assert pool.enter_at_once()
        waiting = [asyncio.ensure_future(enter(name)) for name in ("first", "second")]
        await asyncio.sleep(0)
        assert not pool.enter_at_once()
        pool.leave()
        # It was handed on, so that nobody jumps the queue.
        assert not pool.enter_at_once()
        await asyncio.gather(*waiting)
        return entered

    assert asyncio.run(main()) == ["first", "second"]


def test_a_turn_that_comes_together_with_a_cancel_goes_to_the_next() -> None:
    async def main() -> bool:
        pool = ConnectionPool(1)
        pool.enter_at_once()
        gone, next_one = (asyncio.ensure_future(pool.enter_in_turn()) for _ in range(2))
        await asyncio.sleep(0)
        pool.leave()
        gone.cancel()
        await asyncio.wait([gone, next_one])
        pool.leave()
        return gone.cancelled() and pool.enter_at_once()

    assert asyncio.run(main())


def test_a_turn_passes_over_those_who_no_longer_wait() -> None:
    async def main() -> bool:
        pool = ConnectionPool(1)
        pool.enter_at_once()
        gone = asyncio.ensure_future(pool.enter_in_turn())
        await asyncio.sleep(0)
        gone.cancel()
        await asyncio.wait([gone])
        pool.leave()
        return pool.enter_at_once()

    assert asyncio.run(main())
