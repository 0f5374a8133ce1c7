"""The outcomes of planned calls: winners, attempts, or the error."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Generic, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace
from returns.result import Result, Success

from webseam.kernel.planner.call_state import Attempt, FinishCall, PlannerCall
from webseam.kernel.planner.money import MICROS_PER_DOLLAR
from webseam.kernel.planner.planner_targets import INFINITY, PlannerTarget
from webseam.kernel.planner.refusals import refusal_rest_end
from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import (
    BudgetExceeded,
    DeadlineExceeded,
    NobodyAnswered,
    NotConfigured,
    UnsupportedFilter,
    WaitedTooLong,
    WebError,
)
from webseam.ports.errors.error_fields import MAX_PAUSE_SECONDS
from webseam.ports.errors.planner import RestCause

Value = TypeVar("Value")


def unwrap_planned_result(result: Result[Value, WebError]) -> Value | WebError:
    """Return the value or the error of a ``Result``; the planner takes plain values."""
    return result.unwrap() if isinstance(result, Success) else result.failure()


# The targets that answered, with their answers.
Winners: TypeAlias = tuple[tuple[PlannerTarget, Value], ...]


class PlannedOutcome(msgspec.Struct, Generic[Value], frozen=True, kw_only=True):
    """The end of a call: winners in route order, or an error."""

    winners: Winners[Value] = ()
    attempts: tuple[BackendAttempt, ...] = ()
    error: WebError | None = None


def attempt_receipt_line(
    attempt: Attempt, target: PlannerTarget, cost: int | None, now: float
) -> BackendAttempt:
    """Return an attempt in the form of receipts; ``cost`` is None if it is unknown."""
    ended = attempt.ended if attempt.over else now
    cooled = attempt.cooled_until
    return BackendAttempt(
        backend=target.backend,
        key=target.key,
        why=attempt.why,
        outcome=attempt.outcome or "unfinished",
        milliseconds=max(round((ended - attempt.start) * 1000), 0),
        cost=None if cost is None else cost / MICROS_PER_DOLLAR,
        cooled_until=round(cooled, 3) if now < cooled < INFINITY else None,
    )


def split_retried_line(
    line: BackendAttempt, retried: tuple[tuple[str, float], ...], start: float
) -> tuple[BackendAttempt, ...]:
    """Return a line for each retry that the target's own client made, and the last one's."""
    lines: list[BackendAttempt] = []
    for outcome, ended in retried:
        took = min(max(round((ended - start) * 1000), 0), line.milliseconds)
        lines.append(
            BackendAttempt(
                backend=line.backend, key=line.key, why=line.why, outcome=outcome, milliseconds=took
            )
        )
        line, start = replace(line, why="again", milliseconds=line.milliseconds - took), ended
    return (*lines, line)


class CallEnding(msgspec.Struct, frozen=True, kw_only=True):
    """A finished call; ``errors`` are by the number of their attempt."""

    call: PlannerCall
    finish: FinishCall
    targets: Mapping[str, PlannerTarget]
    errors: Mapping[int, WebError]
    seconds: float
    now: float
    max_tries: int

    def make_error(self) -> WebError:
        """Return why no target answered: a single failure as it is, several as a list."""
        end = self.finish
        if end.cause is not None:
            return self.errors[end.cause]
        if end.why in ("waited", "crowded"):
            return WaitedTooLong(waited=self.seconds if end.why == "waited" else 0.0)
        errors = [
            self.errors[attempt.id] for attempt in self.call.attempts if attempt.id in self.errors
        ]
        resting = self._resting_backends()
        if end.why == "deadline" and not errors:
            backend = self.targets[self.call.attempts[-1].target].backend
            return DeadlineExceeded(deadline=self.seconds, backend=backend)
        if errors and not resting and len({error.backend for error in errors}) == 1:
            return errors[-1]
        if (unasked_error := _unasked_error(errors, has_resting=bool(resting))) is not None:
            return unasked_error
        again_in = round(end.again_at - self.now, 1) if end.again_at < INFINITY else 0.0
        again_in = min(again_in, MAX_PAUSE_SECONDS)
        return NobodyAnswered(
            resting=tuple(resting),
            causes=resting,
            # None: a target may be asked at once, or the time is unknown.
            again_in=again_in if again_in > 0 else None,
            setting=next(
                (error.setting for error in errors if isinstance(error, BudgetExceeded)), ""
            ),
            filters=_unsupported_filter_values(errors),
            retryable=not errors
            or bool(resting)
            or again_in > 0
            or end.why != "nobody"
            or any(error.retryable for error in errors),
        )

    def _resting_backends(self) -> dict[str, RestCause]:
        """Return the backends with a key that was not asked, each with the cause of its rest.

        One that was asked as often as a call may ask, with other keys, does not rest.
        """
        asked = [attempt.target for attempt in self.call.attempts]
        tries = Counter(self.targets[name].backend for name in asked)
        members = [names for leg in self.call.legs for names in leg.members]
        names = [name for member in members for name in member]
        failed = {
            self.targets[attempt.target].backend for attempt in self.call.attempts if attempt.blamed
        }
        unasked = [
            self.targets[name]
            for name in names
            if name not in asked and self.targets[name].backend not in failed
        ]
        return {
            target.backend: self._rest_cause(target)
            for target in unasked
            if tries[target.backend] < self.max_tries
        }

    def _rest_cause(self, target: PlannerTarget) -> RestCause:
        if target.cool_until > self.now:
            return target.cool_why or "failed"
        if refusal_rest_end(target, self.call.owner) > self.now:
            return "refused"
        return "failed"


def _unasked_error(errors: Sequence[WebError], *, has_resting: bool) -> WebError | None:
    """Return the error if no target was asked; None if one was.

    The setting or filter to change explains that best, and a retry does not help.
    """
    settings = [error for error in errors if isinstance(error, NotConfigured | BudgetExceeded)]
    budget_error = next((error for error in settings if isinstance(error, BudgetExceeded)), None)
    if settings and len(settings) == len(errors) and not (budget_error and has_resting):
        return budget_error or settings[0]
    unsupported = [error for error in errors if isinstance(error, UnsupportedFilter)]
    if not unsupported or has_resting or len(unsupported) < len(errors):
        return None
    values = _unsupported_filter_values(errors)
    return UnsupportedFilter(
        filters=tuple(values),
        values={name: value for name, value in values.items() if value},
        backends=tuple(dict.fromkeys(error.backend or "" for error in unsupported)),
    )


def _unsupported_filter_values(errors: Sequence[WebError]) -> dict[str, str]:
    """Return each filter that a backend refused; with its value if any backend has the filter."""
    refusals = [error for error in errors if isinstance(error, UnsupportedFilter)]
    names = {name: "" for error in refusals for name in error.filters}
    return names | {name: value for error in refusals for name, value in error.values.items()}
