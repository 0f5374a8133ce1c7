"""Detect whether the files of a run have changed since it was planned.

Sizes, beginnings and ends are compared every time. All bytes are read when a run is planned, and
later only when the filesystem reports a newer write.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, TypeAlias

import msgspec

from ...adapters.bulk.datasets.whole_files import dataset_file_digest
from .sources import Source, bulk_source_files

# Planning reads the other kinds completely; hash these only up to a limit, to stay quick.
_UNREAD_SOURCE_KINDS: Final = frozenset({"folder", "file", "parquet"})
_MAX_HASHED_BYTES: Final = 256 * 1024 * 1024


class SourceMark(msgspec.Struct, frozen=True):
    """When files were written, and a digest of them; blank where they are too large to hash."""

    written: str
    content: str


Marks: TypeAlias = list[SourceMark | None]


def bulk_source_marks(sources: Iterable[Source], folder: Path) -> Marks:
    """Return the marks of sources, None for those that are no files; raises ``OSError``."""
    return [
        bulk_source_mark(source, folder) if _is_bulk_file(source) else None for source in sources
    ]


def bulk_source_mark(source: Source, run_folder: Path) -> SourceMark:
    """Return the mark of a source's files; raises ``OSError``."""
    written_at = bulk_source_written_at(source, run_folder)
    return SourceMark(written_at, _bulk_source_digest(source, run_folder))


def changed_bulk_sources(marks: Marks, sources: Iterable[Source], run_folder: Path) -> list[str]:
    """Return the names of the sources whose content changed; raises ``OSError``."""
    # Plans of older versions have no marks.
    return [
        source.name
        for mark, source in zip(marks, sources, strict=False)
        if mark is not None and _has_bulk_source_changed(mark, source, run_folder)
    ]


def _has_bulk_source_changed(mark: SourceMark, source: Source, run_folder: Path) -> bool:
    is_rewritten = mark.written != bulk_source_written_at(source, run_folder)
    return is_rewritten and mark.content != _bulk_source_digest(source, run_folder)


def bulk_source_times(sources: Iterable[Source], run_folder: Path) -> list[str]:
    """Return the write times of the sources that are single files, blank for others."""
    return [
        bulk_source_written_at(source, run_folder)
        if _is_bulk_file(source) and source.kind != "folder"
        else ""
        for source in sources
    ]


def _is_bulk_file(source: Source) -> bool:
    return not source.is_remote and source.kind != "stdin"


def bulk_source_written_at(source: Source, run_folder: Path) -> str:
    """Return a digest of the write times of a source's files; raises ``OSError``."""
    digest = hashlib.sha256()
    for path, name in _bulk_source_files(source, run_folder):
        # A missing file becomes a row with an error.
        written_ns = path.stat().st_mtime_ns if path.exists() else -1
        digest.update(name + f"\0{written_ns}\n".encode())
    return digest.hexdigest()


def _bulk_source_digest(source: Source, run_folder: Path) -> str:
    if source.kind in _UNREAD_SOURCE_KINDS and _is_bulk_source_too_large(source, run_folder):
        return ""
    digest = hashlib.sha256()
    for path, name in _bulk_source_files(source, run_folder):
        digest.update(name + f"\0{_bulk_source_file_digest(path)}\n".encode())
    return digest.hexdigest()


def _is_bulk_source_too_large(source: Source, run_folder: Path) -> bool:
    size = 0
    for path, _ in _bulk_source_files(source, run_folder):
        size += path.stat().st_size if path.exists() else 0
        if size > _MAX_HASHED_BYTES:
            return True
    return False


def _bulk_source_file_digest(path: Path) -> str:
    try:
        return dataset_file_digest(path)
    except OSError:
        # An unreadable file becomes a row with an error.
        return ""


def _bulk_source_files(source: Source, run_folder: Path) -> Iterator[tuple[Path, bytes]]:
    if source.kind != "folder":
        yield source.path, b""
        return
    for path in bulk_source_files(source.path, run_folder):
        yield path, os.fsencode(path.relative_to(source.path).as_posix())
