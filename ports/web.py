"""Define the requests and results of search and extract."""

from collections.abc import Iterator, Sequence
from datetime import date
from typing import Annotated, Literal, Required, TypeAlias, TypedDict, cast, overload

import msgspec
from msgspec import Meta

from .attempts import Sighting
from .errors import WebError
from .errors.error_fields import Foreign, quote_foreign
from .field_mapping import FieldMapping
from .pages import LeftOut, PageLink, PageView
from .receipts import ExtractReceipt, SearchReceipt
from .result_texts import (
    escape_html,
    html_link,
    html_page,
    html_table,
    html_text,
    left_out_text,
    page_heading,
)
from .targets import MAX_URL_CHARS
from .text import encode_address, link_target, one_line, strip_hidden

MAX_QUERY_CHARS = 2000
MIN_RESULTS = 1
MAX_RESULTS = 100
# The rows of a page if a search names a page and no number of rows.
DEFAULT_PAGE_ROWS = 10
MAX_PAGE = 100
Origin: TypeAlias = Literal["index", "model"]
Topic: TypeAlias = Literal["general", "news", "finance", "images"]
SafeSearch: TypeAlias = Literal["off", "moderate", "strict"]
# A bare host name: no scheme, path, port or blank, and only one. It may begin with *. and end with
# a dot.
_DOMAIN_LABEL = r"[^\s/\\:@?#,;|&=%\"'()<>*.]+"
Domain: TypeAlias = Annotated[
    str,
    Meta(
        min_length=1,
        max_length=253,
        pattern=rf"^(?:\*?\.)?{_DOMAIN_LABEL}(?:\.{_DOMAIN_LABEL})*\.?\Z",
    ),
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
UrlText: TypeAlias = Annotated[str, Meta(max_length=MAX_URL_CHARS)]


# gc=False, here and on other objects of every call: they cannot be part of a reference cycle, so
# the garbage collector need not track them.
class WebSearchQuery(
    msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, gc=False
):
    """One search. Construction checks nothing; the kernel checks it on every call.

    ``page`` counts pages of ``max_results`` rows from 1; its rows are those after the pages before.
    """

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
    page: Annotated[int, Meta(ge=1, le=MAX_PAGE)] | None = None


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
    page: int | None


class QueryFields(SearchFilters, total=False):
    """A search as a dict: ``{"query": "tide tables", "max_results": 5}``."""

    query: Required[str]


# A search in any form; a text is the query alone.
Query: TypeAlias = WebSearchQuery | QueryFields | str


class WebSearchResult(FieldMapping, frozen=True, kw_only=True, gc=False):
    """One row that keeps the row law, also a mapping: ``dict(row)``. Only the kernel makes these.

    ``found_by`` has its position at each backend, if rows of several backends were fused. With the
    topic ``images``, ``url`` is an image, and ``snippet`` the URL of the page that shows it.
    ``content`` is the text of its page if the search asked for contents, or ``error`` says why
    there is none.
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
    content: str | None = None
    error: WebError | None = None


class SearchAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A search model's prose. A backend returns it among its rows; it never becomes a row."""

    text: str

    def __str__(self) -> str:
        return self.text


class RejectedRow(msgspec.Struct, frozen=True, kw_only=True):
    """A row that breaks the law, with the reason, if the caller chose quarantine."""

    index: int
    field: Foreign
    reason: Foreign
    raw: Foreign


class SearchOutcome(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A successful search, also a sequence of its rows; it is false if nothing was found.

    No rows means that nothing was found, not that something failed.
    """

    rows: tuple[WebSearchResult, ...]
    answer: SearchAnswer | None
    rejected: tuple[RejectedRow, ...]
    receipt: SearchReceipt

    def __iter__(self) -> Iterator[WebSearchResult]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> WebSearchResult: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[WebSearchResult, ...]: ...
    def __getitem__(self, index: int | slice) -> WebSearchResult | tuple[WebSearchResult, ...]:
        return self.rows[index]

    def __bool__(self) -> bool:
        # A search model may answer in prose alone.
        return bool(self.rows) or self.answer is not None

    def index(self, row: WebSearchResult, /) -> int:
        """Return where a row stands, from 0; raise ``ValueError`` if it is not here."""
        return self.rows.index(row)

    def count(self, row: WebSearchResult, /) -> int:
        """Return how often a row is here."""
        return self.rows.count(row)

    def to_dicts(self) -> list[dict[str, object]]:
        """Return the rows as plain dicts, for JSON and for data frames."""
        return cast("list[dict[str, object]]", msgspec.to_builtins(list(self.rows)))

    def __str__(self) -> str:
        blocks = list(map(_row_text, self.rows))
        if self.answer is not None:
            blocks.insert(0, strip_hidden(self.answer.text))
        blocks += [
            f"(row {bad.index} left out: {bad.field} {quote_foreign(bad.reason)})"
            for bad in self.rejected
        ]
        return "\n\n".join(blocks) or "Nothing found."

    def _repr_html_(self) -> str:
        answer = "" if self.answer is None else html_text(self.answer.text)
        if not self.rows:
            return answer or html_text("Nothing found.")
        cells = [
            (
                str(row.position),
                html_link(row.url, one_line(row.title) or row.url),
                escape_html(row.snippet),
                escape_html(row.published_at or ""),
            )
            for row in self.rows
        ]
        return answer + html_table(("position", "title", "snippet", "published_at"), cells)


def _row_text(row: WebSearchResult) -> str:
    lines = [f"{row.position}. {one_line(row.title) or '(no title)'}", f"   {row.url}"]
    if row.snippet.strip():
        lines.append(f"   {one_line(row.snippet)}")
    if row.content is not None:
        lines.append(f"\n{strip_hidden(row.content)}")
    if row.error is not None:
        lines.append(f"   (not read: {strip_hidden(row.error.message)})")
    return "\n".join(lines)


# For code that asks for a sequence, such as polars.
Sequence.register(SearchOutcome)


class WebExtractResult(FieldMapping, frozen=True, kw_only=True, gc=True):
    """A page, also a mapping: ``dict(page)``.

    ``url`` is as requested; ``raw_content`` is ``content`` before compression.

    ``complete`` is about the page's text alone: true if all of it was read, false if a wall or a
    cap holds some of it, None if nobody can know. ``cuts`` names each cap that it met. ``left_out``
    counts the words that were read and are not in the content, by kind; None if another service
    read the page, and nobody counted. ``notes`` says in words what was left out or failed. ``view``
    says whether scripts had run. ``links`` are all links of the page, also of its menus, and
    ``html`` is what its server sent, if they were asked for.
    """

    url: str
    final_url: str
    title: str
    content: str
    raw_content: str
    metadata: dict[str, object]
    receipt: ExtractReceipt
    view: PageView | None = None
    complete: bool | None = None
    cuts: tuple[str, ...] = ()
    left_out: tuple[LeftOut, ...] | None = None
    notes: tuple[str, ...] = ()
    links: tuple[PageLink, ...] | None = None
    html: str | None = None

    def __str__(self) -> str:
        receipt = self.receipt
        rest = ""
        if receipt.handle is not None and receipt.next_cursor is not None:
            rest = f"[more: webseam more {receipt.handle}]"
        elif receipt.omitted:
            rest = f"[{receipt.omitted:,} characters not shown]"
        is_elsewhere = self.final_url != self.url
        address = encode_address(self.final_url) if is_elsewhere else link_target(self.url)
        parts = (
            f"<{address}>",
            page_heading(self.title, self.content),
            strip_hidden(self.content),
            rest,
            self._left_out_line(),
        )
        return "\n\n".join(part for part in parts if part)

    def _left_out_line(self) -> str:
        left_out = left_out_text(self.left_out or ())
        incomplete = "Not all of the page was read." if self.complete is False else ""
        lost = f"Left out: {left_out}." if left_out else ""
        line = " ".join(filter(None, (incomplete, lost)))
        return f"[{line}]" if line else ""

    def __repr__(self) -> str:
        name, chars = type(self).__name__, len(self.content)
        return f"{name}(url={self.url!r}, title={self.title!r}, content of {chars:,} characters)"

    def _repr_html_(self) -> str:
        title = html_link(self.final_url, one_line(self.title) or self.final_url)
        return f"<p><b>{title}</b></p>\n{html_page(self.content)}"
