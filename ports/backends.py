"""Define backends that search and read pages, and how they describe themselves."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, get_args, runtime_checkable

import msgspec
from returns.result import Failure, Result

from .attempts import BackendAttempt
from .errors import UnsupportedCapability, WebError
from .pages import PageReading
from .receipts import Usage
from .web import SearchOutcome, Topic, WebSearchQuery

FilterName: TypeAlias = Literal[
    "include_domains",
    "exclude_domains",
    "published_after",
    "published_before",
    "country",
    "language",
    "topic",
    "safe_search",
    "page",
]
# native: the service filters. operator: written into the query, as site:example.com. rows: left to
# the check of the returned rows. refused: not possible. Domains and dates are checked on the rows
# in every case; the other filters can only be native, but a page, which is cut out of the rows.
Support: TypeAlias = Literal["native", "operator", "rows", "refused"]
NATIVE: Support = "native"
REFUSED: Support = "refused"


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """The limits and filters of one backend; a filter that is not listed is refused.

    ``depending`` overrides ``filters`` for one query, if support depends on other filters or on the
    value, such as a country that the service does not know. ``needs`` names the filter without
    which another one has no effect. ``topics`` are those that the filter takes. Of a backend that
    does not declare ``page``, a later page is cut out of one longer search.
    """

    max_results: int | None = None
    max_query_characters: int | None = None
    filters: Mapping[FilterName, Support] = {}
    depending: Callable[[WebSearchQuery], Mapping[FilterName, Support]] | None = None
    needs: Mapping[FilterName, FilterName] = {}
    topics: tuple[Topic, ...] = ("general", "news")


EVERY_FILTER = Abilities(
    filters={name: NATIVE for name in get_args(FilterName) if name != "page"},
    topics=get_args(Topic),
)

# A row or page as a backend returns it, unchecked.
UntrustedRow: TypeAlias = Mapping[str, object] | msgspec.Struct


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with details for the receipt.

    A backend without such details returns the bare answer. ``usage`` is what a model used to make
    it. The answer stays untrusted: the kernel checks a cached answer again. A backend that asks
    others through the kernel returns the kernel's ``outcome`` of a search, or names the reader of a
    page (``by``) and its ``attempts``. ``age`` is how many seconds ago a cached answer was fetched.
    ``unread`` names what the service sent in its rows or its page and the backend does not return.
    ``reading`` says what a backend that reads pages itself left out of one.
    """

    answer: object
    cached: bool = False
    age: float | None = None
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    outcome: SearchOutcome | None = None
    by: str = ""
    attempts: tuple[BackendAttempt, ...] = ()
    unread: tuple[str, ...] = ()
    reading: PageReading | None = None


# An answer is bare, or inside a ``Served``.
RowsAnswer: TypeAlias = Result[Sequence[UntrustedRow], WebError] | Result[Served, WebError]
PageAnswer: TypeAlias = Result[UntrustedRow, WebError] | Result[Served, WebError]


class BackendAbout(msgspec.Struct, frozen=True, kw_only=True):
    """A backend's description of itself; the kernel asks nothing else about it.

    Without ``name``, receipts have the name of its class. An ``embedded`` one is no third party and
    may get URLs that carry credentials. Without ``abilities`` it gets any limit and no filter:
    domains and dates are checked on its rows, and other filters are refused. ``batch`` is how many
    pages one call takes; above one, the backend must be ``ReadsMany``.
    """

    name: str = ""
    embedded: bool = False
    abilities: Abilities | None = None
    batch: int = 1


class WebBackend(Protocol):
    """A backend that searches and extracts; the kernel does not trust it.

    A class may derive from this and implement only what it supports; the defaults refuse the rest.
    """

    @property
    def about(self) -> BackendAbout:
        """The description of this backend; it never changes."""
        return BackendAbout()

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        """Answer a checked query. No rows is ``Success(())``; prose is a ``SearchAnswer``."""
        return Failure(UnsupportedCapability(capability="search"))

    async def extract(self, _url: str, /) -> PageAnswer:
        """Read one page. The document names the URL it is for."""
        return Failure(UnsupportedCapability(capability="extract"))


@runtime_checkable
class ReadsMany(Protocol):
    """A backend that reads several pages in one call, up to its ``about.batch``."""

    async def extract_many(self, urls: Sequence[str], /) -> Sequence[PageAnswer]:
        """Read pages; return one outcome for each URL, in order."""


# How many of the rows that a backend has so far are lawful and keep to the query's filters.
CountRows: TypeAlias = Callable[[Sequence[object]], int]


@runtime_checkable
class SearchesFurther(Protocol):
    """A backend that can ask for further rows until enough of them count.

    Only the kernel knows which rows break a filter that the backend cannot apply.
    """

    async def search_until(self, query: WebSearchQuery, count_rows: CountRows, /) -> RowsAnswer:
        """Answer as ``search``, with ``max_results`` rows that count if there are so many."""


@runtime_checkable
class Closeable(Protocol):
    """An object that holds connections, files or processes until it is closed."""

    async def aclose(self) -> None:
        """Release them."""
