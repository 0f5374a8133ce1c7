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

from webseam.adapters.features.bulk.datasets.atomic_files import file_sha256

from .sources import Source, source_input_files

# Planning reads the other kinds completely; hash these only up to a limit, to stay quick.
_UNREAD_SOURCE_KINDS: Final = frozenset({"folder", "file", "parquet"})
_MAX_HASHED_BYTES: Final = 256 * 1024 * 1024


class SourceMark(msgspec.Struct, frozen=True):
    """When files were written, and a digest of them; blank where they are too large to hash."""

    written: str
    content: str


Marks: TypeAlias = list[SourceMark | None]


def source_marks(sources: Iterable[Source], folder: Path) -> Marks:
    """Return the marks of sources, None for those that are no files; raises ``OSError``."""
    return [read_source_mark(source, folder) if _is_on_disk(source) else None for source in sources]


def read_source_mark(source: Source, run_folder: Path) -> SourceMark:
    """Return the mark of a source's files; raises ``OSError``."""
    written_at = write_times_digest(source, run_folder)
    return SourceMark(written_at, _source_content_digest(source, run_folder))


def changed_sources(marks: Marks, sources: Iterable[Source], run_folder: Path) -> list[str]:
    """Return the names of the sources whose content changed; raises ``OSError``."""
    # Plans of older versions have no marks.
    return [
        source.name
        for mark, source in zip(marks, sources, strict=False)
        if mark is not None and _has_source_changed(mark, source, run_folder)
    ]


def _has_source_changed(mark: SourceMark, source: Source, run_folder: Path) -> bool:
    is_rewritten = mark.written != write_times_digest(source, run_folder)
    return is_rewritten and mark.content != _source_content_digest(source, run_folder)


def source_times(sources: Iterable[Source], run_folder: Path) -> list[str]:
    """Return the write times of the sources that are single files, blank for others."""
    return [
        write_times_digest(source, run_folder)
        if _is_on_disk(source) and source.kind != "folder"
        else ""
        for source in sources
    ]


def _is_on_disk(source: Source) -> bool:
    return not source.is_remote and source.kind != "stdin"


def write_times_digest(source: Source, run_folder: Path) -> str:
    """Return a digest of the write times of a source's files; raises ``OSError``."""
    digest = hashlib.sha256()
    for path, name in _source_files(source, run_folder):
        # A missing file becomes a row with an error.
        written_ns = path.stat().st_mtime_ns if path.exists() else -1
        digest.update(name + f"\0{written_ns}\n".encode())
    return digest.hexdigest()


def _source_content_digest(source: Source, run_folder: Path) -> str:
    if source.kind in _UNREAD_SOURCE_KINDS and _is_too_large_to_hash(source, run_folder):
        return ""
    digest = hashlib.sha256()
    for path, name in _source_files(source, run_folder):
        digest.update(name + f"\0{_source_file_digest(path)}\n".encode())
    return digest.hexdigest()


def _is_too_large_to_hash(source: Source, run_folder: Path) -> bool:
    size = 0
    for path, _ in _source_files(source, run_folder):
        size += path.stat().st_size if path.exists() else 0
        if size > _MAX_HASHED_BYTES:
            return True
    return False


def _source_file_digest(path: Path) -> str:
    try:
        return file_sha256(path)
    except OSError:
        # An unreadable file becomes a row with an error.
        return ""


def _source_files(source: Source, run_folder: Path) -> Iterator[tuple[Path, bytes]]:
    if source.kind != "folder":
        yield source.path, b""
        return
    for path in source_input_files(source.path, run_folder):
        yield path, os.fsencode(path.relative_to(source.path).as_posix())
