"""Search the web: check, clamp, ask, check again."""

import msgspec
from returns.result import Failure, Result, Success

from ..ports.backends import Abilities
from ..ports.errors import InvalidRow, WebError
from ..ports.receipts import SearchReceipt
from ..ports.web import FEWEST_RESULTS, Query, SearchOutcome, WebSearchQuery
from .answers import about_of, as_served, attribute, crashed, noted, refusal
from .boundary import attempt_result
from .deps import WebDeps, backend_in
from .laws.filters import Plan, keep_rows, plan_query
from .laws.queries import check_query, clamp_max_results
from .laws.rows import LawfulRow, RowsAndProse, check_rows, number, quarantine_rows, take_apart
from .policy.judge import judge_domain
from .policy.rules import Policy


async def web_search(query: Query, deps: WebDeps) -> Result[SearchOutcome, WebError]:
    """Answer ``query``, a ``WebSearchQuery``, its fields or text, through the backend in ``deps``.

    One bad row fails the whole call. No rows is a success: nothing was found. Never raises;
    cancellation passes through.
    """
    checked = check_query(query)
    if isinstance(checked, Failure):
        return checked
    asked = checked.unwrap()
    return await attempt_result(
        _serve(asked, deps), lambda crash: crashed(crash, about_of(backend_in(deps)).name, None)
    )


async def _serve(asked: WebSearchQuery, deps: WebDeps) -> Result[SearchOutcome, WebError]:
    about = about_of(deps.backend)
    name, abilities = about.name, about.abilities
    planned = plan_query(_clamped(asked, abilities), abilities, deps.filters)
    if isinstance(planned, Failure):
        return Failure(attribute(planned.failure(), name, None))
    plan = planned.unwrap()
    answer = await deps.backend.search(plan.query)
    if not isinstance(answer, Success):
        return Failure(refusal(answer, name, None))
    served = as_served(answer.unwrap())
    found = take_apart(served.answer)
    if isinstance(found, Failure):
        return Failure(attribute(found.failure(), name, None))
    concluded = _conclude(found.unwrap(), (asked, plan), name, deps)
    if isinstance(concluded, Failure):
        return Failure(attribute(concluded.failure(), name, None))
    if not served.cached and not served.warnings and served.usage is None:
        return concluded
    outcome = concluded.unwrap()
    return Success(msgspec.structs.replace(outcome, receipt=noted(outcome.receipt, served)))


def _conclude(
    found: RowsAndProse, planned: tuple[WebSearchQuery, Plan], name: str, deps: WebDeps
) -> Result[SearchOutcome, InvalidRow]:
    asked, plan = planned
    if deps.rows == "quarantine":
        good, rejected = quarantine_rows(found)
    else:
        checked = check_rows(found)
        if isinstance(checked, Failure):
            return checked
        good, rejected = checked.unwrap(), ()
    passed = good if plan.on_rows is None else keep_rows(good, plan.on_rows)
    allowed = _allowed(passed, deps.policy)
    limit = plan.query.max_results
    kept = allowed[:limit]
    receipt = SearchReceipt(
        backend=name,
        query=asked.query,
        asked_max_results=asked.max_results,
        max_results=limit,
        clamped=limit != asked.max_results,
        filters=plan.named,
        applied=plan.applied,
        emulated=plan.emulated,
        refused=plan.refused,
        returned=len(found.rows),
        rejected=len(rejected),
        filtered=len(good) - len(passed),
        blocked=len(passed) - len(allowed),
        trimmed=len(allowed) - len(kept),
    )
    return Success(
        SearchOutcome(
            rows=number(kept, name), answer=found.answer, rejected=rejected, receipt=receipt
        )
    )


def _clamped(asked: WebSearchQuery, abilities: Abilities | None) -> WebSearchQuery:
    """Bring the limit to what anyone may ask for, and then to what this backend returns."""
    most = abilities.max_results if abilities is not None else None
    limit = clamp_max_results(asked.max_results)
    if limit is not None and most is not None:
        limit = min(limit, max(most, FEWEST_RESULTS))
    return msgspec.structs.replace(asked, max_results=limit)


def _allowed(rows: tuple[LawfulRow, ...], policy: Policy) -> tuple[LawfulRow, ...]:
    """Leave out the rows on domains that the user denies, or has not listed."""
    if not policy.deny_domains and not policy.allow_domains:
        return rows
    return tuple(row for row in rows if judge_domain(row.url, policy) is None)
