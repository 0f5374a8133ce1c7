"""Keys of rows and pages: read, refused under a foreign name, or named in the receipt."""

import asyncio
from typing import Any

import msgspec
import pytest
from returns.result import Result, Success

from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.deps import RowPolicy
from webseam.kernel.laws.field_checks import LawfulDocument, check_document
from webseam.kernel.laws.row_law import LawfulRow, check_lawful_rows, split_rows_and_prose
from webseam.ports import (
    InvalidDocument,
    InvalidRow,
    SearchOutcome,
    Served,
    WebError,
    WebExtractResult,
)
from webseam.ports.receipts import ExtractReceipt, SearchReceipt
from webseam.testing import FakeBackend

URL = "https://a.example/"
ROW = {"title": "A", "url": URL}


def search_receipt(*rows: object, policy: RowPolicy = "strict") -> SearchReceipt:
    return search(FakeBackend(rows=rows), policy).unwrap().receipt


def search(backend: FakeBackend, rows: RowPolicy = "strict") -> Result[SearchOutcome, WebError]:
    return asyncio.run(web_search("tides", WebDeps(backend=backend, rows=rows)))


def extract(document: object) -> Result[WebExtractResult, WebError]:
    deps = WebDeps(backend=FakeBackend(extract=Success(document)))
    return asyncio.run(web_extract(URL, deps))


def extract_receipt(document: dict[str, object]) -> ExtractReceipt:
    return extract({"url": URL, **document}).unwrap().receipt


@pytest.mark.parametrize("name", ["description", "content", "body", "text", "abstract", "summary"])
def test_text_of_a_row_under_a_foreign_name_is_a_bad_row(name: str) -> None:
    reason = f"has `{name}`; the seam's name is `snippet`"

    outcome = search(FakeBackend(rows=[ROW, {**ROW, name: "High and low."}]))

    assert outcome.failure() == InvalidRow(index=1, field="snippet", reason=reason, backend="fake")


@pytest.mark.parametrize("name", ["markdown", "text", "raw_content"])
def test_text_of_a_page_under_a_foreign_name_is_a_bad_page(name: str) -> None:
    error = extract({"url": URL, name: "High and low."}).failure()

    reason = f"has `{name}`; the seam's name is `content`"
    assert error == InvalidDocument(field="content", reason=reason, backend="fake", url=URL)


@pytest.mark.parametrize(
    ("row", "field", "foreign"),
    [({"title": "A", "link": URL}, "url", "link"), ({"name": "A", "url": URL}, "title", "name")],
)
def test_an_address_and_a_title_under_a_foreign_name_are_named(
    row: dict[str, object], field: str, foreign: str
) -> None:
    error = search(FakeBackend(rows=[row])).failure()

    reason = f"has `{foreign}`; the seam's name is `{field}`"
    assert error == InvalidRow(index=0, field=field, reason=reason, backend="fake")


def test_a_foreign_name_beside_ours_is_only_unread() -> None:
    receipt = search_receipt({**ROW, "snippet": "High.", "content": "High and low."})

    assert (receipt.unread, receipt.warnings) == (("content",), ())


def test_other_keys_are_named_once_without_their_values() -> None:
    rows = [{**ROW, "engine": "secret"}, {**ROW, "engine": "x", "thumb\nnail": None}]

    receipt = search_receipt(*rows)

    assert receipt.unread == ("engine", "thumb nail")
    assert receipt.warnings == ()
    assert b"secret" not in msgspec.json.encode(receipt)


def test_quarantine_names_the_keys_of_the_rows_that_it_keeps() -> None:
    receipt = search_receipt({**ROW, "engine": "x"}, {"lost": 1}, policy="quarantine")

    assert (receipt.unread, receipt.rejected) == (("engine",), 1)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("snipet", "snippet"),
        ("Score", "score"),
        ("published", "published_at"),
        ("publishedDate", "published_at"),
        ("date", "published_at"),
        ("Published-At", "published_at"),
    ],
)
def test_a_near_miss_of_ours_is_a_warning(name: str, meant: str) -> None:
    receipt = search_receipt({**ROW, name: "2026-01-31"})

    assert receipt.unread == (name,)
    assert receipt.warnings == (f"`{name}` is not read; the seam's name is `{meant}`",)


@pytest.mark.parametrize("name", ["subtitle", "author", "links", "vendor"])
def test_a_name_of_its_own_is_no_near_miss(name: str) -> None:
    assert search_receipt({**ROW, name: 1}).warnings == ()


def test_the_keys_of_a_page_are_named() -> None:
    receipt = extract_receipt({"content": "High.", "author": "A", "links": [], "Metadata": {}})

    assert receipt.unread == ("author", "links", "Metadata")
    assert receipt.warnings == ("`Metadata` is not read; the seam's name is `metadata`",)


def test_unread_keys_named_by_a_backend_are_in_the_receipt() -> None:
    rows = Served(answer=[{**ROW, "engine": "x"}], unread=("score_2", "engine", 7))  # type: ignore[arg-type]
    page = Served(answer={"url": URL, "content": "c"}, unread=("links",), warnings=("old",))

    searched = search(FakeBackend(search=Success(rows))).unwrap()
    read = extract(page).unwrap()

    assert searched.receipt.unread == ("engine", "score_2")
    assert (read.receipt.unread, read.receipt.warnings) == (("links",), ("old",))


def test_names_are_bounded_in_number_and_length_and_hold_no_key() -> None:
    names = {f"field_{number}": 1 for number in range(200)}
    secret = "sk-0123456789abcdef0123456789"

    receipt = search_receipt({**ROW, "x" * 500: 1, secret: 1, **names})

    assert len(receipt.unread) == 50
    assert max(map(len, receipt.unread)) == 100
    assert secret not in receipt.unread


def test_a_key_that_names_nothing_is_a_bad_row_as_before() -> None:
    names: tuple[object, ...] = (7, "\ud800", None)
    for name in names:
        row: dict[Any, object] = dict(ROW)
        row[name] = 1
        error = search(FakeBackend(rows=[row])).failure()
        assert isinstance(error, InvalidRow), name
        assert error.field == "?", name


@pytest.mark.parametrize(
    "date", ["not a date", "2 hours ago", "2026-02-30", "", " 2026-01-31", "03/05/2025", "20260131"]
)
def test_a_date_that_is_none_is_a_bad_row(date: str) -> None:
    error = search(FakeBackend(rows=[{**ROW, "published_at": date}])).failure()

    assert isinstance(error, InvalidRow)
    assert error.field == "published_at"
    assert error.reason.startswith("must be a date as ISO 8601 has it, such as 2026-01-31, got ")


@pytest.mark.parametrize(
    "date", ["2026", "2026-01", "2026-01-31", "2026-01-31T10:00:00.123Z", "2026-01-31 10:00+01:00"]
)
def test_a_date_comes_out_as_it_went_in(date: str) -> None:
    (row,) = search(FakeBackend(rows=[{**ROW, "published_at": date}])).unwrap().rows

    assert row.published_at == date


def test_rows_and_documents_can_be_checked_without_a_search() -> None:
    document = {"url": URL, "content": "High.", "author": "A"}
    rows = split_rows_and_prose([{**ROW, "engine": "x"}])

    assert check_lawful_rows(rows) == (LawfulRow(title="A", url=URL),)
    assert check_document(document, URL) == Success(
        LawfulDocument(url=URL, content="High.", metadata={})
    )
