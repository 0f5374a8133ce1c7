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
from itertools import pairwise
from pathlib import Path
from typing import Final
from weakref import WeakValueDictionary

import msgspec

from ....ports.errors import WebError
from ...pages.fetch.visit import Headers
from ..datasets.whole_files import atomic_file
from .polite_fetcher import PageVisit

REPEATED: Final = "_repeated"
_SORT_BATCH_URLS: Final = 1_000_000


class DuplicateUrls:
    """The pages of a list, noted one by one."""

    def __init__(self) -> None:
        """Note none yet."""
        self._digests = array("Q")

    def note(self, page: str) -> None:
        """Note a page by the one spelling of its URL."""
        self._digests.append(digest_of_page(page))

    def write_repeated(self, folder: Path) -> None:
        """Write down which came more than once; no file where none did. Raises ``OSError``."""
        repeated = self._repeated()
        if repeated:
            with atomic_file(folder / REPEATED) as stream:
                stream.write(repeated.tobytes())

    def _repeated(self) -> array[int]:
        found = array("Q")
        parts = len(self._digests) // _SORT_BATCH_URLS + 1
        for part in range(parts):
            some = sorted(digest for digest in self._digests if digest % parts == part)
            found.extend(sorted({one for one, next_ in pairwise(some) if one == next_}))
        return array("Q", sorted(found))


def digest_of_page(page: str) -> int:
    """Return eight bytes for the one spelling of a URL."""
    return int.from_bytes(hashlib.blake2b(page.encode("utf-8", "replace"), digest_size=8).digest())


# URLs that a list has more than once: each page is asked for once, and stands in every row of it.

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
