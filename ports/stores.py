"""Full texts that were shown in part: kept under a handle, so that nothing is lost."""

from __future__ import annotations

from typing import Protocol

import msgspec
from returns.result import Result

from .errors import WebError


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """A complete answer as bytes, and for how many seconds it may stand in for a new one."""

    payload: bytes
    seconds: float


class TextStore(Protocol):
    """Something that keeps texts."""

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Keep ``text`` and return the handle to ask for it. The same text has the same handle."""
        ...

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; one that is not there is ``InvalidQuery``."""
        ...
