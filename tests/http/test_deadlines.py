"""One time limit for many calls: it ends the call whose time is up, and no other."""

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import pytest

from webseam.adapters.http.deadlines import Deadlines

SOON, LATE = 0.01, 60.0
Value = TypeVar("Value")


async def run_within(deadlines: Deadlines, work: Awaitable[Value]) -> Value:
    with deadlines.limit_call():
        return await work


async def forever() -> str:
    await asyncio.get_running_loop().create_future()
    return "never"


async def answer(text: str = "done") -> str:
    await asyncio.sleep(0)
    return text


def test_work_that_ends_in_time_gives_what_it_gives() -> None:
    assert asyncio.run(run_within(Deadlines(LATE), answer())) == "done"


def test_work_that_raises_raises() -> None:
    async def fail() -> None:
        message = "its own"
        raise ValueError(message)

    with pytest.raises(ValueError, match="its own"):
        asyncio.run(run_within(Deadlines(LATE), fail()))


def test_work_that_takes_too_long_is_a_timeout() -> None:
    with pytest.raises(TimeoutError):
        asyncio.run(run_within(Deadlines(SOON), forever()))


def test_the_task_goes_on_after_a_timeout() -> None:
    async def main() -> tuple[str, int]:
        deadlines = Deadlines(SOON)
        with pytest.raises(TimeoutError):
            await run_within(deadlines, forever())
        task = asyncio.current_task()
        assert task is not None
        return await run_within(deadlines, answer()), task.cancelling()

    assert asyncio.run(main()) == ("done", 0)


def test_every_call_at_once_has_its_own_time() -> None:
    async def main() -> list[str]:
        deadlines = Deadlines(SOON)
        calls = [run_within(deadlines, forever() if odd else answer()) for odd in (1, 0, 1, 0, 1)]
        ended = await asyncio.gather(*calls, return_exceptions=True)
        return [end if isinstance(end, str) else type(end).__name__ for end in ended]

    assert asyncio.run(main()) == [
        "DeadlinePassedError",
        "done",
        "DeadlinePassedError",
        "done",
        "DeadlinePassedError",
    ]


def test_a_call_that_begins_later_ends_later() -> None:
    async def main() -> list[str]:
        deadlines, ended = Deadlines(SOON), list[str]()

        async def keep(name: str) -> None:
            try:
                await run_within(deadlines, forever())
            except TimeoutError:
                ended.append(name)

        first = asyncio.ensure_future(keep("first"))
        await asyncio.sleep(SOON / 2)
        await asyncio.gather(first, keep("second"))
        return ended

    assert asyncio.run(main()) == ["first", "second"]


def test_cancelling_from_outside_passes_through() -> None:
    async def main() -> bool:
        task = asyncio.ensure_future(run_within(Deadlines(LATE), forever()))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_cancelling_from_outside_wins_over_a_timeout_at_the_same_moment() -> None:
    async def main() -> bool:
        began = asyncio.Event()
        deadlines = Deadlines(SOON)

        async def work() -> None:
            began.set()
            try:
                await forever()
            except asyncio.CancelledError:
                # Time is up. Somebody else now wants this task to end, too.
                task.cancel()
                raise

        task = asyncio.ensure_future(run_within(deadlines, work()))
        await began.wait()
        await asyncio.wait([task])
        return task.cancelled()

    assert asyncio.run(main())


def test_work_that_shrugs_off_its_timeout_gives_what_it_gives() -> None:
    async def main() -> tuple[str, int]:
        async def stubborn() -> str:
            try:
                return await forever()
            except asyncio.CancelledError:
                return "all the same"

        task = asyncio.current_task()
        assert task is not None
        return await run_within(Deadlines(SOON), stubborn()), task.cancelling()

    assert asyncio.run(main()) == ("all the same", 0)


def test_a_second_loop_has_a_clock_of_its_own() -> None:
    deadlines = Deadlines(SOON)
    for _ in range(2):
        with pytest.raises(TimeoutError):
            asyncio.run(run_within(deadlines, forever()))
