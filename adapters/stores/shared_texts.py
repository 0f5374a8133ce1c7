"""Full texts that every gateway finds: in a folder of this machine, and where others look.

What was read here is found here, whatever becomes of the server; the server is for the others.
"""

from __future__ import annotations

from typing import Protocol

from returns.result import Failure, Result

from ...ports.errors import InvalidQuery, WebError
from ...ports.stores import TextStore
from .handles import is_handle


class RemoteTexts(TextStore, Protocol):
    """Texts on a server, which has to be let go of."""

    async def aclose(self) -> None:
        """Let go of it."""
        ...


class SharedTexts:
    """A ``TextStore`` of two: ``near`` is this machine's, ``far`` that of all."""

    def __init__(self, near: TextStore, far: RemoteTexts) -> None:
        """Save to both; load from the near one first."""
        self._near = near
        self._far = far

    async def save(self, text: str, /) -> Result[str, WebError]:
        """Keep ``text``; one of the two is enough, as whoever asks comes here first."""
        far = await self._far.save(text)
        near = await self._near.save(text)
        return far if isinstance(near, Failure) else near

    async def load(self, handle: str, /) -> Result[str, WebError]:
        """Return the text under ``handle``; only what is nowhere is not there."""
        near = await self._near.load(handle)
        if not isinstance(near, Failure) or not is_handle(handle):
            return near
        far = await self._far.load(handle)
        missing = isinstance(far, Failure) and isinstance(far.failure(), InvalidQuery)
        # What is wrong here says more than that it is not there.
        return near if missing else far

    async def aclose(self) -> None:
        """Let go of the server."""
        await self._far.aclose()
