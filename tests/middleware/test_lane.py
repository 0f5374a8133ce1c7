"""The thread of the plain callbacks of one call."""

import asyncio
import contextvars
import functools
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest
from returns.result import Result, Success

from webseam.adapters.plugins.callbacks import (
    CallbackJob,
    CallbackThread,
    Returned,
    WaitingThread,
    is_async,
)
from webseam.ports import WebError
from webseam.ports.middleware import Callback

from .scripts import Steps, Work, coloured, middleware, plain, run

NAME = contextvars.ContextVar("NAME", default="none")


def pass_on(fields: dict[str, object]) -> Steps:
    return (yield fields["args"])


def test_all_plain_callbacks_of_a_call_share_one_thread_that_is_not_the_loops() -> None:
    threads: list[int] = []

    def look(fields: dict[str, object]) -> Steps:
        threads.append(threading.get_ident())
        result = yield fields["args"]
        threads.append(threading.get_ident())
        return result

    chain = [middleware(plain(look)), middleware(coloured(pass_on)), middleware(plain(look))]
    run(chain, Work())

    assert len(threads) == 4
    assert len(set(threads)) == 1
    assert threading.get_ident() not in threads


def test_a_plain_callback_may_run_an_event_loop_of_its_own() -> None:
    async def other() -> str:
        return "other loop"

    assert run([middleware(plain(lambda _: asyncio.run(other())))], Work()).result == Success(
        "other loop"
    )


def test_a_plain_callback_may_go_on_from_a_thread_of_its_own() -> None:
    def elsewhere(**told: object) -> object:
        with ThreadPoolExecutor(1) as pool:
            return pool.submit(told["next_call"], told["args"]).result()  # type: ignore[arg-type]

    work = Work()
    chain = [middleware(plain(pass_on)), middleware(elsewhere), middleware(plain(pass_on))]

    assert run(chain, work).result == Success("done")
    assert len(work.payloads) == 1


def _named(args: object, *, tool_name: str = "none") -> object:
    return args, tool_name


async def _named_async(args: object) -> object:
    return args


class _Taking:
    def __call__(self, args: object) -> object:
        return args


@functools.wraps(_named_async)
async def _around(**told: object) -> object:
    return sorted(told)


@pytest.mark.parametrize(
    ("callback", "answer"),
    [
        (_named, ({"a": 1}, "t")),
        (_named_async, {"a": 1}),
        (_Taking(), {"a": 1}),
        (functools.partial(_named, tool_name="p"), ({"a": 1}, "t")),
        (_around, ["args", "session_id", "tool_name"]),
        (lambda **told: sorted(told), ["args", "session_id", "tool_name"]),
        (lambda: "nothing", "nothing"),
    ],
)
def test_a_callback_is_told_what_it_takes(callback: Callback, answer: object) -> None:
    told: dict[str, object] = {"args": {"a": 1}, "tool_name": "t", "session_id": "s"}

    async def main() -> object:
        async with CallbackThread() as lane:
            return await lane(callback, told)

    assert asyncio.run(main()) == answer


def test_a_callback_whose_parameters_nobody_knows_is_told_everything() -> None:
    async def main() -> object:
        async with CallbackThread() as lane:
            return await lane(dict, {"args": 1, "session_id": "s"})

    assert asyncio.run(main()) == {"args": 1, "session_id": "s"}


def test_a_callback_that_cannot_go_on_is_not_taken_for_one_that_did_not_want_to() -> None:
    work = Work()

    assert run([middleware(lambda args: args)], work).result == Success("done")
    assert [mishap.error for mishap in work.mishaps] == ["TypeError"]


def test_callbacks_see_the_context_variables_of_their_caller() -> None:
    async def main() -> object:
        NAME.set("caller")
        async with CallbackThread() as lane:
            return await lane(NAME.get, {})

    assert asyncio.run(main()) == "caller"


def test_context_variable_of_a_plain_callback_is_set_in_later_ones() -> None:
    seen: list[str] = []

    def name_it(fields: dict[str, object]) -> Steps:
        token = NAME.set("outer")
        result = yield fields["args"]
        NAME.reset(token)
        return result

    def look(fields: dict[str, object]) -> Steps:
        seen.append(NAME.get())
        return (yield fields["args"])

    class Looking(Work):
        async def __call__(self, payload: object) -> Result[object, WebError]:
            seen.append(NAME.get())
            return await super().__call__(payload)

    chain = [
        middleware(plain(look)),
        middleware(plain(name_it)),
        middleware(plain(look)),
        middleware(coloured(look)),
    ]
    run(chain, Looking())

    assert seen == ["none", "outer", "outer", "outer"]


def test_context_variable_reset_by_a_plain_callback_is_reset_outside() -> None:
    seen: list[str] = []

    def look_after(fields: dict[str, object]) -> Steps:
        result = yield fields["args"]
        seen.append(NAME.get())
        return result

    def name_it(fields: dict[str, object]) -> Steps:
        token = NAME.set("inner")
        result = yield fields["args"]
        NAME.reset(token)
        return result

    run([middleware(coloured(look_after)), middleware(plain(name_it))], Work())

    assert seen == ["none"]


def test_context_variable_may_be_reset_by_another_plain_callback() -> None:
    tokens: list[contextvars.Token[str]] = []

    async def main() -> list[object]:
        async with CallbackThread() as lane:
            await lane(lambda: tokens.append(NAME.set("begun")), {})
            between = [await lane(NAME.get, {}), NAME.get()]
            await lane(lambda: NAME.reset(tokens[0]), {})
            return [*between, await lane(NAME.get, {})]

    assert asyncio.run(main()) == ["begun", "begun", "none"]


def test_context_variable_of_another_task_stays_there() -> None:
    tokens: list[contextvars.Token[str]] = []

    async def main() -> object:
        lane = CallbackThread()
        await asyncio.create_task(_in(lane, lambda: tokens.append(NAME.set("begun"))))
        await _in(lane, lambda: NAME.reset(tokens[0]))
        async with lane:
            return await lane(NAME.get, {})

    assert asyncio.run(main()) == "none"


async def _in(lane: CallbackThread, callback: Callable[[], object]) -> object:
    return await lane(callback, {})


def test_context_variable_of_an_async_callback_is_seen_by_plain_ones() -> None:
    async def name_it() -> None:
        NAME.set("async")

    async def main() -> list[object]:
        async with CallbackThread() as lane:
            before = await lane(NAME.get, {})
            await lane(name_it, {})
            return [before, await lane(NAME.get, {})]

    assert asyncio.run(main()) == ["none", "async"]


def test_a_thread_of_a_plugins_own_keeps_its_variables() -> None:
    entries: list[str] = []

    def elsewhere(**told: object) -> object:
        with ThreadPoolExecutor(1) as pool:
            result: object = pool.submit(told["next_call"]).result()  # type: ignore[arg-type]
            entries.append(pool.submit(NAME.get).result())
            return result

    def name_it(_: object) -> str:
        NAME.set("inner")
        return "named"

    chain = [middleware(elsewhere), middleware(plain(name_it))]

    assert run(chain, Work()).result == Success("named")
    assert entries == ["none"]


def test_a_wish_that_comes_with_the_end_of_its_callback_is_refused() -> None:
    refused: list[str] = []

    async def main() -> None:
        loop = asyncio.get_running_loop()
        entries: list[Callable[[], object]] = []

        async def rest(_: object) -> object:
            return "not to be reached"

        def wish() -> None:
            with pytest.raises(RuntimeError) as error:
                entries[0]()
            refused.append(str(error.value))

        def keep(*, next_call: Callable[[], object]) -> None:
            entries.append(next_call)

        job = CallbackJob(keep, {"next_call": rest}, contextvars.copy_context())
        await asyncio.to_thread(job.run, loop)
        waiting = asyncio.create_task(asyncio.to_thread(wish))
        assert isinstance(await job.next_message(), Returned)
        job.stop_listening(RuntimeError("too late"))
        await asyncio.wait_for(waiting, 30)

    asyncio.run(main())

    assert refused == ["too late"]


def test_a_cancelled_call_lets_its_waiting_callback_go() -> None:
    ended = threading.Event()
    entered: list[BaseException] = []

    def wait(**told: object) -> object:
        try:
            return told["next_call"]()  # type: ignore[operator]
        except BaseException as error:
            entered.append(error)
            raise
        finally:
            ended.set()

    async def main() -> None:
        begun = asyncio.Event()

        async def rest(_: object) -> object:
            begun.set()
            return await asyncio.Event().wait()

        async with CallbackThread() as lane:
            call = asyncio.create_task(_call(lane, wait, rest))
            await begun.wait()
            call.cancel()
            with pytest.raises(asyncio.CancelledError):
                await call
            await asyncio.to_thread(ended.wait, 60)

    asyncio.run(main())

    assert [type(error) for error in entered] == [asyncio.CancelledError]


def test_the_next_callback_does_not_wait_for_one_that_was_left_behind() -> None:
    free = threading.Event()

    async def main() -> object:
        async with CallbackThread() as lane:
            stuck = asyncio.create_task(lane(free.wait, {}))
            await asyncio.sleep(0)
            stuck.cancel()
            with pytest.raises(asyncio.CancelledError):
                await stuck
            return await lane(threading.active_count, {})

    assert asyncio.run(main())
    assert not free.is_set()
    free.set()


class _Abandoned:
    """A callback that goes on after ``left``, when its caller has gone, and is told off then."""

    def __init__(self) -> None:
        self.left, self.told_off = threading.Event(), threading.Event()

    def __call__(self, **told: object) -> object:
        self.left.wait(60)
        try:
            return told["next_call"]()  # type: ignore[operator]
        except asyncio.CancelledError:
            self.told_off.set()
            raise

    async def begin(self, lane: CallbackThread) -> None:
        """Call it, and go."""

        async def rest(_: object) -> object:
            raise AssertionError

        call = asyncio.create_task(_call(lane, self, rest))
        await asyncio.sleep(0)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call


def test_a_callback_whose_caller_has_gone_is_not_let_on() -> None:
    slow = _Abandoned()

    async def main() -> None:
        async with CallbackThread() as lane:
            await slow.begin(lane)
            slow.left.set()
            await asyncio.to_thread(slow.told_off.wait, 60)

    asyncio.run(main())

    assert slow.told_off.is_set()


def test_a_callback_that_outlives_the_loop_is_let_go() -> None:
    slow = _Abandoned()

    async def main() -> None:
        async with CallbackThread() as lane:
            await slow.begin(lane)

    asyncio.run(main())
    slow.left.set()

    assert slow.told_off.wait(60)


def test_a_thread_that_waits_at_a_closed_loop_stops_waiting() -> None:
    loop = asyncio.new_event_loop()
    loop.close()

    with pytest.raises(asyncio.CancelledError):
        WaitingThread(loop, poll_seconds=0.01).serve_callbacks()


def test_a_thread_that_waits_at_an_open_loop_goes_on_waiting() -> None:
    loop = asyncio.new_event_loop()
    station = WaitingThread(loop, poll_seconds=0.01)
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(station.serve_callbacks)
        with pytest.raises(TimeoutError):
            waiting.result(timeout=0.1)
        station.put(Returned(None))

        assert waiting.result(timeout=60) is None
    loop.close()


def test_a_call_without_plain_callbacks_starts_no_thread() -> None:
    before = threading.active_count()
    counts: list[int] = []

    async def look(**told: object) -> object:
        counts.append(threading.active_count())
        return await told["next_call"]()  # type: ignore[operator]

    run([middleware(look)], Work())

    assert counts == [before]


class Called:
    async def __call__(self, **told: object) -> object:
        return await told["next_call"]()  # type: ignore[operator]

    async def method(self, **told: object) -> object:
        return await told["next_call"]()  # type: ignore[operator]


@pytest.mark.parametrize("callback", [Called(), Called().method], ids=["object", "method"])
def test_an_object_with_an_async_call_is_an_async_callback(callback: Callable[..., object]) -> None:
    assert is_async(callback)
    assert run([middleware(callback)], Work()).result == Success("done")


async def _call(
    lane: CallbackThread, callback: Callable[..., object], rest: Callable[[object], object]
) -> object:
    return await lane(callback, {"next_call": rest})
