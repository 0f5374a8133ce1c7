"""The law of dates in the index: a document is found where its date may lie within the days asked for.

A month and a year are intervals, as where the kernel verifies rows.
"""

from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, strategies as st

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.kernel.laws.filters import verify_rows
from webseam.kernel.laws.row_law import LawfulRow
from webseam.ports import WebSearchQuery

FIRST = date(2023, 11, 1)
_PUBLISHED = [
    *(str(FIRST + timedelta(days=7 * week)) for week in range(120)),
    *(f"{year}-{month:02}" for year in (2023, 2024, 2025) for month in range(1, 13)),
    "2023", "2024", "2025", "2024-02-29T23:59:59+02:00",
]  # fmt: skip
_FOLDER = TemporaryDirectory()
_INDEX = DocumentIndex.open_writer(Path(_FOLDER.name) / "index.sqlite").unwrap()
_INDEX.add(
    IndexDocument(url=f"https://{at}.example/", text="tide", published=published)
    for at, published in enumerate(_PUBLISHED)
)
_ROWS = [
    LawfulRow(title="t", url=f"https://{at}.example/", snippet="", published_at=published)
    for at, published in enumerate(_PUBLISHED)
]

DAYS = st.none() | st.dates(date(2023, 10, 1), date(2026, 3, 1))


@given(DAYS, DAYS)
@example(date(2024, 3, 5), date(2024, 3, 9))
@example(date(2024, 1, 1), date(2024, 12, 31))
def test_documents_are_found_where_their_rows_are_kept(
    after: date | None, before: date | None
) -> None:
    if after is not None and before is not None and before < after:
        after, before = before, after
    query = WebSearchQuery(
        query="tide", max_results=200, published_after=after, published_before=before
    )

    found = {row["url"] for row in _INDEX.search(query).unwrap()}

    assert found == {row.url for row in verify_rows(_ROWS, query).rows}
