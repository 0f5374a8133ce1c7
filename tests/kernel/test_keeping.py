"""Which answers may be kept, and what they are when they come back."""

from collections.abc import Iterator
from datetime import date, timedelta

import pytest

from webseam.kernel.cache_rules import (
    Lifetimes,
    cacheable_page,
    cacheable_search,
    decode_cached_page,
    decode_cached_rows,
    is_recent_query,
)
from webseam.ports import SearchAnswer, Served, WebSearchQuery

TODAY = date(2026, 1, 31)
LIVES = Lifetimes()
QUERY = WebSearchQuery(query="q")
ROW = {"title": "A", "url": "https://a.example/", "snippet": "s"}
URL = "https://a.example/"


class _Raising(list[object]):
    def __iter__(self) -> Iterator[object]:
        raise ValueError


@pytest.mark.parametrize("answer", [[ROW], (ROW,), Served(answer=[ROW], cached=True)])
def test_rows_that_keep_the_law_come_back_as_they_were(answer: object) -> None:
    entry = cacheable_search(QUERY, answer, TODAY, LIVES)

    assert entry is not None
    assert entry.seconds == 1200
    assert decode_cached_rows(entry.payload) == [
        {**ROW, "published_at": None, "score": None, "origin": "index"}
    ]


def test_keys_that_nobody_reads_come_back_by_name() -> None:
    answer = Served(answer=[{**ROW, "more": object()}], unread=("engine",))

    entry = cacheable_search(QUERY, answer, TODAY, LIVES)

    assert entry is not None
    recalled = decode_cached_rows(entry.payload)
    assert isinstance(recalled, Served)
    assert recalled.unread == ("more", "engine")


def test_keys_of_a_page_that_nobody_reads_come_back_by_name() -> None:
    page = {"url": URL, "content": "text", "author": "A"}

    entry = cacheable_page(URL, Served(answer=page, unread=("links",)), LIVES)

    assert entry is not None
    recalled = decode_cached_page(entry.payload)
    assert isinstance(recalled, Served)
    assert (recalled.by, recalled.unread) == ("", ("author", "links"))


def test_prose_among_the_rows_comes_back_as_prose() -> None:
    entry = cacheable_search(QUERY, [SearchAnswer(text="Yes.")], TODAY, LIVES)

    assert entry is not None
    assert decode_cached_rows(entry.payload) == [SearchAnswer(text="Yes.")]


@pytest.mark.parametrize(
    "answer",
    [5, "text", iter([ROW]), [{"url": "x"}], [ROW, 5], [SearchAnswer(text=" ")], _Raising([ROW])],
)
def test_invalid_answer_is_not_cached(answer: object) -> None:
    assert cacheable_search(QUERY, answer, TODAY, LIVES) is None


def test_nothing_found_is_kept_for_a_short_time() -> None:
    entry = cacheable_search(QUERY, [], TODAY, LIVES)

    assert entry is not None
    assert entry.seconds == 120
    assert decode_cached_rows(entry.payload) == []


@pytest.mark.parametrize(
    ("query", "recent"),
    [
        (WebSearchQuery(query="history of rome"), False),
        (WebSearchQuery(query="Latest news"), True),
        (WebSearchQuery(query="known"), False),
        (WebSearchQuery(query="q", topic="news"), True),
        (WebSearchQuery(query="q", topic="general"), False),
        (WebSearchQuery(query="q", published_after=date(2026, 1, 24)), True),
        (WebSearchQuery(query="q", published_after=date(2026, 1, 23)), False),
    ],
)
def test_a_query_is_about_recent_things(query: WebSearchQuery, *, recent: bool) -> None:
    assert is_recent_query(query, TODAY) is recent


@pytest.mark.parametrize(
    "wrap", [lambda page: page, lambda page: Served(answer=page)], ids=["bare", "served"]
)
def test_a_page_comes_back_as_it_was(wrap: object) -> None:
    assert callable(wrap)
    entry = cacheable_page(URL, wrap({"url": URL, "content": "text", "title": "T"}), LIVES)

    assert entry is not None
    recalled = decode_cached_page(entry.payload)
    assert isinstance(recalled, dict)
    assert (recalled["url"], recalled["content"], recalled["title"]) == (URL, "text", "T")


@pytest.mark.parametrize(
    "page", [5, {"url": URL, "content": " \n"}, {"url": "https://b.example/", "content": "text"}]
)
def test_a_page_that_is_not_the_one_or_empty_is_not_kept(page: object) -> None:
    assert cacheable_page(URL, page, LIVES) is None


@pytest.mark.parametrize("payload", [b"", b"{", b"[]", b'{"rows": 5}', b"\xff"])
def test_unreadable_cache_entry_is_not_recalled(payload: bytes) -> None:
    assert decode_cached_rows(payload) is None
    assert decode_cached_page(payload[:3]) is None


def test_answers_and_pages_live_for_twenty_minutes_and_recent_ones_for_two() -> None:
    assert Lifetimes() == Lifetimes(usual=1200, recent=120, page=1200)


@pytest.mark.parametrize(("days", "recent"), [(0, True), (6, True), (7, True), (8, False)])
def test_query_for_the_last_seven_days_is_recent(days: int, recent: bool) -> None:  # noqa: FBT001
    after = TODAY - timedelta(days=days)

    assert is_recent_query(WebSearchQuery(query="q", published_after=after), TODAY) is recent
