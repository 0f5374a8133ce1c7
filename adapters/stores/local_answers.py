"""The cache file as an ``AnswerStore``; its calls run in threads."""

import asyncio

from returns.result import Result

from webseam.ports.stores import CachedAnswer

from .cache_table import CacheStore
from .sqlite import StoreError


class OwnLease:
    """A lease that excludes no other process."""

    async def end(self, *, kept: bool) -> None:
        """Do nothing."""


OWN_LEASE = OwnLease()


class FileAnswers:
    """An ``AnswerStore`` in a file of this machine."""

    def __init__(self, store: CacheStore) -> None:
        """Store answers in ``store``."""
        self._store = store

    async def look_up(self, key: bytes, /) -> Result[bytes | None, StoreError]:
        """Return the payload under ``key``; None if there is none, or it is damaged or expired."""
        return await asyncio.to_thread(self._store.look_up, key)

    async def keep(self, answer: CachedAnswer, /) -> Result[None, StoreError]:
        """Store an answer."""
        return await asyncio.to_thread(self._store.keep, answer)

    async def take_lease(self, _key: bytes, /) -> OwnLease:
        """Return a lease at once: processes of one machine do not wait for each other."""
        return OWN_LEASE

    async def wait_for_lease(self, _key: bytes, /) -> bool:
        """Return True at once: there is no other process to wait for."""
        return True

    async def aclose(self) -> None:
        """Close the file."""
        self._store.close()
