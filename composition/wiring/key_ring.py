"""The gateway's keys: for whoever serves calls of others, over HTTP or as an MCP server."""

from __future__ import annotations

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping

from returns.result import Failure, Result, Success

from ...adapters.stores.cache.single_flight import SingleFlight
from ...ports.errors import WebError
from ...ports.keys import KeyRecord, KeyStore
from ..settings.loader import load_settings
from .store_setup import open_keys

# For so long a shared server is not asked again about a key. So long a key that was revoked on
# another machine may still be good here.
CACHE_SECONDS = 1.0
_MAX_CACHED_KEYS = 4096


def key_store(environment: Mapping[str, str] | None = None) -> Result[KeyStore, WebError]:
    """Return the keys that the settings say, in a file or in a server."""
    loaded = load_settings(environment)
    if isinstance(loaded, Failure):
        return loaded
    return open_keys(loaded.unwrap().stores, environment)


class KeyRing:
    """The keys for a server's loop: it never waits for a file or a server itself."""

    def __init__(self, store: KeyStore, now: Callable[[], float] = time.monotonic) -> None:
        """Look keys up in ``store``."""
        self.store = store
        self._now = now
        self._looks: SingleFlight[Result[KeyRecord | None, WebError]] = SingleFlight()
        self._known: OrderedDict[str, tuple[float, KeyRecord | None]] = OrderedDict()

    async def find(self, text: str) -> Result[KeyRecord | None, WebError]:
        """Return whose key a text is; None when it is nobody's, or was revoked."""
        if self.store.is_near:
            return self.store.find(text)
        known = self._known.get(text)
        if known is not None and self._now() < known[0]:
            return Success(known[1])
        # Many calls of one key at the same time are one look.
        return await self._looks.join(text.encode(), lambda: self._look_up(text))

    async def _look_up(self, text: str) -> Result[KeyRecord | None, WebError]:
        answer = await asyncio.to_thread(self.store.find, text)
        if isinstance(answer, Success):
            self._known[text] = (self._now() + CACHE_SECONDS, answer.unwrap())
            self._known.move_to_end(text)
            if len(self._known) > _MAX_CACHED_KEYS:
                self._known.popitem(last=False)
        return answer

    async def has_any(self) -> bool:
        """Tell whether any key is in use; when nobody knows, there may be."""
        near = self.store.is_near
        records = self.store.records() if near else await asyncio.to_thread(self.store.records)
        return isinstance(records, Failure) or any(
            record.revoked is None for record in records.unwrap()
        )
