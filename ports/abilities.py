"""What a backend says of itself: how much it returns, and how it honours each filter."""

from collections.abc import Callable, Mapping
from typing import Literal, TypeAlias

import msgspec

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
