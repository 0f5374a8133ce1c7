"""The URLs that a list names more than once, found by a digest of each page."""

from __future__ import annotations

import hashlib
from array import array
from itertools import pairwise
from pathlib import Path
from typing import Final

from ..datasets.whole_files import atomic_file

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
