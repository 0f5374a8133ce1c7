"""What is known of everybody that can be asked: a target is a backend with one of its keys."""

import math

import msgspec

from ...ports.errors.error_fields import CoolReason
from .health.latency import EMPTY_HISTOGRAM

INFINITY = math.inf


class PlannerRules(msgspec.Struct, frozen=True, kw_only=True):
    """How soon to ask another, when to leave somebody alone, and how much may run at once.

    Times are seconds. A hedge is a second call for an answer that is late: one call adds
    ``hedge_share`` to what all calls together may hedge, and one hedge takes 1 from it.
    """

    # A tail of more than 2 % hides in the p98; the median does not move.
    hedge_quantile: float = 0.98
    hedge_medians: float = 2.5
    hedge_after: float | None = None
    hedge_share: float = 0.05
    hedge_burst: float = 10.0
    # Until so many answers were seen, this is blended with what they say.
    usual_prior: float = 1.5
    prior_weight: int = 12
    # After so many times its hedge time a call counts as failing, and flies on.
    overdue: float = 3.0
    timeout: float = 10.0
    open_after: int = 5
    open_share: float = 0.5
    open_least: float = 20.0
    cool_first: float = 5.0
    cool_most: float = 60.0
    # The most for one that fails at once: to look again costs no time and no money there.
    cool_quick: float = 15.0
    limit_least: float = 2.0
    limit_most: float = 256.0
    # Logarithms of a slowdown. The first is felt as a queue; the second is, while another is free
    # and quicker.
    queue: float = 0.7
    queue_beside: float = 0.4
    # For a slot of the first choice while another is free; for a limit to pass when nobody is.
    pace_wait: float = 0.25
    longest_wait: float = 1.0
    most_waiting: int = 1000
    # Whether the same one is asked once more when nobody else is left.
    again: bool = True


# What is known of everybody that can be asked: a target is a backend with one of its keys.


class PlannerTarget(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One target. Times are those of the clock that the planner is told; money is micro-dollars.

    ``rate``, ``burst`` and ``concurrency`` are declared. ``usual`` and ``late`` are its median and
    98th percentile as of a few calls ago. ``quiet`` and ``lately`` are logarithms of its latency:
    without a queue, and now. ``failures`` are those in a row, ``seen`` and ``bad`` fade. A target
    whose ``open_until`` is not minus infinity has an open breaker, which one caller may probe from
    then on, alone until ``probe_until``. ``slow`` says that it was opened by waiting. ``due`` is
    when the next call would be exactly on time (the theoretical arrival time of the GCRA).
    ``allowed`` calls are left until ``allowed_until``, as the service itself told; None is unknown.
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
    failures: int = 0
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
    limits: int = 0
    due: float = -INFINITY
    allowed: int | None = None
    allowed_until: float = -INFINITY


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """Everybody that any call can ask, how many hedges are left, and how many callers wait."""

    targets: dict[str, PlannerTarget]
    rules: PlannerRules = PlannerRules()
    hedges: float = 10.0
    waiting: int = 0


# What processes tell each other of a target: all but what runs in one of them.
_SHARED = (
    "used", "latency", "usual", "late", "quiet", "lately", "failures", "seen", "bad", "successes",
    "open_until", "opened_at", "level", "opens", "slow", "cool_until", "cool_why",
    "limits", "due", "allowed", "allowed_until",
)  # fmt: skip


def merge_targets(base: PlannerTarget, mine: PlannerTarget, theirs: PlannerTarget) -> PlannerTarget:
    """Return what two processes know together: what I changed since ``base``, else theirs."""
    changed = {
        name: getattr(theirs, name)
        for name in _SHARED
        if getattr(mine, name) == getattr(base, name)
    }
    return msgspec.structs.replace(mine, **changed)


def is_changed(base: PlannerTarget, mine: PlannerTarget) -> bool:
    """Tell whether anything changed that other processes should know."""
    return any(getattr(mine, name) != getattr(base, name) for name in _SHARED)


def is_urgent(base: PlannerTarget, mine: PlannerTarget) -> bool:
    """Tell whether others should know at once: a breaker or a cooldown, begun or ended."""
    return base.open_until != mine.open_until or base.cool_until != mine.cool_until
