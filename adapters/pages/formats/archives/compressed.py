"""One file that was compressed by itself: gzip, bzip2, xz."""

from typing import Final

from ..draft import Source
from .listing import MOST_UNPACKED, PACKERS, UNREADABLE, unpacked

_FIRST: Final = 1
CUT: Final = f"only the first {MOST_UNPACKED:,} bytes of what was compressed"
_ENDS_EARLY: Final = "it ends early: what was compressed after that is missing"


def is_compressed(body: bytes) -> bool:
    """Tell whether it can be unpacked, be it nothing that comes out."""
    try:
        unpacked(body, _FIRST)
    except UNREADABLE:
        return False
    return body.startswith(tuple(PACKERS))


def inside(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return what was compressed, under its own name, and a note when that is not all.

    What is damaged from its begin on has no body.
    """
    try:
        body, is_whole = unpacked(source.body, MOST_UNPACKED + 1)
    except UNREADABLE:
        body, is_whole = b"", False
    name = source.file_name
    stem = name.rpartition(".")[0]
    url = source.url.removesuffix(name[len(stem) :]) if stem else source.url
    is_cut = len(body) > MOST_UNPACKED
    notes = ((is_cut, CUT), (not is_whole, _ENDS_EARLY))
    told = tuple(note for holds, note in notes if holds)
    return Source(body=body[:MOST_UNPACKED], url=url), told
