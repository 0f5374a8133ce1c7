"""Every number that the planner goes by, in one place."""

import math

import msgspec

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
