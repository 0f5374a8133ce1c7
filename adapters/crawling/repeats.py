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

from ..datasets.parts import whole_file
from .listed import REPEATED, digest_of_page
from .polite import PageVisit

_VISIT: Final = msgspec.msgpack.Decoder(PageVisit)


class RepeatedPages:
    """What came of the pages that are listed more than once, kept on the disk while a run lasts."""

    def __init__(self, folder: Path, kept: Path) -> None:
        """Load which they are, and keep what came of them at ``kept``; raises ``OSError``."""
        self._digests = array("Q")
        self._kept = kept
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
        self, page: str, fetch: Callable[[], Awaitable[PageVisit | None]]
    ) -> tuple[PageVisit | None, bool]:
        """Return what came of a page, and whether it was asked for just now; None as ``fetch``.

        Raises ``OSError``.
        """
        path = self._kept / hashlib.sha256(page.encode("utf-8", "replace")).hexdigest()
        async with self._locks.setdefault(page, asyncio.Lock()):
            if path.is_file():
                return _VISIT.decode(path.read_bytes()), False
            visited = await fetch()
            if visited is not None:
                with whole_file(path) as stream:
                    stream.write(msgspec.msgpack.encode(visited))
            return visited, True
