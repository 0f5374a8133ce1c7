"""Searching: what comes out for whatever comes in."""

import asyncio
from collections.abc import Iterator, Mapping

import msgspec
import pytest
from returns.result import Failure, Success

from webseam.composition.features.testing.strategies.hostile import LyingText
from webseam.kernel import WebDeps, web_search
from webseam.kernel.deps import RowPolicy
from webseam.ports import (
    BackendAbout,
    BackendCrashed,
    BadPayload,
    InvalidQuery,
    InvalidRow,
    RateLimited,
    RejectedRow,
    SearchAnswer,
    SearchOutcome,
    SearchReceipt,
    WebSearchQuery,
    WebSearchResult,
)
from webseam.ports.backends import EVERY_FILTER
from webseam.testing import FakeBackend

from .ask import ALSO_GOOD, GOOD, search, search_rows

NAMELESS = dict([*GOOD.items(), (5, 5)])
NOT_A_URL = "is not an absolute http or https URL, got "


def test_rows_come_out_numbered_and_attributed() -> None:
    outcome = search_rows(
        GOOD, {**ALSO_GOOD, "score": 1, "published_at": "2026-01-01", "origin": "model"}
    )

    assert outcome == Success(
        SearchOutcome(
            rows=(
                WebSearchResult(
                    title="A",
                    url="https://a.example/",
                    snippet="about a",
                    position=1,
                    source="fake",
                ),
                WebSearchResult(
                    title="B",
                    url="https://b.example/",
                    snippet="about b",
                    position=2,
                    source="fake",
                    published_at="2026-01-01",
                    score=1.0,
                    origin="model",
                ),
            ),
            answer=None,
            rejected=(),
            receipt=SearchReceipt(
                backend="fake",
                query="q",
                asked_max_results=None,
                max_results=None,
                clamped=False,
                filters=(),
                returned=2,
                rejected=0,
                trimmed=0,
            ),
        )
    )


def test_nothing_found_is_a_success_without_rows() -> None:
    outcome = search_rows().unwrap()

    assert (outcome.rows, outcome.answer, outcome.receipt.returned) == ((), None, 0)


@pytest.mark.parametrize(
    ("row", "field", "reason"),
    [
        ({"title": "A"}, "url", "is missing"),
        ({"url": "https://a.example/"}, "title", "is missing"),
        ({**GOOD, "url": "not-a-url"}, "url", f"{NOT_A_URL}'not-a-url'"),
        ({**GOOD, "url": "/relative"}, "url", f"{NOT_A_URL}'/relative'"),
        ({**GOOD, "url": "//a.example/"}, "url", f"{NOT_A_URL}'//a.example/'"),
        ({**GOOD, "url": "javascript:alert(1)"}, "url", f"{NOT_A_URL}'javascript:alert(1)'"),
        ({**GOOD, "url": "data:text/html,x"}, "url", f"{NOT_A_URL}'data:text/html,x'"),
        ({**GOOD, "url": "file:///etc/passwd"}, "url", f"{NOT_A_URL}'file:///etc/passwd'"),
        ({**GOOD, "url": "https://a.example/ x"}, "url", f"{NOT_A_URL}'https://a.example/ x'"),
        ({**GOOD, "url": " https://a.example/"}, "url", f"{NOT_A_URL}' https://a.example/'"),
        ({**GOOD, "url": "https://a.example/\n"}, "url", f"{NOT_A_URL}'https://a.example/\\n'"),
        ({**GOOD, "url": "https://a.example/\x00"}, "url", f"{NOT_A_URL}'https://a.example/\\x00'"),
        ({**GOOD, "url": "https://u:p@a.example/"}, "url", f"{NOT_A_URL}'https://***@a.example/'"),
        ({**GOOD, "url": "https://[:::]/"}, "url", f"{NOT_A_URL}'https://[:::]/'"),
        ({**GOOD, "url": ""}, "url", f"{NOT_A_URL}''"),
        ({**GOOD, "url": None}, "url", f"{NOT_A_URL}a value of type NoneType"),
        (
            {**GOOD, "title": None},
            "title",
            "must be text of at most 10000 characters, got a value of type NoneType",
        ),
        (
            {**GOOD, "title": 5},
            "title",
            "must be text of at most 10000 characters, got 5",
        ),
        ({**GOOD, "title": "\ud800"}, "title", "is not valid Unicode text"),
        ({**GOOD, "snippet": "\ud800"}, "snippet", "is not valid Unicode text"),
        ({**GOOD, "published_at": "\ud800"}, "published_at", "is not valid Unicode text"),
        (
            {**GOOD, "snippet": ["a"]},
            "snippet",
            "must be text of at most 100000 characters, got a value of type list",
        ),
        (
            {**GOOD, "score": float("nan")},
            "score",
            "must be a finite number, got nan",
        ),
        (
            {**GOOD, "score": float("inf")},
            "score",
            "must be a finite number, got inf",
        ),
        ({**GOOD, "score": "high"}, "score", "must be a finite number, got 'high'"),
        ({**GOOD, "origin": "dream"}, "origin", "must be index or model, got 'dream'"),
        (NAMELESS, "?", "has a field named by 5"),
        (None, "row", "expected an object, got a value of type NoneType"),
        ("https://a.example/", "row", "expected an object, got 'https://a.example/'"),
        ([GOOD], "row", "expected an object, got a value of type list"),
    ],
    ids=str,
)
def test_one_bad_row_among_good_ones_fails_the_whole_call(
    row: object, field: str, reason: str
) -> None:
    outcome = search_rows(GOOD, row, ALSO_GOOD)

    assert outcome.failure() == InvalidRow(backend="fake", index=1, field=field, reason=reason)


@pytest.mark.parametrize(
    "url",
    [
        "http://a.example",
        "HTTPS://A.EXAMPLE/",
        "https://a.example:8443/x?q=a|b{c}#d",
        "https://münchen.example/straße",
        "https://xn--mnchen-3ya.example/",
        "http://192.0.2.1/",
        "http://[2001:db8::1]:80/",
        "https://a_b.example/",
        "https://a.example/a\\b",
        "https://a.example.",
        "https://a.example?q",
        "https://a.example/#f",
        "https://a.example:65535/",
    ],
)
def test_every_ordinary_spelling_of_a_web_url_passes(url: str) -> None:
    assert [row.url for row in search_rows({**GOOD, "url": url}).unwrap().rows] == [url]


@pytest.mark.parametrize("mode", ["strict", "quarantine"])
@pytest.mark.parametrize("field", ["title", "url", "snippet", "published_at"])
def test_subclass_of_str_in_a_row_is_the_text_that_it_is(field: str, mode: RowPolicy) -> None:
    text = "2026-01-31" if field == "published_at" else "https://b.example/"
    deps = WebDeps(backend=FakeBackend([{**GOOD, LyingText(field): LyingText(text)}]), rows=mode)
    (row,) = asyncio.run(web_search("q", deps)).unwrap().rows

    value = getattr(row, field)
    assert (type(value), value) == (str, text)


def test_subclass_of_str_in_a_row_does_not_hide_what_it_is() -> None:
    failure = search_rows({**GOOD, "url": LyingText("javascript:alert(1)")}).failure()

    assert isinstance(failure, InvalidRow)
    assert failure.field == "url"


def test_unknown_fields_and_the_backends_own_position_and_source_are_ignored() -> None:
    outcome = search_rows({**GOOD, "position": "first", "source": 9, "favicon": "x"})

    assert [(row.position, row.source) for row in outcome.unwrap().rows] == [(1, "fake")]


def test_a_struct_row_is_checked_field_by_field() -> None:
    forged = WebSearchResult(title="A", url="javascript:x", snippet="", position=1, source="s")

    assert search_rows(forged).failure() == InvalidRow(
        backend="fake", index=0, field="url", reason=f"{NOT_A_URL}'javascript:x'"
    )


def test_a_row_of_any_mapping_type_is_read() -> None:
    class Row(Mapping[str, object]):
        def __getitem__(self, key: str) -> object:
            return GOOD[key]

        def __iter__(self) -> Iterator[str]:
            return iter(GOOD)

        def __len__(self) -> int:
            return len(GOOD)

    assert [row.title for row in search_rows(Row()).unwrap().rows] == ["A"]


def test_a_row_that_raises_when_it_is_read_is_a_bad_row() -> None:
    class Evil(msgspec.Struct):
        url: str

        def __getattribute__(self, name: str) -> object:
            if name == "url":
                raise RuntimeError
            return super().__getattribute__(name)

    outcome = search_rows(GOOD, Evil(url="https://a.example/"))

    assert outcome.failure() == InvalidRow(
        backend="fake",
        index=1,
        field="row",
        reason="expected an object, got a value of type UnreadableRow",
    )


def test_the_title_may_have_10000_characters_and_no_more() -> None:
    assert search_rows({**GOOD, "title": "t" * 10_000}).unwrap().rows[0].title == "t" * 10_000
    failure = search_rows({**GOOD, "title": "t" * 10_001}).failure()
    assert isinstance(failure, InvalidRow)
    assert failure.field == "title"


def test_quarantine_returns_the_good_rows_and_the_bad_ones_with_reasons() -> None:
    bad = {**GOOD, "url": "javascript:x"}

    outcome = search(FakeBackend(rows=[bad, GOOD, None, ALSO_GOOD]), rows="quarantine").unwrap()

    assert [(row.title, row.position) for row in outcome.rows] == [("A", 1), ("B", 2)]
    assert outcome.rejected == (
        RejectedRow(index=0, field="url", reason=f"{NOT_A_URL}'javascript:x'", raw=ascii(bad)),
        RejectedRow(
            index=2,
            field="row",
            reason="expected an object, got a value of type NoneType",
            raw="None",
        ),
    )
    assert (outcome.receipt.returned, outcome.receipt.rejected, outcome.receipt.trimmed) == (
        4,
        2,
        0,
    )


def test_quarantine_shows_at_most_500_characters_of_a_bad_row() -> None:
    outcome = search(FakeBackend(rows=[{"title": "t" * 5000}]), rows="quarantine").unwrap()

    assert len(outcome.rejected[0].raw) == 500


def test_quarantine_survives_a_row_that_cannot_even_be_shown() -> None:
    class Evil:
        def __repr__(self) -> str:
            raise RuntimeError

    outcome = search(FakeBackend(rows=[Evil()]), rows="quarantine").unwrap()

    assert outcome.rejected[0].raw == "a value of type Evil"


@pytest.mark.parametrize(
    ("asked", "seen", "clamped"),
    [(9999, 100, True), (-1, 1, True), (7, 7, False), (None, None, False)],
)
def test_the_backend_sees_the_clamped_limit_and_the_receipt_says_so(
    asked: int | None, seen: int | None, *, clamped: bool
) -> None:
    backend = FakeBackend()

    outcome = search(backend, {"query": "q", "max_results": asked}).unwrap()

    assert backend.searched == [WebSearchQuery(query="q", max_results=seen)]
    assert outcome.receipt.asked_max_results == asked
    assert outcome.receipt.max_results == seen
    assert outcome.receipt.clamped is clamped


def test_more_rows_than_asked_for_are_trimmed_and_counted() -> None:
    outcome = search(FakeBackend(rows=[GOOD] * 5), {"query": "q", "max_results": 2}).unwrap()

    assert [row.position for row in outcome.rows] == [1, 2]
    assert (outcome.receipt.returned, outcome.receipt.trimmed) == (5, 3)


def test_a_bad_row_beyond_the_limit_still_fails_the_call() -> None:
    outcome = search(FakeBackend(rows=[GOOD, {}]), {"query": "q", "max_results": 1})

    assert isinstance(outcome.failure(), InvalidRow)


def test_the_receipt_names_the_filters_that_were_sent() -> None:
    backend = FakeBackend(abilities=EVERY_FILTER)

    outcome = search(backend, {"query": "q", "country": "DE"}).unwrap()

    assert outcome.receipt.filters == outcome.receipt.sent == ("country",)


@pytest.mark.parametrize("answer", [None, 5, "rows", b"rows", {"results": []}, ...], ids=repr)
def test_an_answer_that_is_no_list_of_rows_is_a_bad_payload(answer: object) -> None:
    failure = search(FakeBackend(search=Success(answer))).failure()

    assert isinstance(failure, BadPayload)
    assert (failure.problem, failure.path, failure.backend) == ("shape", "$", "fake")
    assert failure.detail.startswith("expected a list of rows, got ")


def test_a_generator_of_rows_is_read_to_its_end() -> None:
    outcome = search(FakeBackend(search=Success(iter([GOOD, ALSO_GOOD]))))

    assert len(outcome.unwrap().rows) == 2


def test_50000_rows_are_all_checked() -> None:
    outcome = search(FakeBackend(rows=[GOOD] * 49_999 + [{}]))

    assert outcome.failure() == InvalidRow(
        backend="fake", index=49_999, field="title", reason="is missing"
    )


def test_100000_rows_are_the_most_that_are_looked_at() -> None:
    def forever() -> Iterator[object]:
        while True:
            yield GOOD

    assert len(search(FakeBackend(rows=[GOOD] * 100_000)).unwrap().rows) == 100_000
    assert search(FakeBackend(search=Success(forever()))).failure() == BadPayload(
        backend="fake", problem="shape", path="$", detail="more than 100000 rows"
    )


def test_prose_among_the_rows_becomes_the_answer_and_never_a_row() -> None:
    answer = SearchAnswer(text="42")

    outcome = search_rows(GOOD, answer).unwrap()

    assert outcome.answer == answer
    assert [row.title for row in outcome.rows] == ["A"]
    assert outcome.receipt.returned == 1


def test_prose_alone_is_an_answer_without_rows() -> None:
    outcome = search_rows(SearchAnswer(text="42")).unwrap()

    assert (outcome.answer, outcome.rows) == (SearchAnswer(text="42"), ())


@pytest.mark.parametrize("text", ["", " \n", None, 5, "\ud800"], ids=ascii)
def test_prose_that_is_no_text_fails_the_call(text: object) -> None:
    answer = msgspec.structs.replace(SearchAnswer(text="x"), text=text)

    assert search_rows(GOOD, answer).failure() == InvalidRow(
        backend="fake", index=1, field="answer", reason="is not text or is blank"
    )


def test_a_second_answer_fails_the_call() -> None:
    outcome = search_rows(SearchAnswer(text="a"), GOOD, SearchAnswer(text="b"))

    assert outcome.failure() == InvalidRow(
        backend="fake", index=2, field="answer", reason="a second answer"
    )


def test_a_bad_row_behind_prose_keeps_its_own_index() -> None:
    failure = search_rows(SearchAnswer(text="a"), GOOD, {}).failure()
    rejected = search(FakeBackend(rows=[SearchAnswer(text="a"), {}]), rows="quarantine").unwrap()

    assert isinstance(failure, InvalidRow)
    assert failure.index == 2
    assert rejected.rejected[0].index == 1


def test_a_backends_failure_comes_out_with_its_name_on_it() -> None:
    backend = FakeBackend(search=Failure(RateLimited(retry_after=3.0)), name="b")

    assert search(backend).failure() == RateLimited(backend="b", retry_after=3.0)


def test_a_failure_that_is_already_attributed_keeps_its_author() -> None:
    inner = RateLimited(backend="inner", url="https://inner.example/")

    assert search(FakeBackend(search=Failure(inner))).failure() == inner


@pytest.mark.parametrize(
    ("answer", "error"),
    [
        ([GOOD], "returned list, not a Result"),
        (None, "returned NoneType, not a Result"),
        (Failure("boom"), "failed with str, not a WebError"),
        (Failure(None), "failed with NoneType, not a WebError"),
        (Failure({"kind": "timeout", "phase": "body"}), "failed with dict, not a WebError"),
        (Failure(WebSearchQuery(query="q")), "failed with WebSearchQuery, not a WebError"),
        (
            Failure(msgspec.structs.replace(RateLimited(), retry_after="soon")),
            "failed with RateLimited, not a WebError",
        ),
    ],
    ids=str,
)
def test_a_backend_that_breaks_its_promise_is_reported_as_crashed(
    answer: object, error: str
) -> None:
    backend = FakeBackend(search=lambda _query: answer)

    assert search(backend).failure() == BackendCrashed(backend="fake", error=error)


@pytest.mark.parametrize(
    "error",
    [ValueError("key sk-123"), RecursionError(), ExceptionGroup("g", [OSError()])],
    ids=repr,
)
def test_whatever_a_backend_raises_is_a_value_without_its_text(error: Exception) -> None:
    failure = search(FakeBackend(raises=error)).failure()

    assert isinstance(failure, BackendCrashed)
    assert failure.backend == "fake"
    assert failure.error == type(error).__name__
    assert failure.where.startswith("fakes.py:")
    assert "sk-123" not in failure.message


def test_a_generator_that_raises_midway_is_a_crash() -> None:
    def rows() -> Iterator[object]:
        yield GOOD
        raise ValueError

    failure = search(FakeBackend(search=Success(rows()))).failure()

    assert isinstance(failure, BackendCrashed)
    assert failure.error == "ValueError"


def test_deps_without_a_backend_are_a_crash_and_not_an_exception() -> None:
    failure = asyncio.run(web_search({"query": "q"}, None)).failure()  # type: ignore[arg-type]  # the point

    assert isinstance(failure, BackendCrashed)
    assert (failure.backend, failure.error) == ("NoneType", "AttributeError")


@pytest.mark.parametrize("stop", [asyncio.CancelledError, KeyboardInterrupt, SystemExit])
def test_cancellation_and_exits_pass_through(stop: type[BaseException]) -> None:
    async def call() -> None:
        await web_search({"query": "q"}, WebDeps(backend=FakeBackend(raises=stop)))

    with pytest.raises(stop):
        asyncio.run(call())


@pytest.mark.parametrize("name", ["", "  ", None, 5])
def test_a_backend_without_a_usable_name_goes_by_its_class(name: object) -> None:
    backend = FakeBackend(rows=[GOOD])
    backend.about = BackendAbout(name=name)  # type: ignore[arg-type]  # the point

    assert search(backend).unwrap().receipt.backend == "FakeBackend"


def test_a_backends_name_is_one_short_line() -> None:
    backend = FakeBackend(rows=[GOOD], name="a\nb" + "c" * 200)

    receipt = search(backend).unwrap().receipt

    assert receipt.backend == "a b" + "c" * 96 + "…"


def test_an_invalid_query_is_refused_before_the_backend_is_asked() -> None:
    backend = FakeBackend(raises=AssertionError)

    assert isinstance(search(backend, {"query": " "}).failure(), InvalidQuery)
    assert backend.searched == []


def test_of_rows_without_end_only_one_too_many_is_ever_drawn() -> None:
    drawn = 0

    def forever() -> Iterator[object]:
        nonlocal drawn
        while True:
            drawn += 1
            yield GOOD

    search(FakeBackend(search=Success(forever())))

    assert drawn == 100_001


def test_a_name_that_is_too_long_is_cut_wherever_it_stands() -> None:
    nameless = type("N" * 150, (), {"search": None})()

    crashed = search(nameless).failure()
    stranger = search(FakeBackend(), {"query": "q", "x" * 150: 1}).failure()

    assert crashed.backend == "N" * 100
    assert isinstance(stranger, InvalidQuery)
    assert stranger.field == "x" * 100
