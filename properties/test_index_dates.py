"""The law of dates in the index: a document is found where its date may lie within the days asked for.

A month and a year are intervals, and a document without a readable date stays, as where the kernel
verifies rows and counts those without a date.
"""

from datetime import date, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory

from hypothesis import example, given, strategies as st
from msgspec.structs import replace

from webseam.adapters.features.index.documents import IndexDocument
from webseam.adapters.features.index.store import DocumentIndex
from webseam.kernel.laws.filters import verify_rows
from webseam.kernel.laws.row_law import LawfulRow
from webseam.ports import WebSearchQuery
from webseam.ports.dates import is_iso_date

FIRST = date(2023, 11, 1)
_PUBLISHED: list[str | None] = [
    *(str(FIRST + timedelta(days=7 * week)) for week in range(120)),
    *(f"{year}-{month:02}" for year in (2023, 2024, 2025) for month in range(1, 13)),
    "2023", "2024", "2025", "2024-02-29T23:59:59+02:00",
    None, None, "last spring", "2024-1", "",
]  # fmt: skip
_FOLDER = TemporaryDirectory()
_INDEX = DocumentIndex.open_writer(Path(_FOLDER.name) / "index.sqlite").unwrap()
_INDEX.add(
    IndexDocument(url=f"https://{at}.example/", text="tide", published=published)
    for at, published in enumerate(_PUBLISHED)
)
_ROWS = [
    LawfulRow(
        title="t",
        url=f"https://{at}.example/",
        snippet="",
        published_at=published if published and is_iso_date(published) else None,
    )
    for at, published in enumerate(_PUBLISHED)
]

DAYS = st.none() | st.dates(date(2023, 10, 1), date(2026, 3, 1))


_QUERIES = st.sampled_from(["tide", "+tide", '"tide"', "tide -zebra", "site:example"])


@given(DAYS, DAYS, _QUERIES)
@example(date(2024, 3, 5), date(2024, 3, 9), "tide")
@example(date(2024, 1, 1), date(2024, 12, 31), "tide")
def test_documents_are_found_where_their_rows_are_kept(
    after: date | None, before: date | None, text: str
) -> None:
    if after is not None and before is not None and before < after:
        after, before = before, after
    query = WebSearchQuery(
        query=text, max_results=200, published_after=after, published_before=before
    )

    found = {row["url"] for row in _INDEX.search(query).unwrap()}

    kept = verify_rows(_ROWS, query).rows
    assert found == {row.url for row in kept}

    # Those without a date take no place from those within the days.
    dated = {row.url for row in kept if row.published_at is not None}
    first = {row["url"] for row in _INDEX.search(replace(query, max_results=5)).unwrap()}
    assert after is before is None or len(first & dated) == min(5, len(dated))
