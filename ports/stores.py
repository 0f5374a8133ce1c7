"""What is kept for a while: answers, and full texts that were shown in part."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from .errors import WebError

# What is known of a shared server from the last call to it.
StoreState: TypeAlias = Literal["unknown", "answers", "away"]


class KeptAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """A complete answer as bytes, and for how many seconds it may stand in for a new one."""

    payload: bytes
    seconds: float


class CachedAnswer(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to keep."""

    key: bytes
    backend: str
    operation: str
    payload: bytes
    stored_at: float
    expires_at: float

    @property
    def size(self) -> int:
        """How much room it takes, with something for what a store adds."""
        return len(self.payload) + 200


class Lease(Protocol):
    """The right to ask for an answer that others wait for. It ends by itself with its holder."""

    async def end(self, *, kept: bool) -> None:
        """Give it back; whether there is an answer now that the others can look up."""
        ...


class AnswerStore(Protocol):
    """Answers that are kept. Its trouble never fails a call: it is as if nothing were kept."""

    async def look_up(self, key: bytes, /) -> Result[bytes | None, WebError]:
        """Return the payload under ``key`` if it is whole and still good."""
        ...

    async def keep(self, answer: CachedAnswer, /) -> Result[None, WebError]:
        """Store an answer; one that is too large is not worth the room."""
        ...

    async def lead(self, key: bytes, /) -> Lease | None:
        """Take the right to ask for ``key``, of all who share the store; None if another has it."""
        ...

    async def landed(self, key: bytes, /) -> bool:
        """Wait for whoever has that right; False when they ended without an answer to look up."""
        ...

    async def aclose(self) -> None:
        """Let go of it."""
        ...


class TextStore(Protocol):
    """Something that keeps texts."""

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Keep ``text`` and return the handle to ask for it. The same text has the same handle."""
        ...

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; one that is not there is ``InvalidQuery``."""
        ...
