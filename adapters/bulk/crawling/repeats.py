"""URLs that a list has more than once: each page is asked for once, and stands in every row of it.

Two URLs of one digest are no harm: what came of a page is kept by its whole URL, in the one
spelling that all its names have.
"""

from __future__ import annotations

import asyncio
import hashlib
from array import array
from bisect import bisect_left
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from ....ports.errors import WebError
from ...pages.fetch.visit import Headers
from ..datasets.whole_files import atomic_file
from .duplicate_urls import REPEATED, digest_of_page
from .polite_fetcher import PageVisit

_VISIT: Final = msgspec.msgpack.Decoder(PageVisit)


class RepeatedPages:
    """What came of the pages that are listed more than once, kept on the disk while a run lasts."""

    def __init__(
        self,
        folder: Path,
        kept: Path,
        unwanted: Callable[[WebError | None], bool] = lambda _error: False,
    ) -> None:
        """Load which they are, and keep what came of them at ``kept``; raises ``OSError``.

        What is ``unwanted`` is not kept.
        """
        self._digests = array("Q")
        self._kept, self._unwanted = kept, unwanted
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        path = folder / REPEATED
        if path.is_file():
            self._digests.frombytes(path.read_bytes())

    def has(self, page: str) -> bool:
        """Tell whether a page is listed more than once."""
        if not self._digests:
            return False
        digest = digest_of_page(page)
        place = bisect_left(self._digests, digest)
        return place < len(self._digests) and self._digests[place] == digest

    async def visit(
        self, page: str, validators: Headers, fetch: Callable[[], Awaitable[PageVisit | None]]
    ) -> tuple[PageVisit | None, bool]:
        """Return what came of a page, and whether it was asked for just now; None as ``fetch``.

        That it has not changed is the answer to ``validators``, and to no others. Raises
        ``OSError``.
        """
        path, unchanged = self._path(page), self._path(page, *validators)
        async with self._locks.setdefault(page, asyncio.Lock()):
            for kept in (path, unchanged):
                if kept.is_file():
                    return _VISIT.decode(kept.read_bytes()), False
            visited = await fetch()
            if visited is not None and not self._unwanted(visited.error):
                with atomic_file(unchanged if visited.unchanged else path) as stream:
                    stream.write(msgspec.msgpack.encode(visited))
            return visited, True

    def _path(self, page: str, *validators: tuple[str, str]) -> Path:
        words = "\n".join((page, *map(": ".join, validators)))
        return self._kept / hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()
