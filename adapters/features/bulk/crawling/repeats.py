"""Pages that a list repeats: each is fetched once and fills every row of it.

Digest collisions are harmless: results are stored by the complete canonical URL.
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

from webseam.adapters.pages.fetch.user_headers import Headers
from webseam.ports.errors import WebError

from ..datasets.atomic_files import write_whole_file
from .duplicate_urls import REPEATED_FILE_NAME, url_digest
from .polite_fetcher import PageVisit

_VISIT_DECODER: Final = msgspec.msgpack.Decoder(PageVisit)


class RepeatedPages:
    """The outcomes of repeated pages, stored on disk during a run."""

    def __init__(
        self,
        folder: Path,
        kept: Path,
        unwanted: Callable[[WebError | None], bool] = lambda _error: False,
    ) -> None:
        """Load the repeated pages, and store their outcomes at ``kept``; raises ``OSError``.

        Outcomes with an ``unwanted`` error are not stored.
        """
        self._digests = array("Q")
        self._folder, self._unwanted = kept, unwanted
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()
        path = folder / REPEATED_FILE_NAME
        if path.is_file():
            self._digests.frombytes(path.read_bytes())

    def is_repeated(self, page: str) -> bool:
        """Tell whether a page is listed more than once."""
        if not self._digests:
            return False
        digest = url_digest(page)
        index = bisect_left(self._digests, digest)
        return index < len(self._digests) and self._digests[index] == digest

    async def visit_repeated(
        self, page: str, validators: Headers, fetch: Callable[[], Awaitable[PageVisit | None]]
    ) -> tuple[PageVisit | None, bool]:
        """Return the outcome of a page, and whether it was fetched just now; None like ``fetch``.

        An unchanged page is only stored for the same ``validators``. Raises ``OSError``.
        """
        path, unchanged = self._outcome_path(page), self._outcome_path(page, *validators)
        async with self._locks.setdefault(page, asyncio.Lock()):
            for stored in (path, unchanged):
                if stored.is_file():
                    return _VISIT_DECODER.decode(stored.read_bytes()), False
            visited = await fetch()
            if visited is not None and not self._unwanted(visited.error):
                outcome_path = unchanged if visited.unchanged else path
                write_whole_file(outcome_path, msgspec.msgpack.encode(visited))
            return visited, True

    def _outcome_path(self, page: str, *validators: tuple[str, str]) -> Path:
        key = "\n".join((page, *map(": ".join, validators)))
        return self._folder / hashlib.sha256(key.encode("utf-8", "replace")).hexdigest()
