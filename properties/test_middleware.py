"""Chains of any callbacks: the work runs at most once, no success is invented, no failure lost.

A callback is a list of moves, drawn at random, and of either colour. What it did is written down,
and the outcome must follow from that alone.
"""

import asyncio
from collections.abc import Sequence
from typing import Literal, NamedTuple, TypeAlias, cast

import pytest
from hypothesis import assume, example, given, strategies as st
from returns.result import Failure, Result, Success

from tests.middleware.scripts import COLOURS, Steps, Work, middleware, run
from webseam.kernel.middleware.execution import CallEnded
from webseam.kernel.middleware.rewrites import add_aliases, drop_aliases
from webseam.ports import CallFailed, Middleware, MiddlewareFailed, RateLimited, Timeout, WebError
from webseam.ports.middleware import OnError

Move: TypeAlias = Literal["next", "next changed", "spoil", "raise", "carry", "return", "give up"]

ERROR = RateLimited(backend="b")
OTHER = Timeout(backend="b", phase="body")


class Stop(BaseException):
    """No Exception, so nobody's to catch."""


class Plan(NamedTuple):
    """One callback: its moves, then whether it catches, how it ends, how it is registered."""

    moves: tuple[Move, ...]
    catches: bool = False
    colour: int = 0
    on_error: OnError = "open"
    retries: bool = False


MOVES = st.sampled_from(["next", "next changed", "spoil", "raise", "carry", "return", "give up"])


def plans(*, retries: st.SearchStrategy[bool] | None = None) -> st.SearchStrategy[Plan]:
    return st.builds(
        Plan,
        moves=st.lists(MOVES, max_size=4).map(tuple),
        catches=st.booleans(),
        colour=st.sampled_from([0, 1]),
        on_error=st.sampled_from(["open", "closed"]),
        retries=st.just(value=False) if retries is None else retries,
    )


ANSWERS: st.SearchStrategy[Result[object, WebError]] = st.sampled_from(
    [Success("done"), Failure(ERROR)]
)


class Story:
    """What the callbacks of one run did, in order."""

    def __init__(self) -> None:
        self.entered: list[int] = []
        self.left: list[int] = []
        self.returned: list[int] = []
        self.raised: list[int] = []


class Actor:
    """A callback that plays its plan."""

    def __init__(self, plan: Plan, number: int, story: Story) -> None:
        self.plan = plan
        self.number = number
        self.story = story

    def play(self, fields: dict[str, object]) -> Steps:
        self.story.entered.append(self.number)
        try:
            value = yield from self.act(fields)
        except Exception:
            self.story.raised.append(self.number)
            raise
        else:
            self.story.returned.append(self.number)
            return value
        finally:
            self.story.left.append(self.number)

    def act(self, fields: dict[str, object]) -> Steps:
        result: object = f"short {self.number}"
        for move in self.plan.moves:
            if move in ("return", "give up"):
                return result if move == "return" else None
            if move.startswith("next"):
                result = yield from self.go_on(move, result)
            else:
                self.misbehave(move, fields)
        return result

    def go_on(self, move: Move, result: object) -> Steps:
        payload = None if move == "next" else {"query": f"from {self.number}"}
        try:
            return (yield payload)
        except Exception:
            if not self.plan.catches:
                raise
        return result

    def misbehave(self, move: Move, fields: dict[str, object]) -> None:
        if move == "spoil":
            fields["args"].clear()  # type: ignore[attr-defined]
            return
        raise CallFailed(OTHER) if move == "carry" else ValueError(self.number)


def build(plan: Plan, number: int, story: Story) -> Middleware:
    return middleware(
        COLOURS[plan.colour](Actor(plan, number, story).play),
        plugin=f"p{number}",
        on_error=plan.on_error,
        retries=plan.retries,
    )


def tell(chain: Sequence[Plan], work: Work) -> tuple[Result[object, WebError], Story]:
    ended, story = end(chain, work)
    return ended.result, story


def end(chain: Sequence[Plan], work: Work) -> tuple[CallEnded, Story]:
    story = Story()
    callbacks = [build(plan, number, story) for number, plan in enumerate(chain)]
    return run(callbacks, work), story


@given(chain=st.lists(plans(), max_size=5), answer=ANSWERS)
@example(chain=[Plan(("next", "next"), catches=True)], answer=Failure(ERROR))
def test_the_work_runs_at_most_once(chain: list[Plan], answer: Result[object, WebError]) -> None:
    work = Work(answer)

    tell(chain, work)

    assert len(work.payloads) <= 1


@given(chain=st.lists(plans(retries=st.booleans()), max_size=4))
def test_failed_work_fails_the_call_unless_a_callback_recovered(
    chain: list[Plan],
) -> None:
    work = Work(Failure(ERROR))

    ended, _ = end(chain, work)

    if work.payloads:
        assert isinstance(ended.result, Failure) is not bool(ended.recoveries)


@given(chain=st.lists(plans(retries=st.booleans()), max_size=4), answer=ANSWERS)
def test_a_success_comes_from_the_work_or_from_a_callback_that_is_known(
    chain: list[Plan], answer: Result[object, WebError]
) -> None:
    work = Work(answer)

    ended, story = end(chain, work)

    if isinstance(ended.result, Success):
        worked = bool(work.payloads) and isinstance(answer, Success)
        innermost = story.entered[-1] if story.entered else None
        short = not work.payloads and innermost in story.returned
        assert worked or short or ended.recoveries
        value = ended.result.unwrap()
        assert value in (None, "done") or str(value).startswith("short ")
        assert not worked or value is not None


@given(chain=st.lists(plans(), max_size=5), answer=ANSWERS)
def test_a_failure_is_the_works_or_a_callbacks_that_raised(
    chain: list[Plan], answer: Result[object, WebError]
) -> None:
    work = Work(answer)

    result, story = tell(chain, work)

    if isinstance(result, Failure):
        error = result.failure()
        if error == ERROR:
            assert work.payloads
            assert isinstance(answer, Failure)
        else:
            assert story.raised
            assert error == OTHER or isinstance(error, MiddlewareFailed)


@given(chain=st.lists(plans(), max_size=5), answer=ANSWERS)
def test_an_open_chain_fails_only_when_the_work_does(
    chain: list[Plan], answer: Result[object, WebError]
) -> None:
    work = Work(answer)

    result, _ = tell([plan._replace(on_error="open") for plan in chain], work)

    if isinstance(answer, Success):
        assert isinstance(result, Success)


@given(chain=st.lists(plans(), max_size=5), answer=ANSWERS)
def test_callbacks_are_entered_in_order_and_each_at_most_once(
    chain: list[Plan], answer: Result[object, WebError]
) -> None:
    _, story = tell(chain, Work(answer))

    assert story.entered == list(range(len(story.entered)))
    assert sorted(story.left) == story.entered


@given(chain=st.lists(plans(), max_size=5))
def test_the_work_gets_the_innermost_change_or_what_was_asked(chain: list[Plan]) -> None:
    work = Work()

    tell(chain, work)

    spoilt = any("spoil" in plan.moves for plan in chain)
    for payload in work.payloads:
        changed = isinstance(payload, dict) and str(payload.get("query")).startswith("from ")
        assert changed or payload == {"query": "q"} or (spoilt and payload == {})


@given(chain=st.lists(plans(), max_size=5))
def test_a_callback_that_did_not_go_on_changed_nothing_for_the_others(chain: list[Plan]) -> None:
    stumbling: list[Plan] = [plan._replace(moves=("spoil", "raise")) for plan in chain]
    work = Work()

    tell([plan._replace(on_error="open") for plan in stumbling], work)

    assert work.payloads == [{"query": "q"}]


@given(
    chain=st.lists(plans(retries=st.booleans()), max_size=4),
    stop=st.sampled_from([Stop, KeyboardInterrupt, SystemExit, asyncio.CancelledError]),
)
def test_base_exceptions_pass_through_every_chain(
    chain: list[Plan], stop: type[BaseException]
) -> None:
    rehearsal = Work()
    tell(chain, rehearsal)
    # Where the work is not reached there is nothing to swallow.
    assume(rehearsal.payloads)

    with pytest.raises(stop):
        tell(chain, Work(stop()))


@given(chain=st.lists(plans(), max_size=5), answer=ANSWERS)
def test_the_colour_of_callbacks_changes_nothing(
    chain: list[Plan], answer: Result[object, WebError]
) -> None:
    works = [Work(answer), Work(answer)]

    results = [
        tell([plan._replace(colour=colour) for plan in chain], work)[0]
        for colour, work in enumerate(works)
    ]

    assert _without_places(results[0]) == _without_places(results[1])
    assert works[0].payloads == works[1].payloads


def _without_places(result: Result[object, WebError]) -> object:
    if isinstance(result, Failure) and isinstance(error := result.failure(), MiddlewareFailed):
        return error.plugin, error.error, error.cause, error.detail
    return result


NAMES = {"limit": "max_results"}
FIELDS = st.dictionaries(st.sampled_from(["query", "max_results", "other"]), st.integers(0, 3))


@given(fields=FIELDS)
def test_dropping_aliases_undoes_adding_them(fields: dict[str, int]) -> None:
    assert drop_aliases(fields, add_aliases(fields, NAMES), NAMES) == fields


@given(fields=FIELDS, name=st.sampled_from(["limit", "max_results"]), value=st.integers(0, 3))
def test_a_field_changed_under_either_name_is_changed(
    fields: dict[str, int], name: str, value: int
) -> None:
    told = cast("dict[str, object]", add_aliases(fields, NAMES))

    assert drop_aliases(fields, {**told, name: value}, NAMES) == {
        **fields,
        "max_results": value,
    }


@given(before=FIELDS, given=FIELDS | st.integers() | st.none())
def test_under_our_names_alone_nothing_is_read_otherwise(
    before: dict[str, int], given: object
) -> None:
    assert drop_aliases(before, given, NAMES) == given


def test_this_kit_notices_a_chain_that_runs_the_work_twice() -> None:
    work = Work()

    result, _ = tell([Plan(("next", "next"), retries=True)], work)

    assert len(work.payloads) == 2
    assert result == Success("done")
    with pytest.raises(AssertionError):
        assert len(work.payloads) <= 1
