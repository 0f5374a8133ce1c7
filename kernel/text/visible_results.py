"""Strip hidden characters from results, for callers that format them on their own."""

from msgspec.structs import replace

from ...ports.web import SearchOutcome, WebExtractResult, WebSearchResult
from .display import one_line, strip_hidden, strip_hidden_values


def visible_outcome(outcome: SearchOutcome) -> SearchOutcome:
    """Return a search outcome without hidden characters."""
    answer = outcome.answer
    if answer is not None:
        answer = replace(answer, text=strip_hidden(answer.text))
    rows = tuple(_visible_row(row) for row in outcome.rows)
    return replace(outcome, rows=rows, answer=answer)


def _visible_row(row: WebSearchResult) -> WebSearchResult:
    return replace(row, title=one_line(row.title), snippet=strip_hidden(row.snippet))


def visible_page(page: WebExtractResult) -> WebExtractResult:
    """Return a page without hidden characters."""
    return replace(
        page,
        title=one_line(page.title),
        content=strip_hidden(page.content),
        raw_content=strip_hidden(page.raw_content),
        metadata={name: strip_hidden_values(value) for name, value in page.metadata.items()},
    )
