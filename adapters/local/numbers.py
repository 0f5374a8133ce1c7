"""Numbers of documents and passages. None is ever used twice.

A document takes a run of serial numbers: one for itself, and one for each of its passages. The
number of a passage is its serial number and, in its last bits, how long it is, roughly: searching
knows that of every passage it comes across, without looking it up.
"""

from bisect import bisect

_BITS = 4
SIZE = (1 << _BITS) - 1
# Each size is about one and a half times the one before.
_BOUNDS = (8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024)
USUAL_LENGTHS = (6, 10, 13, 19, 27, 38, 54, 77, 109, 154, 218, 309, 437, 618, 874, 1400)


def passage_number(serial: int, length: int) -> int:
    """Return the number of a passage of so many terms.

    >>> passage_number(1, 0), passage_number(1, 70), passage_number(2, 5000)
    (16, 23, 47)
    >>> USUAL_LENGTHS[passage_number(1, 70) & SIZE]
    77
    """
    return serial << _BITS | bisect(_BOUNDS, length)


def passages_of(document: int, count: int) -> tuple[int, int]:
    """Return between which numbers the passages of a document are, the last one not included."""
    return document + 1 << _BITS, document + 1 + count << _BITS
