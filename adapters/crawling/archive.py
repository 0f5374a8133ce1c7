"""A WARC file of what was fetched, put together from its records, and taken apart again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

from ...ports.errors import WebError
from ..datasets import warc
from ..datasets.whole_files import atomic_file
from .spool import Spool
from .warc_records import info_record

Unwanted: TypeAlias = Callable[[WebError | None], bool]


def write_records(path: Path, pieces: Iterable[bytes], notes: Mapping[str, str]) -> None:
    """Write a file, whole or not at all, with who wrote it and how first; raises ``OSError``."""
    with atomic_file(path) as stream:
        for place, piece in enumerate(pieces):
            if place == 0:
                stream.write(info_record(piece, path.name, notes))
            stream.write(piece)


def unpack_archive(path: Path, spool_path: Path, count: int, unwanted: Unwanted) -> bool:
    """Write the wanted inputs of a file back into a spool at ``spool_path``.

    False where there are none, or not ``count`` inputs, and then all stays as it is; raises
    ``OSError``.
    """
    errors = [item.error for item in warc.read_inputs(path, 0, path.name)]
    if len(errors) != count or not any(map(unwanted, errors)):
        return False
    spool = Spool(spool_path)
    try:
        for number, (item, piece) in enumerate(warc.read_input_records(path)):
            if not unwanted(item.error):
                spool.add(number, piece)
    finally:
        spool.close()
    path.unlink()
    return True


def drop_refused(spool: Spool, numbers: Iterable[int], unwanted: Unwanted) -> None:
    """Take what is unwanted as not there."""
    for number in [number for number in numbers if number in spool]:
        (piece,) = spool.pieces((number,))
        if any(unwanted(item.error) for item in warc.read_stream_inputs(io.BytesIO(piece), 0, "")):
            spool.drop(number)
