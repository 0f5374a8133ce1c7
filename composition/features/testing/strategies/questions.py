"""Strategies for queries and URLs, lawful and hostile."""

from datetime import date

import msgspec
from hypothesis import strategies as st
from returns.result import Success

from webseam.kernel.laws.field_checks import query_text_fault
from webseam.kernel.policy.judge import judge_remote
from webseam.kernel.policy.policy_rules import WEB_PORTS, Policy
from webseam.kernel.urls.url_parsing import parse_target
from webseam.ports.targets import MAX_URL_CHARS
from webseam.ports.web import MAX_QUERY_CHARS, MAX_RESULTS, WebSearchQuery

from .hostile import break_field, drop_field

_DOMAINS = st.sampled_from(["example.com", "a.example", "news.example.co.uk", "münchen.example"])
_TOO_LONG_QUERY = "x" * (MAX_QUERY_CHARS + 1)
_QUERY_BREAKS: dict[object, st.SearchStrategy[object]] = {
    "query": st.sampled_from(
        ["", " \n\t", "\x00", "\u200b", None, 7, True, ["q"], b"q", _TOO_LONG_QUERY]
    ),
    "max_results": st.sampled_from([True, False, "5", [], {}]) | st.floats(),
    "include_domains": st.sampled_from(
        ["example.com", ["https://example.com/"], [""], [7], [None], ["a b"]]
    ),
    "exclude_domains": st.sampled_from([7, ["a/b"], ["x" * 254], [b"a.com"]]),
    "published_after": st.sampled_from(["yesterday", "2026-13-01", 20260101, True]),
    "published_before": st.sampled_from(["2019-02-30", "01/02/2019", 1.5, []]),
    "country": st.sampled_from(["Germany", "D", "", 49, "D1"]),
    "language": st.sampled_from(["english", "e", "", "en_US", 1]),
    "topic": st.sampled_from(["sports", "", 1, True]),
    "safe_search": st.sampled_from(["on", True, 0, ""]),
    "limit": st.integers(),
    "Query": st.text(max_size=3),
}
_HOST_LABELS = st.text("abcz059", min_size=1, max_size=8)
_HOSTS = st.one_of(
    st.lists(_HOST_LABELS, min_size=2, max_size=4).map(".".join),
    st.ip_addresses(v=4).map(str),
    st.ip_addresses(v=6).map("[{}]".format),
    st.sampled_from(["münchen.example", "localhost", "a-b.example", "a.example."]),
)
_PATH_CHARS = st.characters(min_codepoint=0x21, max_codepoint=0x2FF, exclude_categories=("C", "Z"))
_BAD_SCHEMES = ("javascript", "data", "file", "ftp", "mailto", "vbscript", "blob", "about", "httpx")
_HIDDEN_CHARACTERS = " \n\t\0\x7f\u200b\u202e\ufeff\u2028\ud800"
_NOT_URLS = (
    "", " ", "example.com", "/relative", "//example.com/", "?q=1", "http:", "http://",
    "https:///path", "http:/example.com", "http:example.com", "http://user:password@example.com/",
    "https://example.com:99999/", "https://example.com:port/", "http://[::1", "http://[nonsense]/",
    "https://exa mple.com/", "https://example.com\\@evil.example/",
    "https://example.com/" + "a" * MAX_URL_CHARS,
)  # fmt: skip


def queries() -> st.SearchStrategy[dict[str, object]]:
    """Give queries as an agent writes them; ``max_results`` may be out of range."""
    return _QUERIES


def search_queries() -> st.SearchStrategy[WebSearchQuery]:
    """Give queries as a backend gets them: checked and clamped."""
    return _SEARCH_QUERIES


def hostile_queries() -> st.SearchStrategy[object]:
    """Give values that must be refused: blank or missing queries, wrong types, unknown fields."""
    return _HOSTILE_QUERIES


def _checked_query(query: dict[str, object], max_results: int | None) -> WebSearchQuery:
    return msgspec.convert({**query, "max_results": max_results}, WebSearchQuery)


def _unchecked_query(text: object) -> WebSearchQuery:
    return WebSearchQuery(query=text)  # type: ignore[arg-type]


_QUERY_TEXTS = st.text(min_size=1, max_size=40).filter(
    lambda text: text.strip() != "" and query_text_fault(text) is None
)
_QUERIES: st.SearchStrategy[dict[str, object]] = st.fixed_dictionaries(
    {"query": _QUERY_TEXTS},
    optional={
        "max_results": st.integers(-5, 5000) | st.none(),
        "include_domains": st.lists(_DOMAINS, max_size=3),
        "exclude_domains": st.lists(_DOMAINS, max_size=3).map(tuple),
        "published_after": st.dates(max_value=date(2020, 1, 1)).map(str),
        "published_before": st.dates(min_value=date(2020, 1, 1)),
        "country": st.sampled_from(["DE", "us", None]),
        "language": st.sampled_from(["en", "pt-BR", "gsw", None]),
        "topic": st.sampled_from(["general", "news", "finance", "images", None]),
        "safe_search": st.sampled_from(["off", "moderate", "strict", None]),
    },
)
_SEARCH_QUERIES = st.builds(_checked_query, _QUERIES, st.none() | st.integers(1, MAX_RESULTS))
_HOSTILE_QUERIES: st.SearchStrategy[object] = st.one_of(
    break_field(_QUERIES, _QUERY_BREAKS),
    drop_field(_QUERIES, "query"),
    st.sampled_from(["", " ", None, 7, _TOO_LONG_QUERY]).map(_unchecked_query),
    st.sampled_from([None, 7, "", b"q", ["q"], ("query", "q"), object(), {1: "q"}]),
)


def urls() -> st.SearchStrategy[str]:
    """Give absolute http and https URLs."""
    return _URLS


def public_urls() -> st.SearchStrategy[str]:
    """Give URLs that the default policy allows for any backend."""
    return _PUBLIC_URLS


def hostile_urls() -> st.SearchStrategy[object]:
    """Give values that are no valid URL: wrong schemes, hidden characters, no host, no text."""
    return _HOSTILE_URLS


def _is_public_url(url: str) -> bool:
    judged = parse_target(url).bind(lambda target: judge_remote(target, Policy()))
    return isinstance(judged, Success)


_URLS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    _HOSTS,
    st.just("") | st.integers(1, 65535).map(":{}".format),
    st.sampled_from(["/", "?", "#"]),
    st.text(_PATH_CHARS, max_size=20),
).filter(lambda url: isinstance(parse_target(url), Success))
_PUBLIC_URLS = st.builds(
    "{}://{}{}{}{}".format,
    st.sampled_from(["http", "https", "HTTPS"]),
    st.lists(_HOST_LABELS, min_size=1, max_size=3).map(lambda labels: ".".join([*labels, "com"])),
    st.just("") | st.sampled_from(WEB_PORTS).map(":{}".format),
    st.sampled_from(["/", "?", "#"]),
    st.text(_PATH_CHARS, max_size=20),
).filter(_is_public_url)
_HOSTILE_URLS: st.SearchStrategy[object] = st.one_of(
    st.sampled_from(_NOT_URLS),
    st.builds("{}{}x".format, _URLS, st.sampled_from(_HIDDEN_CHARACTERS)),
    st.builds("{}:{}".format, st.sampled_from(_BAD_SCHEMES), st.text(max_size=10)),
    st.text(alphabet="abc/?#.:", max_size=10),
    st.sampled_from([None, 7, True, b"https://example.com/", ["https://example.com/"]]),
)
