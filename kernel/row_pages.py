"""Give the rows of a search the texts of their pages, within one bound for all of them."""

from collections.abc import Sequence

from msgspec.structs import replace
from returns.result import Failure, Result

from webseam.ports.errors import WebError
from webseam.ports.receipts import ExtractReceipt
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchResult

from .text.trim import Budget

# The characters of one page, and of all pages of a search: about 25,000 tokens of English.
MAX_ROW_PAGE_CHARS = 20_000
MAX_ROW_PAGES_CHARS = 100_000


def row_page_budget(row_count: int, usual: Budget | None) -> Budget:
    """Return the budget of each page of a search: an equal part of that of all, or the usual one.

    >>> row_page_budget(10, None).characters
    10000
    """
    characters = min(MAX_ROW_PAGE_CHARS, MAX_ROW_PAGES_CHARS // max(row_count, 1))
    if usual is None:
        return Budget(characters=characters)
    if usual.characters is not None:
        characters = min(characters, usual.characters)
    return replace(usual, characters=characters)


def add_row_pages(
    outcome: SearchOutcome, pages: Sequence[Result[WebExtractResult, WebError]]
) -> SearchOutcome:
    """Return an outcome whose rows have the text of their page, or its error, in their order."""
    rows: list[WebSearchResult] = []
    receipts: list[ExtractReceipt | None] = []
    for row, page in zip(outcome.rows, pages, strict=True):
        if isinstance(page, Failure):
            rows.append(replace(row, error=page.failure()))
            receipts.append(None)
        else:
            rows.append(replace(row, content=page.unwrap().content))
            receipts.append(page.unwrap().receipt)
    receipt = replace(outcome.receipt, pages=tuple(receipts))
    return replace(outcome, rows=tuple(rows), receipt=receipt)
