"""Files that a run reads: whether they are what they were when it was planned.

Their sizes, beginnings and ends are looked at every time; all of their bytes when a run is planned,
and then only where the filesystem says that somebody wrote to them.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from ....adapters.bulk.datasets.whole_files import file_digest
from .sources import Source, input_files

# Others are read whole to plan a run; of these no more is looked at than takes a moment.
_NOT_READ: Final = frozenset({"folder", "file", "parquet"})
_MAX_HASHED_BYTES: Final = 256 * 1024 * 1024


class SourceMark(msgspec.Struct, frozen=True):
    """What files are known again by: when they were written, and what they hold.

    ``content`` is blank where that is too much to look at.
    """

    written: str
    content: str


Marks: TypeAlias = list[SourceMark | None]


def source_marks(sources: Iterable[Source], run_folder: Path) -> Marks:
    """Return the marks of some sources, None for those that are no files; raises ``OSError``."""
    return [source_mark(source, run_folder) if _is_local(source) else None for source in sources]


def source_mark(source: Source, run_folder: Path) -> SourceMark:
    """Return the mark of files; raises likewise."""
    return SourceMark(written_at(source, run_folder), _content(source, run_folder))


def changed_sources(marks: Marks, sources: Iterable[Source], run_folder: Path) -> list[str]:
    """Return the names of the sources that hold something else now; raises likewise."""
    # A plan of before has no marks.
    return [
        source.name
        for mark, source in zip(marks, sources, strict=False)
        if mark is not None and _differs(mark, source, run_folder)
    ]


def _differs(mark: SourceMark, source: Source, own: Path) -> bool:
    return mark.written != written_at(source, own) and mark.content != _content(source, own)


def source_times(sources: Iterable[Source], run_folder: Path) -> list[str]:
    """Return when the sources were written that are single files, blank for others."""
    return [
        written_at(source, run_folder) if _is_local(source) and source.kind != "folder" else ""
        for source in sources
    ]


def _is_local(source: Source) -> bool:
    return not source.is_remote and source.kind != "stdin"


def written_at(source: Source, run_folder: Path) -> str:
    """Return by what it is known when the files of a source were written; raises likewise."""
    digest = hashlib.sha256()
    for path, name in _files(source, run_folder):
        # One that is gone, or leads nowhere, is a row that says so.
        when = path.stat().st_mtime_ns if path.exists() else -1
        digest.update(name + f"\0{when}\n".encode())
    return digest.hexdigest()


def _content(source: Source, own: Path) -> str:
    if source.kind in _NOT_READ and _is_large(source, own):
        return ""
    digest = hashlib.sha256()
    for path, name in _files(source, own):
        digest.update(name + f"\0{_held(path)}\n".encode())
    return digest.hexdigest()


def _is_large(source: Source, own: Path) -> bool:
    size = 0
    for path, _ in _files(source, own):
        size += path.stat().st_size if path.exists() else 0
        if size > _MAX_HASHED_BYTES:
            return True
    return False


def _held(path: Path) -> str:
    try:
        return file_digest(path)
    except OSError:
        # Which is a row that says so as well.
        return ""


def _files(source: Source, own: Path) -> Iterator[tuple[Path, bytes]]:
    """Yield the files of a source, with what they are called in it."""
    if source.kind != "folder":
        yield source.path, b""
        return
    for path in input_files(source.path, own):
        yield path, os.fsencode(path.relative_to(source.path).as_posix())
