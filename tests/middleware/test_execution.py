"""The execution chain, row by row of the table of semantics, for callbacks of both colours."""

import asyncio
import contextlib
from collections.abc import Callable
from typing import Any

import pytest
from returns.result import Failure, Success

from webseam.kernel.middleware.execution import Recovery
from webseam.ports import (
    BackendCrashed,
    CallFailed,
    CallRefused,
    MiddlewareFailed,
    RateLimited,
    Timeout,
    UrlDenied,
    WebError,
)
from webseam.ports.middleware import Callback

from .scripts import COLOURS, Script, Steps, Work, coloured, failing, middleware, plain, run

KEYED = "key sk-abcdefghijklmnopqrstuvwxyz"
REASON = "not today"
ERROR = RateLimited(backend="b", retry_after=2.0)
Colour = Callable[[Script], Callback]

both = pytest.mark.parametrize("colour", COLOURS, ids=["plain", "async"])


def onward(fields: dict[str, object]) -> Steps:
    return (yield fields["args"])


def test_without_callbacks_the_work_is_done_as_asked() -> None:
    work = Work()

    assert run([], work).result == Success("done")
    assert work.payloads == [{"query": "q"}]


@both
@pytest.mark.parametrize("value", ["mine", "", 0, {"a": 1}, None])
def test_a_callback_that_does_not_go_on_answers_in_place_of_the_work(
    colour: Colour, value: object
) -> None:
    work = Work()

    assert run([middleware(colour(lambda _: value))], work).result == Success(value)
    assert work.payloads == []


@both
def test_a_callback_that_raises_before_going_on_is_left_out_with_its_changes(
    colour: Colour,
) -> None:
    def spoil(fields: dict[str, object]) -> object:
        fields["args"]["query"] = "spoilt"  # type: ignore[index]
        raise ValueError("no")

    work = Work()
    ended = run([middleware(colour(spoil)), middleware(colour(onward), plugin="second")], work)

    assert ended.result == Success("done")
    assert work.payloads == [{"query": "q"}]
    assert [(m.plugin, m.stage, m.error, m.detail) for m in work.mishaps] == [
        ("p", "tool_execution", "ValueError", "no")
    ]


@both
def test_a_closed_callback_that_raises_before_going_on_fails_the_call(colour: Colour) -> None:
    def fall(_: object) -> object:
        raise ValueError(KEYED)

    work = Work()
    error = run([middleware(colour(fall), on_error="closed")], work).result.failure()

    assert isinstance(error, MiddlewareFailed)
    assert (error.plugin, error.stage, error.error) == ("p", "tool_execution", "ValueError")
    assert error.where.startswith("test_execution.py:")
    assert error.detail == "key ***"
    assert work.payloads == []


@both
def test_a_callback_that_raises_after_success_keeps_the_result_and_nothing_runs_twice(
    colour: Colour,
) -> None:
    def stumble(fields: dict[str, object]) -> Steps:
        yield fields["args"]
        raise ValueError

    work = Work()

    assert run([middleware(colour(stumble))], work).result == Success("done")
    assert len(work.payloads) == 1
    assert len(work.mishaps) == 1


@both
def test_a_closed_callback_that_raises_after_success_fails_the_call(colour: Colour) -> None:
    def stumble(fields: dict[str, object]) -> Steps:
        yield fields["args"]
        raise CallFailed(ERROR)

    work = Work()

    ended = run([middleware(colour(stumble), on_error="closed")], work)

    assert ended.result == Failure(ERROR)
    assert len(work.payloads) == 1


@both
@pytest.mark.parametrize("on_error", ["open", "closed"])
def test_a_failure_that_is_let_through_arrives_as_it_was(colour: Colour, on_error: str) -> None:
    chain = [middleware(colour(onward), on_error=on_error)] * 3

    assert run(chain, failing(ERROR)).result == Failure(ERROR)


@both
def test_a_callback_sees_a_failure_as_an_exception_that_holds_the_error(colour: Colour) -> None:
    seen: list[Exception] = []

    def look(fields: dict[str, object]) -> Steps:
        try:
            return (yield fields["args"])
        except CallFailed as error:
            seen.append(error)
            raise

    run([middleware(colour(look))], failing(ERROR))

    assert isinstance(seen[0], CallFailed)
    assert (seen[0].error, str(seen[0])) == (ERROR, ERROR.message)


@both
def test_a_failure_may_be_translated_into_another_typed_one(colour: Colour) -> None:
    other = Timeout(backend="b", phase="body")

    def translate(fields: dict[str, object]) -> Steps:
        try:
            return (yield fields["args"])
        except CallFailed as error:
            raise CallFailed(other) from error

    assert run([middleware(colour(translate))], failing(ERROR)).result == Failure(other)


@both
def test_a_failure_translated_by_any_exception_stays_a_failure_and_names_its_cause(
    colour: Colour,
) -> None:
    caught: list[Exception] = []

    def translate(fields: dict[str, object]) -> Steps:
        try:
            return (yield fields["args"])
        except CallFailed:
            raise LookupError(REASON) from None

    def outer(fields: dict[str, object]) -> Steps:
        try:
            return (yield fields["args"])
        except LookupError as error:
            caught.append(error)
            raise

    work = failing(ERROR)
    error = run([middleware(colour(outer)), middleware(colour(translate), plugin="t")], work)

    failure = error.result.failure()
    assert isinstance(failure, MiddlewareFailed)
    assert (failure.plugin, failure.error, failure.cause) == ("t", "LookupError", "rate_limited")
    assert failure.detail == REASON
    assert [str(each) for each in caught] == [REASON]


def returning(value: object) -> Callable[[dict[str, object]], Steps]:
    def gloss_over(fields: dict[str, object]) -> Steps:
        try:
            yield fields["args"]
        except Exception:  # noqa: BLE001  as plugins do
            return value
        return "not reached"

    return gloss_over


@both
@pytest.mark.parametrize("value", ["fine after all", {"success": True}, ""])
def test_a_value_after_a_failure_is_a_recovery_that_names_who_and_from_what(
    colour: Colour, value: object
) -> None:
    ended = run([middleware(colour(returning(value)), plugin="rescuer")], failing(ERROR))

    assert ended.result == Success(value)
    assert ended.recoveries == (Recovery(plugin="rescuer", stage="tool_execution", error=ERROR),)


@both
def test_none_after_a_failure_leaves_it_standing(colour: Colour) -> None:
    ended = run([middleware(colour(returning(None)))], failing(ERROR))

    assert (ended.result, ended.recoveries) == (Failure(ERROR), ())


@both
def test_a_recovery_further_in_stays_known_further_out(colour: Colour) -> None:
    def louder(fields: dict[str, object]) -> Steps:
        text = yield fields["args"]
        return f"{text}!"

    chain = [middleware(colour(louder)), middleware(colour(returning("saved")), plugin="rescuer")]

    ended = run(chain, failing(ERROR))

    assert ended.result == Success("saved!")
    assert [each.plugin for each in ended.recoveries] == ["rescuer"]


@both
@pytest.mark.parametrize(
    "refusal",
    [CallRefused(by="policy", reason="no"), UrlDenied(rule="loopback", stage="address")],
    ids=["blocker", "policy"],
)
def test_a_refusal_cannot_be_recovered_from(colour: Colour, refusal: WebError) -> None:
    ended = run([middleware(colour(returning("saved")))], failing(refusal))

    assert (ended.result, ended.replacement, ended.recoveries) == (Failure(refusal), "saved", ())


@both
def test_a_closed_callback_that_fails_cannot_be_recovered_from(colour: Colour) -> None:
    def guard(fields: dict[str, object]) -> Steps:
        if fields:
            raise ValueError(REASON)
        return (yield fields["args"])

    chain = [
        middleware(colour(returning("saved"))),
        middleware(colour(guard), plugin="guard", on_error="closed"),
    ]

    ended = run(chain, Work())

    assert isinstance(ended.result.failure(), MiddlewareFailed)
    assert ended.replacement == "saved"


@both
@pytest.mark.parametrize(
    ("answer", "expected"), [(Success("done"), Success("done")), (Failure(ERROR), Failure(ERROR))]
)
def test_a_second_next_call_raises_inside_and_the_first_outcome_stands(
    colour: Colour, answer: Success[str] | Failure[WebError], expected: object
) -> None:
    def twice(fields: dict[str, object]) -> Steps:
        with contextlib.suppress(CallFailed):
            yield fields["args"]
        return (yield fields["args"])

    work = Work(answer)

    assert run([middleware(colour(twice))], work).result == expected
    assert len(work.payloads) == 1


@both
def test_a_closed_callback_that_goes_on_twice_fails_the_call(colour: Colour) -> None:
    def twice(fields: dict[str, object]) -> Steps:
        yield fields["args"]
        return (yield fields["args"])

    work = Work()
    error = run([middleware(colour(twice), on_error="closed")], work).result.failure()

    assert isinstance(error, MiddlewareFailed)
    assert (error.error, error.detail) == ("RuntimeError", "p called next_call more than once")
    assert len(work.payloads) == 1


@both
def test_callbacks_get_copies_of_the_trace_and_arguments(colour: Colour) -> None:
    seen: list[object] = []

    def vandal(fields: dict[str, object]) -> Steps:
        fields["middleware_trace"].clear()  # type: ignore[attr-defined]
        fields["original_args"]["domains"].clear()  # type: ignore[index]
        return (yield fields["args"])

    def look(fields: dict[str, object]) -> Steps:
        seen.extend([fields["middleware_trace"], fields["original_args"]])
        return (yield fields["args"])

    chain = [middleware(colour(vandal)), middleware(colour(look))]
    original = {"domains": ["a.example"]}
    context = {"middleware_trace": [{"source": "s"}]}
    run(chain, Work(), original=original, context=context)

    assert seen == [[{"source": "s"}], {"domains": ["a.example"]}]
    assert (original, context) == (
        {"domains": ["a.example"]},
        {"middleware_trace": [{"source": "s"}]},
    )


def test_a_plain_callback_that_catches_everything_swallows_no_exit() -> None:
    def swallow(**told: Any) -> object:  # noqa: ANN401  as plugins do
        try:
            return told["next_call"]()
        except BaseException:  # noqa: BLE001  as plugins do
            return "swallowed"

    with pytest.raises(Stop):
        run([middleware(swallow)], Work(Stop()))


class Keeper:
    """Callbacks that keep a ``next_call``, used or not, and call it when its callback is done."""

    def __init__(self, *, using: bool) -> None:
        self.using = using
        self.kept: list[Any] = []
        self.refused: list[str] = []

    def keep(self, *, next_call: Callable[..., Any], **_: object) -> str:
        self.kept.append(next_call)
        return str(next_call()) if self.using else "mine"

    def call(self, *, next_call: Callable[..., Any], **_: object) -> object:
        result = next_call()
        try:
            self.kept[0]()
        except RuntimeError as error:
            self.refused.append(str(error))
        return result

    async def keep_async(self, *, next_call: Callable[..., Any], **_: object) -> str:
        self.kept.append(next_call)
        return str(await next_call()) if self.using else "mine"

    async def call_async(self, *, next_call: Callable[..., Any], **_: object) -> object:
        result = await next_call()
        try:
            await self.kept[0]()
        except RuntimeError as error:
            self.refused.append(str(error))
        return result


@pytest.mark.parametrize("retries", [False, True])
@pytest.mark.parametrize("using", [False, True])
@pytest.mark.parametrize("colour", ["plain", "async"])
def test_a_next_call_that_is_kept_runs_nothing_when_its_callback_is_done(
    colour: str, *, using: bool, retries: bool
) -> None:
    keeper, work = Keeper(using=using), Work()
    plain_ones = (keeper.call, keeper.keep)
    callbacks = plain_ones if colour == "plain" else (keeper.call_async, keeper.keep_async)

    ended = run([middleware(each, retries=retries) for each in callbacks], work)

    assert ended.result == Success("done" if using else "mine")
    assert len(work.payloads) == int(using)
    assert keeper.refused == ["next_call was called after its callback was done"]


def test_a_next_call_that_nobody_waits_for_runs_nothing() -> None:
    tasks: list[asyncio.Task[object]] = []

    async def hurry(*, next_call: Callable[..., Any], **_: object) -> str:
        tasks.append(asyncio.create_task(next_call()))
        return "mine"

    async def wait(*, next_call: Callable[..., Any], **_: object) -> object:
        result = await next_call()
        await asyncio.wait(tasks)
        return result

    work = Work()

    assert run([middleware(wait), middleware(hurry)], work).result == Success("mine")
    assert work.payloads == []
    assert isinstance(tasks[0].exception(), RuntimeError)


def retry_once(fields: dict[str, object]) -> Steps:
    try:
        return (yield fields["args"])
    except CallFailed:
        return (yield fields["args"])


@both
def test_a_callback_that_declares_that_it_retries_may_go_on_again(colour: Colour) -> None:
    work = Work()
    work.answers = [Failure(ERROR), Success("at last")]

    ended = run([middleware(colour(retry_once), retries=True)], work)

    assert ended.result == Success("at last")
    assert len(work.payloads) == 2


@both
def test_a_retry_that_fails_takes_nothing_from_the_try_that_worked(colour: Colour) -> None:
    def again(fields: dict[str, object]) -> Steps:
        yield fields["args"]
        return (yield fields["args"])

    work = Work()
    work.answers = [Success("first"), Failure(ERROR)]

    assert run([middleware(colour(again), retries=True)], work).result == Success("first")


@both
def test_retries_that_all_fail_are_the_last_failure(colour: Colour) -> None:
    work = Work()
    work.answers = [Failure(Timeout(phase="body")), Failure(ERROR)]

    assert run([middleware(colour(retry_once), retries=True)], work).result == Failure(ERROR)


class Stop(BaseException):
    pass


@both
@pytest.mark.parametrize("error", [KeyboardInterrupt, SystemExit, asyncio.CancelledError, Stop])
@pytest.mark.parametrize("place", ["work", "before", "after"])
def test_base_exceptions_pass_through_unwrapped(
    colour: Colour, error: type[BaseException], place: str
) -> None:
    def throw(fields: dict[str, object]) -> Steps:
        if place == "before":
            raise error
        yield fields["args"]
        raise error

    def swallow(fields: dict[str, object]) -> Steps:
        try:
            return (yield fields["args"])
        except Exception:  # noqa: BLE001  as plugins do
            return "swallowed"

    chain = [middleware(colour(swallow)), middleware(colour(throw))]
    work = Work(error()) if place == "work" else Work()

    with pytest.raises(error):
        run(chain[: 1 if place == "work" else 2], work)


@both
def test_next_call_without_a_payload_forwards_the_one_in_its_hands(colour: Colour) -> None:
    first: list[object] = []

    def change(fields: dict[str, object]) -> Steps:
        fields["args"]["query"] = "changed in place"  # type: ignore[index]
        fields["original_args"]["query"] = "not to be changed"  # type: ignore[index]
        return (yield None)

    def look(fields: dict[str, object]) -> Steps:
        first.append(fields["original_args"])
        return (yield None)

    asked = {"query": "q"}
    work = Work()
    run([middleware(colour(change)), middleware(colour(look))], work, asked)

    assert work.payloads == [{"query": "changed in place"}]
    assert first == [{"query": "first"}]
    assert asked == {"query": "q"}


@both
@pytest.mark.parametrize("payload", [{}, {"query": "other"}, "text"])
def test_next_call_passes_a_changed_payload_on(colour: Colour, payload: object) -> None:
    seen: list[object] = []

    def change(_: object) -> Steps:
        return (yield payload)

    def look(fields: dict[str, object]) -> Steps:
        seen.extend([fields["args"], fields["original_args"]])
        return (yield None)

    work = Work()
    run([middleware(colour(change)), middleware(colour(look))], work)

    assert work.payloads == [payload]
    assert seen == [payload, {"query": "first"}]


@both
def test_callbacks_are_nested_in_the_order_of_registration(colour: Colour) -> None:
    order: list[str] = []

    def named(name: str) -> Script:
        def script(fields: dict[str, object]) -> Steps:
            order.append(f"into {name}")
            result = yield fields["args"]
            order.append(f"out of {name}")
            return f"{name}({result})"

        return script

    ended = run([middleware(colour(named(name))) for name in "abc"], Work())

    assert ended.result == Success("a(b(c(done)))")
    assert order == ["into a", "into b", "into c", "out of c", "out of b", "out of a"]


def test_callbacks_of_both_colours_stand_in_one_chain() -> None:
    def mark(fields: dict[str, object]) -> Steps:
        result = yield fields["args"]
        return f"<{result}>"

    chain = [middleware(colour(mark)) for colour in (plain, coloured, plain, plain, coloured)]

    assert run(chain, Work()).result == Success("<<<<<done>>>>>")


@both
def test_a_callback_is_told_the_versions_the_context_and_its_payload(colour: Colour) -> None:
    seen: dict[str, object] = {}

    def look(fields: dict[str, object]) -> str:
        seen.update(fields)
        return "enough"

    run([middleware(colour(look))], Work())

    assert callable(seen.pop("next_call"))
    assert seen == {
        "telemetry_schema_version": "hermes.observer.v1",
        "middleware_schema_version": "hermes.middleware.v1",
        "session_id": "s",
        "tool_name": "web_search",
        "args": {"query": "q"},
        "original_args": {"query": "first"},
    }


@both
def test_no_callback_can_change_what_the_next_is_told_was_asked(colour: Colour) -> None:
    originals: list[object] = []

    def vandal(fields: dict[str, object]) -> Steps:
        originals.append(dict(fields["original_args"]))  # type: ignore[call-overload]
        fields["original_args"].clear()  # type: ignore[attr-defined]
        return (yield None)

    run([middleware(colour(vandal)), middleware(colour(vandal))], Work())

    assert originals == [{"query": "first"}, {"query": "first"}]


@both
def test_a_callback_that_returns_nothing_after_success_only_looked_on(colour: Colour) -> None:
    def look(fields: dict[str, object]) -> Steps:
        yield fields["args"]
        return None

    assert run([middleware(colour(look))], Work()).result == Success("done")


@both
@pytest.mark.parametrize("goes_on", [True, False])
def test_a_result_that_a_callback_returns_is_taken_as_one(colour: Colour, *, goes_on: bool) -> None:
    def give(result: object) -> Script:
        def script(fields: dict[str, object]) -> Steps:
            if goes_on:
                yield fields["args"]
            return result

        return script

    assert run([middleware(colour(give(Success("v"))))], Work()).result == Success("v")
    assert run([middleware(colour(give(Failure(ERROR))))], Work()).result == Failure(ERROR)


@both
@pytest.mark.parametrize("fake", ["text", None, ERROR.__class__])
def test_a_failure_that_is_no_web_error_names_the_callback(colour: Colour, fake: object) -> None:
    error = run([middleware(colour(lambda _: Failure(fake)))], Work()).result.failure()

    assert isinstance(error, MiddlewareFailed)
    assert "not a WebError" in error.error


@both
@pytest.mark.parametrize("base", [Exception, RuntimeError])
def test_a_block_passes_even_an_open_chain(colour: Colour, base: type[Exception]) -> None:
    blocked = type("LLMExecutionBlocked", (base,), {"reason": "not this model"})

    def block(_: object) -> object:
        raise blocked

    def hide(fields: dict[str, object]) -> Steps:
        try:
            return (yield fields["args"])
        except Exception:  # noqa: BLE001  as plugins do
            return "hidden"

    work = Work()
    ended = run([middleware(colour(hide)), middleware(colour(block), plugin="guard")], work)

    assert ended.result == Failure(CallRefused(by="guard", reason="not this model"))
    assert work.payloads == []


def test_a_block_without_a_reason_says_what_its_text_says() -> None:
    class LLMExecutionBlocked(Exception):  # noqa: N818  Hermes's name
        reason = 5

    def block(_: object) -> object:
        raise LLMExecutionBlocked("because")

    error = run([middleware(plain(block))], Work()).result.failure()

    assert error == CallRefused(by="p", reason="because")


def test_an_async_callback_that_hands_its_next_call_back_is_waited_for() -> None:
    async def lazy(**told: object) -> object:
        return told["next_call"]({"query": "lazy"})  # type: ignore[operator]

    work = Work()

    assert run([middleware(lazy)], work).result == Success("done")
    assert work.payloads == [{"query": "lazy"}]


def test_a_plain_callback_that_returns_a_coroutine_is_waited_for() -> None:
    async def inner(fields: dict[str, object]) -> object:
        return await fields["next_call"]()  # type: ignore[operator]

    work = Work()

    assert run([middleware(lambda **told: inner(told))], work).result == Success("done")


@pytest.mark.parametrize("leave", ["return", "raise"])
def test_a_callback_that_gives_up_waiting_cannot_call_it_a_success(leave: str) -> None:
    async def impatient(**told: object) -> object:
        begun = asyncio.create_task(told["next_call"]())  # type: ignore[operator]
        await asyncio.sleep(0)
        begun.cancel()
        if leave == "raise":
            raise TimeoutError
        return "never mind"

    async def slow(**told: object) -> object:
        await asyncio.Event().wait()
        return await told["next_call"]()  # type: ignore[operator]

    work = Work()
    error = run([middleware(impatient), middleware(slow)], work).result.failure()

    assert isinstance(error, MiddlewareFailed)
    wrong = "TimeoutError" if leave == "raise" else "it did not wait for next_call"
    assert error.error == wrong


def test_work_that_raises_is_a_crash_without_its_text() -> None:
    error = run([], Work(ValueError("secret"))).result.failure()

    assert isinstance(error, BackendCrashed)
    assert error.error == "ValueError"
    assert "secret" not in repr(error)


def test_a_callback_with_other_parameters_is_left_out() -> None:
    def wrong(something: object) -> object:
        return something

    work = Work()

    assert run([middleware(wrong)], work).result == Success("done")
    assert [mishap.error for mishap in work.mishaps] == ["TypeError"]


def test_an_exception_whose_text_cannot_be_had_is_still_described() -> None:
    class Mute(Exception):  # noqa: N818  not our error
        def __str__(self) -> str:
            raise ValueError

    def fall(_: object) -> object:
        raise Mute

    work = Work()
    run([middleware(plain(fall))], work)

    assert [(mishap.error, mishap.detail) for mishap in work.mishaps] == [("Mute", "")]
