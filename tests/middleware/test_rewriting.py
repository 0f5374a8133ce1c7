"""Request middleware: whole replacements, one after the other, with a trace."""

import asyncio
import copy
from collections.abc import Callable, Sequence

import pytest
from returns.result import Failure, Result

from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.kernel.middleware.rewrites import CallContext, RewrittenRequest, rewrite_request
from webseam.ports import (
    CallFailed,
    CallRefused,
    Middleware,
    MiddlewareFailed,
    TraceEntry,
    UrlDenied,
    WebError,
)
from webseam.ports.middleware import Callback, Mishap

from .scripts import COLOURS, CONTEXT, Script, middleware, plain

Colour = Callable[[Script], Callback]
ASKED: dict[str, object] = {"query": "q", "include_domains": ["a.example"]}

both = pytest.mark.parametrize("colour", COLOURS, ids=["plain", "async"])


def fold(
    chain: Sequence[Middleware], mishaps: list[Mishap] | None = None
) -> Result[RewrittenRequest, WebError]:
    async def main() -> Result[RewrittenRequest, WebError]:
        async with CallbackThread() as lane:
            log = [] if mishaps is None else mishaps
            situation = CallContext(context=CONTEXT, payload="args", call=lane, log=log.append)
            return await rewrite_request(chain, ASKED, situation)

    return asyncio.run(main())


def asking(callback: Callback, **how: object) -> Middleware:
    return middleware(callback, kind="tool_request", **how)


def test_without_callbacks_the_request_stays_as_it_is() -> None:
    assert fold([]).unwrap() == RewrittenRequest(payload=ASKED)


@both
def test_a_replacement_is_whole_and_leaves_a_trace(colour: Colour) -> None:
    answer = {"args": {"query": "other"}, "source": "mine", "reason": "because", "name": "n"}

    rewritten = fold([asking(colour(lambda _: answer))]).unwrap()

    assert rewritten.payload == {"query": "other"}
    assert rewritten.trace == (TraceEntry(source="mine", reason="because", name="n"),)


@both
def test_each_callback_sees_the_rewrite_before_and_the_pristine_original(colour: Colour) -> None:
    seen: list[tuple[object, object]] = []

    def add(word: str) -> Script:
        def script(fields: dict[str, object]) -> object:
            args = fields["args"]
            assert isinstance(args, dict)
            seen.append((args["query"], copy.copy(fields["original_args"])))
            fields["original_args"].clear()  # type: ignore[attr-defined]
            return {"args": {**args, "query": f"{args['query']} {word}"}}

        return script

    rewritten = fold([asking(colour(add("one"))), asking(colour(add("two")))]).unwrap()

    assert rewritten.payload["query"] == "q one two"
    assert seen == [("q", ASKED), ("q one", ASKED)]
    assert rewritten.trace == (TraceEntry(source="p"), TraceEntry(source="p"))


@both
@pytest.mark.parametrize(
    "answer",
    [None, "text", 5, [], {}, {"args": None}, {"args": "text"}, {"args": [1]}, {"request": {}}],
)
def test_invalid_replacement_is_ignored(colour: Colour, answer: object) -> None:
    assert fold([asking(colour(lambda _: answer))]).unwrap() == RewrittenRequest(payload=ASKED)


@both
@pytest.mark.parametrize("name", ["args", "original_args"])
def test_a_change_in_place_changes_nothing(colour: Colour, name: str) -> None:
    seen: list[object] = []

    def vandal(fields: dict[str, object]) -> object:
        fields[name]["include_domains"].append("evil.example")  # type: ignore[index]
        return None

    def look(fields: dict[str, object]) -> object:
        seen.extend([fields["args"], fields["original_args"]])
        return None

    chain = [asking(colour(vandal)), asking(colour(look))]

    assert fold(chain).unwrap().payload == ASKED
    assert ASKED["include_domains"] == ["a.example"]
    assert seen == [ASKED, ASKED]


def test_a_plugin_that_keeps_its_replacement_cannot_change_it_later() -> None:
    domains = ["kept.example"]
    kept: dict[str, object] = {"query": "kept", "include_domains": domains}

    def keep(_: object) -> object:
        return {"args": kept}

    def later(_: object) -> object:
        kept["query"] = "changed"
        domains.append("late.example")
        return None

    rewritten = fold([asking(plain(keep)), asking(plain(later))]).unwrap()

    assert rewritten.payload == {"query": "kept", "include_domains": ["kept.example"]}


@both
def test_a_callback_that_raises_is_left_out_and_written_down(colour: Colour) -> None:
    def fall(_: object) -> object:
        raise KeyError("x")

    mishaps: list[Mishap] = []
    rewritten = fold(
        [asking(colour(fall)), asking(colour(lambda _: {"args": {"query": "next"}}))], mishaps
    )

    assert rewritten.unwrap().payload == {"query": "next"}
    assert [(mishap.stage, mishap.error) for mishap in mishaps] == [("tool_request", "KeyError")]


@both
def test_a_closed_callback_that_raises_fails_the_call(colour: Colour) -> None:
    def fall(_: object) -> object:
        raise KeyError("x")

    error = fold([asking(colour(fall), on_error="closed")]).failure()

    assert error.message.startswith("The plugin p failed in tool_request: KeyError at ")


@both
def test_a_closed_callback_fails_with_the_error_that_it_carries(colour: Colour) -> None:
    denied = UrlDenied(rule="denied_domain", stage="parse")

    def refuse(_: object) -> object:
        raise CallFailed(denied)

    assert fold([asking(colour(refuse), on_error="closed")]) == Failure(denied)


@both
def test_a_failure_that_is_returned_is_the_end(colour: Colour) -> None:
    denied = UrlDenied(rule="denied_domain", stage="parse")

    assert fold([asking(colour(lambda _: Failure(denied)))]) == Failure(denied)


def test_a_block_is_the_end_even_where_failing_is_allowed() -> None:
    def block(_: object) -> object:
        raise type("LLMExecutionBlocked", (Exception,), {"reason": "no"})

    assert fold([asking(plain(block))]) == Failure(CallRefused(by="p", reason="no"))


@pytest.mark.parametrize("said", ["", None, 5, b"x"])
def test_a_trace_of_nothing_usable_names_the_plugin(said: object) -> None:
    answer = {"args": {}, "source": said, "reason": said, "name": said}

    assert fold([asking(plain(lambda _: answer))]).unwrap().trace == (TraceEntry(source="p"),)


def test_value_that_cannot_be_copied_is_handed_on() -> None:
    class Stubborn:
        def __deepcopy__(self, _: object) -> object:
            raise TypeError

        def __copy__(self) -> object:
            raise TypeError

    stubborn = Stubborn()
    answers = [{"args": {"client": stubborn}}]

    rewritten = fold([asking(plain(lambda _: answers[0])), asking(plain(lambda _: None))])

    assert rewritten.unwrap().payload == {"client": stubborn}


ODD = [False, "deny", ["x"], {}, {"args": 5}, {"action": "block"}]


@pytest.mark.parametrize("answer", ODD)
def test_a_closed_callback_that_answers_oddly_fails_the_call(answer: object) -> None:
    failure = fold([asking(plain(lambda _: answer), on_error="closed")]).failure()

    assert isinstance(failure, MiddlewareFailed)
    assert failure.error.startswith("it answered ")
    assert failure.error.endswith(", which has no usable args")


@pytest.mark.parametrize("answer", ODD)
def test_an_open_callback_that_answers_oddly_is_left_out_with_a_warning(answer: object) -> None:
    mishaps: list[Mishap] = []

    rewritten = fold([asking(plain(lambda _: answer))], mishaps).unwrap()

    assert rewritten == RewrittenRequest(payload=ASKED)
    assert [mishap.stage for mishap in mishaps] == ["tool_request"]
