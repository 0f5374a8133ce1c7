"""What goes into a search or an extract, and what comes out."""

from collections.abc import Callable, Mapping, Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from .errors import WebError
from .web import WebSearchQuery

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


# What goes into a search or an extract, and what comes out.

# What a backend hands over. Nobody has vouched for it yet.
UntrustedRow: TypeAlias = Mapping[str, object] | msgspec.Struct


class Served(msgspec.Struct, frozen=True, kw_only=True):
    """An answer with a word about where it came from, for the receipt.

    A backend that has nothing to say about that hands over the bare answer. What is inside is as
    untrusted as ever: an answer out of a cache is checked again like any other.
    """

    answer: object
    cached: bool = False
    warnings: tuple[str, ...] = ()


class WebBackend(Protocol):
    """Something that can search and extract, and that the kernel does not trust.

    A backend may also carry ``name: str``; without it, its class name stands in receipts.
    """

    async def search(
        self, query: WebSearchQuery, /
    ) -> Result[Sequence[UntrustedRow], WebError] | Result[Served, WebError]:
        """Answer a checked query. No rows is ``Success(())``; prose is a ``SearchAnswer``."""
        ...

    async def extract(
        self, url: str, /
    ) -> Result[UntrustedRow, WebError] | Result[Served, WebError]:
        """Read one page. The document says which URL it is for."""
        ...
