"""Laws of the citation extractor: any JSON is read, and nothing is made up."""

from collections.abc import Callable
from typing import Any

import msgspec
from hypothesis import example, given, strategies as st

from webseam.adapters.features.models.search.citation_extractor import (
    Citations,
    canonical_citation_url,
    find_citations,
    is_citable_url,
)
from webseam.composition.features.testing.strategies.answers import json_values
from webseam.kernel.laws.row_law import RowsAndProse, check_lawful_rows
from webseam.kernel.urls.spelling import canonical_url, is_web_url

_KEYS = [
    "search_results",
    "results",
    "contents",
    "annotations",
    "url_citation",
    "citations",
    "sources",
    "action",
    "content",
    "text",
    "type",
    "url",
    "uri",
    "title",
    "snippet",
    "start_index",
    "end_index",
    "groundingMetadata",
    "groundingChunks",
    "groundingSupports",
    "segment",
    "groundingChunkIndices",
    "web",
    "location",
    "choices",
    "message",
    "output",
    "outputs",
    "candidates",
    "parts",
    "citationsContent",
]
_TYPES = [
    "search_results",
    "fetch_url_results",
    "web_search_tool_result",
    "web_fetch_tool_result",
    "web_search_call",
    "tool_reference",
    "url_citation",
    "message",
    "text",
]
_ADDRESSES = st.sampled_from(
    ["https://a.example/", "HTTP://WWW.A.example:80/x/?utm_a=1&b=%2f#t", "https://x.com/a/status/1"]
)


def _inside(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    keyed = st.dictionaries(st.sampled_from(_KEYS), inner, max_size=6)
    typed = st.tuples(st.sampled_from(_TYPES), keyed).map(lambda two: {**two[1], "type": two[0]})
    return st.lists(inner, max_size=4) | keyed | typed


def answers() -> st.SearchStrategy[Any]:
    """Give JSON that is made of the words of search models."""
    return st.recursive(json_values() | _ADDRESSES | st.integers(-3, 9), _inside, max_leaves=25)


Page = dict[str, str]


def _flat(page: Page) -> object:
    return {
        "type": "url_citation",
        "url": page["url"],
        "title": page["title"],
        "content": page["snippet"],
    }


def _grounded(pages: list[Page]) -> object:
    chunks = [{"web": {"uri": page["url"], "title": page["title"]}} for page in pages]
    supports = [
        {"segment": {"text": page["snippet"]}, "groundingChunkIndices": [place]}
        for place, page in enumerate(pages)
    ]
    return {"groundingChunks": chunks, "groundingSupports": supports}


# Where pages may stand, each with how it says what it knows of them.
_PLACES: dict[str, Callable[[list[Page]], object]] = {
    "search_results": lambda pages: pages,
    "output": lambda pages: [{"type": "search_results", "results": pages}],
    "annotations": lambda pages: [_flat(page) for page in pages],
    "nested": lambda pages: {"annotations": [{"url_citation": _flat(page)} for page in pages]},
    "citations": lambda pages: pages,
    "content": lambda pages: [
        {
            "type": "text",
            "text": "So.",
            "citations": [{**page, "cited_text": page["snippet"], "snippet": None}],
        }
        for page in pages
    ],
    "groundingMetadata": _grounded,
    "action": lambda pages: {"sources": pages},
}


@st.composite
def cited_pages(draw: st.DrawFn) -> tuple[dict[str, object], list[Page]]:
    """Give an answer in several shapes at once, and the pages in it, each with words of its own."""
    known = draw(st.lists(st.tuples(st.sampled_from([*_PLACES]), st.booleans()), max_size=8))
    pages = [
        {"url": f"https://{n}.example/", "title": f"Page {n}", "snippet": f"Words of {n}." * words}
        for n, (_, words) in enumerate(known)
    ]
    places = [place for place, _ in known]
    answer = {
        place: write([page for page, at in zip(pages, places, strict=True) if at == place])
        for place, write in _PLACES.items()
        if place in places
    }
    return answer, pages


def urls() -> st.SearchStrategy[str]:
    """Give addresses, some of them odd."""
    hosts = st.sampled_from(["a.example", "www.www.a.example", "twitter.com", "x.com:443", "[::1]"])
    rest = st.text("/ab%24167f?&=#!utm_s.ö", max_size=20)
    return st.tuples(st.sampled_from(["http://", "HTTPS://"]), hosts, rest).map("".join)


@given(answers())
@example({"citations": [["https://ex\u2100mple.com/"]]})
@example({"search_results": [{"url": "https://a.example/", "title": 3, "date": 10**400}]})
def test_any_json_gives_rows_that_keep_the_row_law(payload: object) -> None:
    citations = find_citations(payload)

    assert isinstance(citations, Citations)
    checked = check_lawful_rows(
        RowsAndProse(rows=citations.rows, indices=range(len(citations.rows)), answer=None)
    )
    assert isinstance(checked, tuple)
    assert len(checked) == len(citations.rows)


@given(answers())
def test_no_address_is_made_up_and_none_comes_twice(payload: object) -> None:
    rows = find_citations(payload).rows

    written = msgspec.json.encode(payload).decode() if rows else ""
    assert all(msgspec.json.encode(row["url"]).decode()[1:-1] in written for row in rows)
    keys = [canonical_citation_url(str(row["url"])) for row in rows]
    assert len(keys) == len(set(keys))


@given(cited_pages())
def test_no_page_is_given_the_words_of_another(value: tuple[dict[str, object], list[Page]]) -> None:
    answer, pages = value

    words = {row["url"]: (row["title"], row["snippet"]) for row in find_citations(answer).rows}

    assert words == {page["url"]: (page["title"], page["snippet"]) for page in pages}


@given(st.text() | urls())
@example("https://[1.2]/")
def test_an_address_is_what_the_kernel_takes_for_one(url: str) -> None:
    if is_citable_url(url):
        assert is_web_url(url)


@given(urls())
@example("https://www.a.example//?&utm_x=1")
@example("https://a.example/%4%31")
def test_keys_of_a_page_are_idempotent(url: str) -> None:
    if is_citable_url(url):
        assert canonical_citation_url(canonical_citation_url(url)) == canonical_citation_url(url)
        assert canonical_url(canonical_url(url)) == canonical_url(url)


@given(urls())
@example("https://a.example/%7eb?q=%c3%b6")
@example("https://a.example/.")
@example("https://x.com/a/%2e%2E/b/status/42")
def test_citation_urls_agree_with_canonical_urls(url: str) -> None:
    if is_citable_url(url):
        assert canonical_citation_url(canonical_url(url)) == canonical_citation_url(url)


@given(st.integers(1, 2000))
def test_depth_is_survived(depth: int) -> None:
    payload: object = {"citations": ["https://a.example/"]}
    for _ in range(depth):
        payload = {"a": [payload]}

    assert len(find_citations(payload).rows) <= 1
