"""Answers from the rows and pages of a search, as ``ask`` makes them: in their own words."""

import secrets
from collections.abc import Sequence
from datetime import UTC, datetime

from returns.result import Failure, Result, Success

from webseam.adapters.features.evidence import ModelAnswerer
from webseam.adapters.features.gateway import asks
from webseam.kernel.features.evidence.gathering import text_hash
from webseam.kernel.features.evidence.notes import AskDeps, Pages, Searches
from webseam.kernel.features.evidence.rendering import framed_text
from webseam.kernel.features.evidence.web_ask import answer_from_pages
from webseam.ports.errors import NothingSupported, WebError
from webseam.ports.evidence import AskOutcome, SourcePage
from webseam.ports.receipts import Usage

from ..models.small_work_models import SmallWorker

FIRST_LINE = "From the pages:"
_MAX_SECONDS = 60.0


async def answer_from_results(
    question: str, results: asks.SearchSuccess, worker: SmallWorker
) -> Result[asks.WrittenAnswer, WebError]:
    """Return an answer in the words of the rows, with their positions; empty if none answers."""
    pages = _source_pages(results)
    deps = AskDeps(
        search=_search_nothing,
        read=_read_nothing,
        read_on=datetime.now(UTC).date().isoformat(),
        new_mark=lambda: secrets.token_hex(8),
        answerer=ModelAnswerer(worker.model, worker.name, seconds=_MAX_SECONDS),
    )
    answered = await answer_from_pages(question, pages, deps)
    if isinstance(answered, Success):
        outcome = answered.unwrap()
        text = _answer_text(outcome, [row.position for row in results.outcome.rows])
        usage = outcome.receipt.usage or Usage()
        return Success(asks.WrittenAnswer(text=text, model=worker.name, usage=usage))
    if isinstance(answered.failure(), NothingSupported):
        return Success(asks.WrittenAnswer(text="", model=worker.name))
    return Failure(answered.failure())


def _source_pages(results: asks.SearchSuccess) -> tuple[SourcePage, ...]:
    """Return each row as a page: the text that was read of it, else the row's own."""
    read = {page.url: page.result for page in results.pages if page.result is not None}
    day = datetime.now(UTC).date().isoformat()
    pages: list[SourcePage] = []
    for row in results.outcome.rows:
        page = read.get(row.url)
        text = row.snippet if page is None else page.content
        pages.append(
            SourcePage(
                url=row.url,
                final_url=row.url,
                title=row.title,
                text=text,
                sha256=text_hash(text),
                read_on=day,
                backend=results.outcome.receipt.backend,
            )
        )
    return tuple(pages)


def _answer_text(outcome: AskOutcome, positions: Sequence[int]) -> str:
    lines = [f"{framed_text(claim)} [{positions[claim.page]}]" for claim in outcome.claims]
    return "\n".join((FIRST_LINE, *lines))


async def _search_nothing(_queries: object) -> Searches:
    return ()


async def _read_nothing(_urls: object) -> Pages:
    return ()
