"""Settings files of a working folder: read them and judge whether to trust them."""

import os
import stat
import sys
from collections.abc import Collection, Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.errors import InvalidSetting

from .file_locations import FileLocations
from .schema import TRUST_VARIABLE, Standing
from .trusted_folders import record_trust, trusted_file_digest, trusted_files

MAX_CONFIG_BYTES = 1024 * 1024
CONFIG_VARIABLE = "WEBSEAM_CONFIG"


def read_settings_text(
    path: Path, label: str = CONFIG_VARIABLE
) -> Result[str | None, InvalidSetting]:
    """Return a file's text; None without a file. ``label`` names it in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _read_failure(path, label, error)
    return decode_settings_text(content, path, label)


def decode_settings_text(
    content: bytes, path: Path, label: str = CONFIG_VARIABLE
) -> Result[str | None, InvalidSetting]:
    """Return a file's bytes as text; one byte over the limit is enough to refuse it."""
    if len(content) > MAX_CONFIG_BYTES:
        return unusable_settings_error(path, label, f"is larger than {MAX_CONFIG_BYTES} bytes")
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return unusable_settings_error(path, label, "is not UTF-8 text")


class FileContent(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a regular file, and whether another user owns it."""

    content_bytes: bytes
    is_anothers: bool

    def __repr__(self) -> str:
        return f"FileContent({len(self.content_bytes)})"


def read_regular_settings_file(
    path: Path, label: str
) -> Result[FileContent | None, InvalidSetting]:
    """Return a regular file's bytes; None for no file, a pipe, a device or a folder."""
    try:
        # Do not block on a named pipe that has no writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _read_failure(path, label, error)
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            return Success(None)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        return _read_failure(path, label, error)
    finally:
        os.close(handle)
    is_anothers = sys.platform != "win32" and status.st_uid not in (0, os.geteuid())
    return Success(FileContent(content_bytes=content, is_anothers=is_anothers))


def _read_failure(path: Path, label: str, error: Exception) -> Failure[InvalidSetting]:
    reason = getattr(error, "strerror", None) or "it is no file name"
    return unusable_settings_error(path, label, f"cannot be read: {reason.lower()}")


def is_exposed_settings_file(path: Path) -> bool:
    """Return whether other users may read a file; always False on Windows."""
    if sys.platform == "win32":
        return False
    try:
        return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def unusable_settings_error(path: Path, label: str, reason: str) -> Failure[InvalidSetting]:
    """Return the error of an unusable file; ``label`` names it."""
    return Failure(InvalidSetting(setting=label, place=str(path), reason=reason))


class FolderFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a working folder; the same bytes are hashed and parsed."""

    name: str
    path: Path
    content: FileContent

    @property
    def digest(self) -> str:
        """The hash of the content."""
        return trusted_file_digest(self.content.content_bytes)


def read_folder_file(
    folder: Path, name: str, label: str
) -> Result[FolderFile | None, InvalidSetting]:
    """Read a settings file of a folder; None when there is no regular file."""
    path = folder / name
    return read_regular_settings_file(path, label).map(
        lambda content: (
            None if content is None else FolderFile(name=name, path=path, content=content)
        )
    )


class FolderVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The standing of a folder's files, their hashes, and a problem with the record."""

    standings: Mapping[str, Standing]
    hashes: Mapping[str, str] = {}
    problem: str = ""

    @property
    def worst(self) -> Standing:
        """The standing of the folder: any file's that is not trusted."""
        return next((value for value in self.standings.values() if value != "trusted"), "trusted")


def judge_settings_folder(
    folder: Path, present: Collection[FolderFile], files: FileLocations
) -> FolderVerdict:
    """Compare files with the record; record trust that the process was started with."""
    hashes = {file.name: file.digest for file in present}
    if not present:
        return FolderVerdict(standings={})
    recorded = trusted_files(folder, files)
    before = recorded.value_or({})
    problem = recorded.failure().message if isinstance(recorded, Failure) else ""
    # Only a process that was started with trust in its working folder records it.
    if files.variables.get(TRUST_VARIABLE, "").strip().lower() not in ("1", "true", "yes", "on"):
        unknown = isinstance(recorded, Failure)
        standings = {file.name: _file_standing(file, before, unknown=unknown) for file in present}
        return FolderVerdict(standings=standings, hashes=hashes, problem=problem)
    if any(before.get(name) != value for name, value in hashes.items()):
        written = record_trust(folder, hashes, files)
        problem = written.failure().message if isinstance(written, Failure) else ""
    return FolderVerdict(standings=dict.fromkeys(hashes, "trusted"), hashes=hashes, problem=problem)


def _file_standing(file: FolderFile, hashes: Mapping[str, str], *, unknown: bool) -> Standing:
    if hashes.get(file.name) == file.digest:
        return "trusted"
    if file.content.is_anothers:
        return "anothers"
    if unknown:
        return "unknown"
    return "changed" if file.name in hashes else "new"
