"""A route as a backend: whoever asks it need not know that there are several."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.deps import RowPolicy, WebDeps
from ...kernel.extract import web_extract, web_extract_many
from ...kernel.laws.filters import FilterPolicy
from ...kernel.planner.fusion import MemberRows, fuse_rows
from ...kernel.planner.money import RequestPrice, replies_amount, search_amount
from ...kernel.planner.planner_targets import PlannerTarget
from ...kernel.planner.state_machine.call_state import Leg
from ...kernel.policy.policy_rules import Policy
from ...kernel.port_answers import backend_about, vouch_outcome
from ...kernel.search import search_one
from ...ports.attempts import BackendAttempt
from ...ports.backends import BackendAbout, Served
from ...ports.errors import WebError
from ...ports.receipts import SearchReceipt
from ...ports.web import SearchOutcome, WebExtractResult, WebSearchQuery
from ..calls.open_backends import OpenBackend
from .calls.route_requests import FunctionRequest
from .driver import Planner
from .outcomes import PlannedOutcome, Winners, unwrap_result

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


# A route as a backend: whoever asks it need not know that there are several.

Page: TypeAlias = Result[WebExtractResult, WebError]
Pages: TypeAlias = tuple[Page, ...]
PageAnswer: TypeAlias = Result[Served, WebError]
Value = TypeVar("Value")


class OpenTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target that is open, and the rules for what it may be asked."""

    backend: OpenBackend
    policy: Policy
    tariff: RequestPrice | None = None


class RoutePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The legs of a route, how much each backend's word counts, and the time for a whole call.

    A ``strict`` route is one target alone. ``rows`` and ``filters`` are the caller's rules.
    """

    legs: tuple[Leg, ...]
    seconds: float
    weights: Mapping[str, float] = {}
    strict: bool = False
    rows: RowPolicy = "strict"
    filters: FilterPolicy = "strict"


class RouteBackend:
    """A ``WebBackend`` that asks along a route. Each answer is judged by the kernel's laws."""

    def __init__(
        self,
        about: BackendAbout,
        plan: RoutePlan,
        targets: Mapping[str, OpenTarget],
        planner: Planner,
    ) -> None:
        """Ask ``targets`` as ``plan`` says."""
        self.about = about
        self._plan = plan
        self._targets = targets
        self.planner = planner
        self._deps = {
            name: WebDeps(
                backend=target.backend, rows=plan.rows, filters=plan.filters, policy=target.policy
            )
            for name, target in targets.items()
        }
        self._searches = SearchPlan(
            legs=plan.legs,
            seconds=plan.seconds,
            strict=plan.strict,
            weights=plan.weights,
            sources={
                name: SearchSource(
                    deps=self._deps[name], about=backend_about(target.backend), tariff=target.tariff
                )
                for name, target in targets.items()
            },
        )

    async def search(self, query: WebSearchQuery, /) -> Result[Served, WebError]:
        """Return the first valid answer, or those of several as one."""
        found = await self._search_vouched(query)
        if isinstance(found, SearchOutcome):
            return Success(Served(answer=(), outcome=found))
        return Failure(found)

    def _search_vouched(self, query: WebSearchQuery, /) -> Awaitable[SearchOutcome | WebError]:
        """Return the same as the kernel made it, for a caller who has nothing to add."""
        plan = self._searches
        return self.planner.call(RouteSearchRequest(plan, plan.legs, query))

    async def extract(self, url: str, /) -> PageAnswer:
        """Return the page from the first that can read it."""
        return await self._read(url, self._plan.legs, ())

    async def extract_many(self, urls: Sequence[str], /) -> tuple[PageAnswer, ...]:
        """Have one read all pages, and the others those that it could not."""

        async def ask(name: str) -> Pages | WebError:
            pages = await web_extract_many(urls, self._deps[name])
            return pages if _is_answer(pages) else pages[0].failure()

        planned = await self._call(self._plan.legs, ask, len(urls))
        if planned.error is not None:
            return (Failure(planned.error),) * len(urls)
        target, pages = planned.winners[0]
        others = _without(self._plan.legs, target.name)
        return tuple(
            [
                await self._finished(url, page, target.backend, others, planned.attempts)
                for url, page in zip(urls, pages, strict=True)
            ]
        )

    async def aclose(self) -> None:
        """Close every target, and write down what was learned."""
        await self.planner.aclose()
        for target in self._targets.values():
            await target.backend.aclose()

    async def _finished(
        self,
        url: str,
        page: Page,
        backend: str,
        others: tuple[Leg, ...],
        attempts: tuple[BackendAttempt, ...],
    ) -> PageAnswer:
        if isinstance(page, Success):
            return Success(_served(page.unwrap(), backend, attempts))
        if not others or page.failure().facts.verdict.move == "stop":
            return Failure(page.failure())
        second = await self._read(url, others, attempts)
        # The first one's word about the page is worth more than that others failed, too.
        return second if isinstance(second, Success) else Failure(page.failure())

    async def _read(
        self, url: str, legs: tuple[Leg, ...], before: tuple[BackendAttempt, ...]
    ) -> PageAnswer:
        async def ask(name: str) -> WebExtractResult | WebError:
            return unwrap_result(await web_extract(url, self._deps[name]))

        planned = await self._call(legs, ask)
        if planned.error is not None:
            return Failure(planned.error)
        target, page = planned.winners[0]
        return Success(_served(page, target.backend, (*before, *planned.attempts)))

    async def _call(
        self,
        legs: tuple[Leg, ...],
        ask: Callable[[str], Awaitable[Value | WebError]],
        pages: int = 1,
    ) -> PlannedOutcome[Value]:
        plan = self._plan
        return await self.planner.call(
            FunctionRequest(
                legs=legs,
                ask=ask,
                seconds=plan.seconds,
                amount=lambda target, _replies: target.price * pages,
                strict=plan.strict,
            )
        )


def _served(page: WebExtractResult, backend: str, attempts: tuple[BackendAttempt, ...]) -> Served:
    answer = {
        "url": page.url,
        "final_url": page.final_url,
        "title": page.title,
        "content": page.content,
        "raw_content": page.raw_content,
        "metadata": page.metadata,
    }
    return Served(
        answer=answer,
        warnings=(*detour_text(attempts, backend), *page.receipt.warnings),
        by=backend,
        attempts=attempts,
    )


def _is_answer(pages: Pages) -> bool:
    """Tell whether a backend did its work: one page came, or what failed is the pages' own."""
    return any(
        isinstance(page, Success)
        or not (page.failure().facts.verdict.blames or page.failure().facts.verdict.cools)
        for page in pages
    )


def _without(legs: tuple[Leg, ...], name: str) -> tuple[Leg, ...]:
    """Return the legs without the backend of a target."""
    shorter = [
        msgspec.structs.replace(
            leg, members=tuple(member for member in leg.members if name not in member)
        )
        for leg in legs
    ]
    return tuple(leg for leg in shorter if leg.members)
