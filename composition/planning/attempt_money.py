"""The money of one attempt: reserved before each request, and charged at the end."""

from collections.abc import Mapping, Sequence
from typing import Protocol, TypeVar

from returns.result import Failure

from webseam.kernel.planner.money import dollars_to_micros
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.ports.errors import WebError

from .grouped_holds import HoldGroups
from .metering import Meter
from .route_requests import RouteRequest
from .spending import UNASKED, Charge, MoneyHold, TargetTerms, TaskSpending

Value = TypeVar("Value")
Outcome = TypeVar("Outcome")


class Treasury(Protocol):
    """What reserves money: the spending of a task, its terms, and its holds."""

    terms: Mapping[str, TargetTerms]
    spending: TaskSpending
    holds: HoldGroups


async def reserve_request(
    treasury: Treasury,
    request: RouteRequest[Value, Outcome],
    target: PlannerTarget,
    meter: Meter,
    until: float,
) -> WebError | None:
    """Reserve money for one more request of an attempt, or return why it may not be asked."""
    spending = treasury.spending
    amount = spending.amount_to_hold(target, request.call_cost(target, 1))
    in_call = request.spent + sum(meter.costs.values())
    refusal = spending.admit_attempt(target, treasury.terms[target.name], amount, in_call=in_call)
    if refusal is not None:
        return refusal
    if not spending.held_in_ledger:
        hold = spending.make_counted_hold(target, amount)
    else:
        outcome = await treasury.holds.hold(target, amount, until)
        if isinstance(outcome, Failure):
            error: WebError = outcome.failure()
            return error
        hold = outcome.unwrap()
    meter.holds = (*meter.holds, hold)
    meter.costs[meter.number] = meter.costs.get(meter.number, 0) + amount
    return None


def attempt_charge(
    request: RouteRequest[Value, Outcome],
    target: PlannerTarget,
    meter: Meter,
    error: WebError | None = None,
    *,
    is_priced: bool,
    is_cancelled: bool = False,
) -> Charge:
    """Return the cost of an attempt: as its replies report it, else by the number of requests.

    A request without a reply is uncertain, and counts as paid. A refusal costs nothing. A target
    that is not ``is_priced`` has a price that nobody knows.
    """
    calls = max(meter.requests, meter.replies)
    if meter.begun or calls:
        uncertain_calls = calls - meter.replies
    elif error is not None and error.facts.verdict.unreached:
        return UNASKED
    else:
        # A backend that does not count its requests made one.
        calls = 1
        uncertain_calls = int(is_cancelled or (error is not None and error.facts.verdict.slow))
    uncertain = request.call_cost(target, uncertain_calls) if uncertain_calls else 0
    # The requests that are paid at the price of the target.
    paid_requests = uncertain_calls
    if meter.cost is not None:
        cost = dollars_to_micros(meter.cost) + uncertain
    elif error is not None and not error.facts.verdict.billed:
        cost = uncertain
    else:
        paid_requests = calls - meter.refused
        cost = request.call_cost(target, paid_requests) if paid_requests > 0 else 0
    has_unknown_price = not is_priced and paid_requests > 0
    return Charge(cost, calls, uncertain_calls, min(uncertain, cost), has_unknown_price)


def settle_deferred(
    spending: TaskSpending, holds: Sequence[MoneyHold], meter: Meter, dollars: float | None
) -> None:
    """Charge an answer that was written piece by piece; without a cost, all that was held."""
    cost = held_amount(holds) if dollars is None else dollars_to_micros(dollars)
    spending.settle(holds, Charge(cost, max(meter.requests, meter.replies, 1)))


def held_amount(holds: Sequence[MoneyHold]) -> int:
    """Return the sum of what is held."""
    return sum(hold.amount for hold in holds)
