"""A route of fakes: who is asked, what the receipt says, and what the next process knows."""

import asyncio
import threading
import time
from pathlib import Path

import pytest
from msgspec.structs import replace
from returns.result import Failure, Result

from tests.clock import SkippingLoop, pass_time, run
from webseam.adapters.stores.cache_table import CacheStore
from webseam.adapters.stores.ledger import Ledger
from webseam.composition.planning.driver import Planner
from webseam.composition.planning.metering import current_meter, meter_reply
from webseam.composition.planning.route_backend import RouteBackend
from webseam.composition.planning.spending import SessionPurse
from webseam.composition.wiring.cache import with_cache
from webseam.kernel.deps import WebDeps
from webseam.kernel.extract import web_extract, web_extract_many
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.money import Budgets
from webseam.kernel.port_answers import VouchedOutcome
from webseam.kernel.search import web_search
from webseam.ports.attempts import BackendAttempt, Sighting
from webseam.ports.backends import RowsAnswer
from webseam.ports.errors import (
    AuthFailed,
    BackendCrashed,
    BlockedByRemote,
    BudgetExceeded,
    ConnectFailed,
    InvalidRow,
    NobodyAnswered,
    RateLimited,
    Timeout,
    UnsupportedFilter,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.web import SearchOutcome, WebSearchQuery

from .support import NOON, Scripted, route, single

DOWN = UpstreamUnavailable(status=503)
BAD_KEY = AuthFailed(status=401)


def ask(backend: RouteBackend, query: str = "q") -> Result[SearchOutcome, WebError]:
    async def searched() -> Result[SearchOutcome, WebError]:
        outcome = await web_search(query, WebDeps(backend=backend))
        await backend.aclose()
        return outcome

    return run(searched(), SkippingLoop)


def told(attempts: tuple[BackendAttempt, ...]) -> list[tuple[str, str, str]]:
    return [(one.backend, one.why, one.outcome) for one in attempts]


def test_the_first_that_answers_is_enough() -> None:
    a, b = Scripted("a"), Scripted("b")

    outcome = ask(route([a, b])).unwrap()

    assert (outcome.receipt.backend, outcome.rows[0].source, b.asked) == ("a", "a", 0)
    assert told(outcome.receipt.attempts) == [("a", "first", "answered")]
    assert (a.closed, b.closed) == (1, 1)


@pytest.mark.parametrize(
    "error",
    [DOWN, RateLimited(), AuthFailed(status=401), Timeout(phase="headers"), ConnectFailed()],
    ids=lambda error: error.kind,
)
def test_the_next_one_answers_for_one_that_fails_and_the_receipt_says_so(error: WebError) -> None:
    outcome = ask(route([Scripted("a", error), Scripted("b")])).unwrap()

    assert outcome.receipt.backend == "b"
    assert told(outcome.receipt.attempts) == [("a", "first", error.kind), ("b", "next", "answered")]
    assert outcome.receipt.warnings == (f"a ({error.kind}) gave no answer, b did",)


def test_a_bad_row_fails_its_backend_closed_and_the_next_is_asked() -> None:
    outcome = ask(route([Scripted("a", ["not a url"]), Scripted("b")])).unwrap()

    assert told(outcome.receipt.attempts)[0] == ("a", "first", "invalid_row")


def test_invalid_query_is_refused_without_a_second_backend() -> None:
    b = Scripted("b")

    failed = ask(route([Scripted("a"), b]), " ")

    assert (failed.failure().kind, b.asked) == ("invalid_query", 0)


def test_error_of_a_failed_route_names_each_attempt() -> None:
    error = ask(
        route([Scripted("a", RateLimited(retry_after=20.0)), Scripted("b", DOWN)])
    ).failure()

    assert isinstance(error, NobodyAnswered)
    assert [one.backend for one in error.attempts][:2] == ["a", "b"]
    assert {one.outcome for one in error.attempts} == {"rate_limited", "upstream_unavailable"}


@pytest.mark.parametrize(
    ("second", "seconds"), [(RateLimited(retry_after=60.0), 20.0), (BAD_KEY, 20.0), (DOWN, None)]
)
def test_again_in_is_the_earliest_of_the_route(second: WebError, seconds: float | None) -> None:
    asked = route([Scripted("a", RateLimited(retry_after=20.0)), Scripted("b", second)])

    error = ask(asked).failure()

    assert isinstance(error, NobodyAnswered)
    assert error.again_in == (None if seconds is None else pytest.approx(seconds, abs=5.0))


def test_filters_that_nobody_supports_are_one_refusal_with_their_values() -> None:
    a = Scripted("a", UnsupportedFilter(filters=("language",), values={"language": "'tlh'"}))
    b = Scripted("b", UnsupportedFilter(filters=("language", "topic")))

    error = ask(route([a, b])).failure()

    assert [attempt.outcome for attempt in error.attempts] == ["unsupported_filter"] * 2
    assert error == UnsupportedFilter(
        filters=("language", "topic"),
        values={"language": "'tlh'"},
        backends=("a", "b"),
        backend="route",
        attempts=error.attempts,
    )


@pytest.mark.parametrize(
    ("second", "is_retryable"), [(BAD_KEY, False), (DOWN, True), (ConnectFailed(), True)]
)
def test_a_retry_is_advised_only_if_one_of_them_may_answer_then(
    second: WebError, *, is_retryable: bool
) -> None:
    a = Scripted("a", UnsupportedFilter(filters=("language",), values={"language": "'tlh'"}))

    error = ask(route([a, Scripted("b", second)])).failure()

    assert isinstance(error, NobodyAnswered)
    assert (error.retryable, error.filters) == (is_retryable, {"language": "'tlh'"})


def test_one_alone_fails_with_its_own_error() -> None:
    error = ask(route([Scripted("a", AuthFailed(status=401))])).failure()

    (attempt,) = error.attempts
    assert error == AuthFailed(status=401, backend="a", attempts=(attempt,))
    assert (attempt.backend, attempt.why, attempt.outcome) == ("a", "first", "auth_failed")


def test_one_alone_is_tried_again_where_that_may_help() -> None:
    alone = Scripted("a", DOWN, DOWN, ())

    async def search() -> Result[SearchOutcome, WebError]:
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=route([alone]))))
        for _ in range(4):
            await pass_time(1.0)
        return await task

    outcome = run(search()).unwrap()

    assert told(outcome.receipt.attempts) == [
        ("a", "first", "upstream_unavailable"),
        ("a", "again", "upstream_unavailable"),
        ("a", "again", "answered"),
    ]


def test_the_next_process_leaves_alone_whom_this_one_found_limited(tmp_path: Path) -> None:
    limited = Scripted("a", RateLimited(retry_after=60.0))
    ask(route([limited, Scripted("b")], tmp_path))

    outcome = ask(route([limited, Scripted("b")], tmp_path)).unwrap()

    assert (limited.asked, outcome.receipt.backend) == (1, "b")


def asleep(backend: RouteBackend, seconds: float) -> Planner:
    """Have the machine sleep: the time of the world goes on, and what the planner counts by not."""
    planner = backend.planner
    planner.ahead -= seconds
    planner._health_read_at -= seconds + 1  # noqa: SLF001
    return planner


def test_a_process_that_slept_with_its_machine_knows_the_time_again() -> None:
    async def life() -> float:
        backend = route([Scripted("a")])
        await web_search("q", WebDeps(backend=backend))
        planner = asleep(backend, 36_000)
        await web_search("q", WebDeps(backend=backend))
        behind = time.time() - planner.now()
        await backend.aclose()
        return behind

    assert asyncio.run(life()) < 1_000


def test_the_time_of_calls_under_way_does_not_jump() -> None:
    async def life() -> list[float]:
        begun, go_on = asyncio.Event(), asyncio.Event()

        async def wait() -> None:
            begun.set()
            await go_on.wait()

        backend = route([Scripted("a", wait, ())])
        call = asyncio.create_task(web_search("q", WebDeps(backend=backend)))
        await begun.wait()
        planner = asleep(backend, 36_000)
        await web_search("q", WebDeps(backend=backend))
        behind = [time.time() - planner.now()]
        go_on.set()
        await call
        asleep(backend, 0)
        await web_search("q", WebDeps(backend=backend))
        behind.append(time.time() - planner.now())
        await backend.aclose()
        return behind

    during, after = asyncio.run(life())
    assert during > 35_000
    assert after < 1_000


def test_six_failures_open_the_breaker_for_all_processes(tmp_path: Path) -> None:
    broken = Scripted("a", BackendCrashed(error="E"))
    for _ in range(8):
        ask(route([broken, Scripted("b")], tmp_path))

    assert broken.asked == 6


def test_nobody_is_blamed_when_nobody_is_reached(tmp_path: Path) -> None:
    a, b = Scripted("a", ConnectFailed()), Scripted("b", ConnectFailed())
    for _ in range(8):
        assert isinstance(ask(route([a, b], tmp_path)).failure(), NobodyAnswered)

    assert (a.asked >= 8, b.asked >= 8) == (True, True)


def test_a_late_answer_is_hedged_and_the_loser_is_cancelled() -> None:
    cancelled: list[bool] = []

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)

    async def search() -> SearchOutcome:
        backend = route([Scripted("a", hang), Scripted("b")])
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=backend)))
        await asyncio.sleep(0)
        await pass_time(1.6)
        outcome = (await task).unwrap()
        await backend.aclose()
        return outcome

    outcome = run(search())

    assert told(outcome.receipt.attempts) == [
        ("a", "first", "cancelled"),
        ("b", "hedge", "answered"),
    ]
    assert cancelled == [True]


def test_an_attempt_that_takes_too_long_is_given_up() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    async def search() -> Result[SearchOutcome, WebError]:
        backend = route([Scripted("a", hang)])
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=backend)))
        await asyncio.sleep(0)
        for _ in range(3):
            await pass_time(10.5)
        return await task

    assert run(search()).failure().kind == "deadline_exceeded"


def test_cancelled_caller_cancels_the_attempts() -> None:
    cancelled: list[bool] = []

    async def hang() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.append(True)

    async def search() -> None:
        backend = route([Scripted("a", hang), Scripted("b")])
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=backend)))
        await pass_time(0.1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        await backend.aclose()

    run(search())

    assert cancelled == [True]


TOGETHER = (Leg(members=(("search:a#1",), ("search:b#1",)), fuse=True),)


def test_rows_of_several_are_fused_and_say_who_had_them_where() -> None:
    a, b = Scripted("a", ["x", "y"]), Scripted("b", ["y", "z"])

    outcome = ask(route([a, b], legs=TOGETHER)).unwrap()

    assert [(row.title, row.found_by) for row in outcome.rows] == [
        ("y", (Sighting(backend="a", position=2), Sighting(backend="b", position=1))),
        ("x", (Sighting(backend="a", position=1),)),
        ("z", (Sighting(backend="b", position=2),)),
    ]
    assert (outcome.receipt.backend, outcome.receipt.returned) == ("a+b", 4)


def test_one_of_several_that_fails_is_in_the_receipt_and_not_in_the_way() -> None:
    outcome = ask(route([Scripted("a", DOWN), Scripted("b")], legs=TOGETHER)).unwrap()

    assert outcome.receipt.backend == "b"
    assert ("a", "member", "upstream_unavailable") in told(outcome.receipt.attempts)
    assert outcome.receipt.warnings == ("a (upstream_unavailable) gave no answer, b did",)
    assert outcome.rows[0].found_by == (Sighting(backend="b", position=1),)


def test_member_that_is_not_waited_for_is_named_and_patience_makes_the_answer_partial() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    async def ask_step(leg: Leg) -> VouchedOutcome:
        backend = route([Scripted("a"), Scripted("b", hang)], legs=(leg,))
        served = (await backend.search(WebSearchQuery(query="q"))).unwrap()
        await backend.aclose()
        assert isinstance(served.outcome, VouchedOutcome)
        return served.outcome

    members = TOGETHER[0].members
    enough = run(ask_step(Leg(members=members, fuse=True, quorum=1)))
    impatient = run(ask_step(Leg(members=members, fuse=True, patience=2.0)))

    assert enough.receipt.warnings == ("the answer of b was not waited for",)
    assert impatient.receipt.warnings == ("the answer of b was not waited for",)
    assert (enough.partial, impatient.partial) == (False, True)


def test_a_strict_step_fails_with_one_of_its_members() -> None:
    legs = (Leg(members=(("search:a#1",), ("search:b#1",)), fuse=True, strict=True), *single("c"))

    outcome = ask(route([Scripted("a", DOWN), Scripted("b"), Scripted("c")], legs=legs)).unwrap()

    assert outcome.receipt.backend == "c"


def test_a_call_over_budget_is_not_made_and_the_next_is_asked(tmp_path: Path) -> None:
    paid, free = Scripted("a"), Scripted("b")

    outcome = [
        ask(route([paid, free], tmp_path, prices={"a": 400_000}, budgets=Budgets(day=1.0))).unwrap()
        for _ in range(3)
    ][-1]

    assert (paid.asked, outcome.receipt.backend) == (2, "b")
    assert told(outcome.receipt.attempts)[0] == ("a", "first", "budget_exceeded")


def test_budget_that_kept_a_backend_from_answering_is_named(tmp_path: Path) -> None:
    failing = Scripted("b", UpstreamUnavailable(status=503))
    backends = [Scripted("a"), failing]

    error = ask(
        route(backends, tmp_path, prices={"a": 400_000}, budgets=Budgets(day=0.3))
    ).failure()

    assert isinstance(error, NobodyAnswered)
    assert error.setting == "budgets.day"


def test_a_budget_that_is_set_later_knows_what_was_spent_before_it(tmp_path: Path) -> None:
    prices = {"a": 400_000}
    ask(route([Scripted("a")], tmp_path, prices=prices)).unwrap()

    error = ask(route([Scripted("a")], tmp_path, prices=prices, budgets=Budgets(day=0.5))).failure()

    assert isinstance(error, BudgetExceeded)
    assert error.remaining == 0.1


@pytest.mark.parametrize("budgets", [Budgets(call=0.3), Budgets(session=0.3), Budgets(day=0.3)])
def test_the_refusal_names_the_setting_to_raise(tmp_path: Path, budgets: Budgets) -> None:
    paid = Scripted("a")

    error = ask(route([paid], tmp_path, prices={"a": 400_000}, budgets=budgets)).failure()

    assert isinstance(error, BudgetExceeded)
    assert (error.cap, error.price, paid.asked) == (0.3, 0.4, 0)
    assert error.setting.startswith("budgets.")


def test_refused_attempt_costs_nothing(tmp_path: Path) -> None:
    paid = Scripted("a", RateLimited(), ())
    prices = {"a": 400_000}

    ask(route([paid, Scripted("b")], tmp_path, prices=prices, budgets=Budgets(day=0.5)))
    outcome = ask(route([paid, Scripted("b")], tmp_path, prices=prices)).unwrap()

    assert outcome.receipt.attempts[0].cost in (0.0, 0.4)


def test_a_page_comes_from_the_first_that_can_read_it() -> None:
    async def read() -> object:
        backend = route([Scripted("a", BlockedByRemote()), Scripted("b")])
        page = await web_extract("https://x.example/", WebDeps(backend=backend))
        await backend.aclose()
        return page

    page = run(read())

    assert isinstance(page, Result)
    receipt = page.unwrap().receipt
    assert (receipt.backend, told(receipt.attempts)[0][2]) == ("b", "blocked_by_remote")


def test_of_several_pages_each_comes_from_whoever_can_read_it() -> None:
    async def read() -> list[object]:
        first = Scripted("a", BlockedByRemote(), (), InvalidRow(index=0, field="x", reason="y"))
        backend = route([first, Scripted("b")])
        pages = await backend.extract_many(("https://x.example/", "https://y.example/"))
        await backend.aclose()
        return [page.unwrap().by if not isinstance(page, Failure) else "" for page in pages]

    assert run(read()) == ["b", "a"]


def test_pages_that_nobody_reads_fail_one_by_one() -> None:
    async def read() -> list[str]:
        backend = route([Scripted("a", BlockedByRemote()), Scripted("b", BlockedByRemote())])
        deps = WebDeps(backend=backend)
        return [
            page.failure().kind for page in await web_extract_many(("https://x.example/",), deps)
        ]

    assert len(run(read())) == 1


def test_members_that_are_asked_at_once_do_not_see_the_same_money() -> None:
    members = [Scripted(name) for name in "abc"]
    leg = Leg(members=tuple((f"search:{name}#1",) for name in "abc"), fuse=True)
    asked = route(
        members,
        legs=(leg,),
        prices=dict.fromkeys("abc", 5000),
        budgets=Budgets(call=0.01),
    )

    outcome = ask(asked).unwrap()

    assert [one.asked for one in members] == [1, 1, 0]
    assert sum(one.cost or 0.0 for one in outcome.receipt.attempts) == 0.01


def test_calls_of_one_session_do_not_see_the_same_money(tmp_path: Path) -> None:
    paid = Scripted("a", lambda: asyncio.sleep(0))
    budgets = Budgets(session=0.005, day=1)
    asked = route([paid], tmp_path, prices={"a": 5000}, budgets=budgets)

    async def both() -> list[Result[SearchOutcome, WebError]]:
        deps = WebDeps(backend=asked)
        outcomes = await asyncio.gather(*(web_search("q", deps) for _ in range(2)))
        await asked.aclose()
        return outcomes

    outcomes = run(both())

    assert paid.asked == 1
    assert isinstance(outcomes[1].failure(), BudgetExceeded)


def test_routes_of_one_session_share_its_money_also_what_was_not_capped(tmp_path: Path) -> None:
    session, prices = SessionPurse(), {"a": 4000}
    free, first, second = (
        route([Scripted("a")], tmp_path, prices=prices, budgets=budgets)
        for budgets in (None, Budgets(session=0.009), Budgets(session=0.009))
    )
    for each in (free, first, second):
        each.planner.spending.share_purse(session)

    spent = [ask(each) for each in (free, first, second)]

    error = spent[2].failure()
    assert isinstance(error, BudgetExceeded)
    assert (error.remaining, error.setting) == (0.001, "budgets.session")


def test_a_session_knows_of_every_call_that_any_thread_counted() -> None:
    session = SessionPurse()

    def count() -> None:
        for _ in range(5000):
            session.add_spent(1)

    threads = [threading.Thread(target=count) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert session.take_money(2, 20_001) == 1
    assert session.take_money(1, 20_001) is None


def test_route_without_money_fails_with_the_budget(tmp_path: Path) -> None:
    paid = [Scripted("a"), Scripted("b")]
    prices = {"a": 400_000, "b": 500_000}

    error = ask(route(paid, tmp_path, prices=prices, budgets=Budgets(day=0.3))).failure()

    assert isinstance(error, BudgetExceeded)
    assert (error.backend, error.retryable) == ("a", False)


def test_cost_stated_by_a_reply_is_booked(tmp_path: Path) -> None:
    async def told() -> None:
        meter_reply(
            [(b"x-ratelimit-remaining", b"0"), (b"x-ratelimit-reset", b"50")], 0.002, lambda: 0.0
        )

    asked = route(
        [Scripted("a", told), Scripted("b")],
        tmp_path,
        prices={"a": 5000},
        budgets=Budgets(day=1),
    )

    async def twice() -> list[SearchOutcome]:
        deps = WebDeps(backend=asked)
        outcomes = [(await web_search("q", deps)).unwrap() for _ in range(2)]
        await asked.aclose()
        return outcomes

    first, second = run(twice())

    assert [one.cost for one in first.receipt.attempts] == [0.002]
    # It has no call left, and the next one is asked at once.
    assert told_names(second) == ["b"]
    spent = Ledger(tmp_path / "ledger.sqlite").spendings(NOON).unwrap()
    assert {(one.scope, one.spent, one.held) for one in spent} >= {("all", 2000, 0)}


def test_higher_cost_of_a_reply_is_held_from_then_on(
    tmp_path: Path,
) -> None:
    async def dear() -> None:
        meter_reply([], 0.02)

    first, second = Scripted("a", dear), Scripted("b")
    budgets = Budgets(day=0.03)
    asked = route([first, second], tmp_path, prices={"a": 5000}, budgets=budgets)

    async def twice() -> list[list[str]]:
        deps = WebDeps(backend=asked)
        outcomes = [(await web_search("q", deps)).unwrap() for _ in range(2)]
        await asked.aclose()
        return [told_names(outcome) for outcome in outcomes]

    # A cent is left, which its price of half a cent would fit in, and what it cost does not.
    assert run(twice()) == [["a"], ["a", "b"]]
    assert first.asked == 1


def told_names(outcome: SearchOutcome) -> list[str]:
    return [one.backend for one in outcome.receipt.attempts]


def test_a_late_answer_in_the_callers_own_task_gives_way_to_the_next() -> None:
    never = asyncio.Event()

    async def hang() -> None:
        await never.wait()

    asked = route([Scripted("a", hang), Scripted("b")], hedge_after=2.0)

    async def searched() -> Result[SearchOutcome, WebError]:
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=asked)))
        await asyncio.sleep(0)
        await pass_time(3.0)
        return await task

    outcome = run(searched()).unwrap()

    assert told(outcome.receipt.attempts) == [
        ("a", "first", "cancelled"),
        ("b", "hedge", "answered"),
    ]


def test_a_caller_that_leaves_in_the_usual_case_leaves_nothing_behind() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    asked = route([Scripted("a", hang), Scripted("b")])

    async def left() -> int:
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=asked)))
        await asyncio.sleep(0)
        task.cancel()
        await asyncio.wait([task])
        assert task.cancelled()
        return asked.planner.fleet.targets["search:a#1"].inflight

    assert run(left()) == 0


def test_an_attempt_that_has_had_its_time_gives_way_although_it_began_as_usual() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    # Of two that hang, the second has its time, too.
    asked = route([Scripted("a", hang), Scripted("b", hang), Scripted("c")], hedge_after=4.0)

    async def searched() -> Result[SearchOutcome, WebError]:
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=asked)))
        for _ in range(8):
            await asyncio.sleep(0)
            await pass_time(3.0)
        return await task

    outcome = run(searched()).unwrap()

    assert outcome.receipt.backend == "c"
    assert told(outcome.receipt.attempts)[0] == ("a", "first", "deadline_exceeded")


def test_the_next_is_asked_when_the_time_of_the_first_is_over_before_it_counts_as_late() -> None:
    async def hang() -> None:
        await asyncio.Event().wait()

    # Each has 10 seconds: less than it takes until another would be asked beside it.
    asked = route([Scripted("a", hang), Scripted("b")], hedge_after=100.0)

    async def searched() -> Result[SearchOutcome, WebError]:
        task = asyncio.ensure_future(web_search("q", WebDeps(backend=asked)))
        for _ in range(2):
            await asyncio.sleep(0)
            await pass_time(9.0)
        assert task.done()
        return await task

    outcome = run(searched()).unwrap()

    assert told(outcome.receipt.attempts) == [
        ("a", "first", "deadline_exceeded"),
        ("b", "next", "answered"),
    ]


class Paying(Scripted):
    """Pays a cent for each page, beside its price."""

    async def search(self, query: WebSearchQuery, /) -> RowsAnswer:
        meter = current_meter()
        assert meter is not None
        meter.add_payment(10_000)
        return await super().search(query)


def test_payment_of_an_attempt_counts_in_its_call_and_receipt(tmp_path: Path) -> None:
    together = (Leg(members=(("search:pages#1",), ("search:brave#1",)), fuse=True, quorum=2),)
    for answer, legs, cap, costs in (
        (["a"], None, 1.0, [0.01]),
        (DOWN, None, 0.018, [0.01, 0.008]),
        (DOWN, None, 0.017, []),
        (["a"], together, 1.0, [0.01, 0.008]),
    ):
        backends = [Paying("pages", answer), Scripted("brave")]
        budgets, prices = Budgets(call=cap), {"brave": 8_000}
        answered = ask(route(backends, tmp_path, legs=legs, prices=prices, budgets=budgets))
        attempts = () if isinstance(answered, Failure) else answered.unwrap().receipt.attempts
        assert [attempt.cost for attempt in attempts] == costs, answer


def test_pages_of_one_paid_call_have_a_part_of_its_cost_each(tmp_path: Path) -> None:
    urls = tuple(f"https://{name}.example/" for name in "abcde")

    async def read() -> list[float | None]:
        backend = route([Scripted("a", *[()] * 5)], tmp_path, prices={"a": 5_000})
        pages = await backend.extract_many(urls)
        await backend.aclose()
        return [page.unwrap().attempts[0].cost for page in pages]

    costs = run(read())

    assert len(costs) == 5
    assert len(set(costs)) == 1
    assert sum(cost or 0.0 for cost in costs) == pytest.approx(sum_of_alone(tmp_path, urls))


def sum_of_alone(home: Path, urls: tuple[str, ...]) -> float:
    """Return what the same pages cost one by one: the price is one a page."""

    async def read() -> float:
        backend = route([Scripted("a", *[()] * 5)], home / "alone", prices={"a": 5_000})
        pages = [await backend.extract(url) for url in urls]
        await backend.aclose()
        return sum(page.unwrap().attempts[0].cost or 0.0 for page in pages)

    return run(read())


def test_cost_of_a_backend_without_a_known_price_is_unknown_and_of_a_free_one_0() -> None:
    unpriced = Scripted("a", DOWN, ["x"], ["x"])
    backend = route([unpriced, Scripted("b")], prices={"a": 1})
    backend.planner.terms = {
        name: replace(terms, priced=False) if name == "search:a#1" else terms
        for name, terms in backend.planner.terms.items()
    }

    async def search() -> list[list[tuple[str, float | None]]]:
        receipts = [(await web_search("q", WebDeps(backend=backend))).unwrap().receipt]
        receipts.append((await web_search("p", WebDeps(backend=backend))).unwrap().receipt)
        await backend.aclose()
        return [[(it.outcome, it.cost) for it in receipt.attempts] for receipt in receipts]

    # A request that failed was not paid, at whatever price.
    assert run(search()) == [
        [("upstream_unavailable", 0.0), ("answered", 0.0)],
        [("answered", None)],
    ]


def test_a_search_that_joins_another_leaves_the_cost_to_it(tmp_path: Path) -> None:
    async def search() -> list[list[tuple[str, float | None]]]:
        backend = route([Scripted("a", ["a"])], tmp_path, prices={"a": 5_000})
        deps = WebDeps(backend=with_cache(backend, CacheStore(tmp_path / "cache")))
        found = await asyncio.gather(*[web_search("q", deps) for _ in range(3)])
        await backend.aclose()
        receipts = [outcome.unwrap().receipt for outcome in found]
        return [[(item.why, item.cost) for item in receipt.attempts] for receipt in receipts]

    assert run(search()) == [[("first", 0.005)], [("shared", 0.0)], [("shared", 0.0)]]
