"""The cache around a backend: asked once, answered again, and never in the way."""

import asyncio
import sqlite3
from collections.abc import Callable, Mapping
from datetime import date
from pathlib import Path
from typing import cast

import pytest
from returns.result import Failure, Result, Success

from webseam.adapters.call_context import limit_cache_age
from webseam.adapters.stores.cache_table import CacheStore
from webseam.composition.wiring.cache import policy_version, with_cache
from webseam.kernel import WebDeps, web_extract, web_search
from webseam.kernel.policy import Policy, PolicySettings, make_policy
from webseam.ports import (
    RateLimited,
    SearchAnswer,
    SearchOutcome,
    Served,
    WebError,
    WebExtractResult,
)
from webseam.ports.backends import EVERY_FILTER
from webseam.ports.stores import CachedAnswer
from webseam.ports.web import Query
from webseam.testing import FakeBackend, FakeClock

from .shelf import lent

ROW = {"title": "A", "url": "https://a.example/", "snippet": "s", "score": 1.5}
URL = "https://a.example/page"


class Desk:
    """A backend with a cache around it, and a clock to turn."""

    def __init__(self, folder: Path, backend: FakeBackend, most_bytes: int = 10**7) -> None:
        self.path = folder / "answers.sqlite"
        self.backend = backend
        self.clock = FakeClock(1_800_000_000.0)
        self.store = lent(CacheStore(self.path, self.clock, most_bytes))

    def search(self, query: str = "q", fields: Mapping[str, object] | None = None) -> SearchOutcome:
        return self.try_search(query, fields).unwrap()

    def try_search(
        self, query: str = "q", fields: Mapping[str, object] | None = None
    ) -> Result[SearchOutcome, WebError]:
        cached = with_cache(self.backend, self.store, now=self.clock)
        query_asked = cast("Query", {"query": query, **(fields or {})})
        return asyncio.run(web_search(query_asked, WebDeps(backend=cached)))

    def extract(self, url: str = URL, policy: Policy | None = None) -> WebExtractResult:
        rules = policy or Policy()
        cached = with_cache(self.backend, self.store, now=self.clock, policy=rules)
        deps = WebDeps(backend=cached, policy=rules)
        return asyncio.run(web_extract(url, deps)).unwrap()


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    return Desk(tmp_path, FakeBackend(rows=[ROW], document="page text", abilities=EVERY_FILTER))


def test_the_same_search_is_asked_once_and_its_receipt_says_so(desk: Desk) -> None:
    first, second = desk.search(), desk.search()

    assert len(desk.backend.searched) == 1
    assert (first.receipt.cached, second.receipt.cached) == (False, True)
    assert first.rows == second.rows


def test_the_same_page_is_asked_once_however_its_url_is_spelled(desk: Desk) -> None:
    first, second = desk.extract(), desk.extract("HTTPS://A.example:443/page#top")

    assert len(desk.backend.extracted) == 1
    assert (first.receipt.cached, second.receipt.cached) == (False, True)
    assert second.content == "page text"


def test_prose_comes_back_as_prose(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[ROW, SearchAnswer(text="Yes.")]))

    assert desk.search().answer == desk.search().answer == SearchAnswer(text="Yes.")


def test_spelling_that_cannot_matter_is_the_same_question(desk: Desk) -> None:
    desk.search("a  b", {"include_domains": ["B.example", "a.example"], "country": "de"})
    desk.search(" a b", {"include_domains": ["a.example", "b.example"], "country": "DE"})

    assert len(desk.backend.searched) == 1


@pytest.mark.parametrize(
    "other",
    [
        {"max_results": 3},
        {"include_domains": ["a.example"]},
        {"exclude_domains": ["a.example"]},
        {"published_after": "2020-01-01"},
        {"published_before": "2020-01-01"},
        {"country": "DE"},
        {"language": "en"},
        {"topic": "general"},
        {"safe_search": "strict"},
    ],
)
def test_anything_that_changes_the_answer_is_another_question(
    desk: Desk, other: dict[str, object]
) -> None:
    desk.search()

    assert not desk.search("q", other).receipt.cached


def test_another_backend_has_answers_of_its_own(desk: Desk) -> None:
    desk.search()
    desk.backend = FakeBackend(rows=[], name="other")

    assert desk.search().rows == ()


def test_an_answer_is_good_for_twenty_minutes(desk: Desk) -> None:
    desk.search()
    desk.clock.advance(1199)
    assert desk.search().receipt.cached
    desk.clock.advance(2)
    assert not desk.search().receipt.cached


@pytest.mark.parametrize(
    ("query", "fields"),
    [
        ("latest prices", {}),
        ("q", {"topic": "news"}),
        ("q", {"published_after": str(date(2027, 1, 14))}),
    ],
)
def test_an_answer_about_recent_things_is_good_for_two(
    desk: Desk, query: str, fields: dict[str, object]
) -> None:
    desk.search(query, fields)
    desk.clock.advance(119)
    assert desk.search(query, fields).receipt.cached
    desk.clock.advance(2)
    assert not desk.search(query, fields).receipt.cached


def test_nothing_found_is_asked_again_soon(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[], abilities=EVERY_FILTER))
    desk.search()
    desk.clock.advance(121)

    assert not desk.search().receipt.cached


def test_a_clock_that_was_set_back_makes_answers_unknown(desk: Desk) -> None:
    desk.search()
    desk.clock.advance(-3600)

    assert not desk.search().receipt.cached


@pytest.mark.parametrize(
    "answer",
    [
        Failure(RateLimited()),
        Success([{"title": "t", "url": "javascript:alert(1)"}]),
        Success(5),
        Success([ROW, SearchAnswer(text="a"), SearchAnswer(text="b")]),
        "not a result",
    ],
)
def test_failure_is_not_cached(tmp_path: Path, answer: object) -> None:
    desk = Desk(tmp_path, FakeBackend(search=answer))

    assert isinstance(desk.try_search(), Failure)
    assert isinstance(desk.try_search(), Failure)
    assert len(desk.backend.searched) == 2


def test_rows_that_can_be_read_once_are_passed_on_and_not_kept(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(search=lambda _: Success(iter([ROW]))))

    assert len(desk.search().rows) == len(desk.search().rows) == 1
    assert len(desk.backend.searched) == 2


@pytest.mark.parametrize(
    "document", [{"url": URL, "content": " "}, {"url": "https://b.example/", "content": "x"}]
)
def test_a_page_that_is_empty_or_another_is_never_kept(
    tmp_path: Path, document: dict[str, object]
) -> None:
    desk = Desk(tmp_path, FakeBackend(document=document))
    cached = with_cache(desk.backend, desk.store, now=desk.clock)

    for _ in range(2):
        asyncio.run(web_extract(URL, WebDeps(backend=cached)))

    assert len(desk.backend.extracted) == 2


def test_receipt_facts_of_an_inner_cache_are_passed_on(tmp_path: Path) -> None:
    inner = Served(answer=[ROW], cached=True, warnings=("old",))
    desk = Desk(tmp_path, FakeBackend(search=Success(inner)))

    receipt = desk.search().receipt

    assert (receipt.cached, receipt.warnings) == (True, ("old",))
    # A stored answer lacks what it lacked when it came.
    assert desk.search().receipt.warnings == ("old",)


def test_a_page_is_not_served_under_another_policy(desk: Desk) -> None:
    desk.extract()
    stricter = make_policy(PolicySettings(deny_domains=("b.example",))).unwrap()

    assert not desk.extract(policy=stricter).receipt.cached
    assert policy_version(stricter) != policy_version(Policy())


def test_a_denied_page_is_not_served_from_the_cache(desk: Desk) -> None:
    desk.extract()
    denying = make_policy(PolicySettings(deny_domains=("a.example",))).unwrap()
    cached = with_cache(desk.backend, desk.store, now=desk.clock)

    page = asyncio.run(web_extract(URL, WebDeps(backend=cached, policy=denying)))

    assert page.failure().kind == "url_denied"


def test_the_file_tells_nobody_what_was_asked(desk: Desk) -> None:
    desk.search("my secret question")

    desk.store.close()

    assert b"secret question" not in desk.path.read_bytes()


def _change(path: Path, change: str) -> None:
    connection = sqlite3.connect(path)
    connection.execute(change)
    connection.commit()
    connection.close()


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE answers SET payload = CAST(replace(payload, 'example', 'evil---') AS BLOB)",
        "UPDATE answers SET payload = 'text'",
        "UPDATE answers SET expires_at = expires_at + 99999",
        "UPDATE answers SET stored_at = 'long ago'",
    ],
)
def test_a_row_that_was_tampered_with_is_not_served(desk: Desk, change: str) -> None:
    desk.search()
    _change(desk.path, change)

    assert not desk.search().receipt.cached
    assert desk.search().receipt.cached


def test_an_answer_that_cannot_be_read_is_asked_for_again(desk: Desk) -> None:
    desk.search()
    connection = sqlite3.connect(desk.path)
    [key] = connection.execute("SELECT key FROM answers").fetchone()
    connection.close()
    now = desk.clock()
    answer = CachedAnswer(
        key=key, backend="b", operation="search", payload=b"{", stored_at=now, expires_at=now + 9
    )
    desk.store.keep(answer).unwrap()

    assert not desk.search().receipt.cached


@pytest.mark.parametrize(
    "damage",
    [
        lambda path: path.write_bytes(b"garbage " * 900),
        lambda path: path.write_bytes(bytes(9000)),
        lambda path: path.write_bytes(path.read_bytes()[:100] + b"\xff" * 20_000),
        lambda path: path.write_bytes(path.read_bytes()[:4500]),
    ],
)
def test_a_damaged_cache_is_set_aside_and_begun_anew(
    desk: Desk, damage: Callable[[Path], object]
) -> None:
    desk.search()
    desk.store.close()
    damage(desk.path)
    content = desk.path.read_bytes()

    assert desk.search().receipt.warnings == ()
    assert desk.search().receipt.cached
    [aside] = desk.path.parent.glob("answers.sqlite.bad-*[0-9]")
    assert aside.read_bytes() == content


def test_another_program_s_file_is_left_alone_and_the_call_goes_on(desk: Desk) -> None:
    connection = sqlite3.connect(desk.path)
    connection.execute("CREATE TABLE precious (data)")
    connection.close()
    content = desk.path.read_bytes()

    result = desk.search()

    assert len(result.rows) == 1
    assert "not one of webseam" in result.receipt.warnings[0]
    assert desk.path.read_bytes() == content


def test_a_cache_that_cannot_be_written_is_a_warning(desk: Desk) -> None:
    desk.path.mkdir()

    result = desk.search()

    assert len(result.rows) == 1
    [warning] = result.receipt.warnings
    assert warning.startswith("The store of cached answers cannot be used: its file cannot be op")


def test_a_full_disk_is_a_warning(desk: Desk) -> None:
    desk.search("first")
    assert desk.store._opened is not None  # noqa: SLF001  a full disk is hard to come by
    desk.store._opened.connection.execute("PRAGMA max_page_count = 1")  # noqa: SLF001
    desk.backend = FakeBackend(rows=[{**ROW, "snippet": "x" * 90_000}])

    assert "disk is full" in desk.search("second").receipt.warnings[0]


def test_the_longest_unused_goes_first_when_room_is_needed(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[{**ROW, "snippet": "x" * 700}]), most_bytes=11_000)
    for number in range(8):
        desk.search(f"q{number}")
        desk.clock.advance(1)
    desk.clock.advance(70)
    assert desk.search("q0").receipt.cached

    for number in range(8, 12):
        desk.search(f"q{number}")

    assert desk.store.statistics().unwrap().bytes <= 11_000
    assert desk.search("q0").receipt.cached
    assert not desk.search("q1").receipt.cached


def test_expired_answers_are_evicted_first(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[{**ROW, "snippet": "x" * 900}]), most_bytes=12_000)
    for number in range(4):
        desk.search(f"latest {number}")
    desk.clock.advance(200)
    for number in range(7):
        desk.search(f"q{number}")

    assert all(desk.search(f"q{number}").receipt.cached for number in range(7))


def test_an_answer_larger_than_the_cache_can_bear_is_not_kept(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[{**ROW, "snippet": "x" * 5000}]), most_bytes=10_000)
    desk.search()

    assert not desk.search().receipt.cached


def test_statistics_count_and_clear_empties(desk: Desk) -> None:
    desk.search("latest")
    desk.search("q")
    desk.extract()
    desk.clock.advance(200)

    counted = desk.store.statistics().unwrap()

    assert (counted.answers, counted.expired, counted.searches, counted.pages) == (3, 1, 2, 1)
    assert desk.store.clear().unwrap() == 3
    assert desk.store.statistics().unwrap().answers == 0


def test_two_processes_share_what_one_has_asked(desk: Desk) -> None:
    desk.search()
    desk.store = lent(CacheStore(desk.path, desk.clock))

    assert desk.search().receipt.cached


class _Closable(FakeBackend):
    closed = False

    async def aclose(self) -> None:
        self.closed = True


@pytest.mark.parametrize("backend", [_Closable(), FakeBackend()])
def test_closing_closes_the_backend_inside(tmp_path: Path, backend: FakeBackend) -> None:
    cached = with_cache(backend, lent(CacheStore(tmp_path / "c")))

    asyncio.run(cached.aclose())

    assert getattr(backend, "closed", True)


def test_a_call_may_say_how_old_an_answer_may_be(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[ROW], document="A page."))
    desk.search()
    desk.extract()
    desk.clock.advance(60)

    for seconds, is_cached in ((None, True), (60, True), (59, False), (59, True), (0, True)):
        with limit_cache_age(seconds):
            assert desk.search().receipt.cached is is_cached
            assert desk.extract().receipt.cached is is_cached
    assert (len(desk.backend.searched), len(desk.backend.extracted)) == (2, 2)


def test_calls_that_accept_different_ages_do_not_share_an_answer(tmp_path: Path) -> None:
    desk = Desk(tmp_path, FakeBackend(rows=[ROW]))
    cached = with_cache(desk.backend, desk.store, now=desk.clock)
    deps = WebDeps(backend=cached)
    desk.search()
    desk.clock.advance(60)

    async def search_within(seconds: float | None) -> bool:
        with limit_cache_age(seconds):
            return (await web_search("q", deps)).unwrap().receipt.cached

    async def both() -> list[bool]:
        return list(await asyncio.gather(search_within(None), search_within(1)))

    assert asyncio.run(both()) == [True, False]
