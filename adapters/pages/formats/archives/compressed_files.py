"""One file that was compressed by itself: gzip, bzip2, xz."""

from typing import Final

from ..draft import Source
from .listing import MAX_UNPACKED_BYTES, PACKERS, UNREADABLE, unpack_start

_PROBE_BYTES: Final = 1
CUT: Final = f"only the first {MAX_UNPACKED_BYTES:,} bytes of what was compressed"
_ENDS_EARLY: Final = "it ends early: what was compressed after that is missing"


def is_compressed(body: bytes) -> bool:
    """Tell whether it can be unpacked, be it nothing that comes out."""
    try:
        unpack_start(body, _PROBE_BYTES)
    except UNREADABLE:
        return False
    return body.startswith(tuple(PACKERS))


def unpack_file(source: Source) -> tuple[Source, tuple[str, ...]]:
    """Return what was compressed, under its own name, and a note when that is not all.

    What is damaged from its begin on has no body.
    """
    try:
        body, is_whole = unpack_start(source.body, MAX_UNPACKED_BYTES + 1)
    except UNREADABLE:
        body, is_whole = b"", False
    name = source.file_name
    stem = name.rpartition(".")[0]
    url = source.url.removesuffix(name[len(stem) :]) if stem else source.url
    is_cut = len(body) > MAX_UNPACKED_BYTES
    notes = ((is_cut, CUT), (not is_whole, _ENDS_EARLY))
    told = tuple(note for holds, note in notes if holds)
    return Source(body=body[:MAX_UNPACKED_BYTES], url=url), told
