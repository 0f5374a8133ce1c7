"""Define the gateway's keys: the caller's identity and rights. The text of a key is not stored."""

from __future__ import annotations

from typing import Annotated, Literal, Protocol, TypeAlias

import msgspec
from msgspec import Meta
from returns.result import Result

from .errors import WebError
from .web import Domain

KeyTool: TypeAlias = Literal["search", "extract", "more", "data", "x", "ask"]
KEY_TOOLS: tuple[KeyTool, ...] = ("search", "extract", "more", "data", "x", "ask")
KeyName: TypeAlias = Annotated[
    str, Meta(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9._@-]*\Z")
]


# 2026-12-31T00:00:00+00:00: moments of one form, so that they compare as texts.
KeyMoment: TypeAlias = Annotated[
    str, Meta(pattern=r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\+00:00\Z")
]


class KeyRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One key. An empty or None field is no limit.

    ``tools`` it may call; ``domains`` whose pages it may read and see; ``rate`` in calls a minute;
    ``day`` and ``month`` in dollars; ``expires`` is a moment in ISO form, with its zone. Keys with
    the same ``cache`` share answers and texts.
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
    expires: KeyMoment | None = None

    def may_call(self, tool: KeyTool) -> bool:
        """Tell whether this key may call a tool."""
        return not self.tools or tool in self.tools

    def is_good(self, moment: str) -> bool:
        """Tell whether it is neither revoked nor expired at a moment."""
        return self.revoked is None and (self.expires is None or moment < self.expires)


class KeyChange(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """New values for fields of a key; what is UNSET stays."""

    tools: tuple[KeyTool, ...] | msgspec.UnsetType = msgspec.UNSET
    domains: tuple[Domain, ...] | msgspec.UnsetType = msgspec.UNSET
    rate: float | msgspec.UnsetType | None = msgspec.UNSET
    day: float | msgspec.UnsetType | None = msgspec.UNSET
    month: float | msgspec.UnsetType | None = msgspec.UNSET
    expires: str | msgspec.UnsetType | None = msgspec.UNSET
    revoked: str | msgspec.UnsetType | None = msgspec.UNSET

    def apply(self, record: KeyRecord) -> KeyRecord:
        """Return the record with the new values."""
        fields = {name: getattr(self, name) for name in self.__struct_fields__}
        given = {name: value for name, value in fields.items() if value is not msgspec.UNSET}
        return msgspec.structs.replace(record, **given)


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
        """Return the record of a key's text; None if it is unknown, revoked or expired."""

    def records(self) -> Result[list[KeyRecord], WebError]:
        """Return every key, including revoked ones, the oldest first."""

    def change(self, name: str, change: KeyChange, /) -> Result[KeyRecord | None, WebError]:
        """Change the key with that name or id, unless it is revoked; None if there is none."""

    def revoke(self, name: str, /) -> Result[KeyRecord | None, WebError]:
        """Revoke the key with that name or id; None if there is none."""

    def close(self) -> None:
        """Close the store."""
