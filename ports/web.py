"""What goes into a search or an extract, and what comes out."""

from collections.abc import Sequence
from datetime import date
from typing import Annotated, Literal, Required, TypeAlias, TypedDict

import msgspec
from msgspec import Meta

from .attempts import Sighting
from .receipts import ExtractReceipt, SearchReceipt

MAX_QUERY_CHARS = 2000
MIN_RESULTS = 1
MAX_RESULTS = 100
Origin: TypeAlias = Literal["index", "model"]
Topic: TypeAlias = Literal["general", "news", "finance"]
SafeSearch: TypeAlias = Literal["off", "moderate", "strict"]
# A bare host name, as people write one in a filter: no scheme, path, port or blank, and not several
# in one text. It may begin with *. and end with a dot.
_NAME = r"[^\s/\\:@?#,;|&=%\"'()<>*.]+"
Domain: TypeAlias = Annotated[
    str,
    Meta(min_length=1, max_length=253, pattern=rf"^(?:\*?\.)?{_NAME}(?:\.{_NAME})*\.?\Z"),
]
Country: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z]{2}\Z")]
Language: TypeAlias = Annotated[str, Meta(pattern=r"^[A-Za-z]{2,3}(-[A-Za-z]{2})?\Z")]
# What may never stand in a URL: blanks, controls, bidirectional and zero-width characters,
# and halves of surrogate pairs. Whatever else a server puts into its paths is its own affair.
HIDDEN_IN_URLS = (
    r"\x00-\x20\x7f-\xa0\u1680\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000"
    r"\ud800-\udfff\ufeff"
)
_LABEL = rf"[^{HIDDEN_IN_URLS}\"#%&'()*+,./:;<=>?@\[\\\]^`{{|}}]+"
_PORT = r"[0-9]{1,4}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]"
# http or https, a host without userinfo, an optional port, and a rest that hides nothing. The
# first alternative is the second one for plain ASCII, which is nearly every URL and twice as fast.
URL_PATTERN = (
    r"^https?://(?:[a-z0-9-]++\.)+[a-z0-9-]++(?:/[!-~]*+)?\Z"
    rf"|^[hH][tT][tT][pP][sS]?://(?:\[[0-9A-Fa-f:.]+\]|(?:{_LABEL}\.)*{_LABEL}\.?)"
    rf"(?::(?:{_PORT}))?(?:[/?#][^{HIDDEN_IN_URLS}]*)?\Z"
)
WebUrl: TypeAlias = Annotated[str, Meta(max_length=8192, pattern=URL_PATTERN)]


# gc=False, here and elsewhere on what every call makes: nothing in it can point back to it, so
# Python need not keep track of it.
class WebSearchQuery(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False
):
    """One search. Building it checks nothing; the kernel checks it on every call."""

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
    """What a search may be narrowed by: ``max_results``, domains, dates, country and so on."""

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


# Whatever a caller says a search with; text is the query alone.
Query: TypeAlias = WebSearchQuery | QueryFields | str


class WebSearchResult(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One row that passed the row law. Only the kernel makes these.

    ``found_by`` says who had it where, when the rows of several backends were fused.
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
    """A search model's prose. A backend hands it over among its rows; it never becomes one."""

    text: str


class RejectedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that broke the law, kept with the reason when the caller asked for quarantine."""

    index: int
    field: str
    reason: str
    raw: str


class SearchOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A search that worked. No rows means that nothing was found, never that something failed."""

    rows: tuple[WebSearchResult, ...]
    answer: SearchAnswer | None
    rejected: tuple[RejectedRow, ...]
    receipt: SearchReceipt


class WebExtractResult(msgspec.Struct, frozen=True, kw_only=True):
    """A page: ``url`` as asked for; ``raw_content`` is ``content`` before compression."""

    url: str
    final_url: str
    title: str
    content: str
    raw_content: str
    metadata: dict[str, object]
    receipt: ExtractReceipt
