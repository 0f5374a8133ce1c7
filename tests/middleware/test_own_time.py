"""A callback's own time is bounded; what it waits for is not its own."""

import asyncio
import threading

import pytest
from returns.result import Result, Success

from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.kernel.middleware.execution import Execution, execute_middleware_chain
from webseam.kernel.middleware.hooks import notify_hooks
from webseam.kernel.middleware.rewrites import CallContext, rewrite_request
from webseam.ports import Hook, Middleware, PluginTimedOut, WebError
from webseam.ports.middleware import Callback, CallbackTimeoutError, Mishap

NEVER = threading.Event()


async def hang(**_: object) -> object:
    return await asyncio.get_running_loop().create_future()


def block(**_: object) -> object:
    return NEVER.wait(5)


async def call(callback: Callback, fields: dict[str, object], seconds: float = 0.0) -> object:
    async with CallbackThread(seconds) as lane:
        return await lane(callback, fields)


@pytest.mark.parametrize("callback", [hang, block])
def test_a_callback_that_hangs_is_given_up_on(callback: Callback) -> None:
    with pytest.raises(CallbackTimeoutError, match="it took longer than 0 seconds"):
        asyncio.run(call(callback, {}))


def test_a_timeout_that_the_callback_raises_is_its_own() -> None:
    async def impatient(**_: object) -> object:
        raise TimeoutError

    with pytest.raises(TimeoutError) as raised:
        asyncio.run(call(impatient, {}, seconds=60.0))

    assert not isinstance(raised.value, CallbackTimeoutError)


def wait_async() -> Callback:
    async def passing(*, next_call: Callback, **_: object) -> object:
        return await next_call()  # type: ignore[misc]

    return passing


def wait_plain() -> Callback:
    def passing(*, next_call: Callback, **_: object) -> object:
        return next_call()

    return passing


@pytest.mark.parametrize("passing", [wait_async(), wait_plain()])
def test_the_time_in_next_call_does_not_count(passing: Callback) -> None:
    async def main() -> object:
        loop = asyncio.get_running_loop()
        real = loop.time
        jumped = 0.0

        async def next_call(_payload: object = None) -> object:
            nonlocal jumped
            # An hour goes by on the loop's clock.
            jumped += 3600.0
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            return "done"

        loop.time = lambda: real() + jumped  # type: ignore[method-assign]
        return await call(passing, {"next_call": next_call}, seconds=600.0)

    assert asyncio.run(main()) == "done"


def test_a_kept_next_call_is_late_and_says_so() -> None:
    entries: list[Callback] = []

    async def keeper(*, next_call: Callback, **_: object) -> object:
        entries.append(next_call)
        return None

    async def main() -> object:
        async def next_call(_payload: object = None) -> object:
            return "late"

        await call(keeper, {"next_call": next_call}, seconds=60.0)
        return await entries[0]()  # type: ignore[misc]

    assert asyncio.run(main()) == "late"


def test_next_call_in_two_tasks_at_once_pauses_once() -> None:
    async def both(*, next_call: Callback, **_: object) -> object:
        return await asyncio.gather(next_call(1), next_call(2))  # type: ignore[call-overload]

    async def main() -> object:
        async def next_call(payload: object = None) -> object:
            await asyncio.sleep(0)
            return payload

        return await call(both, {"next_call": next_call}, seconds=60.0)

    assert asyncio.run(main()) == [1, 2]


def _situation(lane: CallbackThread, mishaps: list[Mishap]) -> CallContext:
    return CallContext(context={}, payload="args", call=lane, log=mishaps.append, names={})


def test_a_closed_callback_that_hangs_fails_the_call_by_name() -> None:
    mishaps: list[Mishap] = []

    async def main() -> tuple[object, object, object]:
        async with CallbackThread(0.0) as lane:
            guard = Middleware(kind="tool_request", callback=hang, plugin="p", on_error="closed")
            rewritten = await rewrite_request([guard], {}, _situation(lane, mishaps))
            hook = Hook(name="pre_tool_call", callback=hang, plugin="p", on_error="closed")
            answers = await notify_hooks([hook], {}, lane, mishaps.append)
            around = Execution(
                chain=[guard], terminal=_work, original={}, situation=_situation(lane, mishaps)
            )
            return (
                rewritten.failure(),
                answers.failure(),
                (await execute_middleware_chain(around, {})).result.failure(),
            )

    rewritten, told, executed = asyncio.run(main())

    late = PluginTimedOut(plugin="p", stage="tool_request", seconds=0.0)
    assert rewritten == executed == late
    assert told == PluginTimedOut(plugin="p", stage="pre_tool_call", seconds=0.0)
    assert mishaps == []


def test_an_open_callback_that_hangs_is_left_out_with_a_warning() -> None:
    mishaps: list[Mishap] = []

    async def main() -> object:
        async with CallbackThread(0.0) as lane:
            idle = Middleware(kind="tool_execution", callback=hang, plugin="p")
            around = Execution(
                chain=[idle], terminal=_work, original={}, situation=_situation(lane, mishaps)
            )
            return (await execute_middleware_chain(around, {})).result

    assert asyncio.run(main()) == Success("worked")
    assert [mishap.detail for mishap in mishaps] == ["it took longer than 0 seconds"]


async def _work(_payload: object) -> Result[object, WebError]:
    return Success("worked")
