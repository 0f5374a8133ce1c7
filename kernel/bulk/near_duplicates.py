"""Which texts are nearly the same: shingles, bands of signatures, and groups by smallest row.

Bands of 8 in 14, as FineWeb has them (https://arxiv.org/abs/2406.17557, read 2026-11-15).
"""

from collections.abc import Iterable, Sequence
from typing import Final

PERMUTATIONS: Final = 128
_BANDS: Final = 14
_ROWS_PER_BAND: Final = 8
_WORDS: Final = 5


def text_shingles(text: str) -> list[str]:
    """Return the runs of five words of a text, in lower case; a shorter text is one run.

    >>> text_shingles("The quick brown fox jumps over")
    ['the quick brown fox jumps', 'quick brown fox jumps over']
    >>> text_shingles("Not found"), text_shingles(" ")
    (['not found'], [])
    """
    words = text.lower().split()
    if len(words) <= _WORDS:
        return [" ".join(words)] if words else []
    return [" ".join(words[at : at + _WORDS]) for at in range(len(words) - _WORDS + 1)]


def signature_bands(signature: Sequence[int]) -> list[bytes]:
    """Return the keys of a signature: texts that share one are nearly the same."""
    return [
        band.to_bytes(1, "big")
        + b"".join(
            number.to_bytes(8, "big")
            for number in signature[band * _ROWS_PER_BAND : (band + 1) * _ROWS_PER_BAND]
        )
        for band in range(_BANDS)
    ]


class DuplicateGroups:
    """Rows that belong together; each group is named by its smallest row, whatever the order.

    >>> groups = DuplicateGroups([(3, 5), (1, 3), (8, 9)])
    >>> groups.first(5), groups.first(9), groups.first(4)
    (1, 8, 4)
    """

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        """Join all pairs; only rows that are in one cost memory."""
        self._above: dict[int, int] = {}
        for one, other in pairs:
            self._join(one, other)

    def first(self, row: int) -> int:
        """Return the smallest row of the group that a row is in: itself when it is alone."""
        while (above := self._above.get(row, row)) != row:
            # Halve the way for those who come after.
            self._above[row] = self._above.get(above, above)
            row = above
        return row

    def rows(self) -> list[int]:
        """Return the rows that are not the first of their group, in order."""
        return sorted(row for row in self._above if self.first(row) != row)

    def _join(self, one: int, other: int) -> None:
        low, high = sorted((self.first(one), self.first(other)))
        if low != high:
            self._above[high] = low
