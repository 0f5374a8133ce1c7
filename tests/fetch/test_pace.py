"""Large bodies give way and take turns; small ones never wait."""

import asyncio

from webseam.adapters.pages.fetch.large_bodies import LARGE_BODY_BYTES, LargeBodies

from .support import run


async def grow(large: LargeBodies, size: int, grown: list[int], hold: asyncio.Event) -> None:
    async with large.pace_large_body() as pace:
        for so_far in range(0, size + 1, 64 * 1024):
            await pace(so_far)
        grown.append(size)
        await hold.wait()


async def grown_side_by_side(large: LargeBodies, sizes: list[int]) -> tuple[list[int], list[int]]:
    """Return the sizes of bodies that were read while none had ended, and then of all."""
    grown: list[int] = []
    hold = asyncio.Event()
    tasks = [asyncio.ensure_future(grow(large, size, grown, hold)) for size in sizes]
    for _ in range(200):
        await asyncio.sleep(0)
    first = sorted(grown)
    hold.set()
    await asyncio.gather(*tasks)
    return first, sorted(grown)


def test_only_so_many_bodies_are_large_at_once_and_all_have_their_turn() -> None:
    huge = 2 * LARGE_BODY_BYTES

    first, all_of_them = run(grown_side_by_side(LargeBodies(2), [huge] * 5))

    assert first == [huge] * 2
    assert all_of_them == [huge] * 5


def test_small_bodies_never_wait_for_large_ones() -> None:
    huge, small = 2 * LARGE_BODY_BYTES, LARGE_BODY_BYTES // 2

    first, _ = run(grown_side_by_side(LargeBodies(1), [huge, huge, small, 0, LARGE_BODY_BYTES]))

    assert first == [0, small, LARGE_BODY_BYTES, huge]


def test_a_turn_is_given_back_when_a_body_is_cancelled() -> None:
    async def cancel_one() -> list[int]:
        large, hold = LargeBodies(1), asyncio.Event()
        grown: list[int] = []
        task = asyncio.ensure_future(grow(large, 2 * LARGE_BODY_BYTES, grown, hold))
        for _ in range(100):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait({task})
        hold.set()
        await grow(large, 3 * LARGE_BODY_BYTES, grown, hold)
        return grown

    assert run(cancel_one()) == [2 * LARGE_BODY_BYTES, 3 * LARGE_BODY_BYTES]


def test_turns_are_taken_anew_in_every_event_loop() -> None:
    large = LargeBodies(1)

    outcomes = [run(grown_side_by_side(large, [2 * LARGE_BODY_BYTES] * 2))[1] for _ in range(2)]

    assert outcomes == [[2 * LARGE_BODY_BYTES] * 2] * 2


def test_a_body_gives_way_while_it_is_read() -> None:
    async def count_turns() -> int:
        turns = 0

        async def others() -> None:
            nonlocal turns
            while True:
                turns += 1
                await asyncio.sleep(0)

        watching = asyncio.ensure_future(others())
        hold = asyncio.Event()
        hold.set()
        await grow(LargeBodies(), 2 * LARGE_BODY_BYTES, [], hold)
        watching.cancel()
        return turns

    assert run(count_turns()) > 20
