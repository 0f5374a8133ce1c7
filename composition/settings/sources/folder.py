"""What a working folder brings: how far it is believed, and what waits until it is trusted."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias

import msgspec
from returns.result import Failure, Result

from ....kernel.text.display import one_line
from ....ports.errors import InvalidSetting
from .files import FileContent, read_regular
from .trusted_folders import content_digest, record_trust, trusted_files

SETTING = "WEBSEAM_TRUST_FOLDER"
_TRUTHS = frozenset({"1", "true", "yes", "on"})
_MAX_NAMES = 5
_MAX_NAME_CHARS = 80
_MAX_LINE_CHARS = 2_000

# Why the user's yes is missing, if it is.
Standing: TypeAlias = Literal["trusted", "new", "changed", "anothers", "unknown"]
_WHY: Mapping[Standing, str] = {
    "trusted": "needs your yes first",
    "new": "needs your yes first",
    "changed": "has changed since you trusted it",
    "anothers": "belongs to another user",
    "unknown": "needs your yes first",
}


class IgnoredEntry(msgspec.Struct, frozen=True, kw_only=True):
    """A variable or setting of a working folder that is not used, by name alone, and its place."""

    name: str
    file: str
    line: int | None = None


class FolderReport(msgspec.Struct, frozen=True, kw_only=True):
    """A working folder that brings settings: whether it is trusted, and what is not used of it.

    ``problem`` says why the record of trusted folders could not be used.
    """

    folder: str = ""
    standing: Standing = "trusted"
    left_out: tuple[IgnoredEntry, ...] = ()
    problem: str = ""

    @property
    def sentence(self) -> str:
        """Say in one line what is left out and how to allow it; nothing when nothing is."""
        names = list(dict.fromkeys(one_line(one.name, _MAX_NAME_CHARS) for one in self.left_out))
        if not names:
            return one_line(self.problem, _MAX_LINE_CHARS)
        more = len(names) - _MAX_NAMES
        words = ", ".join(names[:_MAX_NAMES]) + (f" and {more} more" if more > 0 else "")
        files = ", ".join(dict.fromkeys(one.file for one in self.left_out))
        problem = f" {self.problem}" if self.problem else ""
        return one_line(
            f"{files} {_WHY[self.standing]}; left out: {words}. "
            f"`webseam trust` shows and allows it, as does --trust-folder or {SETTING}=1.{problem}",
            _MAX_LINE_CHARS,
        )

    @property
    def lines(self) -> tuple[str, ...]:
        """Name each thing that is left out, and its place; values are never shown."""
        places = (
            (one.name, one.file if one.line is None else f"{one.file}:{one.line}")
            for one in self.left_out
        )
        return tuple(one_line(f"left out: {name} ({place})") for name, place in places)


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
    return environment.get(SETTING, "").strip().lower() in _TRUTHS


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
