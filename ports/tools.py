"""Define the arguments of tools other than search."""

from typing import Annotated

import msgspec
from msgspec import Meta

MAX_PAGES = 5


class ExtractArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Pages to read: their URLs, and how much of each to show."""

    urls: Annotated[tuple[str, ...], Meta(max_length=MAX_PAGES)]
    focus: str | None = None
    char_limit: Annotated[int, Meta(ge=1)] | None = None


class MoreArguments(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Where to continue in a page that was shown in part, and how much of it to show."""

    handle: str
    cursor: Annotated[int, Meta(ge=0)] = 0
    char_limit: Annotated[int, Meta(ge=1)] | None = None
