"""Search the web: check, clamp, ask, check again."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ..ports.backends import Abilities, BackendAbout, Served
from ..ports.errors import InvalidRow, WebError
from ..ports.receipts import SearchReceipt
from ..ports.web import MIN_RESULTS, Query, SearchOutcome, WebSearchQuery
from .boundary import attempt_value
from .deps import WebDeps, require_backend, run_in_time
from .laws.field_checks import check_query, clamp_max_results
from .laws.filters import FilterPlan, filter_rows, plan_query
from .laws.row_law import (
    LawfulRow,
    RowsAndProse,
    check_rows,
    number_rows,
    quarantine_rows,
    split_answer,
)
from .policy.judge import judge_domain
from .policy.policy_rules import Policy
from .port_answers import (
    VouchedOutcome,
    attribute_error,
    backend_about,
    checked_failure,
    crash_error,
    note_served,
    served_answer,
)

# An outcome, or why there is none: made a ``Result`` once, at the end. Routes are opened and closed
# around it, and each ``Result`` between them is felt by every call.
Found: TypeAlias = SearchOutcome | WebError


async def web_search(query: Query, deps: WebDeps) -> Result[SearchOutcome, WebError]:
    """Answer ``query``, a ``WebSearchQuery``, its fields or text, through the backend in ``deps``.

    One bad row fails the whole call. No rows is a success: nothing was found. Never raises;
    cancellation passes through.
    """
    checked = check_query(query)
    if not isinstance(checked, Success):
        return Failure(checked.failure())
    found = await search_one(checked.unwrap(), deps, None)
    return Success(found) if isinstance(found, SearchOutcome) else Failure(found)


def search_one(
    query: WebSearchQuery, deps: WebDeps, about: BackendAbout | None
) -> Awaitable[Found]:
    """Have one backend answer a query that keeps the laws: for a route, which asks with one.

    What the backend says of itself may be given, by who has asked it before: it never changes.
    """
    return attempt_value(
        _serve(query, deps, about),
        lambda crash: crash_error(crash, backend_about(require_backend(deps)).name, None),
    )


async def _serve(query: WebSearchQuery, deps: WebDeps, known: BackendAbout | None) -> Found:
    about = backend_about(deps.backend) if known is None else known
    name, abilities = about.name, about.abilities
    planned = plan_query(_clamped(query, abilities), abilities, deps.filters)
    if not isinstance(planned, Success):
        return attribute_error(planned.failure(), name, None)
    plan = planned.unwrap()
    answer = await run_in_time(deps.backend.search(plan.query), deps)
    if not isinstance(answer, Success):
        return checked_failure(answer, name, None)
    served = served_answer(answer.unwrap())
    if served.outcome is not None:
        return _handed_over(_asked_for(served.outcome, query), served, name, deps.policy)
    return _received(served, (query, plan), name, deps)


def _received(
    served: Served, planned: tuple[WebSearchQuery, FilterPlan], name: str, deps: WebDeps
) -> Found:
    """Check what a backend answered, and note what it said about it."""
    parts = split_answer(served.answer)
    if not isinstance(parts, Success):
        return attribute_error(parts.failure(), name, None)
    outcome = _conclude(parts.unwrap(), planned, name, deps)
    if not isinstance(outcome, SearchOutcome):
        return attribute_error(outcome, name, None)
    if not served.cached and not served.warnings and served.usage is None:
        return outcome
    return msgspec.structs.replace(outcome, receipt=note_served(outcome.receipt, served))


def _asked_for(outcome: SearchOutcome, query: WebSearchQuery) -> SearchOutcome:
    """Say in the receipt what the caller asked for, not what was asked of the route."""
    most, noted_most = query.max_results, outcome.receipt.asked_max_results
    if most == noted_most and outcome.receipt.clamped == (outcome.receipt.max_results != most):
        return outcome
    receipt = msgspec.structs.replace(
        outcome.receipt, asked_max_results=most, clamped=outcome.receipt.max_results != most
    )
    return msgspec.structs.replace(outcome, receipt=receipt)


def _handed_over(outcome: SearchOutcome, served: Served, name: str, policy: Policy) -> Found:
    """Check what a route says that the kernel made of an answer: by the same laws, once more."""
    rows = outcome.rows
    if type(outcome) is not VouchedOutcome:
        checked = split_answer([msgspec.structs.asdict(row) for row in rows]).bind(check_rows)
        if isinstance(checked, Failure):
            return attribute_error(checked.failure(), name, None)
    if policy.deny_domains or policy.allow_domains:
        rows = tuple(row for row in rows if judge_domain(row.url, policy) is None)
    receipt = note_served(outcome.receipt, served) if served.cached else outcome.receipt
    return SearchOutcome(
        rows=rows, answer=outcome.answer, rejected=outcome.rejected, receipt=receipt
    )


def _conclude(
    parts: RowsAndProse, planned: tuple[WebSearchQuery, FilterPlan], name: str, deps: WebDeps
) -> SearchOutcome | InvalidRow:
    query, plan = planned
    if deps.rows == "quarantine":
        good, rejected = quarantine_rows(parts)
    else:
        checked = check_rows(parts)
        if not isinstance(checked, Success):
            return checked.failure()
        good, rejected = checked.unwrap(), ()
    passed = good if plan.on_rows is None else filter_rows(good, plan.on_rows)
    allowed = _allowed(passed, deps.policy)
    limit = plan.query.max_results
    shown = allowed[:limit]
    receipt = SearchReceipt(
        backend=name,
        query=query.query,
        asked_max_results=query.max_results,
        max_results=limit,
        clamped=limit != query.max_results,
        filters=plan.named,
        applied=plan.applied,
        emulated=plan.emulated,
        refused=plan.refused,
        returned=len(parts.rows),
        rejected=len(rejected),
        filtered=len(good) - len(passed),
        blocked=len(passed) - len(allowed),
        trimmed=len(allowed) - len(shown),
    )
    return SearchOutcome(
        rows=number_rows(shown, name), answer=parts.answer, rejected=rejected, receipt=receipt
    )


def _clamped(query: WebSearchQuery, abilities: Abilities | None) -> WebSearchQuery:
    """Bring the limit to what anyone may ask for, and then to what this backend returns."""
    most = abilities.max_results if abilities is not None else None
    limit = clamp_max_results(query.max_results)
    if limit is not None and most is not None:
        limit = min(limit, max(most, MIN_RESULTS))
    return msgspec.structs.replace(query, max_results=limit)


def _allowed(rows: tuple[LawfulRow, ...], policy: Policy) -> tuple[LawfulRow, ...]:
    """Leave out the rows on domains that the user denies, or has not listed."""
    if not policy.deny_domains and not policy.allow_domains:
        return rows
    return tuple(row for row in rows if judge_domain(row.url, policy) is None)
