"""URLs that a list repeats, found by a digest of each page."""

from __future__ import annotations

import hashlib
from array import array
from collections import Counter
from collections.abc import Set as AbstractSet
from itertools import pairwise
from pathlib import Path
from typing import Final

from ..datasets.atomic_files import write_whole_file

REPEATED_FILE_NAME: Final = "_repeated"
_SORT_BATCH_URLS: Final = 1_000_000


class DuplicateUrls:
    """Collect the pages of a list and find repeated ones."""

    def __init__(self) -> None:
        """Start without pages."""
        self._digests = array("Q")
        # The host of each digest, by its number: a list may have millions of URLs.
        self._hosts = array("L")
        self._host_numbers: dict[str, int] = {}

    def add_page(self, page: str, host: str) -> None:
        """Add a page by its canonical URL and its host."""
        self._digests.append(url_digest(page))
        self._hosts.append(self._host_numbers.setdefault(host, len(self._host_numbers)))

    def write_repeated(self, folder: Path) -> Counter[str]:
        """Write the digests of repeated pages; no file if there are none. Raises ``OSError``.

        Return how many URLs of each host repeat an earlier one.
        """
        repeated: set[int] = set()
        parts = len(self._digests) // _SORT_BATCH_URLS + 1
        for part in range(parts):
            digests = sorted(digest for digest in self._digests if digest % parts == part)
            repeated.update(digest for digest, after in pairwise(digests) if digest == after)
        if repeated:
            write_whole_file(folder / REPEATED_FILE_NAME, array("Q", sorted(repeated)).tobytes())
        return self._count_repeats(repeated)

    def _count_repeats(self, repeated: AbstractSet[int]) -> Counter[str]:
        counts: Counter[str] = Counter()
        if not repeated:
            return counts
        names, seen = list(self._host_numbers), set[int]()
        for digest, number in zip(self._digests, self._hosts, strict=True):
            if digest in seen:
                counts[names[number]] += 1
            elif digest in repeated:
                seen.add(digest)
        return counts


def url_digest(page: str) -> int:
    """Return an eight-byte digest of a canonical URL."""
    return int.from_bytes(hashlib.blake2b(page.encode("utf-8", "replace"), digest_size=8).digest())
