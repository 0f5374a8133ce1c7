"""The planner's laws, over random histories: calls that come, answers, failures, time that passes."""

import random
from collections import deque

import msgspec
from hypothesis import example, given, strategies as st

from webseam.composition.planning.batched_starts import FleetLanes, StartLane
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
from webseam.kernel.planner.fusion import MemberRows, fuse_member_rows
from webseam.kernel.planner.pacing import (
    RateWindow,
    next_target_slot,
    rate_window_start,
    read_rate_windows,
)
from webseam.kernel.planner.planner_targets import Fleet, PlannerRules, PlannerTarget
from webseam.kernel.planner.quick_path import (
    adopt_quick_call,
    end_quick_call,
    first_choice_target,
    start_quick_call,
)
from webseam.kernel.planner.transitions import step_planner
from webseam.ports.errors import (
    AuthFailed,
    BadPayload,
    BudgetExceeded,
    ConnectFailed,
    ConnectionLost,
    InvalidQuery,
    InvalidRow,
    QuotaExhausted,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.web import WebSearchResult

ERRORS: tuple[WebError, ...] = (
    AuthFailed(status=401),
    BadPayload(problem="shape"),
    ConnectFailed(),
    ConnectionLost(),
    InvalidRow(index=0, field="url", reason="no"),
    InvalidQuery(field="query", reason="no"),
    QuotaExhausted(status=402),
    RateLimited(retry_after=2.0),
    RateLimited(),
    Timeout(phase="headers"),
    Timeout(phase="connect"),
    UpstreamUnavailable(status=503),
)
WINDOWS = ((), (RateWindow(0, 1.0),), (RateWindow(3, 1.0), RateWindow(1, 60.0)))
NO_MONEY = BudgetExceeded(budget="x", cap=0, remaining=0, price=1, setting="budgets.day")


class History:
    """Several calls over one fleet, with everything that may happen in any order."""

    def __init__(self, seed: int, legs: tuple[Leg, ...], *, strict: bool) -> None:
        self.draw = random.Random(seed)  # noqa: S311  not a secret
        names = [name for leg in legs for member in leg.members for name in member]
        self.fleet = Fleet(
            targets={
                name: PlannerTarget(
                    name=name,
                    backend=name[0],
                    price=self.draw.choice((0, 1)),
                    rate=self.draw.choice((None, None, 2.0)),
                    concurrency=self.draw.choice((None, None, 1)),
                )
                for name in names
            },
            rules=PlannerRules(most_waiting=3),
        )
        self.legs, self.strict = legs, strict
        self.now = 0.0
        self.calls: list[PlannerCall] = []
        self.reserves: set[tuple[int, int]] = set()
        self.sent: set[tuple[int, int]] = set()
        self.granted: set[tuple[int, int]] = set()
        self.wakes: list[tuple[float, int, TimeCame]] = []
        self.parked: deque[int] = deque()
        self.ended: set[int] = set()

    def run(self, steps: int) -> None:
        for _ in range(steps):
            self.draw.choice((self.begin, self.reserve, self.answer, self.answer, self.tick))()
        self.drain()

    def begin(self) -> None:
        self.calls.append(PlannerCall(legs=self.legs, deadline=self.now + 25.0, strict=self.strict))
        self.feed(len(self.calls) - 1, CallBegan())

    def reserve(self) -> None:
        if self.reserves:
            call, place = self.draw.choice(sorted(self.reserves))
            self.reserves.discard((call, place))
            fate = self.draw.random()
            if fate < 0.8:
                self.granted.add((call, place))
                self.feed(call, MoneyReserved(id=place))
            else:
                error = NO_MONEY if fate < 0.9 else None
                self.feed(call, MoneyReserved(id=place, ok=False, error=error))

    def answer(self) -> None:
        if self.sent:
            call, place = self.draw.choice(sorted(self.sent))
            self.sent.discard((call, place))
            event: Event = AttemptAnswered(id=place, windows=self.draw.choice(WINDOWS))
            if self.draw.random() < 0.6:
                error = self.draw.choice(ERRORS)
                windows = self.draw.choice(WINDOWS)
                event = AttemptFailed(
                    id=place, error=error, chance=self.draw.random(), windows=windows
                )
            self.feed(call, event)

    def tick(self) -> None:
        if not self.wakes:
            return
        if self.draw.random() < 0.1 and self.calls:
            self.feed(self.draw.randrange(len(self.calls)), CallerLeft())
        at, call, tick = min(self.wakes, key=lambda one: one[0])
        self.wakes.remove((at, call, tick))
        self.now = max(self.now, at)
        self.feed(call, tick)

    def drain(self) -> None:
        while self.wakes or self.reserves or self.sent:
            self.draw.choice((self.reserve, self.answer, self.tick))()

    def feed(self, number: int, event: Event) -> None:
        before = self.fleet
        state, actions = step_planner(PlannerState(self.calls[number], before), event, self.now)
        again = step_planner(PlannerState(self.calls[number], before), event, self.now)
        assert again == (state, actions), "the same comes of the same"
        assert not (number in self.ended and actions), "nothing is done after the end"
        self.calls[number], self.fleet = state.call, state.fleet
        for action in actions:
            self.act(number, action, before)
        if not isinstance(event, CallBegan | MoneyReserved | TimeCame):
            self.wake()

    def wake(self) -> None:
        while self.parked:
            first = self.parked.popleft()
            if self.calls[first].waiting:
                self.feed(first, TimeCame(what="slot"))
                if self.calls[first].waiting:
                    self.parked.appendleft(self.parked.pop())
                    return

    def act(self, number: int, action: Action, before: Fleet) -> None:
        match action:
            case ReserveMoney():
                why = self.calls[number].attempts[action.id].why
                self.may_be_asked(before.targets[action.target], why)
                self.reserves.add((number, action.id))
            case SendAttempt():
                assert (number, action.id) in self.granted, "nothing is sent that is not reserved"
                assert action.at >= self.now
                self.sent.add((number, action.id))
            case CancelAttempt():
                self.sent.discard((number, action.id))
                self.reserves.discard((number, action.id))
            case WakeAt():
                self.wakes.append((action.at, number, action.tick))
            case ParkCall():
                self.parked.append(number)
            case FinishCall():
                self.ended.add(number)
                if action.why == "nobody":
                    self.all_were_asked(number, before)

    def all_were_asked(self, number: int, before: Fleet) -> None:
        """Check that a call fails only after every target that no service forbids was asked.

        A backend that failed is not asked with another of its keys.
        """
        call = self.calls[number]
        failed = {before.targets[it.target].backend for it in call.attempts if it.blamed}
        asked = {attempt.target for attempt in call.attempts}
        names = {n for leg in call.legs if not leg.strict for names in leg.members for n in names}
        for target in (before.targets[name] for name in names - asked):
            full = target.concurrency is not None and target.inflight >= target.concurrency
            resting = max(target.cool_until, rate_window_start(target)) > self.now
            late = next_target_slot(target) > call.deadline
            is_outage = target.backend in failed
            assert full or resting or late or is_outage, "a breaker alone refuses no call"

    def may_be_asked(self, target: PlannerTarget, why: str) -> None:
        if self.strict:
            return
        opened = min(target.open_until, target.opened_at + self.fleet.rules.cool_first)
        waits = self.fleet.rules.longest_wait
        is_last = why in ("last", "again")
        assert is_last or opened <= self.now + waits, "an open breaker is only asked at the end"
        most = target.concurrency
        assert most is None or self.fleet.targets[target.name].inflight <= most, "a limit is kept"
        probes = [
            attempt
            for call in self.calls
            for attempt in call.attempts
            if attempt.target == target.name and attempt.why == "probe" and not attempt.over
        ]
        assert len([one for one in probes if not one.overdue]) <= 1, "one caller probes at a time"


LEGS = (
    (Leg(members=(("a1",),)),),
    (Leg(members=(("a1", "a2"),)), Leg(members=(("b1",),)), Leg(members=(("c1",),))),
    (Leg(members=(("a1",),)), Leg(members=(("b1", "b2"), ("c1",)), fuse=True), Leg(members=(("d1",),))),
    (Leg(members=(("a1",), ("b1",), ("c1",)), fuse=True, quorum=2, patience=2.0),),
    (Leg(members=(("a1",), ("b1",)), fuse=True, strict=True), Leg(members=(("c1",),))),
)  # fmt: skip


@given(
    seed=st.integers(0, 2**32),
    legs=st.sampled_from(LEGS),
    alone=st.booleans(),
    steps=st.integers(1, 120),
)
@example(seed=3, legs=LEGS[0], alone=True, steps=60)
def test_every_history_keeps_the_planners_laws(
    seed: int,
    legs: tuple[Leg, ...],
    *,
    alone: bool,
    steps: int,
) -> None:
    history = History(seed, legs, strict=alone and len(legs) == 1 and not legs[0].fuse)

    history.run(steps)

    assert history.ended == set(range(len(history.calls))), "every call ends"
    assert {one.inflight for one in history.fleet.targets.values()} == {0}, "all that flew landed"
    assert all(attempt.over for call in history.calls for attempt in call.attempts)
    assert history.fleet.waiting == 0
    assert 0.0 <= history.fleet.hedges <= history.fleet.rules.hedge_burst


@given(
    order=st.permutations(["a1", "b1", "c1"]),
    gaps=st.lists(st.floats(0, 0.4), min_size=3, max_size=3),
)
def test_fused_answers_do_not_depend_on_their_order(order: list[str], gaps: list[float]) -> None:
    leg = Leg(members=(("a1",), ("b1",), ("c1",)), fuse=True)
    fleet = Fleet(
        targets={name: PlannerTarget(name=name, backend=name[0]) for name in ("a1", "b1", "c1")}
    )
    state, now = PlannerState(PlannerCall(legs=(leg,), deadline=25.0), fleet), 0.0
    state, actions = step_planner(state, CallBegan(), now)
    places = {action.target: action.id for action in actions if isinstance(action, ReserveMoney)}
    for place in places.values():
        state, _ = step_planner(state, MoneyReserved(id=place), now)

    ends: list[FinishCall] = []
    for name, gap in zip(order, gaps, strict=True):
        now += gap
        state, actions = step_planner(state, AttemptAnswered(id=places[name]), now)
        ends += [action for action in actions if isinstance(action, FinishCall)]

    assert ends == [FinishCall(winners=(places["a1"], places["b1"], places["c1"]))]


@given(
    took=st.lists(st.floats(0.001, 3.0), min_size=1, max_size=60),
    windows=st.sampled_from(WINDOWS),
    rate=st.sampled_from((None, 50.0)),
    inflight=st.sampled_from((0, 300)),
    strict=st.booleans(),
)
def test_the_usual_case_in_one_step_comes_to_the_same_as_in_the_folds_three(
    took: list[float],
    windows: tuple[RateWindow, ...],
    rate: float | None,
    inflight: int,
    *,
    strict: bool,
) -> None:
    legs = (Leg(members=(("a1",),)), Leg(members=(("b1",),)))[: 1 if strict else 2]
    targets = {
        name: PlannerTarget(name=name, backend=name[0], rate=rate, inflight=inflight)
        for name in ("a1", "b1")
    }
    folded = lean = Fleet(targets=targets)
    now = 0.0
    for seconds in took:
        call, now = PlannerCall(legs=legs, deadline=now + 25.0, strict=strict), now + 2.0
        target = first_choice_target(lean, legs, now, strict=strict)
        if target is None:
            assert not strict or rate or windows, "a single target is asked, however full it is"
            break
        begun = start_quick_call(lean, target, now)
        state, _ = step_planner(PlannerState(call, folded), CallBegan(), now)
        state, _ = step_planner(state, MoneyReserved(id=0), now)
        assert state.call == adopt_quick_call(call, "a1", now)
        assert state.fleet == begun
        state, actions = step_planner(state, AttemptAnswered(id=0, windows=windows), now + seconds)
        lean = end_quick_call(begun, legs, ("a1", now), windows, now + seconds)
        folded = state.fleet

        assert actions == (FinishCall(winners=(0,)),)
        assert lean == folded


@given(
    seed=st.integers(0, 2**32),
    steps=st.integers(1, 150),
    limits=st.tuples(st.sampled_from((None, None, 3)), st.sampled_from((None, None, 50.0))),
    told=st.booleans(),
    strict=st.booleans(),
)
def test_calls_that_are_counted_first_and_folded_later_come_to_the_same(
    seed: int, steps: int, limits: tuple[int | None, float | None], *, told: bool, strict: bool
) -> None:
    draw = random.Random(seed)  # noqa: S311  not a secret
    legs = (Leg(members=(("a1",),)), Leg(members=(("b1",),)))[: 1 if strict else 2]
    concurrency, rate = limits
    first = PlannerTarget(
        name="a1", backend="a", rate=rate, concurrency=concurrency, evidence=1.5, level=1
    )
    other = PlannerTarget(name="b1", backend="b", lately=-2.0)
    one_by_one = Fleet(targets={"a1": first, "b1": other})
    fleets, now = FleetLanes(one_by_one), 0.0
    flying: list[tuple[float, StartLane | None]] = []
    for _ in range(steps):
        now += draw.choice((0.01, 0.3, 2.0))
        chosen = first_choice_target(one_by_one, legs, now, strict=strict)
        same = fleets.undisputed_choice(legs, now, strict=strict)
        assert (chosen is None) == (same is None), "the same is decided"
        if same is not None and (not flying or draw.random() < 0.5):
            lane = fleets.count_start(legs, same, now)
            flying.append((now, lane))
            one_by_one = start_quick_call(one_by_one, one_by_one.targets["a1"], now)
        elif flying:
            began, lane = flying.pop(draw.randrange(len(flying)))
            windows = draw.choice(WINDOWS) if told and draw.random() < 0.1 else ()
            fleets.count_answer(lane, legs, ("a1", began), windows, now)
            one_by_one = end_quick_call(one_by_one, legs, ("a1", began), windows, now)
        if draw.random() < 0.05:
            # Somebody decides about something.
            hedges = draw.random()
            fleets.replace_fleet(msgspec.structs.replace(fleets.folded_fleet(), hedges=hedges))
            one_by_one = msgspec.structs.replace(one_by_one, hedges=hedges)

    assert fleets.folded_fleet() == one_by_one


@given(
    headers=st.dictionaries(
        st.sampled_from(
            (
                "x-ratelimit-remaining",
                "x-ratelimit-reset",
                "ratelimit",
                "x-ratelimit-reset-requests",
                "x-ratelimit-remaining-requests",
            )
        ),
        st.text(max_size=40) | st.from_regex(r"[0-9rt=;,ms. -]{0,30}", fullmatch=True),
    ),
    now=st.floats(0, 2e9),
)
@example(headers={"x-ratelimit-remaining": "1", "x-ratelimit-reset": "9999-12-31"}, now=0.0)
def test_headers_of_any_text_say_nothing_or_something_that_ends(
    headers: dict[str, str], now: float
) -> None:
    assert all(one.remaining >= 0 and one.seconds > 0 for one in read_rate_windows(headers, now))


def rows(urls: list[str]) -> tuple[WebSearchResult, ...]:
    return tuple(
        WebSearchResult(title=url, url=url, snippet="", position=place, source="x")
        for place, url in enumerate(urls, 1)
    )


PAGES = st.lists(st.sampled_from([f"https://a.example/{place}" for place in range(8)]), max_size=8)


@given(
    lists=st.lists(PAGES, min_size=1, max_size=4),
    weights=st.lists(st.floats(0.1, 2.0), min_size=4, max_size=4),
)
def test_fused_rows_are_each_page_once_best_score_first(
    lists: list[list[str]], weights: list[float]
) -> None:
    listings = [
        MemberRows(backend=str(place), rows=rows(urls), weight=weights[place])
        for place, urls in enumerate(lists)
    ]

    fused = fuse_member_rows(listings)

    assert {one.row.url for one in fused} == {url for urls in lists for url in urls}
    assert len(fused) == len({one.row.url for one in fused})
    assert [one.score for one in fused] == sorted((one.score for one in fused), reverse=True)
    assert all(one.found_by for one in fused)
    assert fuse_member_rows(listings) == fused


@given(urls=PAGES)
def test_one_list_fuses_to_itself(urls: list[str]) -> None:
    fused = fuse_member_rows([MemberRows(backend="a", rows=rows(urls))])

    assert [one.row.url for one in fused] == list(dict.fromkeys(urls))
