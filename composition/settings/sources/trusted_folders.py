"""The folders that the user said yes to: a record each, with the hash of every file it counts for.

A record of its own for each folder, so that two commands at once lose nothing. One that cannot be
read, or that others could have written, counts for nothing.
"""

import hashlib
import os
import stat
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.files import write_file
from ....ports.errors import StoreFailed
from ...file_locations import FileLocations, exists

_MAX_RECORD_BYTES = 64 * 1024
_OTHERS_WRITE = stat.S_IWGRP | stat.S_IWOTH


class TrustedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder by its real path, the hashes of its files by name, and when that was."""

    folder: str
    files: dict[str, str]
    time: str = ""


def content_digest(content: bytes) -> str:
    """Return the hash of a file's content."""
    return hashlib.sha256(content).hexdigest()


def real_path(folder: Path) -> str:
    """Return a folder's one name, whichever links lead there."""
    return os.path.realpath(folder)


def trusted_files(
    folder: Path, environment: Mapping[str, str] | None
) -> Result[Mapping[str, str], StoreFailed]:
    """Return the hashes of a folder's files that the user said yes to; without a record, none."""
    real = real_path(folder)
    record = _read(_place(real, environment))
    return record.map(lambda known: {} if known is None or known.folder != real else known.files)


def record_trust(
    folder: Path, files: Mapping[str, str], environment: Mapping[str, str] | None
) -> Result[None, StoreFailed]:
    """Record that the user said yes to these files of a folder, as they are now."""
    real = real_path(folder)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = trusted_files(folder, environment).value_or({})
    record = TrustedFolder(folder=real, files={**before, **files}, time=now)
    try:
        content = msgspec.json.format(msgspec.json.encode(record), indent=2)
        write_file(_place(real, environment), content)
    except (OSError, ValueError) as error:
        return _refuse(error)
    return Success(None)


def revoke_trust(folder: Path, environment: Mapping[str, str] | None) -> Result[bool, StoreFailed]:
    """Forget a folder; tell whether there was a record of it."""
    place = _place(real_path(folder), environment)
    was_there = exists(place)
    try:
        place.unlink(missing_ok=True)
    except OSError as error:
        return _refuse(error)
    return Success(was_there)


def trusted_folders(
    environment: Mapping[str, str] | None,
) -> Result[tuple[TrustedFolder, ...], StoreFailed]:
    """Return every record, by the folders' names, or the first that cannot be read."""
    try:
        files = sorted(FileLocations(environment).trust_folder.glob("*.json"))
    except OSError as error:
        return _refuse(error)
    records: list[TrustedFolder] = []
    for file in files:
        record = _read(file)
        if isinstance(record, Failure):
            return record
        records += [known for known in (record.unwrap(),) if known is not None]
    return Success(tuple(sorted(records, key=lambda known: known.folder)))


def _place(real: str, environment: Mapping[str, str] | None) -> Path:
    name = content_digest(os.fsencode(real))[:32]
    return FileLocations(environment).trust_folder / f"{name}.json"


def _read(path: Path) -> Result[TrustedFolder | None, StoreFailed]:
    try:
        with path.open("rb") as file:
            held, content = os.fstat(file.fileno()), file.read(_MAX_RECORD_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except OSError as error:
        return _refuse(error)
    if os.name != "nt" and (held.st_uid != os.geteuid() or held.st_mode & _OTHERS_WRITE):
        return _refused(f"others can write {path.name}")
    try:
        return Success(msgspec.json.decode(content, type=TrustedFolder))
    except (ValueError, RecursionError):
        return _refused(f"{path.name} is not what webseam wrote")


def _refuse(error: Exception) -> Failure[StoreFailed]:
    return _refused((getattr(error, "strerror", None) or type(error).__name__).lower())


def _refused(reason: str) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store="trusted folders", reason=reason))
