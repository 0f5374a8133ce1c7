"""A WARC file of what was fetched, put together from its records, and taken apart again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from ...ports.errors import WebError
from ..datasets import warc
from ..datasets.parts import whole_file
from .records import info_record
from .spool import Spool

Unwanted: TypeAlias = Callable[[WebError | None], bool]


def keep_records(path: Path, pieces: Iterable[bytes], notes: Mapping[str, str]) -> None:
    """Write a file, whole or not at all, with who wrote it and how first; raises ``OSError``."""
    with whole_file(path) as stream:
        for place, piece in enumerate(pieces):
            if place == 0:
                stream.write(info_record(piece, path.name, notes))
            stream.write(piece)


def take_apart(path: Path, place: Path, count: int, unwanted: Unwanted) -> bool:
    """Put the inputs of a file back into a spool at ``place``, but for those that are unwanted.

    False where there are none, or not ``count`` inputs, and then all stays as it is; raises
    ``OSError``.
    """
    errors = [item.error for item in warc.items(path, 0, path.name)]
    if len(errors) != count or not any(map(unwanted, errors)):
        return False
    spool = Spool(place)
    try:
        for number, (item, piece) in enumerate(warc.pieces(path)):
            if not unwanted(item.error):
                spool.add(number, piece)
    finally:
        spool.close()
    path.unlink()
    return True


def drop_unwanted(spool: Spool, numbers: Iterable[int], unwanted: Unwanted) -> None:
    """Take what is unwanted as not there."""
    for number in [number for number in numbers if number in spool]:
        (piece,) = spool.pieces((number,))
        if any(unwanted(item.error) for item in warc.items_in(io.BytesIO(piece), 0, "")):
            spool.drop(number)
