"""Ask a scripted model about made-up pages."""

import asyncio
from collections.abc import Sequence

from returns.result import Failure, Result, Success

from tests.features.evidence.world import Case, cases, claiming, pages_for
from webseam.errors import WebError
from webseam.kernel.features.evidence.notes import AskDeps
from webseam.kernel.features.evidence.web_ask import web_ask
from webseam.ports.evidence import AskOutcome
from webseam.ports.receipts import ExtractReceipt, SearchReceipt
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery, WebSearchResult

CASE = cases()[0]


def row(url: str) -> WebSearchResult:
    return WebSearchResult(title="", url=url, snippet="", position=1, source="s")


def found(*urls: str) -> Result[SearchOutcome, WebError]:
    receipt = SearchReceipt(
        backend="s",
        query="q",
        asked_max_results=None,
        max_results=None,
        clamped=False,
        filters=(),
        returned=len(urls),
        rejected=0,
        trimmed=0,
    )
    rows = tuple(map(row, urls))
    return Success(SearchOutcome(rows=rows, answer=None, rejected=(), receipt=receipt))


def page(url: str, text: str) -> Result[WebExtractResult, WebError]:
    receipt = ExtractReceipt(
        backend="r",
        url=url,
        final_url=url,
        characters=len(text),
        compressed=False,
        compressed_characters=None,
    )
    return Success(
        WebExtractResult(
            url=url,
            final_url=url,
            title="T",
            content=text,
            raw_content=text,
            metadata={},
            receipt=receipt,
        )
    )


def deps(case: Case = CASE, **changes: object) -> AskDeps:
    pages = pages_for(case)

    async def search(queries: Sequence[WebSearchQuery]) -> list[Result[SearchOutcome, WebError]]:
        return [found(*pages) for _ in queries]

    async def read(urls: Sequence[str]) -> list[Result[WebExtractResult, WebError]]:
        texts = [(url, pages[url]) for url in urls]
        return [page(url, it) if isinstance(it, str) else Failure(it) for url, it in texts]

    fields = {
        "search": search,
        "read": read,
        "read_on": "2026-11-15",
        "new_mark": lambda: "mark",
        **changes,
    }
    return AskDeps(**fields)  # type: ignore[arg-type]  # the changes are the tests'


def ask(deps: AskDeps, fields: object = CASE.question) -> Result[AskOutcome, WebError]:
    return asyncio.run(web_ask(fields, deps))


GOOD = claiming(("p1", CASE.truth, CASE.truth))


WRONG = claiming(("p1", "Nothing of this is anywhere to be read.", "It is 101 metres long."))
