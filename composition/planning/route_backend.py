"""Offer a route of several targets as one backend."""

import asyncio
import functools
import hashlib
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.kernel.deps import RowPolicy, WebDeps
from webseam.kernel.extract import web_extract, web_extract_many
from webseam.kernel.laws.field_checks import clamp_max_results
from webseam.kernel.laws.filters import FilterPlan, FilterPolicy, page_rows, plan_query_filters
from webseam.kernel.pages.page_record import page_reading
from webseam.kernel.planner.call_state import Leg
from webseam.kernel.planner.fusion import MemberRows, fuse_member_rows
from webseam.kernel.planner.money import MICROS_PER_DOLLAR, RequestPrice, requests_price_micros
from webseam.kernel.planner.planner_targets import PlannerTarget
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.port_answers import CheckedRoute, backend_about, vouch_search_outcome
from webseam.kernel.search import search_one_backend
from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import BackendAbout, Served
from webseam.ports.errors import UnsupportedFilter, WebError
from webseam.ports.receipts import SearchReceipt, add_usage
from webseam.ports.web import MAX_RESULTS, SearchOutcome, WebExtractResult, WebSearchQuery

from .driver import Planner
from .open_backends import OpenBackend
from .outcomes import PlannedOutcome, Winners, unwrap_planned_result
from .route_requests import FunctionRequest

# Attempts that ended in no failure of the backend.
_OUTCOMES_WITHOUT_FAULT = ("answered", "cancelled", "unfinished", "probed_elsewhere")


class SearchSource(msgspec.Struct, frozen=True, kw_only=True):
    """An open search target: its rules, its self-description and its prices."""

    deps: WebDeps
    about: BackendAbout
    tariff: RequestPrice | None = None


class SearchPlan(msgspec.Struct, frozen=True, kw_only=True):
    """What all searches along a route share; ``weights`` are for the fusion of answers."""

    legs: tuple[Leg, ...]
    seconds: float
    strict: bool
    weights: Mapping[str, float]
    sources: Mapping[str, SearchSource]


class RouteSearchRequest(msgspec.Struct, frozen=True, gc=False):
    """One query along a route; its outcome is made by the kernel."""

    plan: SearchPlan
    legs: tuple[Leg, ...]
    query: WebSearchQuery

    @property
    def seconds(self) -> float:
        """The time limit of the call."""
        return self.plan.seconds

    @property
    def strict(self) -> bool:
        """Whether it asks a single target."""
        return self.plan.strict

    def ask(self, name: str, /) -> Awaitable[SearchOutcome | WebError]:
        """Ask one target."""
        source, page = self.plan.sources[name], self.query.page
        if page is None or fused_step(self.plan, source.about.name) is None:
            return search_one_backend(self.query, source.deps, source.about)
        return self._ask_up_to_page(source, page)

    async def _ask_up_to_page(self, source: SearchSource, page: int) -> SearchOutcome | WebError:
        """Ask a fused target for all rows up to the end of the page, which is cut out of them."""
        rows = page_rows(self.query) * page
        if rows > MAX_RESULTS:
            return UnsupportedFilter(
                filters=("page",), values={"page": str(page)}, backend=source.about.name
            )
        query = replace(self.query, page=None, max_results=rows)
        return await search_one_backend(query, source.deps, source.about)

    @property
    def spent(self) -> int:
        """Nothing: a search is one call of the planner."""
        return 0

    @property
    def subject(self) -> str:
        """A digest of the query's words."""
        words = self.query.query.encode("utf-8", "surrogatepass")
        return hashlib.blake2b(words, digest_size=8, usedforsecurity=False).hexdigest()

    @property
    def reserved_requests(self) -> float:
        """One: a search that pages reserves each page before it asks for it."""
        return 1

    def call_cost(self, target: PlannerTarget, requests: int, /) -> int:
        """Return the most that so many requests of a search cost."""
        if (tariff := self.plan.sources[target.name].tariff) is None:
            return target.price * requests
        return requests_price_micros(tariff, self.query, requests)

    def answered_outcome(
        self, winners: Winners[SearchOutcome], attempts: tuple[BackendAttempt, ...], /
    ) -> SearchOutcome:
        """Return the single answer, or all answers fused."""
        step = fused_step(self.plan, winners[0][0].backend)
        # One answer of a fused step is fused alone, so that its rows have the same fields.
        outcome = winners[0][1] if step is None else self._fuse_outcomes(winners)
        receipt = replace(outcome.receipt, attempts=attempts)
        detours = route_detour_text(attempts, receipt.backend) if len(attempts) > 1 else ()
        unheard: tuple[str, ...] = ()
        if step is not None:
            missing = missing_members(self.plan, step, receipt.backend)
            unheard = unheard_members_text(missing.backends, attempts)
        if detours or unheard:
            receipt = replace(receipt, warnings=(*detours, *unheard, *receipt.warnings))
        return replace(outcome, receipt=receipt)

    def failed_outcome(self, error: WebError, _attempts: tuple[BackendAttempt, ...], /) -> WebError:
        """Return the error."""
        return error

    def _fuse_outcomes(self, winners: Winners[SearchOutcome]) -> SearchOutcome:
        outcomes = [outcome for _, outcome in winners]
        fused = fuse_member_rows(
            [
                MemberRows(
                    backend=target.backend,
                    rows=outcome.rows,
                    weight=self.plan.weights.get(target.backend, 1.0),
                )
                for target, outcome in winners
            ]
        )
        limit = clamp_max_results(self.query.max_results)
        page = self.query.page
        # The page of a fused search is cut out of the fused rows: nothing comes twice.
        skipped = 0 if page is None else (page - 1) * page_rows(self.query)
        shown = fused[skipped:] if limit is None else fused[skipped : skipped + limit]
        rows = tuple(
            replace(hit.row, position=position, score=round(hit.score, 6), found_by=hit.found_by)
            for position, hit in enumerate(shown, 1)
        )
        receipt = _fused_receipt(outcomes, pages=len(fused), shown=len(rows), limit=limit)
        if page is not None:
            receipt = replace(
                receipt,
                filters=(*receipt.filters, "page"),
                emulated=(*receipt.emulated, "page"),
                asked_max_results=self.query.max_results,
                clamped=limit != self.query.max_results,
            )
        return replace(
            outcomes[0],
            rows=rows,
            answer=next(
                (outcome.answer for outcome in outcomes if outcome.answer is not None), None
            ),
            rejected=tuple(row for outcome in outcomes for row in outcome.rejected),
            receipt=replace(
                receipt, warnings=(*receipt.warnings, *_unshown_answers_text(outcomes))
            ),
        )


def _unshown_answers_text(outcomes: Sequence[SearchOutcome]) -> tuple[str, ...]:
    """Return a warning that names the backends whose prose is left out: a result has one answer."""
    answered = [outcome.receipt.backend for outcome in outcomes if outcome.answer is not None]
    if not answered[1:]:
        return ()
    return (f"the answer is that of {answered[0]}; left out: {', '.join(answered[1:])}",)


def _fused_receipt(
    outcomes: Sequence[SearchOutcome], *, pages: int, shown: int, limit: int | None
) -> SearchReceipt:
    """Return one receipt for several answers: counts summed, names of filters joined.

    The rows are for so many ``pages``, of which so many are ``shown``.
    """
    receipts = [outcome.receipt for outcome in outcomes]

    def total(count: Callable[[SearchReceipt], int]) -> int:
        return sum(map(count, receipts))

    def names(of: Callable[[SearchReceipt], tuple[str, ...]]) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for receipt in receipts for name in of(receipt)))

    rows = sum(len(outcome.rows) for outcome in outcomes)
    return replace(
        receipts[0],
        backend="+".join(receipt.backend for receipt in receipts),
        sent=names(lambda receipt: receipt.sent),
        emulated=names(lambda receipt: receipt.emulated),
        # The rows of every backend were checked, or nothing can be said of all rows.
        verified=tuple(
            name
            for name in receipts[0].verified
            if all(name in receipt.verified for receipt in receipts)
        ),
        refused=names(lambda receipt: receipt.refused),
        returned=total(lambda receipt: receipt.returned),
        rejected=total(lambda receipt: receipt.rejected),
        trimmed=total(lambda receipt: receipt.trimmed) + pages - shown,
        merged=total(lambda receipt: receipt.merged) + rows - pages,
        max_results=limit,
        clamped=limit != receipts[0].asked_max_results,
        usage=functools.reduce(add_usage, [receipt.usage for receipt in receipts]),
        filtered=total(lambda receipt: receipt.filtered),
        undated=total(lambda receipt: receipt.undated),
        blocked=total(lambda receipt: receipt.blocked),
        warnings=names(lambda receipt: receipt.warnings),
        unread=names(lambda receipt: receipt.unread),
    )


class MissingMembers(NamedTuple):
    """The backends of a fused step that are not in the answer.

    ``is_short`` tells that fewer backends answered than the step asks for.
    """

    backends: tuple[str, ...] = ()
    is_short: bool = False


def fused_step(plan: SearchPlan, winner: str) -> Leg | None:
    """Return the step whose answers are fused, if a backend that answered belongs to one."""
    for leg in plan.legs:
        if winner in _member_backends(plan, leg):
            return leg if leg.fuse else None
    return None


def _member_backends(plan: SearchPlan, leg: Leg) -> list[str]:
    return [plan.sources[member[0]].about.name for member in leg.members]


def missing_members(plan: SearchPlan, step: Leg, winner: str) -> MissingMembers:
    """Return the backends of a fused step that are not in the answer."""
    names = _member_backends(plan, step)
    answered = winner.split("+")
    missing = tuple(name for name in names if name not in answered)
    answers = len(names) - len(missing)
    return MissingMembers(missing, answers < (step.quorum or len(names)))


def unheard_members_text(
    missing: Sequence[str], attempts: Sequence[BackendAttempt]
) -> tuple[str, ...]:
    """Return a warning that names the missing backends that did not fail."""
    asked = {attempt.backend for attempt in attempts}
    failed = failed_backends(attempts)
    late = [name for name in missing if name in asked and name not in failed]
    unasked = [name for name in missing if name not in asked]
    texts: list[str] = []
    if late:
        texts.append(f"the answer of {', '.join(late)} was not waited for")
    if unasked:
        texts.append(f"{', '.join(unasked)} was not asked")
    return tuple(texts)


def failed_backends(attempts: Sequence[BackendAttempt]) -> set[str]:
    """Return the backends of which an attempt failed."""
    return {
        attempt.backend for attempt in attempts if attempt.outcome not in _OUTCOMES_WITHOUT_FAULT
    }


def route_detour_text(attempts: Sequence[BackendAttempt], winner: str) -> tuple[str, ...]:
    """Return a warning that names the backends that failed before another answered."""
    failed = dict.fromkeys(
        f"{attempt.backend} ({attempt.outcome})"
        for attempt in attempts
        if attempt.outcome not in _OUTCOMES_WITHOUT_FAULT
        and attempt.backend not in winner.split("+")
    )
    return (f"{', '.join(failed)} gave no answer, {winner} did",) if failed else ()


Page: TypeAlias = Result[WebExtractResult, WebError]
Pages: TypeAlias = tuple[Page, ...]
PageAnswer: TypeAlias = Result[Served, WebError]
Value = TypeVar("Value")


class OpenTarget(msgspec.Struct, frozen=True, kw_only=True):
    """An open target, and the policy for its requests."""

    backend: OpenBackend
    policy: Policy
    tariff: RequestPrice | None = None


class RoutePlan(msgspec.Struct, frozen=True, kw_only=True):
    """The legs of a route, the weight of each backend, and the time limit of a call.

    A ``strict`` route is a single target. ``rows`` and ``filters`` are the caller's rules.
    """

    legs: tuple[Leg, ...]
    seconds: float
    weights: Mapping[str, float] = {}
    strict: bool = False
    rows: RowPolicy = "strict"
    filters: FilterPolicy = "strict"


class _RestOfCall(NamedTuple):
    """The legs that may still be asked, when the call ends, and the attempts that it made.

    ``spent`` are the micro-dollars of the whole call, of which the attempts may have a part.
    """

    legs: tuple[Leg, ...]
    ends: float
    before: tuple[BackendAttempt, ...] = ()
    spent: int = 0


class RouteBackend(CheckedRoute):
    """A ``WebBackend`` that asks along a route; the kernel checks each answer."""

    def __init__(
        self,
        about: BackendAbout,
        plan: RoutePlan,
        targets: Mapping[str, OpenTarget],
        planner: Planner,
    ) -> None:
        self.about, self.plan, self._targets, self.planner = about, plan, targets, planner
        self._deps = {
            name: WebDeps(
                backend=target.backend,
                rows=plan.rows,
                filters=plan.filters,
                policy=target.policy,
                keeps_parts=True,
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
        """Return the first valid answer, or several answers fused."""
        if isinstance(outcome := await self.search_checked(query), SearchOutcome):
            receipt = outcome.receipt
            vouched = vouch_search_outcome(outcome, receipt, partial=self._is_partial(receipt))
            return Success(Served(answer=(), outcome=vouched))
        return Failure(outcome)

    def _is_partial(self, receipt: SearchReceipt) -> bool:
        """Tell whether rows are missing that the route asks for, or of a backend that failed."""
        step = fused_step(self._searches, receipt.backend.split("+")[0])
        if step is None:
            return False
        missing = missing_members(self._searches, step, receipt.backend)
        failed = failed_backends(receipt.attempts)
        return missing.is_short or any(name in failed for name in missing.backends)

    def search_checked(self, query: WebSearchQuery, /) -> Awaitable[SearchOutcome | WebError]:
        """Return the kernel's outcome unwrapped, for a caller that adds nothing."""
        plan = self._searches
        return self.planner.call(RouteSearchRequest(plan, plan.legs, query))

    def drops_filters(self, query: WebSearchQuery) -> bool:
        """Tell whether a target is asked without a filter of the query that it does not have."""
        if self.plan.filters == "strict":
            return False
        plans = (
            plan_query_filters(query, source.about.abilities, "best-effort")
            for source in self._searches.sources.values()
        )
        return any(isinstance(plan, FilterPlan) and bool(plan.refused) for plan in plans)

    async def extract(self, url: str, /) -> PageAnswer:
        """Return the page from the first target that can read it."""
        ends = asyncio.get_running_loop().time() + self.plan.seconds
        return await self._extract_along(url, _RestOfCall(self.plan.legs, ends))

    async def extract_many(self, urls: Sequence[str], /) -> tuple[PageAnswer, ...]:
        """Have one target read all pages, and the others the pages that it could not read."""

        async def ask(name: str) -> Pages | WebError:
            pages = await web_extract_many(urls, self._deps[name])
            return pages if _is_route_backend_working(pages) else pages[0].failure()

        ends = asyncio.get_running_loop().time() + self.plan.seconds
        planned = await self._call_planner(self.plan.legs, ask, ends, pages=len(urls))
        if planned.error is not None:
            return (Failure(planned.error),) * len(urls)
        target, pages = planned.winners[0]
        others = _legs_without_target(self.plan.legs, target.name)
        # One call read all pages, so each page has its part of the cost.
        attempts = tuple(_split_cost(attempt, len(urls)) for attempt in planned.attempts)
        spent = round(sum(attempt.cost or 0.0 for attempt in planned.attempts) * MICROS_PER_DOLLAR)
        rest = _RestOfCall(others, ends, attempts, spent)
        return tuple(
            [
                await self._finish_page(url, page, target.backend, rest)
                for url, page in zip(urls, pages, strict=True)
            ]
        )

    async def aclose(self) -> None:
        """Close every target, and write what was learned."""
        await self.planner.aclose()
        for target in self._targets.values():
            await target.backend.aclose()

    async def _finish_page(
        self, url: str, page: Page, backend: str, rest: _RestOfCall
    ) -> PageAnswer:
        attempts = rest.before
        if isinstance(page, Success):
            return Success(_serve_route_page(page.unwrap(), backend, attempts))
        error = replace(page.failure(), attempts=attempts)
        if not rest.legs or error.facts.verdict.move == "stop":
            return Failure(error)
        second = await self._extract_along(url, rest)
        if isinstance(second, Success):
            return second
        # The first target's error about the page says more than the later failures.
        return Failure(replace(error, attempts=(*attempts, *second.failure().attempts)))

    async def _extract_along(self, url: str, rest: _RestOfCall) -> PageAnswer:
        async def ask(name: str) -> WebExtractResult | WebError:
            return unwrap_planned_result(await web_extract(url, self._deps[name]))

        planned = await self._call_planner(rest.legs, ask, rest.ends, spent=rest.spent)
        if planned.error is not None:
            return Failure(planned.error)
        target, page = planned.winners[0]
        return Success(_serve_route_page(page, target.backend, (*rest.before, *planned.attempts)))

    async def _call_planner(
        self,
        legs: tuple[Leg, ...],
        ask: Callable[[str], Awaitable[Value | WebError]],
        ends: float,
        *,
        pages: int = 1,
        spent: int = 0,
    ) -> PlannedOutcome[Value]:
        """Call the planner, as a part of a call that ends at a time and has spent money."""
        plan = self.plan
        return await self.planner.call(
            FunctionRequest(
                legs=legs,
                ask=ask,
                seconds=max(ends - asyncio.get_running_loop().time(), 0.0),
                spent=spent,
                call_cost=lambda target, _requests: target.price * pages,
                strict=plan.strict,
            )
        )


def _split_cost(attempt: BackendAttempt, pages: int) -> BackendAttempt:
    """Return an attempt with the cost of one of its pages."""
    return replace(attempt, cost=None if attempt.cost is None else attempt.cost / pages)


def _serve_route_page(
    page: WebExtractResult, backend: str, attempts: tuple[BackendAttempt, ...]
) -> Served:
    answer = {
        "url": page.url,
        "final_url": page.final_url,
        "title": page.title,
        "content": page.content,
        "raw_content": page.raw_content if page.receipt.raw else None,
        "metadata": page.metadata,
    }
    return Served(
        answer=answer,
        warnings=(*route_detour_text(attempts, backend), *page.receipt.warnings),
        by=backend,
        attempts=attempts,
        usage=page.receipt.usage,
        unread=page.receipt.unread,
        reading=page_reading(page),
    )


def _is_route_backend_working(pages: Pages) -> bool:
    """Return whether a backend worked: a page came, or only the pages are to blame."""
    return any(
        isinstance(page, Success)
        or not (page.failure().facts.verdict.blames or page.failure().facts.verdict.cools)
        for page in pages
    )


def _legs_without_target(legs: tuple[Leg, ...], name: str) -> tuple[Leg, ...]:
    shorter_legs = [
        replace(leg, members=tuple(member for member in leg.members if name not in member))
        for leg in legs
    ]
    return tuple(leg for leg in shorter_legs if leg.members)
