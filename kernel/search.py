"""Search the web: check the query, ask the backend, check the rows."""

from __future__ import annotations

from collections.abc import Awaitable, Mapping, Sequence
from typing import TypeAlias, TypeVar, cast

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.ports.backends import Abilities, BackendAbout, SearchesFurther, Served
from webseam.ports.errors import WebError
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import (
    DEFAULT_PAGE_ROWS,
    MIN_RESULTS,
    Query,
    RejectedRow,
    SearchOutcome,
    WebSearchQuery,
    WebSearchResult,
)

from .boundary import attempt_or, attempt_value
from .deps import WebDeps, await_backend, deps_backend, seen_session
from .laws.field_checks import clamp_max_results, read_query
from .laws.filters import (
    VERIFIABLE,
    FilterPlan,
    plan_query_filters,
    plan_row_checks,
    verify_rows,
)
from .laws.row_law import (
    ROW_FIELDS,
    LawfulRow,
    Rows,
    RowsAndProse,
    RowsFault,
    number_lawful_rows,
    present_row_fields,
    quarantine_rows,
    read_rows,
    split_rows_and_prose,
)
from .laws.unread import unread_warnings
from .policy.judge import judge_domain
from .policy.policy_rules import Policy
from .port_answers import (
    CheckedRoute,
    VouchedOutcome,
    answer_time,
    backend_about,
    left_out_rows,
    note_served,
    port_answer_failure,
    port_crash,
    port_error,
    served_answer,
)
from .text.redaction import unread_names

# An outcome or an error; ``web_search`` wraps it in a ``Result`` once. Routes nest these calls, and
# a ``Result`` at each level costs time in every call.
Outcome: TypeAlias = SearchOutcome | WebError
AnyRow = TypeVar("AnyRow", LawfulRow, WebSearchResult)
_PAGE_SIZE_WARNING = f"a page has {DEFAULT_PAGE_ROWS} rows: set max_results for another size"


async def web_search(query: Query, deps: WebDeps) -> Result[SearchOutcome, WebError]:
    """Answer ``query``, a ``WebSearchQuery``, its fields or text, through the backend in ``deps``.

    One bad row fails the call. No rows is a success: nothing was found. Never raises; cancellation
    passes through.
    """
    checked = read_query(query)
    if not isinstance(checked, WebSearchQuery):
        return Failure(checked)
    outcome = await search_one_backend(checked, deps, None)
    if not isinstance(outcome, SearchOutcome):
        return Failure(outcome)
    notes = answer_time(outcome.receipt, deps.now)
    if deps.session is None:
        return Success(_note_search(outcome, checked, deps, notes))
    # The memory comes from outside, too: an outcome is worth more than a note of it.
    return Success(attempt_or(lambda: _note_search(outcome, checked, deps, notes), outcome))


def _note_search(
    outcome: SearchOutcome, query: WebSearchQuery, deps: WebDeps, notes: Mapping[str, object]
) -> SearchOutcome:
    """Add ``notes`` to the receipt, and a search to the memory of the session, if there is one."""
    if deps.session is None:
        return replace(outcome, receipt=replace(outcome.receipt, **notes)) if notes else outcome
    memory = deps.session()
    if deps.policy.follow == "seen":
        memory.note_search(outcome, (query.query, *query.include_domains))
    return memory.note_progress(outcome, notes)


def search_one_backend(
    query: WebSearchQuery, deps: WebDeps, about: BackendAbout | None
) -> Awaitable[Outcome]:
    """Answer a valid query with one backend of a route.

    A caller that knows the backend's ``about`` may pass it: it never changes.
    """
    backend = deps_backend(deps)
    work = (
        _ask_route(query, cast("CheckedRoute", backend), deps)
        if issubclass(type(backend), CheckedRoute)
        else _ask_backend(query, deps, about)
    )
    return attempt_value(work, lambda crash: port_crash(crash, backend_about(backend).name, None))


async def _ask_route(query: WebSearchQuery, route: CheckedRoute, deps: WebDeps) -> Outcome:
    """Ask a route: it plans the filters and checks the rows of each backend that it asks."""
    asked = _clamp_limit(query, None)
    outcome = await await_backend(route.search_checked(asked), deps)
    if not isinstance(outcome, SearchOutcome):
        error = outcome.failure() if isinstance(outcome, Failure) else outcome
        return port_error(error, backend_about(route).name, None)
    if asked is not query:
        outcome = _restore_question(outcome, query)
    rows = _allowed_rows(outcome.rows, deps.policy)
    return outcome if rows is outcome.rows else _without_blocked(outcome, rows)


async def _ask_backend(
    query: WebSearchQuery, deps: WebDeps, known_about: BackendAbout | None
) -> Outcome:
    about = backend_about(deps.backend) if known_about is None else known_about
    name, abilities = about.name, about.abilities
    plan = plan_query_filters(_clamp_limit(query, abilities), abilities, deps.filters)
    if not isinstance(plan, FilterPlan):
        return port_error(plan, name, None)
    if plan.on_rows is None and not deps.policy.deny_domains and not deps.policy.allow_domains:
        work: Awaitable[object] = deps.backend.search(plan.query)
    else:
        work = _start_picky_search(plan, deps)
    answer = await await_backend(work, deps)
    if not isinstance(answer, Success):
        return port_answer_failure(answer, name, None)
    served = served_answer(answer.unwrap())
    if served.outcome is not None:
        outcome = _receive_outcome(served.outcome, served, plan, (name, deps.policy))
        return _restore_question(outcome, query) if isinstance(outcome, SearchOutcome) else outcome
    return _receive_rows(served, (query, plan), name, deps)


def _start_picky_search(plan: FilterPlan, deps: WebDeps) -> Awaitable[object]:
    """Ask for rows of which some will be left out, until enough of the others are there."""
    backend = deps.backend
    asks_further = attempt_or(lambda: isinstance(backend, SearchesFurther), False)  # noqa: FBT003  the answer
    if plan.query.max_results is None or not asks_further:
        return backend.search(plan.query)

    def count_rows(rows: Sequence[object]) -> int:
        # Rows that cannot be read fail the call: no further ones are needed.
        return attempt_or(lambda: _count_shown_rows(rows, plan, deps), len(rows))

    return cast("SearchesFurther", backend).search_until(plan.query, count_rows)


def _count_shown_rows(rows: Sequence[object], plan: FilterPlan, deps: WebDeps) -> int:
    parts = split_rows_and_prose(rows)
    if not isinstance(parts, RowsAndProse):
        return len(rows)
    read = quarantine_rows(parts)[0] if deps.rows == "quarantine" else read_rows(parts)
    if not isinstance(read, Rows):
        return len(rows)
    passed = read.rows if plan.on_rows is None else verify_rows(read.rows, plan.on_rows).rows
    return len(_allowed_rows(passed, deps.policy))


def _receive_rows(
    served: Served, planned: tuple[WebSearchQuery, FilterPlan], name: str, deps: WebDeps
) -> Outcome:
    """Check a backend's answer, and note in the receipt what it reported."""
    parts = split_rows_and_prose(served.answer)
    if not isinstance(parts, RowsAndProse):
        return port_error(parts, name, None)
    outcome = _make_outcome(parts, planned, name, deps, served.unread)
    if not isinstance(outcome, SearchOutcome):
        return port_error(outcome, name, None)
    if not served.cached and not served.warnings and served.usage is None:
        return outcome
    return replace(outcome, receipt=note_served(outcome.receipt, served))


def receive_replaced_rows(
    rows: object, query: WebSearchQuery, deps: WebDeps, *, is_changed: bool = False
) -> Outcome:
    """Check rows that a plugin returned in place of a backend, by the same laws and filters.

    Of rows that were only ``is_changed`` the session was told already, but for new URLs.
    """
    plan = plan_row_checks(_clamp_limit(query, None))
    outcome = _receive_rows(Served(answer=rows), (query, plan), "", deps)
    if not isinstance(outcome, SearchOutcome):
        return outcome
    if not is_changed:
        return _note_search(outcome, query, deps, {})
    memory = seen_session(deps)
    if memory is not None:
        memory.note_search(outcome, (query.query, *query.include_domains))
    return outcome


def _restore_question(outcome: SearchOutcome, query: WebSearchQuery) -> SearchOutcome:
    """Set the words and the limit of the caller in the receipt of a route's outcome.

    A stored answer is one for all who ask the same in other spellings.
    """
    limit, receipt = query.max_results, outcome.receipt
    is_clamped = receipt.max_results != limit
    is_same = limit == receipt.asked_max_results and query.query == receipt.query
    if is_same and receipt.clamped == is_clamped:
        return outcome
    receipt = replace(receipt, query=query.query, asked_max_results=limit, clamped=is_clamped)
    if query.page is not None and limit is None:
        receipt = replace(receipt, warnings=(*receipt.warnings, _PAGE_SIZE_WARNING))
    return replace(outcome, receipt=receipt)


def _receive_outcome(
    outcome: SearchOutcome, served: Served, plan: FilterPlan, source: tuple[str, Policy]
) -> Outcome:
    """Check the outcome that a route returned, by the same laws; ``source`` is its name and policy.

    One that the kernel did not make a moment ago may break every law: that of a store is old, that
    of a foreign backend is untrusted.
    """
    name, policy = source
    receipt = note_served(outcome.receipt, served) if served.cached else outcome.receipt
    rows: tuple[WebSearchResult, ...] = outcome.rows
    passed, undated = rows, receipt.undated
    if type(outcome) is not VouchedOutcome:
        parts = split_rows_and_prose([msgspec.structs.asdict(row) for row in rows])
        if not isinstance(checked := read_rows(parts), Rows):
            return port_error(checked, name, None)
        if plan.on_rows is not None:
            verified = verify_rows(rows, _drop_filters(plan.on_rows, receipt.refused))
            # Rows that were trimmed before the outcome was stored are in its own count alone.
            passed, undated = verified.rows, max(verified.undated, undated)
    allowed = _allowed_rows(passed, policy)
    shown = allowed[plan.skipped : plan.query.max_results]
    if type(outcome) is VouchedOutcome and len(shown) == len(rows):
        return SearchOutcome(
            rows=rows, answer=outcome.answer, rejected=outcome.rejected, receipt=receipt
        )
    receipt = replace(
        receipt,
        filtered=receipt.filtered + len(rows) - len(passed),
        blocked=receipt.blocked + len(passed) - len(allowed),
        trimmed=receipt.trimmed + len(allowed) - len(shown),
        undated=undated,
        max_results=plan.limit,
        rejected=len(outcome.rejected),
    )
    return SearchOutcome(
        rows=_number_rows(shown),
        answer=outcome.answer,
        rejected=outcome.rejected,
        receipt=replace(receipt, returned=len(shown) + left_out_rows(receipt)),
    )


def _drop_filters(filters: WebSearchQuery, refused: Sequence[str]) -> WebSearchQuery:
    """Return the filters without those that the backend of a stored answer was not asked for."""
    unset = WebSearchQuery(query="")
    dropped = {name: getattr(unset, name) for name in VERIFIABLE if name in refused}
    return replace(filters, **dropped) if dropped else filters


def _make_outcome(
    parts: RowsAndProse,
    planned: tuple[WebSearchQuery, FilterPlan],
    name: str,
    deps: WebDeps,
    left_out: tuple[str, ...],
) -> SearchOutcome | RowsFault:
    """Make the outcome of checked rows; ``left_out`` names what the backend does not return."""
    query, plan = planned
    rejected: tuple[RejectedRow, ...] = ()
    if deps.rows == "quarantine":
        checked, rejected = quarantine_rows(parts)
    else:
        read = read_rows(parts)
        if not isinstance(read, Rows):
            return read
        checked = read
    good = checked.rows
    unread: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    if checked.unread or left_out:
        unread = unread_names((*checked.unread, *left_out))
        warnings = unread_warnings(unread, ROW_FIELDS, present_row_fields(good))
    passed, undated = good, 0
    if plan.on_rows is not None:
        verified = verify_rows(good, plan.on_rows)
        passed, undated = verified.rows, verified.undated
    allowed = _allowed_rows(passed, deps.policy)
    limit, allowed_count = plan.limit, len(allowed)
    is_shown_whole = not plan.skipped and (limit is None or allowed_count <= limit)
    shown = allowed if is_shown_whole else allowed[plan.skipped : plan.query.max_results]
    if query.page is not None and query.max_results is None:
        warnings = (*warnings, _PAGE_SIZE_WARNING)
    receipt = SearchReceipt(
        backend=name,
        query=query.query,
        asked_max_results=query.max_results,
        max_results=limit,
        clamped=limit != query.max_results,
        filters=plan.named,
        sent=plan.sent,
        emulated=plan.emulated,
        verified=plan.verified,
        refused=plan.refused,
        returned=len(parts.rows),
        rejected=len(rejected),
        filtered=len(good) - len(passed),
        undated=undated,
        blocked=len(passed) - allowed_count,
        trimmed=allowed_count - len(shown),
        warnings=warnings,
        unread=unread,
    )
    return SearchOutcome(
        rows=number_lawful_rows(shown, name),
        answer=parts.answer,
        rejected=rejected,
        receipt=receipt,
    )


def _clamp_limit(query: WebSearchQuery, abilities: Abilities | None) -> WebSearchQuery:
    """Clamp the limit to the allowed range, and then to what the backend returns."""
    limit = clamp_max_results(query.max_results)
    if limit is None and query.page is not None:
        limit = DEFAULT_PAGE_ROWS
    if limit is not None and abilities is not None and abilities.max_results is not None:
        limit = min(limit, max(abilities.max_results, MIN_RESULTS))
    return query if limit == query.max_results else replace(query, max_results=limit)


def _without_blocked(outcome: SearchOutcome, allowed: tuple[WebSearchResult, ...]) -> SearchOutcome:
    """Return the outcome with the rows that the policy allows; the receipt counts the others."""
    blocked = outcome.receipt.blocked + len(outcome.rows) - len(allowed)
    return replace(
        outcome, rows=_number_rows(allowed), receipt=replace(outcome.receipt, blocked=blocked)
    )


def _number_rows(rows: tuple[WebSearchResult, ...]) -> tuple[WebSearchResult, ...]:
    return tuple([replace(row, position=index) for index, row in enumerate(rows, 1)])


def _allowed_rows(rows: tuple[AnyRow, ...], policy: Policy) -> tuple[AnyRow, ...]:
    """Drop the rows on domains that the user's lists refuse."""
    if not policy.deny_domains and not policy.allow_domains:
        return rows
    return tuple(row for row in rows if judge_domain(row.url, policy) is None)
