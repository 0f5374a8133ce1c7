"""A fair queue: by turns, bounded, and nothing is lost when a caller leaves."""

import asyncio

from webseam.composition.features.gateway.fair_queue import FairQueue, QueueLimits


def queue(at_once: int = 2, each: int = 2, waiting: int = 10, waiting_each: int = 5) -> FairQueue:
    return FairQueue(
        QueueLimits(
            at_once=at_once, per_owner=each, waiting=waiting, waiting_per_owner=waiting_each
        )
    )


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


def test_one_callers_many_calls_do_not_come_before_anothers_first() -> None:
    async def life() -> list[str]:
        line = queue(at_once=1, each=1)
        order: list[str] = []

        async def call(who: str) -> None:
            await line.wait_for_turn(who)
            order.append(who)
            await asyncio.sleep(0)
            line.end_turn(who)

        tasks = [asyncio.create_task(call("a")) for _ in range(4)]
        await settle()
        tasks += [asyncio.create_task(call(who)) for who in "bcb"]
        await asyncio.gather(*tasks)
        assert (line.busy, line.waiting) == (0, 0)
        return order

    order = asyncio.run(life())

    assert sorted(order) == list("aaaabbc")
    assert order.index("b") < 5
    assert order.index("c") < 6


def test_nobody_has_all_the_places() -> None:
    async def life() -> tuple[int, int]:
        line = queue(at_once=4, each=3)
        greedy = [asyncio.create_task(line.wait_for_turn("a")) for _ in range(5)]
        await settle()
        other = asyncio.create_task(line.wait_for_turn("b"))
        await settle()
        done = sum(task.done() for task in greedy), int(other.done())
        for task in greedy:
            task.cancel()
        return done

    assert asyncio.run(life()) == (3, 1)


def test_the_line_has_an_end_for_each_and_for_all() -> None:
    async def life() -> list[str | None]:
        line = queue(at_once=1, each=1, waiting=2, waiting_each=1)
        await line.wait_for_turn("a")
        waiting = [asyncio.create_task(line.wait_for_turn(who)) for who in "ab"]
        await settle()
        refusals = [await line.wait_for_turn("a"), await line.wait_for_turn("c")]
        for task in waiting:
            task.cancel()
        return [None if refusal is None else refusal.kind for refusal in refusals]

    assert asyncio.run(life()) == ["rate", "busy"]


def test_a_caller_who_leaves_gives_the_place_or_the_turn_back() -> None:
    async def life() -> tuple[int, int]:
        line = queue(at_once=1, each=1)
        await line.wait_for_turn("a")
        first, second = (
            asyncio.create_task(line.wait_for_turn("b")),
            asyncio.create_task(line.wait_without_limit("c")),
        )
        await settle()
        first.cancel()
        await settle()
        # Let in and cancelled in the same moment: the place goes on.
        line.end_turn("a")
        second.cancel()
        await settle()
        return line.busy, line.waiting

    assert asyncio.run(life()) == (0, 0)


def test_a_part_of_a_job_waits_however_long_the_line_is() -> None:
    async def life() -> bool:
        line = queue(at_once=1, each=1, waiting=1, waiting_each=1)
        await line.wait_without_limit("a")
        tasks = [asyncio.create_task(line.wait_without_limit("a")) for _ in range(3)]
        await settle()
        for _ in range(4):
            line.end_turn("a")
            await settle()
        return all(task.done() for task in tasks)

    assert asyncio.run(life())
