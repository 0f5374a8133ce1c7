"""Results without the characters that hide, for whoever writes them in words of their own."""

import msgspec

from ...ports.web import SearchOutcome, WebExtractResult, WebSearchResult
from .display import one_line, visible, visible_values


def visible_outcome(outcome: SearchOutcome) -> SearchOutcome:
    """Return a search's outcome as the tools show it."""
    answer = outcome.answer
    if answer is not None:
        answer = msgspec.structs.replace(answer, text=visible(answer.text))
    rows = tuple(_visible_row(row) for row in outcome.rows)
    return msgspec.structs.replace(outcome, rows=rows, answer=answer)


def _visible_row(row: WebSearchResult) -> WebSearchResult:
    return msgspec.structs.replace(row, title=one_line(row.title), snippet=visible(row.snippet))


def visible_page(page: WebExtractResult) -> WebExtractResult:
    """Return a page as the tools show it."""
    return msgspec.structs.replace(
        page,
        title=one_line(page.title),
        content=visible(page.content),
        raw_content=visible(page.raw_content),
        metadata={name: visible_values(value) for name, value in page.metadata.items()},
    )
