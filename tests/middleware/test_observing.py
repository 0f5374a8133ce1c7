"""Hooks: told of everything in copies, heard only where an answer counts."""

import asyncio
from collections.abc import Sequence

import pytest
from returns.result import Result

from webseam.adapters.plugins.callbacks import CallbackThread
from webseam.kernel.middleware.hooks import (
    Answers,
    Directive,
    first_hook_directive,
    hook_modified_args,
    hook_replacement_text,
    notify_hooks,
)
from webseam.ports import CallRefused, Hook, MiddlewareFailed, WebError
from webseam.ports.middleware import Callback, Mishap

from .scripts import COLOURS, plain


def hook(callback: Callback, **how: object) -> Hook:
    return Hook(**{"name": "post_tool_call", "callback": callback, "plugin": "p", **how})  # type: ignore[arg-type]  # the fields of each test


def tell(
    hooks: Sequence[Hook], event: dict[str, object], mishaps: list[Mishap] | None = None
) -> Result[Answers, WebError]:
    async def main() -> Result[Answers, WebError]:
        async with CallbackThread() as lane:
            log = [] if mishaps is None else mishaps
            told = await notify_hooks(hooks, event, lane, log.append)
            return told.map(lambda answers: answers)

    return asyncio.run(main())


def answers(*given: object) -> Answers:
    return [(hook(print, plugin=f"p{number}"), answer) for number, answer in enumerate(given)]


@pytest.mark.parametrize("colour", COLOURS, ids=["plain", "async"])
def test_a_hook_is_told_the_version_and_the_event_in_a_copy(colour: object) -> None:
    seen: list[dict[str, object]] = []

    def vandal(fields: dict[str, object]) -> None:
        seen.append({**fields})
        fields["args"].clear()  # type: ignore[attr-defined]

    event: dict[str, object] = {"args": {"query": "q"}}
    tell([hook(colour(vandal))] * 2, event)  # type: ignore[operator]

    assert event == {"args": {"query": "q"}}
    assert [told["telemetry_schema_version"] for told in seen] == ["hermes.observer.v1"] * 2


def test_the_answers_of_hooks_are_collected_in_order_without_the_nones() -> None:
    hooks = [hook(plain(lambda _, given=given: given)) for given in (1, None, "two")]  # type: ignore[misc]

    assert [answer for _, answer in tell(hooks, {}).unwrap()] == [1, "two"]


def test_a_hook_that_raises_is_written_down_and_the_others_are_told() -> None:
    def fall(_: object) -> object:
        raise ValueError

    mishaps: list[Mishap] = []
    answers = tell([hook(plain(fall)), hook(plain(lambda _: "heard"))], {}, mishaps)

    assert [answer for _, answer in answers.unwrap()] == ["heard"]
    assert [(mishap.stage, mishap.error) for mishap in mishaps] == [
        ("post_tool_call", "ValueError")
    ]


def test_a_closed_hook_that_raises_fails_the_call() -> None:
    def fall(_: object) -> object:
        raise ValueError

    error = tell([hook(plain(fall), on_error="closed")], {}).failure()

    assert isinstance(error, MiddlewareFailed)
    assert (error.stage, error.error) == ("post_tool_call", "ValueError")


ODD = [
    ({"action": "block"}, "a block without a message"),
    ({"action": "block", "message": ""}, "a block without a message"),
    ({"action": "block", "message": 5}, "a block without a message"),
    ({"action": "modify"}, "a modify without args"),
    ({"action": "modify", "args": []}, "a modify without args"),
    ({"action": "BLOCK", "message": "no"}, "the action 'BLOCK'"),
    ({"action": ["block"]}, "the action a value of type list"),
    ({"decision": "deny"}, "the action a value of type NoneType"),
    ({}, "the action a value of type NoneType"),
    ("BLOCK", "'BLOCK'"),
    ("deny", "'deny'"),
    (False, "a value of type bool"),
    (True, "a value of type bool"),
    (["block"], "a value of type list"),
    (0, "0"),
]


@pytest.mark.parametrize(("answer", "odd"), ODD)
def test_a_closed_hook_that_answers_oddly_refuses_and_says_what_was_odd(
    answer: object, odd: str
) -> None:
    guard = hook(lambda **_: answer, name="pre_tool_call", plugin="guard", on_error="closed")

    refused = tell([guard], {"args": {}}).failure()

    what = f"it answered {odd}, which pre_tool_call does not accept"
    assert refused == CallRefused(by="guard", reason=what)


@pytest.mark.parametrize(("answer", "odd"), ODD)
def test_an_open_hook_that_answers_oddly_is_left_out_with_a_warning(
    answer: object, odd: str
) -> None:
    mishaps: list[Mishap] = []

    answers = tell([hook(lambda **_: answer, name="pre_tool_call")], {"args": {}}, mishaps)

    assert answers.unwrap() == ()
    what = f"it answered {odd}, which pre_tool_call does not accept"
    assert mishaps == [Mishap(plugin="p", stage="pre_tool_call", error=what, where="")]


@pytest.mark.parametrize(
    "answer",
    [
        None,
        {"action": "block", "message": "no"},
        {"action": "approve"},
        {"action": "allow"},
        {"action": "modify", "args": {}},
    ],
)
def test_a_closed_hook_whose_answer_is_understood_goes_on(answer: object) -> None:
    guard = hook(lambda **_: answer, name="pre_tool_call", on_error="closed")

    assert [answers for _, answers in tell([guard], {}).unwrap()] == (
        [] if answer is None else [answer]
    )


def test_a_closed_hook_that_replaces_a_result_must_do_so_with_text() -> None:
    redactor = hook(lambda **_: {"text": "x"}, name="transform_tool_result", on_error="closed")

    refused = tell([redactor], {"result": "secret"}).failure()

    assert isinstance(refused, CallRefused)
    assert "a value of type dict" in refused.reason


BLOCK = {"action": "block", "message": "no"}
ASK = {"action": "approve", "message": "sure?", "rule_key": "rule"}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), Directive()),
        (("text", None, 5, {}, {"action": "dance"}), Directive()),
        ((BLOCK,), Directive(action="block", by="p0", message="no")),
        (({"action": "block"}, {"action": "block", "message": 5}), Directive()),
        ((ASK,), Directive(action="approve", by="p0", message="sure?", rule_key="rule")),
        (({"action": "approve"},), Directive(action="approve", by="p0")),
        ((ASK, BLOCK), Directive(action="block", by="p1", message="no")),
        (
            (BLOCK, {"action": "block", "message": "later"}),
            Directive(action="block", by="p0", message="no"),
        ),
    ],
)
def test_to_refuse_beats_to_ask_and_the_first_of_each_counts(
    given: tuple[object, ...], expected: Directive
) -> None:
    assert first_hook_directive(answers(*given)) == expected


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ((), {"a": 0}),
        (("text", {"action": "modify"}, {"action": "modify", "args": 5}), {"a": 0}),
        (
            ({"action": "modify", "args": {"b": 1}}, {"action": "modify", "args": {}}),
            {"a": 0, "b": 1},
        ),
        (
            ({"action": "modify", "args": {"a": 1}}, {"action": "modify", "args": {"a": 2}}),
            {"a": 2},
        ),
    ],
)
def test_hooks_modify_the_arguments_that_they_name(
    given: tuple[object, ...], expected: object
) -> None:
    args: dict[str, object] = {"a": 0}

    assert hook_modified_args(args, answers(*given)) == expected
    assert args == {"a": 0}


def test_the_first_text_replaces_a_result() -> None:
    assert hook_replacement_text(answers(5, {"a": 1}, "one", "two")) == "one"
    assert hook_replacement_text(answers(5)) is None
