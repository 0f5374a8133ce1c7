"""Search the web: check, clamp, ask, check again."""

import msgspec
from returns.result import Failure, Result, Success

from ..ports.errors import WebError
from ..ports.receipts import SearchReceipt
from ..ports.web import SearchOutcome, WebSearchQuery
from .answers import as_served, attribute, crashed, name_of, noted, open_answer
from .boundary import attempt_port
from .deps import WebDeps
from .query import check_query, clamp_max_results, filters_in
from .rows import Found, check_rows, number, quarantine_rows, take_apart


async def web_search(query: object, deps: WebDeps) -> Result[SearchOutcome, WebError]:
    """Answer ``query``, a ``WebSearchQuery`` or any mapping, through the backend in ``deps``.

    One bad row fails the whole call. No rows is a success: nothing was found. Never raises;
    cancellation passes through.
    """
    checked = check_query(query)
    if isinstance(checked, Failure):
        return checked
    asked = checked.unwrap()
    clamped = msgspec.structs.replace(asked, max_results=clamp_max_results(asked.max_results))
    served = await attempt_port(lambda: _serve(asked, clamped, deps))
    if isinstance(served, Failure):
        return Failure(crashed(served.failure(), _name(deps), None))
    return served.unwrap()


async def _serve(
    asked: WebSearchQuery, clamped: WebSearchQuery, deps: WebDeps
) -> Result[SearchOutcome, WebError]:
    name = name_of(deps.backend)
    opened = open_answer(await deps.backend.search(clamped), name, None)
    if isinstance(opened, Failure):
        return opened
    served = as_served(opened.unwrap())
    found = take_apart(served.answer)
    if isinstance(found, Failure):
        return Failure(attribute(found.failure(), name, None))
    concluded = _conclude(found.unwrap(), (asked, clamped), name, deps)
    return concluded.map(
        lambda outcome: msgspec.structs.replace(outcome, receipt=noted(outcome.receipt, served))
    )


def _conclude(
    found: Found,
    queries: tuple[WebSearchQuery, WebSearchQuery],
    name: str,
    deps: WebDeps,
) -> Result[SearchOutcome, WebError]:
    if deps.rows == "quarantine":
        good, rejected = quarantine_rows(found)
    else:
        checked = check_rows(found)
        if isinstance(checked, Failure):
            return Failure(attribute(checked.failure(), name, None))
        good, rejected = checked.unwrap(), ()
    asked, clamped = queries
    kept = good[: clamped.max_results]
    receipt = SearchReceipt(
        backend=name,
        query=asked.query,
        asked_max_results=asked.max_results,
        max_results=clamped.max_results,
        clamped=clamped.max_results != asked.max_results,
        filters=filters_in(asked),
        returned=len(found.rows),
        rejected=len(rejected),
        trimmed=len(good) - len(kept),
    )
    return Success(
        SearchOutcome(
            rows=number(kept, name), answer=found.answer, rejected=rejected, receipt=receipt
        )
    )


def _name(deps: object) -> str:
    return name_of(getattr(deps, "backend", deps))
