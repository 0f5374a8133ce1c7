"""Define the arguments of tools."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .dates import MaxAge
from .web import WebSearchQuery

MAX_PAGES = 5
# The most passages of a page that a search in it shows.
MAX_PASSAGES = 50


class SearchArguments(WebSearchQuery, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A search, how old a cached answer may be, and whether to read the pages of its rows."""

    max_age: MaxAge | None = None
    contents: bool | None = None


class ExtractArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages to read: their URLs, and what of each to show.

    ``links``, ``html`` and ``select``, a CSS selector, need the HTML of a page.
    """

    urls: Annotated[tuple[str, ...], Meta(max_length=MAX_PAGES)]
    focus: str | None = None
    char_limit: Annotated[int, Meta(ge=1)] | None = None
    max_age: MaxAge | None = None
    second_look: bool | None = None
    links: bool | None = None
    html: bool | None = None
    select: str | None = None


# The parts of a page that a tool gives. Text that the page hides is a way to talk to a model, and
# the text behind a wall is not kept.
ToolPart: TypeAlias = Literal[
    "content", "menus", "unlikely", "copies", "comments", "margins", "controls", "truncated"
]


class MoreArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to continue in a page that was kept, and how much of it to show; or what to find.

    ``part`` is a ``ToolPart``; its names in a schema would cost each model 30 tokens.
    """

    handle: str
    cursor: Annotated[int, Meta(ge=0)] = 0
    char_limit: Annotated[int, Meta(ge=1)] | None = None
    part: str = "content"
    find: str | None = None
    max_passages: Annotated[int, Meta(ge=1, le=MAX_PASSAGES)] = 10
