"""What can search and read pages, and what it says of itself."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import msgspec
from returns.result import Failure, Result

from .attempts import BackendAttempt
from .errors import UnsupportedCapability, WebError
from .receipts import Usage
from .web import SearchOutcome, WebSearchQuery

FilterName: TypeAlias = Literal[
    "include_domains",
    "exclude_domains",
    "published_after",
    "published_before",
    "country",
    "language",
    "topic",
    "safe_search",
]
# native: the service does it. operator: written into the query, as site:example.com, and checked
# on the rows. rows: done by us on the rows that come back. refused: cannot be done.
Support: TypeAlias = Literal["native", "operator", "rows", "refused"]
NATIVE: Support = "native"
REFUSED: Support = "refused"


class Abilities(msgspec.Struct, frozen=True, kw_only=True):
    """The limits and filters of one backend; a filter that is not named is refused.

    ``depending`` overrides ``filters`` for one query, where what is possible depends on the other
    filters or on the value, such as a country that the service does not know.
    """

    max_results: int | None = None
    max_query_characters: int | None = None
    filters: Mapping[FilterName, Support] = {}
    depending: Callable[[WebSearchQuery], Mapping[FilterName, Support]] | None = None


# What a backend hands over. Nobody has vouched for it yet.
UntrustedRow: TypeAlias = Mapping[str, object] | msgspec.Struct


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with a word about where it came from, for the receipt.

    A backend that has nothing to say about that hands over the bare answer; ``usage`` is what a
    model used to make it. What is inside is as untrusted as ever: an answer out of a cache is
    checked again like any other. A backend that asks others through the kernel hands over the
    ``outcome`` that the kernel made of a search, or says who read a page (``by``) after which
    ``attempts``.
    """

    answer: object
    cached: bool = False
    warnings: tuple[str, ...] = ()
    usage: Usage | None = None
    outcome: SearchOutcome | None = None
    by: str = ""
    attempts: tuple[BackendAttempt, ...] = ()


# An answer is bare, or within a ``Served``.
RowsAnswer: TypeAlias = Result[Sequence[UntrustedRow], WebError] | Result[Served, WebError]
PageAnswer: TypeAlias = Result[UntrustedRow, WebError] | Result[Served, WebError]


class BackendAbout(msgspec.Struct, frozen=True, kw_only=True):
    """What a backend says of itself; the kernel asks nothing else about it.

    Without ``name`` the name of its class stands in receipts. One that is ``embedded`` is no third
    party: it may be told of URLs that carry credentials. Without ``abilities`` it takes every
    filter and limit. ``batch`` is how many pages one call takes; for more than one the backend is
    ``ReadsMany``, too.
    """

    name: str = ""
    embedded: bool = False
    abilities: Abilities | None = None
    batch: int = 1


class WebBackend(Protocol):
    """Something that can search and extract, and that the kernel does not trust.

    A class may derive from this one and write only what it can do: the rest says that it cannot.
    """

    @property
    def about(self) -> BackendAbout:
        """What this backend says of itself, the same as long as it lives."""
        return BackendAbout()

    async def search(self, _query: WebSearchQuery, /) -> RowsAnswer:
        """Answer a checked query. No rows is ``Success(())``; prose is a ``SearchAnswer``."""
        return Failure(UnsupportedCapability(capability="search"))

    async def extract(self, _url: str, /) -> PageAnswer:
        """Read one page. The document says which URL it is for."""
        return Failure(UnsupportedCapability(capability="extract"))


@runtime_checkable
class ReadsMany(Protocol):
    """A backend that reads several pages in one call; its ``about.batch`` says how many."""

    async def extract_many(self, urls: Sequence[str], /) -> Sequence[PageAnswer]:
        """Read pages: one outcome for each URL, in their order."""
        ...


@runtime_checkable
class Closeable(Protocol):
    """Something that keeps connections, files or processes until it is told to let go."""

    async def aclose(self) -> None:
        """Let go of them."""
        ...
