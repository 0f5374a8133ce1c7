"""A search along a route: whom it asks how, and what comes of one answer or of several."""

from collections.abc import Awaitable, Callable, Mapping, Sequence

import msgspec

from ....kernel.deps import WebDeps
from ....kernel.planner.fusion import MemberRows, fuse_rows
from ....kernel.planner.money.request_prices import RequestPrice, replies_amount, search_amount
from ....kernel.planner.planner_targets import PlannerTarget
from ....kernel.planner.state_machine.call_state import Leg
from ....kernel.port_answers import vouch_outcome
from ....kernel.search import search_one
from ....ports.backends import BackendAbout
from ....ports.errors import WebError
from ....ports.planning.attempts import BackendAttempt
from ....ports.receipts import SearchReceipt
from ....ports.web import SearchOutcome, WebSearchQuery
from .outcomes import Winners

replace = msgspec.structs.replace


class SearchSource(msgspec.Struct, frozen=True, kw_only=True):
    """One target that is open: by which rules it is asked, what it says of itself, its prices."""

    deps: WebDeps
    about: BackendAbout
    tariff: RequestPrice | None = None


class SearchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What all searches along a route have in common; each word has a weight in fusion."""

    legs: tuple[Leg, ...]
    seconds: float
    strict: bool
    weights: Mapping[str, float]
    sources: Mapping[str, SearchSource]


class RouteSearchRequest(msgspec.Struct, frozen=True, gc=False):
    """One query along a route, whose outcome is one that the kernel made."""

    plan: SearchPlan
    legs: tuple[Leg, ...]
    query: WebSearchQuery

    @property
    def seconds(self) -> float:
        """How long all of it may take."""
        return self.plan.seconds

    @property
    def strict(self) -> bool:
        """Whether it asks one alone."""
        return self.plan.strict

    def ask(self, name: str, /) -> Awaitable[SearchOutcome | WebError]:
        """Ask one target."""
        source = self.plan.sources[name]
        return search_one(self.query, source.deps, source.about)

    def amount(self, target: PlannerTarget, replies: int | None, /) -> int:
        """Return what a search may cost at most; after it, what it came to by its replies."""
        tariff = self.plan.sources[target.name].tariff
        if tariff is None:
            return target.price
        if replies is None:
            return search_amount(tariff, self.query)
        return replies_amount(tariff, self.query, max(replies, 1))

    def answered(
        self, winners: Winners[SearchOutcome], attempts: tuple[BackendAttempt, ...], /
    ) -> SearchOutcome:
        """Return the one answer, or all of them as one."""
        outcome = winners[0][1] if len(winners) == 1 else self._joined(winners)
        receipt = outcome.receipt
        if len(attempts) == 1:
            return vouch_outcome(outcome, replace(receipt, attempts=attempts))
        warnings = (*detour_text(attempts, receipt.backend), *receipt.warnings)
        return vouch_outcome(outcome, replace(receipt, attempts=attempts, warnings=warnings))

    def failed(self, error: WebError, _attempts: tuple[BackendAttempt, ...], /) -> WebError:
        """Return why there is none."""
        return error

    def _joined(self, winners: Winners[SearchOutcome]) -> SearchOutcome:
        """Return all answers fused into one."""
        outcomes = [outcome for _, outcome in winners]
        fused = fuse_rows(
            [
                MemberRows(
                    backend=target.backend,
                    rows=outcome.rows,
                    weight=self.plan.weights.get(target.backend, 1.0),
                )
                for target, outcome in winners
            ]
        )[: self.query.max_results]
        rows = tuple(
            replace(one.row, position=place, score=round(one.score, 6), found_by=one.found_by)
            for place, one in enumerate(fused, 1)
        )
        return replace(
            outcomes[0],
            rows=rows,
            answer=next((one.answer for one in outcomes if one.answer is not None), None),
            rejected=tuple(row for one in outcomes for row in one.rejected),
            receipt=_summed(outcomes, len(rows)),
        )


def _summed(outcomes: Sequence[SearchOutcome], row_count: int) -> SearchReceipt:
    """Return one receipt for several answers: counts added up, names of filters joined."""
    receipts = [one.receipt for one in outcomes]

    def total(count: Callable[[SearchReceipt], int]) -> int:
        return sum(map(count, receipts))

    def names(of: Callable[[SearchReceipt], tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for receipt in receipts for name in of(receipt)))

    rows = sum(len(one.rows) for one in outcomes)
    return replace(
        receipts[0],
        backend="+".join(receipt.backend for receipt in receipts),
        applied=names(lambda one: one.applied),
        emulated=names(lambda one: one.emulated),
        refused=names(lambda one: one.refused),
        returned=total(lambda one: one.returned),
        rejected=total(lambda one: one.rejected),
        trimmed=total(lambda one: one.trimmed) + rows - row_count,
        filtered=total(lambda one: one.filtered),
        blocked=total(lambda one: one.blocked),
        warnings=names(lambda one: one.warnings),
    )


def detour_text(attempts: Sequence[BackendAttempt], winner: str) -> tuple[str, ...]:
    """Say in words who gave no answer, when somebody else did."""
    failed = dict.fromkeys(
        f"{one.backend} ({one.outcome})"
        for one in attempts
        if one.outcome not in ("answered", "cancelled", "unfinished", "probed_elsewhere")
        and one.backend not in winner.split("+")
    )
    return (f"{', '.join(failed)} gave no answer, {winner} did",) if failed else ()
