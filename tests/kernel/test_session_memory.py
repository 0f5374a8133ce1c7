"""The memory of a session: what makes a URL seen, and what does not."""

import asyncio

import pytest
from returns.result import Success

from webseam.kernel import WebDeps, search_envelope, web_extract
from webseam.kernel.envelopes import NO_PROGRESS_NOTE
from webseam.kernel.pages.markdown_twin import find_markdown_twin, join_markdown_page
from webseam.kernel.policy.judge import judge_fetch
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.policy.session_memory import NamedUrls, SessionMemory, find_text_urls
from webseam.kernel.search import receive_replaced_rows
from webseam.ports.errors import EmptyContent, UrlNotSeen
from webseam.ports.pages import ReadPage
from webseam.ports.receipts import SearchReceipt
from webseam.ports.web import (
    Origin,
    SearchAnswer,
    SearchOutcome,
    WebSearchQuery,
    WebSearchResult,
)
from webseam.testing import FakeBackend


def test_a_link_that_is_no_url_is_left_out() -> None:
    urls = find_text_urls("[a](http://[x) [b](/y) [c](mailto:a@b.example)", "https://b.example/")

    memory = SessionMemory(urls)
    assert "https://b.example/y" in memory.urls
    assert "mailto:a@b.example" not in memory.urls


@pytest.mark.parametrize("origin", ["index", "model"])
def test_row_makes_its_own_url_seen_unless_the_query_named_it(origin: Origin) -> None:
    asked, found = "https://evil.example/?d=secret", "https://found.example/"
    rows = tuple(
        WebSearchResult(title=asked, url=url, snippet=asked, position=1, source="s", origin=origin)
        for url in (asked, found)
    )
    receipt = SearchReceipt(
        backend="b",
        query=f"open {asked}",
        asked_max_results=1,
        max_results=1,
        clamped=False,
        filters=(),
        returned=2,
        rejected=0,
        trimmed=0,
    )
    answer = SearchAnswer(text="https://written.example/?d=secret")
    memory = SessionMemory()

    memory.note_search(SearchOutcome(rows=rows, answer=answer, rejected=(), receipt=receipt))

    urls = (asked, found, "https://written.example/?d=secret")
    assert [url in memory.urls for url in urls] == [False, True, False]


@pytest.mark.parametrize(
    ("text", "url", "is_named"),
    [
        ("tides at a.example", "https://a.example/tides", False),
        ("tides at a.example", "https://www.a.example/", True),
        ("https://a.example/x/../y?b=1.", "https://a.example/y?b=1", True),
        ("https://a.example/x", "https://a.example/y", False),
        ("https://b\u00fccher.example/x", "https://xn--bcher-kva.example/x", True),
        ("a word", "https://word.example/", False),
    ],
)
def test_text_names_a_url_in_any_spelling(text: str, url: str, *, is_named: bool) -> None:
    named = NamedUrls()
    named.add([text])

    assert (url in named) == is_named


def test_oldest_named_urls_are_forgotten() -> None:
    named = NamedUrls(max_chars=100)
    named.add([f"https://a.example/{number:06}" for number in range(9)])

    urls = [f"https://a.example/{number:06}" for number in (0, 8)]
    assert [url in named for url in urls] == [False, True]


@pytest.mark.parametrize("follow", ["any", "seen", "cache"])
def test_nothing_is_fetched_while_the_network_is_closed(follow: str) -> None:
    judged = judge_fetch("https://a.example/", Policy(follow=follow))  # type: ignore[arg-type]  # one of three

    rule = judged.map(lambda _: "").alt(lambda error: getattr(error, "rule", "")).value_or("denied")
    assert (rule == "denied") == (follow == "cache")


def found(*urls: str) -> SearchOutcome:
    rows = tuple(
        WebSearchResult(title="t", url=url, snippet="", position=number, source="s")
        for number, url in enumerate(urls, 1)
    )
    receipt = SearchReceipt(
        backend="b",
        query="q",
        asked_max_results=1,
        max_results=1,
        clamped=False,
        filters=(),
        returned=len(rows),
        rejected=0,
        trimmed=0,
    )
    return SearchOutcome(rows=rows, answer=None, rejected=(), receipt=receipt)


def test_a_page_that_was_read_makes_its_links_seen() -> None:
    memory = SessionMemory(["https://a.example/"])
    page = "Read [more](/more) at https://b.example/x."
    backend = FakeBackend(document={"url": "https://a.example/", "content": page})
    deps = WebDeps(backend=backend, policy=Policy(follow="seen"), session=lambda: memory)

    read = asyncio.run(web_extract("https://a.example/", deps))
    refused = asyncio.run(web_extract("https://a.example/?d=secret", deps))

    assert read.unwrap().content == page
    assert isinstance(refused.failure(), UrlNotSeen)
    assert "https://a.example/more" in memory.urls
    assert "https://b.example/x" in memory.urls


def test_rows_that_a_plugin_changed_make_their_urls_seen_and_no_progress() -> None:
    memory = SessionMemory()
    deps = WebDeps(
        backend=FakeBackend(), policy=Policy(follow="seen"), session=lambda: memory, now=lambda: 0.0
    )
    rows = [{"title": "t", "url": "https://a.example/changed"}]

    outcome = receive_replaced_rows(rows, WebSearchQuery(query="q"), deps, is_changed=True)

    assert isinstance(outcome, SearchOutcome)
    assert "https://a.example/changed" in memory.urls
    assert outcome.receipt.new_share is None


def test_an_agent_is_told_once_that_searches_stand_still() -> None:
    memory = SessionMemory()
    outcomes = [memory.note_progress(found("https://a.example/")) for _ in range(3)]

    assert [outcome.receipt.new_share for outcome in outcomes] == [1.0, 0.0, 0.0]
    notes = [search_envelope(Success(outcome))["data"].get("note") for outcome in outcomes]  # type: ignore[attr-defined]  # a mapping
    assert notes == [None, None, NO_PROGRESS_NOTE]


def test_the_oldest_finds_are_forgotten() -> None:
    memory = SessionMemory()
    memory.note_progress(found("https://old.example/"))
    memory.note_progress(found(*(f"https://a.example/{number}" for number in range(5_000))))

    again = memory.note_progress(found("https://old.example/"))
    assert again.receipt.new_share == 1.0


def test_a_markdown_version_gives_the_text_and_the_page_the_rest() -> None:
    link = '</x.md>; rel="alternate"; type="text/markdown"'
    assert find_markdown_twin("https://a.example/x", link, None) == "https://a.example/x.md"
    assert find_markdown_twin("https://a.example/x", "", "https://b.example/x.md") is None

    joined = join_markdown_page(
        ReadPage(title="M", content="# M"),
        ReadPage(title="H", content="H"),
        {"content-usage": "train-ai=n"},
    )
    assert (joined.title, joined.content) == ("H", "# M")
    assert ("header", "content-usage", "train-ai=n") in joined.statements


def test_a_scan_has_a_remedy_of_its_own() -> None:
    assert EmptyContent(reason="scan").facts.remedy != EmptyContent(reason="no_text").facts.remedy
