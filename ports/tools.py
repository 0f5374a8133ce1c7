"""Define the arguments of tools."""

from typing import Annotated, TypeAlias

import msgspec
from msgspec import Meta

from .web import WebSearchQuery

MAX_PAGES = 5
# The most seconds since a cached answer was fetched.
MaxAge: TypeAlias = Annotated[float, Meta(ge=0)]


class SearchArguments(WebSearchQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search, and how old a cached answer may be."""

    max_age: MaxAge | None = None


class ExtractArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages to read: their URLs, and how much of each to show."""

    urls: Annotated[tuple[str, ...], Meta(max_length=MAX_PAGES)]
    focus: str | None = None
    char_limit: Annotated[int, Meta(ge=1)] | None = None
    max_age: MaxAge | None = None
    second_look: bool | None = None


class MoreArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to continue in a page that was shown in part, and how much of it to show."""

    handle: str
    cursor: Annotated[int, Meta(ge=0)] = 0
    char_limit: Annotated[int, Meta(ge=1)] | None = None
