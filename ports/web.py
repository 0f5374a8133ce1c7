"""Define the requests and results of search and extract."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, Required, TypeAlias, TypedDict

import msgspec
from msgspec import Meta

from .attempts import Sighting
from .errors.error_fields import Foreign
from .receipts import ExtractReceipt, SearchReceipt

MAX_QUERY_CHARS = 2000
MIN_RESULTS = 1
MAX_RESULTS = 100
Origin: TypeAlias = Literal["index", "model"]
Topic: TypeAlias = Literal["general", "news", "finance"]
SafeSearch: TypeAlias = Literal["off", "moderate", "strict"]
# A bare host name: no scheme, path, port or blank, and only one. It may begin with *. and end with
# a dot.
_LABEL = r"[^\s/\\:@?#,;|&=%\"'()<>*.]+"
Domain: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=253, pattern=rf"^(?:\*?\.)?{_LABEL}(?:\.{_LABEL})*\.?\Z")
]
Country: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z]{2}\Z")]
Language: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z]{2})?\Z")]
# Characters that no URL may contain: blanks, controls, bidirectional and zero-width characters, and
# lone surrogates. Servers may use any other character.
HIDDEN_IN_URLS = (
    r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    r"\ud800-\udfff\ufeff"
)
_URL_LABEL = rf"[^{HIDDEN_IN_URLS}\"#%&'()*+,./:;<=>?@\[\\\]^`{{|}}]+"
_URL_PORT = r"[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
# http or https, a host without userinfo, an optional port, and no hidden characters. The first
# alternative is a special case of the second for plain ASCII, which is twice as fast.
URL_PATTERN = (
    r"^https?://(?:[a-z0-9-]++\.)+[a-z0-9-]++(?:/[!-~]*+)?\Z"
    rf"|^[hH][tT][tT][pP][sS]?://(?:\[[0-9A-Fa-f:.]+\]|(?:{_URL_LABEL}\.)*{_URL_LABEL}\.?)"
    rf"(?::(?:{_URL_PORT}))?(?:[/?#][^{HIDDEN_IN_URLS}]*)?\Z"
)
WebUrl: TypeAlias = Annotated[str, Meta(max_length=8192, pattern=URL_PATTERN)]


# gc=False, here and on other objects of every call: they cannot be part of a reference cycle, so
# the garbage collector need not track them.
class WebSearchQuery(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False
):
    """One search. Construction checks nothing; the kernel checks it on every call."""

    query: Annotated[str, Meta(min_length=1, max_length=MAX_QUERY_CHARS, pattern=r"\S")]
    max_results: int | None = None
    include_domains: tuple[Domain, ...] = ()
    exclude_domains: tuple[Domain, ...] = ()
    published_after: date | None = None
    published_before: date | None = None
    country: Country | None = None
    language: Language | None = None
    topic: Topic | None = None
    safe_search: SafeSearch | None = None


class SearchFilters(TypedDict, total=False):
    """The filters of a search: ``max_results``, domains, dates, country and so on."""

    max_results: int | None
    include_domains: Sequence[str]
    exclude_domains: Sequence[str]
    published_after: date | str | None
    published_before: date | str | None
    country: str | None
    language: str | None
    topic: Topic | None
    safe_search: SafeSearch | None


class QueryFields(SearchFilters, total=False):
    """A search as a dict: ``{"query": "tide tables", "max_results": 5}``."""

    query: Required[str]


# A search in any form; a text is the query alone.
Query: TypeAlias = WebSearchQuery | QueryFields | str


class WebSearchResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One row that keeps the row law. Only the kernel makes these.

    ``found_by`` has its position at each backend, if rows of several backends were fused.
    """

    title: str
    url: str
    snippet: str
    position: int
    source: str
    published_at: str | None = None
    score: float | None = None
    origin: Origin = "index"
    found_by: tuple[Sighting, ...] = ()


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A search model's prose. A backend returns it among its rows; it never becomes a row."""

    text: str


class RejectedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that breaks the law, with the reason, if the caller chose quarantine."""

    index: int
    field: Foreign
    reason: Foreign
    raw: Foreign


class SearchOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A successful search. No rows means that nothing was found, not that something failed."""

    rows: tuple[WebSearchResult, ...]
    answer: SearchAnswer | None
    rejected: tuple[RejectedRow, ...]
    receipt: SearchReceipt


class WebExtractResult(msgspec.Struct, frozen=True, kw_only=True):
    """A page: ``url`` as requested; ``raw_content`` is ``content`` before compression."""

    url: str
    final_url: str
    title: str
    content: str
    raw_content: str
    metadata: dict[str, object]
    receipt: ExtractReceipt
