"""A page over budget, and the way to the rest of it."""

import asyncio

import pytest
from returns.result import Failure, Result, Success

from webseam.kernel import Budget, Piece, WebDeps, web_extract, web_more
from webseam.kernel.pages.page_record import PageRecord, PageSource, write_page_record
from webseam.ports import (
    BackendCrashed,
    InvalidQuery,
    StoreFailed,
    Timeout,
    UrlDenied,
    WebError,
    WebExtractResult,
)
from webseam.testing import FakeBackend, FakeCompressor

from .ask import URL

TEXT = "word " * 100
STORED = write_page_record(PageRecord(source=PageSource(url=URL, final_url=URL), content=TEXT))
SMALL = Budget(characters=200)


class FakeTexts:
    """Keeps texts in memory under the length of the page."""

    def __init__(self, answer: object = None) -> None:
        self.texts: dict[str, str] = {}
        self._answer = answer

    async def save(self, text: str, /) -> Result[str, WebError]:
        if self._answer is not None:
            return self._said()
        handle = str(len(text.partition("\n")[2]))
        self.texts[handle] = text
        return Success(handle)

    async def load(self, handle: str, /) -> Result[str, WebError]:
        return Success(self.texts[handle]) if self._answer is None else self._said()

    def _said(self) -> Result[str, WebError]:
        if isinstance(self._answer, Exception):
            raise self._answer
        return self._answer  # type: ignore[return-value]  # hostile on purpose


def extract(texts: FakeTexts | None, budget: Budget | None = SMALL) -> WebExtractResult:
    deps = WebDeps(backend=FakeBackend(document=TEXT), budget=budget, texts=texts)
    return asyncio.run(web_extract(URL, deps)).unwrap()


def more(handle: object, cursor: object, texts: FakeTexts) -> Result[Piece, WebError]:
    return asyncio.run(web_more(handle, cursor, SMALL, texts, lambda _source: None))


def test_a_page_over_budget_is_trimmed_and_kept_whole_under_a_handle() -> None:
    texts = FakeTexts()

    page = extract(texts)

    assert len(page.content) <= 200
    assert texts.texts == {"500": STORED}
    assert page.raw_content == TEXT
    assert page.receipt.handle == "500"
    assert page.receipt.characters == 500
    assert page.receipt.omitted > 300
    assert page.receipt.next_cursor is not None
    assert page.content.startswith(TEXT[: page.receipt.next_cursor])


@pytest.mark.parametrize("budget", [None, Budget(characters=500), Budget()])
def test_a_page_within_budget_is_left_alone_and_not_stored(budget: Budget | None) -> None:
    texts = FakeTexts()

    page = extract(texts, budget)

    assert (page.content, page.receipt.omitted, page.receipt.handle) == (TEXT, 0, None)
    assert texts.texts == {}


@pytest.mark.parametrize(
    "answer", [Failure(StoreFailed(store="texts", reason="full")), ValueError(), Success(None), 5]
)
def test_a_store_that_fails_costs_the_handle_and_not_the_page(answer: object) -> None:
    page = extract(FakeTexts(answer))

    assert page.receipt.handle is None
    assert page.receipt.omitted > 0
    assert "could not be stored" in page.receipt.warnings[0]


def test_without_a_store_there_is_no_handle() -> None:
    receipt = extract(None).receipt

    assert (receipt.handle, receipt.warnings) == (None, ())


def test_a_compressed_page_is_trimmed_after_it_was_compressed() -> None:
    deps = WebDeps(
        backend=FakeBackend(document=TEXT),
        compressor=FakeCompressor("x" * 300),
        compress_min_length=0,
        budget=SMALL,
    )

    page = asyncio.run(web_extract(URL, deps)).unwrap()

    assert page.receipt.compressed_characters == 300
    assert "characters left out" in page.content


def test_more_goes_on_where_the_cursor_is() -> None:
    texts = FakeTexts()
    page = extract(texts)

    piece = more(page.receipt.handle, page.receipt.next_cursor, texts).unwrap()

    assert piece.cursor == page.receipt.next_cursor
    assert piece.text == TEXT[piece.cursor : piece.next_cursor]


@pytest.mark.parametrize(
    ("handle", "cursor", "field", "reason"),
    [
        (5, 0, "handle", "must be text, got 5"),
        ("500", -1, "cursor", "must be a whole number from 0 on"),
        ("500", True, "cursor", "must be a whole number from 0 on"),
        ("500", "0", "cursor", "must be a whole number from 0 on"),
        ("500", 501, "cursor", "is beyond the end of the text, which is at 500"),
    ],
)
def test_a_wrong_handle_or_cursor_is_refused(
    handle: object, cursor: object, field: str, reason: str
) -> None:
    texts = FakeTexts()
    extract(texts)

    assert more(handle, cursor, texts).failure() == InvalidQuery(field=field, reason=reason)


def test_the_end_of_the_text_is_an_empty_last_piece() -> None:
    texts = FakeTexts()
    extract(texts)

    assert more("500", 500, texts) == Success(
        Piece(text="", cursor=500, next_cursor=None, total=500)
    )


@pytest.mark.parametrize(
    ("answer", "expected"),
    [
        (Success(b"x"), InvalidQuery(field="handle", reason="the store did not return text")),
        (
            Success("no source\nx"),
            InvalidQuery(field="handle", reason="the store has no source for its text"),
        ),
        (
            Success("webseam page {}\nx"),
            InvalidQuery(field="handle", reason="the store has no source for its text"),
        ),
        (Success("\ud800"), InvalidQuery(field="handle", reason="the store did not return text")),
        (5, BackendCrashed(backend="texts", error="returned int, not a Result")),
        (
            Failure(StoreFailed(store="texts", reason="gone")),
            StoreFailed(backend="texts", store="texts", reason="gone"),
        ),
    ],
)
def test_a_store_that_breaks_its_promise_is_a_failure(answer: object, expected: WebError) -> None:
    assert more("500", 0, FakeTexts(answer)).failure() == expected


def test_a_reader_who_may_not_read_the_page_gets_nothing_of_its_text() -> None:
    texts = FakeTexts()
    page = extract(texts)
    denied = UrlDenied(rule="unlisted_domain", stage="parse", setting=None, url=URL)
    judged: list[PageSource] = []

    def judge(source: PageSource) -> WebError:
        judged.append(source)
        return denied

    outcome = asyncio.run(web_more(page.receipt.handle, 0, SMALL, texts, judge))

    assert outcome == Failure(denied)
    assert judged == [PageSource(url=URL, final_url=URL)]


def test_a_store_that_raises_is_a_failure() -> None:
    failure = more("500", 0, FakeTexts(ValueError("secret"))).failure()

    assert isinstance(failure, BackendCrashed)
    assert (failure.backend, failure.error) == ("texts", "ValueError")


def focused(condense: object, budget: Budget = SMALL) -> WebExtractResult:
    deps = WebDeps(
        backend=FakeBackend(document=TEXT),
        budget=budget,
        focus="what?",
        condense=condense,  # type: ignore[arg-type]  # hostile ones too
    )
    return asyncio.run(web_extract(URL, deps)).unwrap()


def test_a_question_keeps_the_passages_that_matter_to_it() -> None:
    requests: list[tuple[str, str, int]] = []

    def condense(text: str, question: str, most: int) -> str:
        requests.append((text, question, most))
        return "answer"

    page = focused(condense)

    assert requests == [(TEXT, "what?", 200)]
    assert page.content == "answer"
    assert (page.receipt.omitted, page.receipt.next_cursor) == (494, 0)


def test_passages_may_be_awaited() -> None:
    assert focused(condense_later).content == "answer"
    assert "characters left out" in focused(broken_later).content


async def condense_later(*_: object) -> str:
    return "answer"


async def broken_later(*_: object) -> str:
    raise ValueError


def test_a_page_within_budget_is_not_condensed() -> None:
    assert focused(lambda *_: "answer", Budget(characters=500)).content == TEXT


def broken(*_: object) -> str:
    raise ValueError


@pytest.mark.parametrize(
    "condense",
    [broken, lambda *_: None, lambda *_: " ", lambda *_: "\ud800", lambda *_: "x" * 201, None],
)
def test_page_that_cannot_be_focused_is_trimmed(condense: object) -> None:
    page = focused(condense)

    assert page.content.startswith("word word")
    assert "characters left out" in page.content


def test_a_passage_of_exactly_the_budget_is_kept() -> None:
    assert focused(lambda *_: "x" * 200).content == "x" * 200


def test_a_page_far_within_budget_is_not_condensed_either() -> None:
    assert focused(lambda *_: "answer", Budget(characters=5000)).content == TEXT


def test_a_compressor_that_fails_is_what_is_told_whatever_the_budget() -> None:
    broken = Timeout(phase="connect")
    deps = WebDeps(
        backend=FakeBackend(document=TEXT),
        compressor=FakeCompressor(answer=Failure(broken)),
        compress_min_length=1,
        budget=SMALL,
    )

    error = asyncio.run(web_extract(URL, deps)).failure()

    assert isinstance(error, Timeout)


def compressed(texts: FakeTexts | None, budget: Budget | None = None) -> WebExtractResult:
    deps = WebDeps(
        backend=FakeBackend(document=TEXT),
        compressor=FakeCompressor("short " * 50),
        compress_min_length=10,
        budget=budget,
        texts=texts,
    )
    return asyncio.run(web_extract(URL, deps)).unwrap()


def test_a_compressed_page_is_whole_under_a_handle() -> None:
    texts = FakeTexts()

    receipt = compressed(texts).receipt

    assert (receipt.handle, receipt.next_cursor, receipt.omitted) == ("500", 0, 0)
    assert texts.texts["500"] == STORED


def test_a_compressed_page_that_is_trimmed_too_still_leads_to_the_whole_page() -> None:
    page = compressed(FakeTexts(), SMALL)

    assert len(page.content) <= 200
    assert (page.receipt.handle, page.receipt.next_cursor) == ("500", 0)
    assert page.receipt.omitted > 0


def test_without_a_store_a_compressed_page_has_no_handle() -> None:
    receipt = compressed(None).receipt

    assert (receipt.handle, receipt.next_cursor) == (None, None)
