"""Tests for ``contents``: a search whose rows have the texts of their pages."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest
from hypothesis import given, strategies as st
from returns.result import Failure, Result, Success

from webseam.composition.tools.row_pages import read_pages_in_time
from webseam.composition.tools.web_tools import search_tool
from webseam.kernel.deps import WebDeps
from webseam.kernel.envelopes import Replaced, search_envelope, strip_hidden_outcome
from webseam.kernel.plugin_changes import Original
from webseam.kernel.replaced_results import check_replaced_search
from webseam.kernel.row_pages import (
    MAX_ROW_PAGE_CHARS,
    MAX_ROW_PAGES_CHARS,
    row_page_budget,
)
from webseam.kernel.text.trim import Budget
from webseam.ports.errors import (
    AuthFailed,
    BadPayload,
    InvalidQuery,
    Missing,
    NotConfigured,
    WebError,
)
from webseam.ports.web import SearchOutcome
from webseam.testing import FakeBackend


def rows(count: int) -> list[dict[str, object]]:
    return [
        {"title": f"T{n}", "url": f"https://{n}.example/", "snippet": "s"} for n in range(count)
    ]


def page(url: str, content: str) -> dict[str, object]:
    return {"url": url, "title": "A page", "content": content}


def search(deps: WebDeps, pages: Result[WebDeps, WebError], **args: object) -> object:
    tool = search_tool(Success(deps), pages=pages)
    assert tool.ask is not None
    return asyncio.run(tool.ask({"query": "q", **args})).unwrap()  # type: ignore[arg-type]


def refusal(pages: Result[WebDeps, WebError], **args: object) -> WebError | None:
    tool = search_tool(Success(WebDeps(backend=FakeBackend(rows(1)))), pages=pages)
    return tool.judge({"query": "q", **args})


def test_a_row_has_the_text_of_its_page_and_the_receipt_its_receipt() -> None:
    backend = FakeBackend(rows(2), extract=lambda url: Success(page(url, f"All of {url}")))
    deps = WebDeps(backend=backend)

    outcome = search(deps, Success(deps), contents=True)

    assert isinstance(outcome, SearchOutcome)
    assert [row.content for row in outcome] == [f"All of {row.url}" for row in outcome]
    assert [row.error for row in outcome] == [None, None]
    receipts = [receipt.url for receipt in outcome.receipt.pages if receipt is not None]
    assert receipts == [row.url for row in outcome]


def test_a_search_without_contents_reads_no_page() -> None:
    backend = FakeBackend(rows(2), extract=lambda url: Success(page(url, "text")))
    deps = WebDeps(backend=backend)

    outcomes = [search(deps, Success(deps)), search(deps, Success(deps), contents=False)]

    assert all(isinstance(it, SearchOutcome) and it.receipt.pages == () for it in outcomes)


def test_a_page_that_fails_says_so_in_its_row_alone() -> None:
    def read(url: str) -> Result[dict[str, object], WebError]:
        return Failure(Missing(url=url)) if "0" in url else Success(page(url, "text"))

    deps = WebDeps(backend=FakeBackend(rows(2), extract=read))

    outcome = search(deps, Success(deps), contents=True)

    assert isinstance(outcome, SearchOutcome)
    assert [row.content for row in outcome] == [None, "text"]
    assert [type(row.error) for row in outcome] == [Missing, type(None)]
    assert [receipt is None for receipt in outcome.receipt.pages] == [True, False]


def test_a_page_that_is_late_has_its_error_and_the_others_stay() -> None:
    async def read(done: Callable[[str, str], None]) -> list[str]:
        done("a", "in time")
        await asyncio.Event().wait()
        return ["in time", "late"]

    pages = asyncio.run(read_pages_in_time(["a", "b"], read, lambda url, it: f"{url} {it.kind}", 0))

    assert pages == ["in time", "b deadline_exceeded"]


def test_contents_are_refused_by_name_where_they_cannot_be_given() -> None:
    deps: Result[WebDeps, WebError] = Success(WebDeps(backend=FakeBackend(rows(1))))
    unusable = NotConfigured(reason="no reader")

    images = refusal(deps, contents=True, topic="images")
    odd = refusal(deps, contents=3)

    assert [isinstance(it, InvalidQuery) and it.field for it in (images, odd)] == ["contents"] * 2
    assert refusal(Failure(unusable), contents=True) == unusable
    assert refusal(Failure(unusable)) is None


def test_a_search_that_fails_reads_no_page() -> None:
    backend = FakeBackend(search=Failure(AuthFailed(status=401)), document="text")
    tool = search_tool(Success(WebDeps(backend=backend)), pages=Success(WebDeps(backend=backend)))
    assert tool.ask is not None

    failed: object = asyncio.run(tool.ask({"query": "q", "contents": True}))  # type: ignore[arg-type]

    assert isinstance(failed, Failure)
    assert isinstance(failed.failure(), AuthFailed)


@pytest.mark.parametrize("usual", [None, Budget(characters=50), Budget(tokens=10)])
def test_a_usual_budget_counts_where_it_is_smaller(usual: Budget | None) -> None:
    budget = row_page_budget(10, usual)

    assert budget.characters == min(10_000, (usual and usual.characters) or 10_000)
    assert budget.tokens == (usual and usual.tokens)


@given(sizes=st.lists(st.integers(1, 30_000), min_size=1, max_size=12))
def test_the_texts_of_all_rows_keep_to_one_bound(sizes: Sequence[int]) -> None:
    def read(url: str) -> Result[dict[str, object], WebError]:
        size = sizes[int(url.removeprefix("https://").partition(".")[0])]
        return Success(page(url, "word " * (size // 5) + "end"))

    deps = WebDeps(backend=FakeBackend(rows(len(sizes)), extract=read))

    outcome = search(deps, Success(deps), contents=True)

    assert isinstance(outcome, SearchOutcome)
    texts = [row.content or "" for row in outcome]
    assert all(texts)
    assert max(map(len, texts)) <= MAX_ROW_PAGE_CHARS
    assert sum(map(len, texts)) <= MAX_ROW_PAGES_CHARS
    receipts = msgspec.to_builtins(outcome.receipt.pages)
    assert [it["omitted"] > 0 for it in receipts] == [
        len(text) < it["characters"] for text, it in zip(texts, receipts, strict=True)
    ]


def replace_row(**changes: object) -> Result[Replaced, WebError]:
    """Return what becomes of a search with contents, after a plugin changed its first row."""

    def read(url: str) -> Result[dict[str, object], WebError]:
        return Failure(Missing(url=url)) if "1" in url else Success(page(url, "secret text"))

    deps = WebDeps(backend=FakeBackend(rows(2), extract=read))
    outcome = search(deps, Success(deps), contents=True)
    assert isinstance(outcome, SearchOutcome)
    own = search_envelope(Success(outcome))
    written: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(own))
    entry = written["data"]["web"][0]
    written["data"]["web"][0] = {k: v for k, v in {**entry, **changes}.items() if v is not None}
    return check_replaced_search(written, {"query": "q"}, deps, (Original(own, outcome),), "mask")


def test_a_plugin_may_change_the_text_of_a_row_and_the_others_stay() -> None:
    masked = replace_row(content="*** text").unwrap().outcome
    removed = replace_row(content=None).unwrap().outcome

    assert isinstance(masked, SearchOutcome)
    assert isinstance(removed, SearchOutcome)
    assert [row.content for row in masked] == ["*** text", None]
    assert [row.content for row in removed] == [None, None]
    assert [type(row.error) for row in masked] == [type(None), Missing]


@pytest.mark.parametrize("change", [{"content": 3}, {"error": {"message": "made up"}}])
def test_a_plugin_may_not_make_up_a_page_or_its_error(change: dict[str, object]) -> None:
    assert isinstance(replace_row(**change).failure(), BadPayload)


def test_texts_of_rows_have_no_hidden_characters() -> None:
    deps = WebDeps(backend=FakeBackend(rows(1), extract=lambda url: Success(page(url, "a\u202eb"))))
    outcome = search(deps, Success(deps), contents=True)
    assert isinstance(outcome, SearchOutcome)

    assert strip_hidden_outcome(outcome).rows[0].content == "ab"
