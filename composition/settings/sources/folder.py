"""What a working folder brings: how far it is believed, and what waits until it is trusted."""

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....ports.errors import InvalidSetting
from ..schema import TRUST_SETTING, Standing
from .trusted_folders import content_digest, record_trust, trusted_files

MAX_CONFIG_BYTES = 1024 * 1024
FILES_SETTING = "WEBSEAM_CONFIG"


def read_text(path: Path, label: str = FILES_SETTING) -> Result[str | None, InvalidSetting]:
    """Return a file's text; None when there is no such file. ``label`` names it in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _unreadable(path, label, error)
    return decode_config(content, path, label)


def decode_config(
    content: bytes, path: Path, label: str = FILES_SETTING
) -> Result[str | None, InvalidSetting]:
    """Return what was read of a file as text; at most one byte more than is allowed is needed."""
    if len(content) > MAX_CONFIG_BYTES:
        return unusable_error(path, label, f"is larger than {MAX_CONFIG_BYTES} bytes")
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return unusable_error(path, label, "is not UTF-8 text")


class FileContent(msgspec.Struct, frozen=True, kw_only=True):
    """The bytes of a plain file, and whether it is neither this user's nor the system's."""

    whole: bytes
    anothers: bool

    def __repr__(self) -> str:
        return f"FileContent({len(self.whole)})"


def read_regular(path: Path, label: str) -> Result[FileContent | None, InvalidSetting]:
    """Return a plain file's bytes; None when nothing is there, or a pipe, a device or a folder."""
    try:
        # Whoever put a pipe there would have us wait for a writer.
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        return _unreadable(path, label, error)
    try:
        held = os.fstat(handle)
        if not stat.S_ISREG(held.st_mode):
            return Success(None)
        with os.fdopen(handle, "rb", closefd=False) as file:
            content = file.read(MAX_CONFIG_BYTES + 1)
    except OSError as error:
        return _unreadable(path, label, error)
    finally:
        os.close(handle)
    return Success(FileContent(whole=content, anothers=_is_anothers(held.st_uid)))


def _is_anothers(owner: int) -> bool:
    return os.name != "nt" and owner not in (0, os.geteuid())


def _unreadable(path: Path, what: str, error: Exception) -> Failure[InvalidSetting]:
    reason = getattr(error, "strerror", None) or "it is no file name"
    return unusable_error(path, what, f"cannot be read: {reason.lower()}")


def is_exposed(path: Path) -> bool:
    """Tell whether other users of this machine may read a file; Windows has no such bits."""
    if os.name == "nt":
        return False
    try:
        return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def unusable_error(path: Path, label: str, reason: str) -> Failure[InvalidSetting]:
    """Say why a file cannot be used; ``label`` names it."""
    return Failure(InvalidSetting(setting=label, place=str(path), reason=reason))


# What a working folder brings: how far it is believed, and what waits until it is trusted.

_TRUTHS = frozenset({"1", "true", "yes", "on"})
# Why the user's yes is missing, if it is.


class FolderFile(msgspec.Struct, frozen=True, kw_only=True):
    """One file of a working folder: these very bytes are hashed, and parsed."""

    name: str
    path: Path
    content: FileContent

    @property
    def digest(self) -> str:
        """The hash of the content."""
        return content_digest(self.content.whole)


def read_folder_file(
    folder: Path, name: str, label: str
) -> Result[FolderFile | None, InvalidSetting]:
    """Read a file that settings may come from; None when there is none, or it is no plain file."""
    return read_regular(folder / name, label).map(
        lambda content: (
            None if content is None else FolderFile(name=name, path=folder / name, content=content)
        )
    )


def says_yes(environment: Mapping[str, str]) -> bool:
    """Tell whether the process was started with a yes to its working folder."""
    return environment.get(TRUST_SETTING, "").strip().lower() in _TRUTHS


class FolderVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """How a folder's files stand, their hashes, and what went wrong with the record."""

    standings: Mapping[str, Standing]
    hashes: Mapping[str, str] = {}
    problem: str = ""

    @property
    def worst(self) -> Standing:
        """The standing that stands for the folder: of those that are not trusted, any."""
        return next((each for each in self.standings.values() if each != "trusted"), "trusted")


def judge_folder(
    folder: Path, files: Iterable[FolderFile], environment: Mapping[str, str]
) -> FolderVerdict:
    """Compare files with the record; a yes of the process is recorded, and counts at once."""
    known = list(files)
    hashes = {file.name: file.digest for file in known}
    if not known:
        return FolderVerdict(standings={})
    recorded = trusted_files(folder, environment)
    before = recorded.value_or({})
    problem = recorded.failure().message if isinstance(recorded, Failure) else ""
    if not says_yes(environment):
        unknown = isinstance(recorded, Failure)
        standings = {file.name: _standing(file, before, unknown=unknown) for file in known}
        return FolderVerdict(standings=standings, hashes=hashes, problem=problem)
    if any(before.get(name) != value for name, value in hashes.items()):
        written = record_trust(folder, hashes, environment)
        problem = written.failure().message if isinstance(written, Failure) else ""
    return FolderVerdict(standings=dict.fromkeys(hashes, "trusted"), hashes=hashes, problem=problem)


def _standing(file: FolderFile, hashes: Mapping[str, str], *, unknown: bool) -> Standing:
    if hashes.get(file.name) == file.digest:
        return "trusted"
    if file.content.anothers:
        return "anothers"
    if unknown:
        return "unknown"
    return "changed" if file.name in hashes else "new"
