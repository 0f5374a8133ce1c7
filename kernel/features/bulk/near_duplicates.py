"""Find near duplicates: shingles, signature bands, and groups by smallest row.

14 bands of 8, as in FineWeb (https://arxiv.org/abs/2406.17557, read 2026-11-15).
"""

from collections.abc import Iterable, Sequence
from typing import Final

PERMUTATION_COUNT: Final = 128
_BAND_COUNT: Final = 14
_ROWS_PER_BAND: Final = 8
_SHINGLE_WORDS: Final = 5


def text_shingles(text: str) -> list[str]:
    """Return the runs of five words of a text, in lower case; a shorter text is one run.

    >>> text_shingles("The quick brown fox jumps over")
    ['the quick brown fox jumps', 'quick brown fox jumps over']
    >>> text_shingles("Not found")
    ['not found']
    >>> text_shingles(" ")
    []
    """
    words = text.lower().split()
    if len(words) <= _SHINGLE_WORDS:
        return [" ".join(words)] if words else []
    starts = range(len(words) - _SHINGLE_WORDS + 1)
    return [" ".join(words[start : start + _SHINGLE_WORDS]) for start in starts]


def signature_bands(signature: Sequence[int]) -> list[bytes]:
    """Return the band keys of a signature: texts that share one are near duplicates."""
    bands = []
    for band in range(_BAND_COUNT):
        numbers = signature[band * _ROWS_PER_BAND : (band + 1) * _ROWS_PER_BAND]
        bands.append(bytes([band]) + b"".join(number.to_bytes(8, "big") for number in numbers))
    return bands


class DuplicateGroups:
    """Groups of rows; each group is named by its smallest row, whatever the order.

    >>> groups = DuplicateGroups([(3, 5), (1, 3), (8, 9)])
    >>> groups.first_row(5), groups.first_row(9), groups.first_row(4)
    (1, 8, 4)
    """

    def __init__(self, pairs: Iterable[tuple[int, int]] = ()) -> None:
        """Join all pairs; only paired rows cost memory."""
        self._parents: dict[int, int] = {}
        for left, right in pairs:
            low, high = sorted((self.first_row(left), self.first_row(right)))
            if low != high:
                self._parents[high] = low

    def first_row(self, row: int) -> int:
        """Return the smallest row of the group that contains a row, or the row itself."""
        while (above := self._parents.get(row, row)) != row:
            # Path halving shortens later lookups.
            self._parents[row] = self._parents.get(above, above)
            row = above
        return row

    def duplicate_rows(self) -> list[int]:
        """Return the rows that are not the first of their group, in order."""
        return sorted(row for row in self._parents if self.first_row(row) != row)
