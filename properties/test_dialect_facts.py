"""What a dialect states comes from the backend, and a page or row that is lost is told of."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from returns.result import Failure, Success

from tests.features.gateway.asgi import ROWS, Answer, Site
from tests.features.gateway.samples import PAGE, SAMPLES, TEXT, Sample
from webseam.adapters.features.gateway.dialects.openai.responses import _annotations
from webseam.composition.features.testing.fakes import FakeBackend
from webseam.ports.attempts import BackendAttempt
from webseam.ports.backends import EVERY_FILTER, Served
from webseam.ports.errors import HttpStatus
from webseam.ports.web import WebSearchQuery, WebSearchResult

PLAYED = [(name, sample) for name, samples in SAMPLES.items() for sample in samples]
STATUS_NAMES = ("statusCode", "httpStatusCode")
GOOD = "https://example.com/good"
BAD = "https://example.com/bad"
# Searches that read the pages of their rows, and reads of two pages.
READERS = (
    ("tavily", Sample("POST", "/search", {"query": "t", "include_raw_content": True}, None, None)),
    ("tavily", Sample("POST", "/extract", {"urls": [GOOD, BAD]}, None, None)),
    ("exa", Sample("POST", "/search", {"query": "t", "contents": {"text": True}}, None, None)),
    ("exa", Sample("POST", "/contents", {"urls": [GOOD, BAD]}, None, None)),
    ("firecrawl", Sample("POST", "/v2/search", {"query": "t", "scrapeOptions": {"formats": ["markdown"]}}, None, None)),
    ("firecrawl", Sample("POST", "/v1/search", {"query": "t", "scrapeOptions": {"formats": ["markdown"]}}, None, None)),
    ("gptresearcher", Sample("GET", "/?query=t", None, None, None)),
    ("openwebui", Sample("POST", "/load", {"urls": [GOOD, BAD]}, None, None)),
    ("jina", Sample("GET", "/s/t", None, None, None)),
)  # fmt: skip
# Their replies have no place for the reason, so the header alone counts the page.
COUNTED_ONLY = {("tavily", "/search")}


def site_of(home: Path, status: int) -> Site:
    """Return a site with two rows, of which the page of the second answers a status."""
    rows = [{"url": url, "title": "T", "snippet": "What the row says."} for url in (GOOD, BAD)]

    def extract(url: str) -> Success[object] | Failure[HttpStatus]:
        if url == BAD:
            return Failure(HttpStatus(status=status, url=url))
        return Success({"url": url, "content": TEXT})

    return Site(home, FakeBackend(rows, extract=extract, abilities=EVERY_FILTER))


def values_of(value: object, names: tuple[str, ...]) -> Iterator[object]:
    if isinstance(value, dict):
        for name, inner in value.items():
            if name in names:
                yield inner
            yield from values_of(inner, names)
    elif isinstance(value, list):
        for inner in value:
            yield from values_of(inner, names)


def ask(site: Site, name: str, sample: Sample) -> Answer:
    return site.ask(sample.method, f"/{name}{sample.path}", sample.body, accept="application/json")


@pytest.mark.parametrize("status", [403, 404, 500])
@pytest.mark.parametrize(("name", "sample"), READERS)
def test_a_page_that_was_not_read_is_told_of_with_no_status_but_its_own(
    name: str, sample: Sample, status: int, tmp_path: Path
) -> None:
    answer = ask(site_of(tmp_path, status), name, sample)

    assert answer.status == 200, answer.body
    assert answer.headers["x-webseam-failed-pages"] == "1"
    statuses = {value for value in values_of(answer.json, STATUS_NAMES) if value is not None}
    assert statuses <= {200, status}, statuses
    assert str(status) in answer.body.decode() or (name, sample.path) in COUNTED_ONLY
    # A snippet is no page.
    texts = values_of(answer.json, ("raw_content", "page_content", "text", "markdown", "content"))
    is_search = sample.path.startswith(("/search", "/v")) and name == "tavily"
    assert "What the row says." not in [text for text in texts if not is_search]


@pytest.mark.parametrize(
    ("status", "tag"),
    [(403, "SOURCE_NOT_AVAILABLE"), (404, "CRAWL_NOT_FOUND"), (500, "CRAWL_UNKNOWN_ERROR")],
)
def test_exa_s_tag_is_that_of_the_status(status: int, tag: str, tmp_path: Path) -> None:
    site = site_of(tmp_path, status)

    answer = site.post("/exa/contents", {"urls": [GOOD, BAD, "no url"]})

    errors = [each.get("error") or {} for each in answer.json["statuses"]]
    stated = [(error.get("tag"), error.get("httpStatusCode")) for error in errors]
    assert stated == [(None, None), (tag, status), ("UNSUPPORTED_URL", None)]


@pytest.mark.parametrize(("name", "sample"), PLAYED)
def test_no_reply_states_what_no_backend_said(name: str, sample: Sample, tmp_path: Path) -> None:
    rows = [{"url": "https://example.com/a", "title": "A", "snippet": "B."}]
    site = Site(tmp_path, FakeBackend(rows, TEXT, abilities=EVERY_FILTER))

    answer = ask(site, name, sample)

    if answer.headers["content-type"] != "application/json":
        return
    facts = ("last_updated", "date", "publishedDate", "published_date", "page_age", "age", "publishedTime", "timestamp", "family_friendly", "resolvedSearchType", "is_source_local")  # fmt: skip
    assert set(values_of(answer.json, facts)) <= {None}


def by_topic(query: WebSearchQuery) -> Success[list[dict[str, str]]]:
    topic = query.topic or "general"
    rows = [
        {"url": f"https://{topic}.example/{number}", "title": topic, "snippet": "S."}
        for number in range(2)
    ]
    shared = {"url": "https://both.example/", "title": topic, "snippet": "S."}
    return Success([*rows, shared])


def test_several_categories_are_all_searched(tmp_path: Path) -> None:
    site = Site(tmp_path, FakeBackend(search=by_topic, abilities=EVERY_FILTER))

    searx = site.get("/searxng/search?q=t&format=json&categories=general,news").json["results"]
    news = site.get("/searxng/search?q=t&format=json&categories=news").json["results"]
    brave = site.get("/brave/res/v1/web/search?q=t&result_filter=news,web").json
    only_news = site.get("/brave/res/v1/web/search?q=t&result_filter=news,faq")

    assert [(row["title"], row["category"], row["positions"]) for row in searx] == [
        ("general", "general", [1]),
        ("news", "news", [2]),
        ("general", "general", [3]),
        ("news", "news", [4]),
        ("general", "general", [5]),
    ]
    assert {row["category"] for row in news} == {"news"}
    assert [len(brave[section]["results"]) for section in ("web", "news")] == [3, 3]
    assert {row["title"] for row in brave["news"]["results"]} == {"news"}
    assert (len(only_news.json["news"]["results"]), "web" in only_news.json) == (3, False)
    assert only_news.headers["x-webseam-ignored"] == "result_filter"


def test_of_several_queries_the_first_row_of_a_url_stays(tmp_path: Path) -> None:
    def search(query: WebSearchQuery) -> Success[list[dict[str, str]]]:
        row = {"url": "https://a.example/", "title": query.query, "snippet": query.query}
        return Success([row])

    site = Site(tmp_path, FakeBackend(search=search, abilities=EVERY_FILTER))

    answer = site.post("/perplexity/search", {"query": ["one", "two"]})

    assert [row["title"] for row in answer.json["results"]] == ["one"]


@pytest.mark.parametrize(
    ("count", "offset", "more"),
    [(1, 0, True), (2, 0, None), (3, 0, False), (50, 1, False)],
)
def test_brave_says_whether_there_is_more_as_far_as_it_is_known(
    count: int, offset: int, more: object, tmp_path: Path
) -> None:
    site = Site(tmp_path, FakeBackend(ROWS, TEXT, abilities=EVERY_FILTER))

    answer = site.get(f"/brave/res/v1/web/search?q=t&count={count}&offset={offset}")

    assert answer.json["query"].get("more_results_available") is more


def test_exa_states_what_a_call_cost(tmp_path: Path) -> None:
    def extract(url: str) -> Success[Served]:
        attempt = BackendAttempt(backend="b", outcome="answered", cost=0.005)
        return Success(Served(answer={"url": url, "content": TEXT}, by="b", attempts=(attempt,)))

    site = Site(tmp_path, FakeBackend(ROWS, extract=extract, abilities=EVERY_FILTER))

    answer = site.post("/exa/contents", {"urls": [GOOD, PAGE]})

    assert answer.json["costDollars"] == {"total": 0.01}


def test_every_place_of_a_mark_is_annotated() -> None:
    rows = tuple(
        WebSearchResult(
            title="T",
            url=f"https://a.example/{position}",
            snippet="",
            position=position,
            source="b",
        )
        for position in (1, 2)
    )
    text = "High [1], low [2], high again [1]. [9] is nobody's."

    notes: list[dict[str, Any]] = _annotations(text, rows)

    places = [text[note["start_index"] : note["end_index"]] for note in notes]
    assert places == ["[1]", "[2]", "[1]"]
    assert [str(note["url"])[-1] for note in notes] == ["1", "2", "1"]
