"""Names that keep their addresses for as long as a rendering lasts.

A page's scripts can have a name looked up as often as they like. The first answer is the only one,
so a name that changes its mind cannot make a stranger's page and a machine behind it one origin.
"""

import asyncio
from collections.abc import Sequence

from ..fetch import Resolve


class PinnedNames:
    """A resolver that asks another one once for each name; a failure is not an answer."""

    def __init__(self, resolve: Resolve) -> None:
        """Begin knowing no name."""
        self._resolve = resolve
        self._known: dict[str, Sequence[str]] = {}
        self._asking: dict[str, asyncio.Lock] = {}

    async def __call__(self, host: str, port: int) -> Sequence[str]:
        """Return the addresses that ``host`` had when it was first asked for."""
        async with self._asking.setdefault(host, asyncio.Lock()):
            if host not in self._known:
                self._known[host] = tuple(await self._resolve(host, port))
            return self._known[host]
