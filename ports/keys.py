"""Define the gateway's keys: the caller's identity and rights. The text of a key is not stored."""

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
    """One key. An empty or None field is no limit.

    ``tools`` it may call; ``domains`` whose pages it may read and see; ``rate`` in calls a minute;
    ``day`` and ``month`` in dollars. Keys with the same ``cache`` share answers and texts.
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

    def may_call(self, tool: KeyTool) -> bool:
        """Tell whether this key may call a tool."""
        return not self.tools or tool in self.tools


class NewKey(msgspec.Struct, frozen=True, kw_only=True):
    """A new key: its record, and its text, which cannot be shown again."""

    record: KeyRecord
    text: str


class KeyStore(Protocol):
    """A store of keys. Its methods block: call them in a thread unless it ``is_near``."""

    @property
    def is_near(self) -> bool:
        """Whether an event loop may call it directly."""

    def add(self, record: KeyRecord, /) -> Result[NewKey | None, WebError]:
        """Store a new key with the fields of ``record``; None if its name is in use.

        The store makes its id; without a cache scope of its own, the key gets that id.
        """

    def find(self, text: str, /) -> Result[KeyRecord | None, WebError]:
        """Return the record of a key's text; None if it is unknown or revoked."""

    def records(self) -> Result[list[KeyRecord], WebError]:
        """Return every key, including revoked ones, the oldest first."""

    def revoke(self, name: str, /) -> Result[KeyRecord | None, WebError]:
        """Revoke the active key with that name or id; None if there is none."""

    def close(self) -> None:
        """Close the store."""
