"""The fold, step by step: what each event makes of a call."""

from typing import get_args

import msgspec
import pytest
from hypothesis import given, strategies as st

from webseam.kernel.planner.answer_effects import apply_landings
from webseam.kernel.planner.attempt_choice import WorkingState, target_ready_at
from webseam.kernel.planner.breakers import (
    SLOW_EVIDENCE,
    add_target_latency,
    count_target_failure,
    hedge_time,
    start_target_cooldown,
)
from webseam.kernel.planner.call_state import (
    Action,
    AttemptAnswered,
    AttemptFailed,
    CallBegan,
    CallerLeft,
    CancelAttempt,
    Event,
    FinishCall,
    Leg,
    MoneyReserved,
    ParkCall,
    PlannerCall,
    PlannerState,
    ReserveMoney,
    SendAttempt,
    TimeCame,
    WakeAt,
)
from webseam.kernel.planner.latency import (
    EMPTY_HISTOGRAM,
    add_latencies,
    is_latency_histogram,
    latency_quantile,
)
from webseam.kernel.planner.pacing import (
    RateWindow,
    adjust_target_limit,
    apply_rate_windows,
    book_target_slot,
    halve_target_limit,
    has_target_room,
    rate_window_start,
)
from webseam.kernel.planner.planner_targets import (
    INFINITY,
    MAX_REST_SECONDS,
    MIN_REST_SECONDS,
    Fleet,
    PlannerRules,
    PlannerTarget,
    adopt_stored_times,
)
from webseam.kernel.planner.transitions import step_planner
from webseam.ports.errors import (
    AuthFailed,
    BackendCrashed,
    BudgetExceeded,
    ConnectionLost,
    HttpStatus,
    ModelNotFound,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.errors.error_fields import CoolReason, Verdict

replace = msgspec.structs.replace
DOWN = UpstreamUnavailable(status=503)


class Story:
    """One call, told event by event; money is always there unless it is not."""

    def __init__(
        self,
        *targets: PlannerTarget,
        legs: tuple[Leg, ...] = (),
        strict: bool = False,
        now: float = 0.0,
        deadline: float = 30.0,
        owner: str = "",
        subject: str = "",
    ) -> None:
        fleet = Fleet(targets={one.name: one for one in targets})
        usual = tuple(Leg(members=((one.name,),)) for one in targets)
        call = PlannerCall(
            legs=legs or usual,
            deadline=now + deadline,
            strict=strict,
            owner=owner,
            subject=subject,
        )
        self.state = PlannerState(call, fleet)
        self.now = now
        self.actions: list[Action] = []

    def tell(self, event: Event, at: float | None = None) -> "Story":
        self.now = self.now if at is None else at
        self.state, actions = step_planner(self.state, event, self.now)
        self.actions = list(actions)
        for action in actions:
            if isinstance(action, ReserveMoney):
                before = self.actions
                self.tell(MoneyReserved(id=action.id))
                self.actions = [*before, *self.actions]
        return self

    def target(self, name: str = "a") -> PlannerTarget:
        return self.state.fleet.targets[name]

    def of(self, kind: type[Action]) -> list[Action]:
        return [action for action in self.actions if isinstance(action, kind)]

    @property
    def asked(self) -> list[tuple[str, str]]:
        return [(one.target, one.why) for one in self.state.call.attempts]


def target(name: str, **fields: object) -> PlannerTarget:
    return replace(PlannerTarget(name=name, backend=name[0]), **fields)


OPEN = {"open_until": 10.0, "opened_at": 4.0, "opens": 1, "level": 1}


def test_the_first_is_asked_and_its_answer_ends_the_call() -> None:
    story = Story(target("a"), target("b")).tell(CallBegan())
    assert story.of(SendAttempt) == [SendAttempt(id=0, target="a", at=0.0)]

    story.tell(AttemptAnswered(id=0), 0.5)

    assert story.actions == [FinishCall(winners=(0,))]
    assert story.tell(AttemptAnswered(id=0), 0.6).actions == []
    assert story.tell(CallerLeft()).actions == []


def test_an_open_breaker_is_passed_by_and_the_first_after_its_rest_probes_it() -> None:
    assert Story(target("a", **OPEN), target("b")).tell(CallBegan()).asked == [("b", "first")]

    probing = Story(target("a", **OPEN), target("b")).tell(CallBegan(), 11.0)

    assert probing.asked == [("a", "probe")]
    assert probing.target().probe_until > 11.0


def test_a_probe_that_fails_gives_the_right_back_and_rests_longer() -> None:
    story = Story(target("a", **OPEN), target("b")).tell(CallBegan(), 11.0)

    story.tell(AttemptFailed(id=0, error=DOWN), 11.1)

    assert story.asked[1:] == [("b", "next")]
    assert story.target().open_until > 16.0
    assert story.target().probe_until == -INFINITY


def test_a_probe_that_meets_a_limit_gives_the_right_back() -> None:
    story = Story(target("a", **OPEN), target("b")).tell(CallBegan(), 11.0)

    story.tell(AttemptFailed(id=0, error=RateLimited(retry_after=5.0)), 11.1)

    assert (story.target().probe_until, story.target().cool_until) == (-INFINITY, 16.1)


def test_one_that_hung_is_probed_beside_the_next_and_outlives_the_call() -> None:
    story = Story(target("a", **OPEN, slow=True), target("b")).tell(CallBegan(), 11.0)
    assert story.asked == [("a", "probe"), ("b", "beside")]

    story.tell(AttemptAnswered(id=1), 11.5)
    assert story.of(FinishCall) == [FinishCall(winners=(1,))]
    assert story.of(CancelAttempt) == []
    late = story.tell(AttemptAnswered(id=0), 12.0)

    assert (late.actions, story.target().open_until) == ([], -INFINITY)


def test_a_probe_that_outlives_its_call_and_fails_is_only_noted() -> None:
    story = Story(target("a", **OPEN, slow=True), target("b")).tell(CallBegan(), 11.0)
    story.tell(AttemptAnswered(id=1), 11.5)

    assert story.tell(AttemptFailed(id=0, error=DOWN), 12.0).actions == []
    assert story.target().open_until > 12.0


def test_a_probe_that_costs_money_is_drawn_from_the_hedges() -> None:
    story = Story(target("a", **OPEN, slow=True, price=5), target("b")).tell(CallBegan(), 11.0)
    assert story.state.fleet.hedges == 9.0

    poor = Story(target("a", **OPEN, slow=True, price=5), target("b"))
    poor.state = PlannerState(poor.state.call, replace(poor.state.fleet, hedges=0.5))

    assert poor.tell(CallBegan(), 11.0).asked == [("b", "first")]


def test_a_probe_that_another_process_makes_is_not_made_here() -> None:
    story = Story(target("a", **OPEN), target("b"))
    story.state, _ = step_planner(story.state, CallBegan(), 11.0)

    story.tell(MoneyReserved(id=0, ok=False), 11.0)

    assert story.asked == [("a", "probe"), ("b", "next")]
    assert story.state.call.attempts[0].outcome == "probed_elsewhere"
    assert story.target().probe_until == -INFINITY


def test_target_is_asked_when_every_breaker_is_open() -> None:
    resting = target("a", **{**OPEN, "open_until": 60.0, "opened_at": 4.0})

    early, late = Story(resting).tell(CallBegan(), 5.0), Story(resting).tell(CallBegan(), 9.5)

    assert early.asked == [("a", "last")]
    assert late.asked == [("a", "probe")]


def test_unaffordable_target_is_not_waited_for() -> None:
    short = BudgetExceeded(
        budget="the day", cap=1.0, remaining=0.0, price=0.1, setting="budgets.day", backend="b"
    )
    stories = Story(target("a", cool_until=20.0), target("b")), Story(target("b"))
    for story in stories:
        story.state, _ = step_planner(story.state, CallBegan(), 5.0)
        story.tell(MoneyReserved(id=0, ok=False, error=short), 5.0)

    assert stories[0].of(FinishCall) == [FinishCall(why="nobody", again_at=20.0)]
    assert stories[1].of(FinishCall) == [FinishCall(why="nobody")]


def test_one_that_was_looked_at_early_rests_for_its_whole_cooldown_again() -> None:
    resting = target("a", **{**OPEN, "open_until": 60.0, "opened_at": 4.0})
    story = Story(resting).tell(CallBegan(), 9.5)

    story.tell(AttemptFailed(id=0, error=DOWN), 10.0)

    after = story.target()
    assert (after.opened_at, after.open_until, after.probe_until) == (10.0, 66.0, -INFINITY)


def test_a_look_that_waits_for_its_time_is_the_only_one_until_it_is_over() -> None:
    resting = target("a", **{**OPEN, "open_until": 60.0})

    story = Story(resting).tell(CallBegan(), 8.5)

    assert story.of(SendAttempt) == [SendAttempt(id=0, target="a", at=9.0)]
    assert story.target().probe_until == 9.0 + PlannerRules().timeout
    later = step_planner(story.state, MoneyReserved(id=0), 9.4)[0].fleet.targets["a"]
    assert later.probe_until == 9.4 + PlannerRules().timeout


def test_one_that_rests_is_not_looked_at_early_because_another_is_busy() -> None:
    resting = target("a", **{**OPEN, "open_until": 60.0, "opened_at": 4.0})
    busy = target("b", concurrency=1, inflight=1)

    story = Story(resting, busy).tell(CallBegan(), 9.5)

    assert story.asked == []
    assert story.of(ParkCall) == [ParkCall()]


def test_a_late_answer_is_hedged_once_as_long_as_hedges_are_left() -> None:
    story = Story(target("a"), target("b"), target("c")).tell(CallBegan())
    wake = next(
        one for one in story.of(WakeAt) if isinstance(one, WakeAt) and one.tick.what == "hedge"
    )

    story.tell(wake.tick, wake.at)
    story.tell(wake.tick, wake.at)

    assert story.asked == [("a", "first"), ("b", "hedge")]
    assert story.state.fleet.hedges == 9.0


def test_an_overdue_one_flies_on_and_the_next_is_asked() -> None:
    story = Story(target("a"), target("b")).tell(CallBegan())

    story.tell(TimeCame(what="overdue", id=0), 5.0)
    assert story.asked == [("a", "first"), ("b", "next")]
    story.tell(AttemptAnswered(id=0), 5.5)

    assert story.of(FinishCall) == [FinishCall(winners=(0,))]
    assert story.tell(TimeCame(what="overdue", id=0), 9.0).actions == []
    assert story.tell(TimeCame(what="hedge", id=0), 9.0).actions == []


def test_of_several_at_once_all_but_the_overdue_are_waited_for() -> None:
    legs = (Leg(members=(("a",), ("b",)), fuse=True, patience=20.0),)
    story = Story(target("a"), target("b"), legs=legs).tell(CallBegan())
    story.tell(AttemptAnswered(id=0), 1.0)
    assert story.actions == []

    story.tell(TimeCame(what="overdue", id=1), 5.0)

    assert story.of(FinishCall) == [FinishCall(winners=(0,))]


def test_after_its_patience_one_answer_is_enough() -> None:
    legs = (Leg(members=(("a",), ("b",)), fuse=True, patience=2.0),)
    waiting = Story(target("a"), target("b"), legs=legs).tell(CallBegan())
    assert waiting.tell(TimeCame(what="patience"), 2.0).actions == []

    waiting.tell(AttemptAnswered(id=1), 2.5)

    assert waiting.of(FinishCall) == [FinishCall(winners=(1,))]
    early = (
        Story(target("a"), target("b"), legs=legs)
        .tell(CallBegan())
        .tell(AttemptAnswered(id=0), 1.0)
    )
    assert early.tell(TimeCame(what="patience"), 2.0).of(FinishCall) == [FinishCall(winners=(0,))]


def test_a_member_of_several_is_asked_with_its_other_key() -> None:
    legs = (Leg(members=(("a1", "a2"), ("b",)), fuse=True),)
    story = Story(target("a1"), target("a2", key=2), target("b"), legs=legs).tell(CallBegan())

    story.tell(AttemptFailed(id=0, error=AuthFailed(status=401)), 1.0)

    assert story.asked == [("a1", "member"), ("b", "member"), ("a2", "next")]


def test_a_strict_step_breaks_off_its_others_and_no_one_elses() -> None:
    legs = (
        Leg(members=(("a",),)),
        Leg(members=(("b",), ("c",)), fuse=True, strict=True),
        Leg(members=(("d",),)),
    )
    story = Story(*(target(name) for name in "abcd"), legs=legs).tell(CallBegan())
    story.tell(TimeCame(what="overdue", id=0), 5.0)

    story.tell(AttemptFailed(id=1, error=BackendCrashed(error="E")), 6.0)

    assert [one.id for one in story.of(CancelAttempt) if isinstance(one, CancelAttempt)] == [2]
    assert story.asked[-1] == ("d", "next")


def test_the_least_used_key_is_taken_first() -> None:
    legs = (Leg(members=(("a1", "a2"),)),)

    story = Story(target("a1", used=5), target("a2", key=2, used=4), legs=legs).tell(CallBegan())

    assert story.asked == [("a2", "first")]


def test_callers_wait_for_a_place_and_the_longest_waiting_is_first() -> None:
    full = target("a", concurrency=1, inflight=1)
    story = Story(full).tell(CallBegan())
    assert story.of(ParkCall) == [ParkCall()]
    assert story.state.fleet.waiting == 1

    ended = Story(full).tell(CallBegan()).tell(TimeCame(what="deadline"), 30.0)
    story.state = PlannerState(
        story.state.call, replace(story.state.fleet, targets={"a": replace(full, inflight=0)})
    )
    story.tell(TimeCame(what="slot"), 1.0)

    assert ended.of(FinishCall) == [FinishCall(why="waited")]
    assert (story.asked, story.state.fleet.waiting) == ([("a", "first")], 0)
    assert story.tell(TimeCame(what="slot"), 1.5).actions == []


def test_no_more_callers_wait_than_may() -> None:
    story = Story(target("a", concurrency=1, inflight=1))
    story.state = PlannerState(story.state.call, replace(story.state.fleet, waiting=1000))

    assert story.tell(CallBegan()).of(FinishCall) == [FinishCall(why="crowded")]


def test_word_of_a_quick_probe_is_waited_for() -> None:
    probed = target("a", **{**OPEN, "open_until": 0.0}, probe_until=3.0)

    story = Story(probed).tell(CallBegan(), 1.0)

    assert WakeAt(at=3.0, tick=TimeCame(what="slot")) in story.actions


def test_a_closed_connection_is_tried_again_at_once_and_only_once() -> None:
    story = Story(target("a"), target("b")).tell(CallBegan())

    story.tell(AttemptFailed(id=0, error=ConnectionLost()), 0.1)
    story.tell(AttemptFailed(id=1, error=ConnectionLost()), 0.2)

    assert story.asked == [("a", "first"), ("a", "again"), ("b", "next")]


def test_slots_of_a_rate_are_given_in_the_order_of_asking() -> None:
    paced = target("a", rate=2.0)
    first = Story(paced).tell(CallBegan())
    second = Story(first.target()).tell(CallBegan())

    assert [one.at for one in second.of(SendAttempt) if isinstance(one, SendAttempt)] == [0.5]


def test_backend_alone_is_asked_although_it_is_full_and_its_breaker_open() -> None:
    story = Story(target("a", **OPEN, inflight=9, concurrency=1), strict=True)

    assert story.tell(CallBegan()).asked == [("a", "first")]


REFUSALS: tuple[WebError, ...] = (
    QuotaExhausted(status=402),
    AuthFailed(status=401),
    AuthFailed(status=403),
)


@pytest.mark.parametrize("strict", [True, False])
@pytest.mark.parametrize("refusal", REFUSALS)
def test_backend_whose_plan_or_key_is_refused_is_probed_once_a_minute(
    refusal: WebError, *, strict: bool
) -> None:
    asked: list[int] = []
    a = target("a")
    for second in range(400):
        story = Story(a, strict=strict, now=float(second)).tell(CallBegan())
        if story.asked:
            asked.append(second)
            story.tell(AttemptFailed(id=0, error=refusal))
        end = story.of(FinishCall)[0]
        assert isinstance(end, FinishCall)
        assert end.again_at - second <= 60.0
        a = story.target()

    # A call waits for a second.
    assert asked == list(range(0, 400, 59))


def test_model_that_one_caller_asked_for_in_vain_is_asked_by_the_next_one() -> None:
    refused = Story(target("a"), strict=True).tell(CallBegan())
    refused.tell(AttemptFailed(id=0, error=ModelNotFound(model="m")))

    assert Story(refused.target(), strict=True).tell(CallBegan()).asked == [("a", "first")]


def test_answered_probe_ends_the_rest() -> None:
    a = Story(target("a"), strict=True).tell(CallBegan())
    a.tell(AttemptFailed(id=0, error=QuotaExhausted(status=402)))

    probe = Story(a.target(), strict=True, now=61.0).tell(CallBegan())
    beside = Story(probe.target(), strict=True, now=61.0).tell(CallBegan())
    probe.tell(AttemptAnswered(id=0))

    assert (probe.asked, beside.asked) == ([("a", "probe")], [])
    assert probe.target().cool_until == -INFINITY


def test_rest_that_the_service_asked_for_is_kept_alone_as_on_a_route() -> None:
    a = Story(target("a"), strict=True).tell(CallBegan())
    limited = a.tell(AttemptFailed(id=0, error=RateLimited(retry_after=300.0))).target()

    asked = [
        second
        for second in range(400)
        if Story(limited, strict=True, now=float(second)).tell(CallBegan()).asked
    ]

    # Ten seconds before the end a call waits.
    assert asked == list(range(290, 400))


class TestUndeclaredStatus:
    """A status that a service does not declare, such as 432 for a plan that is used up."""

    @staticmethod
    def ask(
        a: PlannerTarget, subject: str, owner: str = "", now: float = 0.0, status: int = 432
    ) -> tuple[bool, PlannerTarget]:
        story = Story(a, strict=True, now=now, owner=owner, subject=subject).tell(CallBegan())
        if not story.asked:
            return False, story.target()
        return True, story.tell(AttemptFailed(id=0, error=HttpStatus(status=status))).target()

    def test_different_queries_in_a_row_rest_the_backend(self) -> None:
        a, asked = target("a"), []
        for second in range(200):
            was_asked, a = self.ask(a, f"q{second}", now=float(second))
            if was_asked:
                asked.append(second)

        # A call waits for a second.
        assert asked == [0, 1, 2, 3, 4, 63, 122, 181]

    def test_one_bad_query_again_and_again_rests_nothing(self) -> None:
        a = target("a")
        for _ in range(50):
            was_asked, a = self.ask(a, "same")
            assert was_asked

    def test_different_statuses_rest_nothing(self) -> None:
        a = target("a")
        for number in range(50):
            was_asked, a = self.ask(a, f"q{number}", status=400 + number % 2)
            assert was_asked

    def test_bad_queries_of_one_owner_rest_nothing_for_others(self) -> None:
        a = target("a")
        for number in range(50):
            _, a = self.ask(a, f"q{number}", owner="ann")

        assert not self.ask(a, "new", owner="ann")[0]
        assert self.ask(a, "new", owner="ben")[0]

    def test_any_answer_ends_the_row(self) -> None:
        a = target("a")
        for number in range(20):
            _, a = self.ask(a, f"q{number}", owner="ann")
        answered = Story(a, strict=True, owner="ben").tell(CallBegan()).tell(AttemptAnswered(id=0))

        assert answered.target().refusals == ()
        assert self.ask(answered.target(), "new", owner="ann")[0]

    def test_many_owners_are_not_all_remembered(self) -> None:
        a = target("a")
        for number in range(100):
            _, a = self.ask(a, f"q{number}", owner=f"o{number}")

        assert len(a.refusals) == 16


def test_six_keys_are_asked_no_more_often_than_one() -> None:
    names = tuple(f"a{number}" for number in range(6))
    keys = [target(name, key=number) for number, name in enumerate(names)]
    story = Story(*(replace(key, backend="a") for key in keys), legs=(Leg(members=(names,)),))
    story.tell(CallBegan())
    errors: tuple[WebError, ...] = (RateLimited(), RateLimited(), ConnectionLost())
    for number, error in enumerate(errors):
        story.tell(AttemptFailed(id=number, error=error))

    assert len(story.asked) == 3
    assert story.of(FinishCall)


def test_common_outage_of_a_second_is_waited_out() -> None:
    for chance in (0.0, 0.5, 1.0):
        story = Story(target("a"), target("b")).tell(CallBegan())
        for number in range(2):
            story.tell(AttemptFailed(id=number, error=DOWN, chance=chance))
        (first,) = story.of(SendAttempt)
        assert isinstance(first, SendAttempt)
        story.tell(AttemptFailed(id=2, error=DOWN, chance=chance), at=first.at)
        (second,) = story.of(SendAttempt)
        assert isinstance(second, SendAttempt)

        assert second.at > 1.0
        assert [why for _, why in story.asked] == ["first", "next", "again", "again"]


def test_pause_before_a_retry_is_cut_to_the_time_that_is_left() -> None:
    story = Story(target("a"), deadline=1.0).tell(CallBegan())
    story.tell(AttemptFailed(id=0, error=DOWN, chance=1.0))
    story.tell(AttemptFailed(id=1, error=DOWN, chance=1.0), at=0.4)

    (second,) = story.of(SendAttempt)
    assert isinstance(second, SendAttempt)
    assert second.at == 0.7


def test_lost_answer_that_may_be_paid_for_is_asked_again_once_and_not_waited_for() -> None:
    story = Story(target("a", price=5000), strict=True).tell(CallBegan())
    story.tell(AttemptFailed(id=0, error=ConnectionLost()))
    story.tell(AttemptFailed(id=1, error=ConnectionLost()))

    assert [why for _, why in story.asked] == ["first", "again"]
    assert story.of(FinishCall)


def test_a_backend_that_is_late_is_not_asked_with_another_of_its_keys() -> None:
    keys = Leg(members=(("a", "a2"),))
    targets = {name: target(name) for name in ("a", "a2", "b")}
    state = PlannerState(
        PlannerCall(legs=(keys, Leg(members=(("b",),))), deadline=25.0), Fleet(targets=targets)
    )
    for event in (CallBegan(), MoneyReserved(id=0), TimeCame(what="hedge", id=0)):
        state, _ = step_planner(state, event, 0.0)

    assert [(one.target, one.why) for one in state.call.attempts] == [
        ("a", "first"),
        ("b", "hedge"),
    ]


def test_last_failure_of_a_fused_leg_ends_the_call_with_the_answers() -> None:
    together = Leg(members=(("a",), ("b",)), fuse=True)
    targets = {name: target(name) for name in ("a", "b")}
    state = PlannerState(PlannerCall(legs=(together,), deadline=25.0), Fleet(targets=targets))
    told = (
        CallBegan(),
        MoneyReserved(id=0),
        MoneyReserved(id=1),
        AttemptAnswered(id=0),
        AttemptFailed(id=1, error=DOWN),
    )
    actions: tuple[Action, ...] = ()
    for event in told:
        state, actions = step_planner(state, event, 0.0)

    assert actions == (FinishCall(winners=(0,)),)


def test_health_is_learned() -> None:
    rules = PlannerRules()
    assert hedge_time(target("a"), PlannerRules(hedge_after=2.0)) == 2.0
    assert latency_quantile(EMPTY_HISTOGRAM, 0.5) is None
    assert (is_latency_histogram(EMPTY_HISTOGRAM), is_latency_histogram(b"x")) == (True, False)
    many = target("a")
    for _ in range(40):
        many = add_target_latency(many, 1.0, rules)
    assert sum(many.latency) == 40
    full, _ = add_latencies(EMPTY_HISTOGRAM, [0.01] * 260)
    assert sum(full) < 250


def test_refusals_rest_as_long_as_their_kind_lasts() -> None:
    def rest(verdict: Verdict, **fields: object) -> float:
        return start_target_cooldown(
            target("a", **fields), verdict, PlannerRules(), 0.0, 0.5
        ).cool_until

    assert rest(Verdict(cools="key")) == MAX_REST_SECONDS
    assert rest(Verdict(cools="forbidden"), limits=1) == 1200.0
    assert rest(Verdict(cools="model")) == 600.0
    assert rest(Verdict(cools="quota"), limits=9) == 86_400.0
    assert rest(Verdict(cools="limit"), limits=2) == 4.0


@given(st.floats(), st.sampled_from(get_args(CoolReason)), st.integers(0, 99), st.floats(0, 0.99))
def test_every_rest_has_a_floor_and_a_ceiling(
    wait: float, why: CoolReason, limits: int, chance: float
) -> None:
    verdict = Verdict(cools=why, wait=wait)
    after = start_target_cooldown(target("a", limits=limits), verdict, PlannerRules(), 0.0, chance)
    windowed = apply_rate_windows(target("a"), (RateWindow(0, 1e9),), 0.0)

    assert MIN_REST_SECONDS <= after.cool_until <= MAX_REST_SECONDS
    assert windowed.cool_until == MAX_REST_SECONDS


def test_half_of_many_failures_open_the_breaker_and_a_tenth_do_not() -> None:
    def is_ever_open(answers: int) -> bool:
        shaky, opened = target("a"), False
        for _ in range(100):
            shaky = count_target_failure(shaky, Verdict(blames=True), PlannerRules(), 0.0)
            opened = opened or shaky.open_until > 0.0
            landings = [(0.1, 0.0, 1)] * answers
            shaky = apply_landings(shaky, landings, PlannerRules(), lambda _now: None)
        return opened

    assert (is_ever_open(1), is_ever_open(9)) == (True, False)


def test_the_limit_follows_the_latency() -> None:
    def limit_after(
        seconds: float, lately: float, *, inflight: int = 10, beside: float | None = None
    ) -> float:
        breath = (lately, -0.5, 10.0, 1.0)
        return adjust_target_limit(
            breath, [(seconds, 100.0, inflight)], 200, PlannerRules(), lambda _now: beside
        )[2]

    cut = adjust_target_limit(
        (0.6, -0.5, 10.0, -INFINITY), [(2.0, 100.0, 10)], 200, PlannerRules(), lambda _now: None
    )
    again = adjust_target_limit(cut, [(2.0, 100.1, 10)], 200, PlannerRules(), lambda _now: None)

    assert (cut[2], again[2]) == (8.0, 8.0)
    assert limit_after(1.2, 0.0, beside=-0.3) == 8.0
    assert limit_after(0.6, -0.5) == 10.1
    assert limit_after(0.6, -0.5, inflight=2) == 10.0


def test_a_limit_of_ours_gives_way_when_nobody_else_is_free() -> None:
    assert has_target_room(target("a", inflight=5), PlannerRules())
    assert not has_target_room(target("a", inflight=8), PlannerRules())
    assert not has_target_room(target("a", concurrency=9, inflight=1), PlannerRules())


def test_headers_of_the_service_are_heeded() -> None:
    none = apply_rate_windows(target("a"), [RateWindow(0, 7.0)], 1.0)
    assert (none.cool_until, none.cool_why, none.allowed) == (8.0, "limit", 0)

    some = apply_rate_windows(
        target("a", inflight=2), [RateWindow(9, 1.0), RateWindow(5, 60.0)], 1.0
    )
    assert (some.allowed, some.allowed_until, some.cool_until) == (3, 61.0, -INFINITY)
    assert apply_rate_windows(target("a", inflight=9), [RateWindow(5, 60.0)], 1.0).allowed == 0


def test_rate_window_counts_down_until_it_ends() -> None:
    told = target("a", allowed=1, allowed_until=9.0)

    assert book_target_slot(told, 5.0).allowed == 0
    assert rate_window_start(book_target_slot(told, 5.0)) == 9.0
    assert book_target_slot(told, 9.0).allowed is None
    assert rate_window_start(told) == rate_window_start(target("a")) == -INFINITY


def test_a_wave_of_failures_halves_once() -> None:
    assert halve_target_limit(target("a", cut_at=9.9), PlannerRules(), 10.0).limit == 4.0


def test_target_is_ready_after_its_cooling_and_never_during_a_probe() -> None:
    work = WorkingState(Story(target("a")).state, 1.0)

    assert target_ready_at(work, target("a", cool_until=3.0)) == 3.0
    assert target_ready_at(work, target("a", probe_until=3.0)) == INFINITY


def test_rate_windows_of_headers_are_kept() -> None:
    story = Story(target("a"), target("b")).tell(CallBegan())

    story.tell(AttemptAnswered(id=0, windows=(RateWindow(0, 9.0),)), 1.0)

    assert story.target().cool_until == 10.0


def test_nobody_is_hedged_to_when_nobody_is_left_or_no_hedge_is() -> None:
    alone = Story(target("a"), target("b", cool_until=99.0)).tell(CallBegan())
    assert alone.tell(TimeCame(what="hedge", id=0), 2.0).actions == []

    poor = Story(target("a"), target("b")).tell(CallBegan())
    poor.state = PlannerState(poor.state.call, replace(poor.state.fleet, hedges=0.5))

    assert poor.tell(TimeCame(what="hedge", id=0), 2.0).actions == []


def test_another_key_is_asked_for_what_concerns_the_key_and_not_in_an_outage() -> None:
    def keys() -> Story:
        first, second = target("a#1", backend="a"), target("a#2", backend="a", key=2)
        return Story(first, second, legs=(Leg(members=(("a#1", "a#2"),)),)).tell(CallBegan())

    outage = keys().tell(AttemptFailed(id=0, error=UpstreamUnavailable(status=500)), 1.0)
    refused = keys().tell(AttemptFailed(id=0, error=AuthFailed(status=401)), 1.0)

    assert outage.asked == [("a#1", "first"), ("a#1", "again")]
    assert refused.asked == [("a#1", "first"), ("a#2", "next")]


def test_hedge_share_of_0_asks_nobody_twice_whatever_is_left() -> None:
    rules = PlannerRules(hedge_share=0.0)
    for second in (target("b"), target("b", open_until=1.0)):
        story = Story(target("a"), second)
        story.state = PlannerState(story.state.call, replace(story.state.fleet, rules=rules))
        story.tell(CallBegan())

        assert story.tell(TimeCame(what="hedge", id=0), 2.0).actions == []


def test_an_overdue_one_of_several_does_not_hurry_the_others() -> None:
    legs = (Leg(members=(("a",), ("b",)), fuse=True),)
    story = Story(target("a"), target("b"), legs=legs).tell(CallBegan())

    assert story.tell(TimeCame(what="overdue", id=0), 5.0).actions == []
    assert story.target().evidence == SLOW_EVIDENCE


def test_a_member_that_outlasts_the_patience_is_late_and_a_probe_is_not_waited_for() -> None:
    legs = (Leg(members=(("a",), ("b",)), fuse=True, patience=0.5),)
    story = Story(target("a"), target("b"), legs=legs).tell(CallBegan())
    story.tell(AttemptAnswered(id=1), 0.2).tell(TimeCame(what="patience"), 0.5)
    probed = Story(target("a", **OPEN), target("b"), legs=legs).tell(CallBegan(), 11.0)
    probed.tell(AttemptAnswered(id=1), 11.2)

    assert story.target().evidence == SLOW_EVIDENCE
    assert probed.asked == [("a", "probe"), ("b", "member")]
    assert probed.of(FinishCall) == [FinishCall(winners=(1,))]


def test_a_queue_is_felt_sooner_where_somebody_quicker_is_free() -> None:
    busy = target("a", quiet=-0.6, lately=0.0, limit=10.0, latency=bytes([200, *([0] * 47)]))
    quick = target("b", lately=-0.9)
    closed = target("c", lately=-2.0, cool_until=99.0)

    story = Story(busy, quick, closed).tell(CallBegan()).tell(AttemptAnswered(id=0), 1.0)

    assert story.target().limit == 8.0


def test_times_of_a_call_that_is_over_mean_nothing() -> None:
    story = Story(target("a")).tell(CallBegan()).tell(AttemptAnswered(id=0), 1.0)

    assert story.tell(TimeCame(what="deadline"), 30.0).actions == []


def test_answers_of_a_failed_strict_leg_do_not_count() -> None:
    legs = (Leg(members=(("a",), ("b",)), fuse=True, strict=True), Leg(members=(("c",),)))
    story = Story(*(target(name) for name in "abc"), legs=legs).tell(CallBegan())
    story.tell(AttemptAnswered(id=0), 1.0)

    story.tell(AttemptFailed(id=1, error=BackendCrashed(error="E")), 2.0)

    assert (story.asked[-1], story.state.call.answers) == (("c", "next"), ())


def test_the_deadline_ends_what_nobody_answered() -> None:
    story = Story(target("a")).tell(CallBegan()).tell(TimeCame(what="deadline"), 30.0)

    assert story.of(FinishCall) == [FinishCall(why="deadline")]


def test_the_deadline_of_a_fused_step_takes_what_has_come() -> None:
    legs = (Leg(members=(("a",), ("b",)), fuse=True),)
    story = Story(target("a"), target("b"), legs=legs).tell(CallBegan())

    story.tell(AttemptAnswered(id=1), 0.2).tell(TimeCame(what="deadline"), 30.0)

    assert story.of(FinishCall) == [FinishCall(winners=(1,))]


def test_a_stored_target_from_the_future_moves_back_with_its_rest() -> None:
    stored = target("a", cool_until=1120.0, stored_at=1000.0)

    assert adopt_stored_times(stored, 1060.0) == stored
    assert adopt_stored_times(stored, 400.0).cool_until == 520.0
