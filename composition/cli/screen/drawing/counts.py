"""Figures with their nouns, as a sentence has them."""

_KILO, _MEGA = 1_000, 1_000_000


def counted(number: int, noun: str, several: str = "") -> str:
    """Return a number and its noun, which is one or several.

    >>> counted(1, "row"), counted(0, "page"), counted(1200, "query", "queries")
    ('1 row', '0 pages', '1,200 queries')
    """
    return f"{number:,} {noun if number == 1 else several or f'{noun}s'}"


def sized(count: int) -> str:
    """Return a number of bytes with the unit that people read.

    >>> sized(54), sized(5_400), sized(5_430_000), sized(5_430_000_000)
    ('54 bytes', '5.4 kB', '5.4 MB', '5,430.0 MB')
    """
    if count < _KILO:
        return counted(count, "byte")
    return f"{count / _KILO:.1f} kB" if count < _MEGA else f"{count / _MEGA:,.1f} MB"
