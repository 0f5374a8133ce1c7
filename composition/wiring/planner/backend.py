"""A route as a backend: whoever asks it need not know that there are several."""

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.answers import about_of, vouched
from ....kernel.deps import RowPolicy, WebDeps
from ....kernel.extract import web_extract, web_extract_many
from ....kernel.laws.filters import FilterPolicy
from ....kernel.planner.fold.calls import Leg
from ....kernel.planner.fusion import Listing, fuse
from ....kernel.planner.health.verdicts import judge
from ....kernel.planner.money.tariffs import Tariff, replies_amount, search_amount
from ....kernel.planner.targets import Target
from ....kernel.policy.rules import Policy
from ....kernel.search import search_one
from ....ports.backends import BackendAbout, Served
from ....ports.errors import WebError
from ....ports.planning.attempts import BackendAttempt
from ....ports.receipts import SearchReceipt
from ....ports.web import SearchOutcome, WebExtractResult, WebSearchQuery
from ...calls.closing import OpenBackend
from .driver import Planner
from .execution import Errand
from .outcomes import Planned, Winner, bare

Page: TypeAlias = Result[WebExtractResult, WebError]
Pages: TypeAlias = tuple[Page, ...]
PageAnswer: TypeAlias = Result[Served, WebError]
Value = TypeVar("Value")


class RouteTarget(msgspec.Struct, frozen=True, kw_only=True):
    """A target that is open, and the rules for what it may be asked."""

    backend: OpenBackend
    policy: Policy
    tariff: Tariff | None = None


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
        targets: Mapping[str, RouteTarget],
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
        self._abouts = {name: about_of(target.backend) for name, target in targets.items()}

    async def search(self, query: WebSearchQuery, /) -> Result[Served, WebError]:
        """Return the first valid answer, or those of several as one."""
        found = await self.search_vouched(query)
        if isinstance(found, SearchOutcome):
            return Success(Served(answer=(), outcome=found))
        return Failure(found)

    async def search_vouched(self, query: WebSearchQuery, /) -> SearchOutcome | WebError:
        """Return the same as the kernel made it, for a caller who has nothing to add."""
        plan, deps, abouts = self._plan, self._deps, self._abouts
        planned = await self.planner.call(
            Errand(
                legs=plan.legs,
                ask=lambda name: search_one(query, deps[name], abouts[name]),
                seconds=plan.seconds,
                amount=lambda target, replies: self._amount(target, query, replies),
                strict=plan.strict,
            )
        )
        if planned.error is not None:
            return planned.error
        winners, attempts = planned.winners, planned.attempts
        outcome = winners[0].value if len(winners) == 1 else self._joined(winners, query)
        warnings = outcome.receipt.warnings
        if len(attempts) > 1:
            warnings = (*_detour(attempts, outcome.receipt.backend), *warnings)
        receipt = msgspec.structs.replace(outcome.receipt, attempts=attempts, warnings=warnings)
        return vouched(outcome, receipt)

    def _amount(self, target: Target, query: WebSearchQuery, replies: int | None) -> int:
        """Return what a search may cost at most; after it, what it came to by its replies."""
        tariff = self._targets[target.name].tariff
        if tariff is None:
            return target.price
        if replies is None:
            return search_amount(tariff, query)
        return replies_amount(tariff, query, max(replies, 1))

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
        winner = planned.winners[0]
        others = _without(self._plan.legs, winner.target.name)
        return tuple(
            [
                await self._finished(url, page, winner.target.backend, others, planned.attempts)
                for url, page in zip(urls, winner.value, strict=True)
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
        if not others or judge(page.failure()).move == "stop":
            return Failure(page.failure())
        second = await self._read(url, others, attempts)
        # The first one's word about the page is worth more than that others failed, too.
        return second if isinstance(second, Success) else Failure(page.failure())

    async def _read(
        self, url: str, legs: tuple[Leg, ...], before: tuple[BackendAttempt, ...]
    ) -> PageAnswer:
        async def ask(name: str) -> WebExtractResult | WebError:
            return bare(await web_extract(url, self._deps[name]))

        planned = await self._call(legs, ask)
        if planned.error is not None:
            return Failure(planned.error)
        winner = planned.winners[0]
        attempts = (*before, *planned.attempts)
        return Success(_served(winner.value, winner.target.backend, attempts))

    async def _call(
        self,
        legs: tuple[Leg, ...],
        ask: Callable[[str], Awaitable[Value | WebError]],
        pages: int = 1,
    ) -> Planned[Value]:
        plan = self._plan
        return await self.planner.call(
            Errand(
                legs=legs,
                ask=ask,
                seconds=plan.seconds,
                amount=lambda target, _replies: target.price * pages,
                strict=plan.strict,
            )
        )

    def _joined(
        self, winners: tuple[Winner[SearchOutcome], ...], query: WebSearchQuery
    ) -> SearchOutcome:
        """Return all answers fused into one."""
        first, weights = winners[0].value, self._plan.weights
        fused = fuse(
            [
                Listing(
                    backend=one.target.backend,
                    rows=one.value.rows,
                    weight=weights.get(one.target.backend, 1.0),
                )
                for one in winners
            ]
        )[: query.max_results]
        rows = tuple(
            msgspec.structs.replace(
                one.row, position=place, score=round(one.score, 6), found_by=one.found_by
            )
            for place, one in enumerate(fused, 1)
        )
        outcomes = [one.value for one in winners]
        answer = next((one.answer for one in outcomes if one.answer is not None), None)
        return msgspec.structs.replace(
            first,
            rows=rows,
            answer=answer,
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
    return msgspec.structs.replace(
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
        warnings=(*_detour(attempts, backend), *page.receipt.warnings),
        by=backend,
        attempts=attempts,
    )


def _detour(attempts: Sequence[BackendAttempt], winner: str) -> tuple[str, ...]:
    """Say in words who gave no answer, when somebody else did."""
    failed = dict.fromkeys(
        f"{one.backend} ({one.outcome})"
        for one in attempts
        if one.outcome not in ("answered", "cancelled", "unfinished", "probed_elsewhere")
        and one.backend not in winner.split("+")
    )
    return (f"{', '.join(failed)} gave no answer, {winner} did",) if failed else ()


def _is_answer(pages: Pages) -> bool:
    """Tell whether a backend did its work: one page came, or what failed is the pages' own."""
    return any(
        isinstance(page, Success)
        or not (judge(page.failure()).blames or judge(page.failure()).cools)
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
