"""Draws that are the same on every machine and every day: a comparison can be made again."""

from collections.abc import Iterator
from functools import lru_cache

_MOST, _LEAST, _NUMBERS = 2_000, 200, 2_000_000
_MASK = (1 << 64) - 1


def random_numbers(seed: int) -> Iterator[int]:
    """Yield numbers of 64 bits: SplitMix64 (Steele, Lea and Flood 2014).

    >>> first = random_numbers(0)
    >>> hex(next(first)), hex(next(first))
    ('0xe220a8397b1dcdaf', '0x6e789e6aa1b965f4')
    """
    state = seed
    while True:
        state = (state + 0x9E3779B97F4A7C15) & _MASK
        mixed = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        mixed = ((mixed ^ (mixed >> 27)) * 0x94D049BB133111EB) & _MASK
        yield mixed ^ (mixed >> 31)


def draw_count(count: int) -> int:
    """Return how often to draw ``count`` things: fewer times the more there are."""
    return max(_LEAST, min(_MOST, _NUMBERS // max(1, count)))


@lru_cache(maxsize=4)
def resamples(count: int) -> tuple[tuple[int, ...], ...]:
    """Return places among ``count``, drawn with repetition, as many sets as are worth it."""
    source = random_numbers(count)
    return tuple(
        tuple(next(source) * count >> 64 for _ in range(count)) for _ in range(draw_count(count))
    )


@lru_cache(maxsize=4)
def random_signs(count: int) -> tuple[tuple[int, ...], ...]:
    """Return sets of ``count`` signs, each 1 or -1."""
    source = random_numbers(~count & _MASK)
    return tuple(
        tuple(1 if next(source) >> 63 else -1 for _ in range(count))
        for _ in range(draw_count(count))
    )
