"""Define the planner's state: a target is a backend with one of its keys."""

import math

import msgspec

from webseam.ports.errors.error_fields import CoolReason

from .latency import EMPTY_HISTOGRAM

INFINITY = math.inf
# A rest lasts at least and at most so long, whatever a service asks for.
MIN_REST_SECONDS = 0.5
MAX_REST_SECONDS = 86_400.0
# A target that rests although nothing else can be asked is tried so often, in case somebody topped
# up its plan or changed its key.
PROBE_SECONDS = 60.0
# Rests for these reasons end when somebody does something; the others when the service said.
PROBED_REASONS: frozenset[CoolReason] = frozenset({"quota", "key", "forbidden", "model"})
# The fields that processes share: all but those about calls in flight in one process.
_SHARED_FIELDS = (
    "used", "latency", "usual", "late", "quiet", "lately", "evidence", "seen", "bad", "successes",
    "open_until", "opened_at", "level", "opens", "slow", "cool_until", "cool_why",
    "cooled_at", "limits", "due", "allowed", "allowed_until", "refusals",
)  # fmt: skip
_TIME_FIELDS = (
    "open_until", "opened_at", "cool_until", "cooled_at", "due", "allowed_until", "stored_at",
)  # fmt: skip


class PlannerRules(msgspec.Struct, frozen=True, kw_only=True):
    """When to hedge, when to rest a target, and how many calls may run at once.

    Times are in seconds. A hedge is a second call for a late answer: each call adds ``hedge_share``
    to a shared allowance, and each hedge takes 1 from it.
    """

    # A slow tail of more than 2 % shifts the p98 but not the median.
    hedge_quantile: float = 0.98
    hedge_medians: float = 2.0
    hedge_after: float | None = None
    hedge_share: float = 0.05
    hedge_burst: float = 10.0
    # The latency assumed at first; it is blended with measured ones until enough answers came.
    usual_prior: float = 1.5
    prior_weight: int = 12
    # After so many hedge times a call counts as failed, but stays in flight.
    overdue: float = 3.0
    timeout: float = 10.0
    cool_first: float = 5.0
    cool_most: float = 60.0
    # The longest cooldown after a quick failure: a probe costs no time and no money there.
    cool_quick: float = 15.0
    limit_least: float = 2.0
    limit_most: float = 256.0
    # Log slowdowns that count as a queue; the second applies while a quicker target is free.
    queue: float = 0.7
    queue_beside: float = 0.4
    # The longest waits: for a slot of the first choice while others are free; for any cooldown.
    pace_wait: float = 0.25
    longest_wait: float = 1.0
    # How long a call of a single target waits for the end of a rest that the service asked for.
    alone_wait: float = 10.0
    most_waiting: int = 1000
    # Whether the same target is retried when no other is left.
    again: bool = True
    # How often one call asks one backend, with all of its keys.
    tries: int = 3


class RefusalRun(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Different queries of one owner that a target refused alike, with one status, in a row.

    ``subjects`` are digests of the queries. ``until`` is when the target may be asked again; minus
    infinity while they are too few for a rest.
    """

    owner: str
    status: int
    subjects: tuple[str, ...]
    until: float = -INFINITY


class PlannerTarget(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One target. Times are those of the planner's clock; money is in micro-dollars.

    ``cooled_at`` is when a cooldown began, or the last probe in it. ``refusals`` are of queries
    with an undeclared status. ``rate``, ``burst`` and ``concurrency`` are declared. ``usual`` and
    ``late`` are the median and the 98th percentile as of a few calls ago. ``quiet`` and ``lately``
    are log latencies: without a queue, and now. ``evidence`` of a breakdown adds up; ``seen`` and
    ``bad`` fade. The breaker is open when ``open_until`` is not minus infinity; from then on one
    caller may probe, alone until ``probe_until``. ``slow`` means that a timeout opened it. ``due``
    is the theoretical arrival time of the GCRA. ``allowed`` calls are left until ``allowed_until``,
    as the service stated; None is unknown. ``stored_at`` is when the ledger got it.
    """

    name: str
    backend: str
    key: int = 1
    fingerprint: str = ""
    price: int = 0
    rate: float | None = None
    burst: float = 1.0
    concurrency: int | None = None
    used: int = 0
    latency: bytes = EMPTY_HISTOGRAM
    usual: float | None = None
    late: float | None = None
    quiet: float = 0.0
    lately: float = 0.0
    limit: float = 4.0
    cut_at: float = -INFINITY
    inflight: int = 0
    evidence: float = 0.0
    seen: float = 0.0
    bad: float = 0.0
    successes: int = 0
    open_until: float = -INFINITY
    opened_at: float = -INFINITY
    level: int = 0
    opens: int = 0
    slow: bool = False
    probe_until: float = -INFINITY
    cool_until: float = -INFINITY
    cool_why: CoolReason = ""
    cooled_at: float = -INFINITY
    limits: int = 0
    due: float = -INFINITY
    allowed: int | None = None
    allowed_until: float = -INFINITY
    stored_at: float = -INFINITY
    refusals: tuple[RefusalRun, ...] = ()


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """All targets, how many hedges are left, and how many callers wait."""

    targets: dict[str, PlannerTarget]
    rules: PlannerRules = PlannerRules()
    hedges: float = 10.0
    waiting: int = 0


def merge_targets(base: PlannerTarget, mine: PlannerTarget, theirs: PlannerTarget) -> PlannerTarget:
    """Return the merged knowledge of two processes: my changes since ``base``, else theirs."""
    adopted = {
        name: getattr(theirs, name)
        for name in _SHARED_FIELDS
        if getattr(mine, name) == getattr(base, name)
    }
    return msgspec.structs.replace(mine, **adopted)


def adopt_stored_times(target: PlannerTarget, now: float) -> PlannerTarget:
    """Return a stored target whose rests last no longer than when they were stored.

    A target from the future means that the clock was put back: its times move back as far.
    """
    excess = target.stored_at - now
    if excess <= 0:
        return target
    times = {name: getattr(target, name) - excess for name in _TIME_FIELDS}
    refusals = tuple(
        msgspec.structs.replace(run, until=run.until - excess) for run in target.refusals
    )
    return msgspec.structs.replace(target, **times, refusals=refusals)


def is_target_changed(base: PlannerTarget, mine: PlannerTarget) -> bool:
    """Tell whether any field changed that other processes share."""
    return any(getattr(mine, name) != getattr(base, name) for name in _SHARED_FIELDS)


def is_urgent_change(base: PlannerTarget, mine: PlannerTarget) -> bool:
    """Tell whether a breaker or a cooldown began or ended, which others should learn at once."""
    return (
        base.open_until != mine.open_until
        or base.cool_until != mine.cool_until
        or base.refusals != mine.refusals
    )
