"""Laws of the citation extractor: any JSON is read, and nothing is made up."""

from typing import Any

import msgspec
from hypothesis import example, given, strategies as st

from webseam.adapters.search_models.citations import Citations, find_citations
from webseam.adapters.search_models.page_keys import is_address, page_key
from webseam.composition.testing.strategies.json_values import json_values
from webseam.kernel.rows import Found, check_rows
from webseam.kernel.urls import is_web_url

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


def urls() -> st.SearchStrategy[str]:
    """Give addresses, some of them odd."""
    hosts = st.sampled_from(["a.example", "www.www.a.example", "twitter.com", "x.com:443", "[::1]"])
    rest = st.text("/ab%2f?&=#!utm_s.", max_size=20)
    return st.tuples(st.sampled_from(["http://", "HTTPS://"]), hosts, rest).map("".join)


@given(answers())
@example({"citations": [["https://ex\u2100mple.com/"]]})
@example({"search_results": [{"url": "https://a.example/", "title": 3, "date": 10**400}]})
def test_any_json_gives_rows_that_keep_the_row_law(payload: object) -> None:
    found = find_citations(payload)

    assert isinstance(found, Citations)
    checked = check_rows(Found(rows=found.rows, indices=range(len(found.rows)), answer=None))
    assert len(checked.unwrap()) == len(found.rows)


@given(answers())
def test_no_address_is_made_up_and_none_comes_twice(payload: object) -> None:
    rows = find_citations(payload).rows

    written = msgspec.json.encode(payload).decode() if rows else ""
    assert all(msgspec.json.encode(row["url"]).decode()[1:-1] in written for row in rows)
    keys = [page_key(str(row["url"])) for row in rows]
    assert len(keys) == len(set(keys))


@given(st.text() | urls())
@example("https://[1.2]/")
def test_an_address_is_what_the_kernel_takes_for_one(url: str) -> None:
    if is_address(url):
        assert is_web_url(url)


@given(urls())
@example("https://www.a.example//?&utm_x=1")
def test_a_page_key_is_idempotent(url: str) -> None:
    if is_address(url):
        assert page_key(page_key(url)) == page_key(url)


@given(st.integers(1, 2000))
def test_depth_is_survived(depth: int) -> None:
    payload: object = {"citations": ["https://a.example/"]}
    for _ in range(depth):
        payload = {"a": [payload]}

    assert len(find_citations(payload).rows) <= 1
