"""Counts with their nouns, and sizes with their units."""

_KB, _MB = 1_000, 1_000_000


def count_with_noun(number: int, noun: str, several: str = "") -> str:
    """Return a number and its noun, which is one or several.

    >>> (count_with_noun(1, "row"), count_with_noun(0, "page"),
    ...  count_with_noun(1200, "query", "queries"))
    ('1 row', '0 pages', '1,200 queries')
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def byte_size_text(count: int) -> str:
    """Return a number of bytes with the unit that people read.

    >>> [byte_size_text(count) for count in (54, 5_400, 5_430_000, 5_430_000_000)]
    ['54 bytes', '5.4 kB', '5.4 MB', '5,430.0 MB']
    """
    if count < _KB:
        return count_with_noun(count, "byte")
    return f"{count / _KB:.1f} kB" if count < _MB else f"{count / _MB:,.1f} MB"
