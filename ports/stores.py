"""Define stores of cached answers, and of full texts that were shown in part."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from .errors import WebError

# The state of a shared server as of the last call to it.
StoreState: TypeAlias = Literal["unknown", "answers", "away"]


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A complete answer as bytes, and for how many seconds it may be served.

    It is stored for ``stored_seconds``, if that is longer: an old page can be renewed cheaply.
    """

    payload: bytes
    seconds: float
    stored_seconds: float = 0.0


class CachedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to store."""

    key: bytes
    backend: str
    operation: str
    payload: bytes
    stored_at: float
    expires_at: float

    @property
    def size(self) -> int:
        """The size in bytes, with an allowance for the store's overhead."""
        return len(self.payload) + 200


class Lease(Protocol):
    """The right to fetch an answer that others wait for. It ends with its holder."""

    async def end(self, *, kept: bool) -> None:
        """Release it; ``kept`` says whether an answer was stored for the others."""


class AnswerStore(Protocol):
    """A cache of answers. Its errors never fail a call: they count as a miss."""

    async def look_up(self, key: bytes, /) -> Result[bytes | None, WebError]:
        """Return the payload under ``key`` if it is complete and fresh, else None."""

    async def keep(self, answer: CachedAnswer, /) -> Result[None, WebError]:
        """Store an answer, unless it is too large."""

    async def take_lease(self, key: bytes, /) -> Lease | None:
        """Take the lease for ``key`` among all users of the store; None if another holds it."""

    async def wait_for_lease(self, key: bytes, /) -> bool:
        """Wait for the holder of the lease; False if it ended without storing an answer."""

    async def aclose(self) -> None:
        """Close the store."""


class TextStore(Protocol):
    """A store of texts."""

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Store ``text`` and return its handle. The same text has the same handle."""

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; an unknown handle is ``InvalidQuery``."""
