"""How a planned call ended: who answered, who was asked, and why nobody did."""

from collections.abc import Mapping
from typing import Generic, TypeAlias, TypeVar

import msgspec
from returns.result import Result, Success

from ...kernel.planner.money import MICROS
from ...kernel.planner.planner_targets import INFINITY, PlannerTarget
from ...kernel.planner.state_machine.call_state import Attempt, FinishCall, PlannerCall
from ...ports.attempts import BackendAttempt
from ...ports.errors import (
    BudgetExceeded,
    DeadlineExceeded,
    NobodyAnswered,
    NotConfigured,
    WaitedTooLong,
    WebError,
)
from ...ports.planning import Purse

Value = TypeVar("Value")


def unwrap_result(result: Result[Value, WebError]) -> Value | WebError:
    """Return what is in a ``Result``: the planner goes by what an answer is."""
    return result.unwrap() if isinstance(result, Success) else result.failure()


Pots: TypeAlias = tuple[Purse, ...]


class SpendingTally(msgspec.Struct, eq=False):
    """What was spent out of some purses, in how many calls, and is not booked yet."""

    purses: Pots
    spent: int = 0
    calls: int = 0


class MoneyHold(msgspec.Struct, frozen=True, kw_only=True):
    """Money that is held for one attempt: in the ledger under ``number``, or only counted later."""

    amount: int
    tally: SpendingTally
    number: int | None = None
    target: str = ""


class TargetTerms(msgspec.Struct, frozen=True, kw_only=True):
    """What asking a target takes: ``free`` costs nothing, ``priced`` has a price that is known.

    ``setting`` is what says the price of one that has none. ``seconds`` is how long one attempt may
    take; None leaves that to the target.
    """

    free: bool = False
    priced: bool = True
    setting: str = ""
    seconds: float | None = None


# Those that answered: each target, and what it gave.
Winners: TypeAlias = tuple[tuple[PlannerTarget, Value], ...]


class PlannedOutcome(msgspec.Struct, Generic[Value], frozen=True, kw_only=True):
    """How a call ended: with winners, in the order of the route, or with an error."""

    winners: Winners[Value] = ()
    attempts: tuple[BackendAttempt, ...] = ()
    error: WebError | None = None


def receipt_line(attempt: Attempt, target: PlannerTarget, cost: int, now: float) -> BackendAttempt:
    """Return an attempt as receipts have it."""
    ended = attempt.ended if attempt.over else now
    cooled = attempt.cooled_until
    return BackendAttempt(
        backend=target.backend,
        key=target.key,
        why=attempt.why,
        outcome=attempt.outcome or "unfinished",
        milliseconds=max(round((ended - attempt.start) * 1000), 0),
        cost=cost / MICROS,
        cooled_until=round(cooled, 3) if now < cooled < INFINITY else None,
    )


class CallEnding(msgspec.Struct, frozen=True, kw_only=True):
    """A call that is over, and all that is known of it: errors by the number of their attempt."""

    call: PlannerCall
    finish: FinishCall
    targets: Mapping[str, PlannerTarget]
    errors: Mapping[int, WebError]
    attempts: tuple[BackendAttempt, ...]
    seconds: float
    now: float

    def error(self) -> WebError:
        """Say why nobody answered: one failure as it is, several as a list."""
        end = self.finish
        if end.cause is not None:
            return self.errors[end.cause]
        if end.why in ("waited", "crowded"):
            return WaitedTooLong(waited=self.seconds if end.why == "waited" else 0.0)
        known = [self.errors[one.id] for one in self.call.attempts if one.id in self.errors]
        resting = self._resting()
        if end.why == "deadline" and not known:
            backend = self.targets[self.call.attempts[-1].target].backend
            return DeadlineExceeded(deadline=self.seconds, backend=backend)
        if known and not resting and len({error.backend for error in known}) == 1:
            return known[-1]
        refused = [error for error in known if isinstance(error, NotConfigured | BudgetExceeded)]
        short = next((one for one in refused if isinstance(one, BudgetExceeded)), None)
        if refused and len(refused) == len(known) and not (short and resting):
            # Nobody was asked. The setting to raise, or to set, says more than that, and to try
            # again does not help.
            return short or refused[0]
        again_in = round(end.again_at - self.now, 1) if end.again_at < INFINITY else 0.0
        return NobodyAnswered(
            attempts=self.attempts,
            resting=resting,
            # Somebody may be asked again at once, or nobody knows.
            again_in=again_in if again_in > 0 else None,
            setting=next((one.setting for one in known if isinstance(one, BudgetExceeded)), ""),
        )

    def _resting(self) -> tuple[str, ...]:
        names_asked = {attempt.target for attempt in self.call.attempts}
        names = [name for leg in self.call.legs for member in leg.members for name in member]
        targets = [self.targets[name] for name in names if name not in names_asked]
        return tuple(dict.fromkeys(target.backend for target in targets))
