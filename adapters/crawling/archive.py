"""A WARC file of what was fetched, put together from its records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

from ..datasets.parts import whole_file
from .records import info_record


def keep_records(path: Path, pieces: Iterable[bytes], notes: Mapping[str, str]) -> None:
    """Write a file, whole or not at all, with who wrote it and how first; raises ``OSError``."""
    with whole_file(path) as stream:
        for place, piece in enumerate(pieces):
            if place == 0:
                stream.write(info_record(piece, path.name, notes))
            stream.write(piece)
