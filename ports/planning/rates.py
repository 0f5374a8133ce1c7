"""How many calls each key may still make."""

from __future__ import annotations

from typing import Protocol

from returns.result import Result

from ..errors import WebError


class RateStore(Protocol):
    """Something that counts calls of keys, for all machines that share it."""

    async def take(self, key_id: str, rate: float, /) -> Result[float, WebError]:
        """Count one call of at most ``rate`` a minute.

        Returns in how many seconds there is room for it, 0 when there is now.
        """
        ...

    async def aclose(self) -> None:
        """Let go of it."""
        ...
