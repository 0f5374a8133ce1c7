"""Keys of the gateway: whose a call is, and what it may do. The text of a key is never kept."""

from typing import Annotated, Literal, TypeAlias

import msgspec
from msgspec import Meta

from .web import Domain

KeyTool: TypeAlias = Literal["search", "extract", "more", "x", "ask"]
KEY_TOOLS: tuple[KeyTool, ...] = ("search", "extract", "more", "x", "ask")
KeyName: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]*\Z")
]


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One key. What is empty or None is not limited.

    ``tools`` it may call; ``domains`` whose pages it may read and be told of; ``rate`` is calls a
    minute; ``day`` and ``month`` are dollars. Keys with the same ``cache`` share answers and texts.
    """

    id: str
    name: KeyName
    tools: tuple[KeyTool, ...] = ()
    domains: tuple[Domain, ...] = ()
    rate: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    day: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    month: Annotated[float, Meta(ge=0, le=1_000_000)] | None = None
    cache: KeyName
    made: str
    revoked: str | None = None

    def may(self, tool: KeyTool) -> bool:
        """Tell whether this key may call a tool."""
        return not self.tools or tool in self.tools
