"""The cache's file behind the port: its waiting is done in threads."""

import asyncio

from returns.result import Result

from ....ports.stores import CachedAnswer
from ..sqlite import StoreError
from .cache_table import CacheStore


class OwnLease:
    """The right to ask, where every process asks for itself."""

    async def end(self, *, kept: bool) -> None:
        """Give nothing back."""


OWN_LEASE = OwnLease()


class FileAnswers:
    """An ``AnswerStore`` in a file of this machine."""

    def __init__(self, store: CacheStore) -> None:
        """Keep answers in ``store``."""
        self._store = store

    async def look_up(self, key: bytes, /) -> Result[bytes | None, StoreError]:
        """Return the payload under ``key`` if it is whole and still good."""
        return await asyncio.to_thread(self._store.look_up, key)

    async def keep(self, answer: CachedAnswer, /) -> Result[None, StoreError]:
        """Store an answer."""
        return await asyncio.to_thread(self._store.keep, answer)

    async def lead(self, _key: bytes, /) -> OwnLease:
        """Let everybody ask: processes of one machine do not wait for each other."""
        return OWN_LEASE

    async def landed(self, _key: bytes, /) -> bool:
        """Wait for nobody."""
        return True

    async def aclose(self) -> None:
        """Let go of the file."""
        self._store.close()
