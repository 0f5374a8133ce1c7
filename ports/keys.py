"""Keys of the gateway: whose a call is, and what it may do. The text of a key is never kept."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Result

from .errors import WebError
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


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A key that was just made: its record, and its text, which nobody can be shown again."""

    record: KeyRecord
    text: str


class KeyStore(Protocol):
    """Where the keys are. Its methods wait: unless it ``is_near`` they are for a thread."""

    @property
    def is_near(self) -> bool:
        """Whether a loop may look for itself."""
        ...

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, WebError]:
        """Keep a new key with what ``record`` says; None when its name is in use.

        Its id is made here; without a cache scope of its own it is that id.
        """
        ...

    def find(self, text: str, /) -> Result[KeyRecord | None, WebError]:
        """Return whose key a text is; None when it is nobody's, or was revoked."""
        ...

    def records(self) -> Result[list[KeyRecord], WebError]:
        """Return every key, also those that were revoked, the oldest first."""
        ...

    def revoke(self, name: str, /) -> Result[KeyRecord | None, WebError]:
        """Revoke the key in use that goes by a name or id; None if there is none."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...
