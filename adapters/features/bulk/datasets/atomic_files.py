"""Write files atomically: under a temporary name until they are complete and on disk."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from webseam.adapters.files import sync_folder

_TEMPORARY_SUFFIX = ".tmp"
_READ_BYTES = 1 << 20


@contextmanager
def open_atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Yield a file to write to, which becomes ``path`` if the block succeeds.

    Each writer has a temporary name of its own, so two writers do not collide. Raises ``OSError``,
    for example when the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}{_TEMPORARY_SUFFIX}")
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_whole_file(path: Path, content: bytes) -> None:
    """Write a file atomically; raises ``OSError``."""
    with open_atomic_file(path) as stream:
        stream.write(content)


def write_stream_to_file(stream: BinaryIO, path: Path) -> None:
    """Copy a stream to a file atomically; raises ``OSError``."""
    with open_atomic_file(path) as target:
        while chunk := stream.read(_READ_BYTES):
            target.write(chunk)


def remove_temporary_files(folder: Path) -> None:
    """Remove temporary files of killed runs."""
    for path in folder.glob(f".*{_TEMPORARY_SUFFIX}"):
        path.unlink(missing_ok=True)


def file_sha256(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_READ_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def append_synced_line(path: Path, line: bytes) -> None:
    """Append a line and sync it to disk."""
    with path.open("ab") as stream:
        stream.write(line + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
