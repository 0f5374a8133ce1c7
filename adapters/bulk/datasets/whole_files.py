"""Parts of a dataset: under a name of their own until they are whole and on the disk."""

import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from ...files import sync_folder

_ENDING = ".tmp"
_READ_BYTES = 1 << 20


@contextmanager
def atomic_file(path: Path) -> Iterator[BinaryIO]:
    """Give a file to write to, which becomes ``path`` when all went well, and nothing otherwise.

    Two that write the same file at once do not meet: each has a temporary name of its own. Raises
    ``OSError``, for one when the disk is full.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary = path.with_name(f".{path.name}.{os.urandom(8).hex()}{_ENDING}")
    try:
        with temporary.open("wb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        temporary.replace(path)
        sync_folder(path.parent)
    finally:
        temporary.unlink(missing_ok=True)


def write_stream(stream: BinaryIO, path: Path) -> None:
    """Write down all that a stream gives; raises ``OSError``."""
    with atomic_file(path) as target:
        while chunk := stream.read(_READ_BYTES):
            target.write(chunk)


def remove_leftovers(folder: Path) -> None:
    """Remove what killed runs left behind."""
    for path in folder.glob(f".*{_ENDING}"):
        path.unlink(missing_ok=True)


def file_digest(path: Path) -> str:
    """Return the SHA-256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as stream:
        while chunk := stream.read(_READ_BYTES):
            digest.update(chunk)
    return digest.hexdigest()


def append_line(path: Path, line: bytes) -> None:
    """Add a line and have it on the disk."""
    with path.open("ab") as stream:
        stream.write(line + b"\n")
        stream.flush()
        os.fsync(stream.fileno())
