"""Records of trusted folders, each with the hashes of the trusted files.

Each folder has its own record, so concurrent commands lose nothing. A record that is unreadable, or
that other users could have written, counts for nothing.
"""

import os
import stat
import sys
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.files import write_file
from webseam.ports.errors import StoreFailed

from .file_locations import FileLocations, path_exists

_MAX_RECORD_BYTES = 64 * 1024
_OTHERS_WRITE_MODE = stat.S_IWGRP | stat.S_IWOTH


class TrustedFolder(msgspec.Struct, frozen=True, kw_only=True):
    """A folder by its real path, the hashes of its files by name, and the time of trust."""

    folder: str
    files: dict[str, str]
    time: str = ""


def trusted_file_digest(content: bytes) -> str:
    """Return the SHA-256 of a file's content."""
    import hashlib  # noqa: PLC0415  few folders have settings

    return hashlib.sha256(content).hexdigest()


def real_folder_path(folder: Path) -> str:
    """Return a folder's path with all links resolved."""
    return os.path.realpath(folder)


def trusted_files(folder: Path, files: FileLocations) -> Result[Mapping[str, str], StoreFailed]:
    """Return the hashes of a folder's trusted files; empty without a record."""
    real = real_folder_path(folder)
    record = _read_trust_record(_trust_record_path(real, files))
    return record.map(lambda entry: {} if entry is None or entry.folder != real else entry.files)


def record_trust(
    folder: Path, hashes: Mapping[str, str], files: FileLocations
) -> Result[None, StoreFailed]:
    """Record that the user trusts these files of a folder as they are now."""
    real = real_folder_path(folder)
    now = datetime.now(UTC).isoformat(timespec="seconds")
    before = trusted_files(folder, files).value_or({})
    record = TrustedFolder(folder=real, files={**before, **hashes}, time=now)
    try:
        content = msgspec.json.format(msgspec.json.encode(record), indent=2)
        write_file(_trust_record_path(real, files), content)
    except (OSError, ValueError) as error:
        return _trust_store_error(error)
    return Success(None)


def revoke_trust(folder: Path, files: FileLocations) -> Result[bool, StoreFailed]:
    """Delete the record of a folder; return whether there was one."""
    path = _trust_record_path(real_folder_path(folder), files)
    was_there = path_exists(path)
    try:
        path.unlink(missing_ok=True)
    except OSError as error:
        return _trust_store_error(error)
    return Success(was_there)


def trusted_folders(files: FileLocations) -> Result[tuple[TrustedFolder, ...], StoreFailed]:
    """Return every record sorted by folder, or the error of the first unreadable one."""
    try:
        record_files = sorted(files.trust_folder.glob("*.json"))
    except OSError as error:
        return _trust_store_error(error)
    records: list[TrustedFolder] = []
    for file in record_files:
        if isinstance(record := _read_trust_record(file), Failure):
            return record
        records += [entry for entry in (record.unwrap(),) if entry is not None]
    return Success(tuple(sorted(records, key=lambda entry: entry.folder)))


def _trust_record_path(real: str, files: FileLocations) -> Path:
    name = trusted_file_digest(os.fsencode(real))[:32]
    return files.trust_folder / f"{name}.json"


def _read_trust_record(path: Path) -> Result[TrustedFolder | None, StoreFailed]:
    try:
        with path.open("rb") as file:
            status, content = os.fstat(file.fileno()), file.read(_MAX_RECORD_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except OSError as error:
        return _trust_store_error(error)
    if sys.platform != "win32" and (
        status.st_uid != os.geteuid() or status.st_mode & _OTHERS_WRITE_MODE
    ):
        return _trust_store_failure(f"others can write {path.name}")
    try:
        return Success(msgspec.json.decode(content, type=TrustedFolder))
    except (ValueError, RecursionError):
        return _trust_store_failure(f"{path.name} is not what webseam wrote")


def _trust_store_error(error: Exception) -> Failure[StoreFailed]:
    return _trust_store_failure((getattr(error, "strerror", None) or type(error).__name__).lower())


def _trust_store_failure(reason: str) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store="trusted folders", reason=reason))
