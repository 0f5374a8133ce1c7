"""The files that settings come from: the user's own, and those of the working folder.

Of a folder that the user has not said yes to, only what stands in the kernel's table is read; the
rest is withheld, and told.
"""

import io
import os
import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from ...kernel.trust import Origin
from ...ports.errors import InvalidSetting
from ..file_locations import FileLocations, is_file
from .entries import Entry, KeyPath
from .schema import Standing
from .sources.folder import (
    FILES_SETTING,
    FolderFile,
    FolderVerdict,
    decode_config,
    is_exposed,
    judge_folder,
    read_folder_file,
    read_text,
    unusable_error,
)
from .vendors import FOLDER, VENDORS

if TYPE_CHECKING:
    from dotenv.parser import Binding


MAX_LINES = 4_000
MAX_FILE_CHARS = 128 * 1024
# The parser looks for a comment at every blank of a run, so a long run takes its length squared.
_RUN = re.compile(r"[^\S\r\n]{65}")
_BREAK = re.compile(r"\r\n|\n|\r")
_LEAD = re.compile(r"\s*")


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A value and the line it stands on. The value does not show: it may be a key."""

    value: str
    line: int

    def __repr__(self) -> str:
        return f"Variable(line={self.line})"


class DotenvVariables(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of a file by name, and the lines that could not be read."""

    variables: Mapping[str, Variable]
    unread: tuple[int, ...] = ()


def read_dotenv(text: str) -> Result[DotenvVariables, str]:
    r"""Read a file of variables, or say why it is none; of a name twice, the last one counts.

    >>> read_dotenv("export A='x y' # one\nB = 2 # two").unwrap().variables["A"].value
    'x y'
    """
    reason = _too_long(text)
    return Success(_dotenv_parsed(text)) if reason is None else Failure(reason)


def _too_long(text: str) -> str | None:
    if len(text) > MAX_FILE_CHARS:
        return f"has {len(text):,} characters; at most {MAX_FILE_CHARS:,} are read"
    if (count := len(_BREAK.findall(text))) > MAX_LINES:
        return f"has {count:,} lines; at most {MAX_LINES:,} are read"
    run = _RUN.search(text)
    return (
        None
        if run is None
        else f"has more than 64 blanks in a row on line {_line(text, run.start())}"
    )


def _dotenv_parsed(text: str) -> DotenvVariables:
    from dotenv.parser import parse_stream  # noqa: PLC0415  loaded when there is a file

    variables: dict[str, Variable] = {}
    unread: list[int] = []
    for binding in parse_stream(io.StringIO(text, newline="")):
        line = _line_of(binding)
        if binding.key is not None and binding.value is not None:
            variables[binding.key] = Variable(value=binding.value, line=line)
        elif binding.error or binding.key is not None:
            unread.append(line)
    return DotenvVariables(variables=variables, unread=tuple(unread))


def _line_of(binding: "Binding") -> int:
    """Return the line of a name; the parser counts from the blank lines before it."""
    whole = binding.original.string
    lead = _LEAD.match(whole)
    return binding.original.line + _line(whole, lead.end() if lead else 0) - 1


def _line(text: str, at: int) -> int:
    return len(_BREAK.findall(text, 0, at)) + 1


# The files that settings come from: the user's own, and those of the working folder.

_VARIABLES = "the variables"
_DOTENV = ".env"
_BLOCK, _KEY = "providers", "api_key"


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True):
    """What a settings file says, whose file it is, who can read it, and what may be a mistake.

    ``withheld`` is what a working folder's file may not say by itself.
    """

    entries: dict[KeyPath, Entry] = {}
    withheld: dict[KeyPath, Entry] = {}
    hermes: bool = False
    exposed: bool = False
    warnings: tuple[str, ...] = ()


class DotEnv(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of one file, those that are withheld, and what was wrong with it."""

    variables: dict[str, Entry] = {}
    withheld: dict[str, Entry] = {}
    warnings: tuple[str, ...] = ()


class SettingSources(msgspec.Struct, frozen=True, kw_only=True):
    """Everything that was read: the settings file, each ``.env``, the strongest first."""

    file: Path
    written: ConfigFile
    dotenvs: tuple[DotEnv, ...]
    folder: str = ""
    verdict: FolderVerdict = FolderVerdict(standings={})


def read_sources(
    environment: Mapping[str, str] | None, folder: Path | None
) -> Result[SettingSources, InvalidSetting]:
    """Read all files, or say which of the user's own cannot be read."""
    file = FileLocations(environment).config_file
    try:
        here = (folder or Path()).absolute()
    except OSError:
        # The working folder is gone, and no relative path leads anywhere.
        return _own_sources(file)
    if not file.is_absolute():
        return _folder_sources(here, file, environment)
    if os.path.realpath(here) == os.path.realpath(file.parent):
        return _own_sources(file)
    brought = read_folder_file(here, _DOTENV, _VARIABLES)
    files = [each for each in (brought.value_or(None),) if each is not None]
    verdict = judge_folder(here, files, FileLocations(environment).variables)
    working = (
        DotEnv(warnings=(brought.failure().message,))
        if isinstance(brought, Failure)
        else _read_variables(_by_name(files), _DOTENV, verdict)
    )
    return _own_sources(file).map(
        lambda own: replace(own, dotenvs=(working, *own.dotenvs), folder=str(here), verdict=verdict)
    )


def _own_sources(file: Path) -> Result[SettingSources, InvalidSetting]:
    """Read what is the user's own: the settings file, and the variables beside it."""
    written = read_config(file)
    if isinstance(written, Failure):
        return written
    return read_env_file(file.parent / _DOTENV).map(
        lambda beside: SettingSources(file=file, written=written.unwrap(), dotenvs=(beside,))
    )


def _folder_sources(
    here: Path, file: Path, environment: Mapping[str, str] | None
) -> Result[SettingSources, InvalidSetting]:
    """Read a settings file that is named relative to the working folder, whichever that is."""
    name = os.path.normpath(file)
    beside = os.path.normpath(file.parent / _DOTENV)
    names = {_DOTENV: _VARIABLES, beside: _VARIABLES, name: FILES_SETTING}
    files: dict[str, FolderFile] = {}
    for each, what in names.items():
        brought = read_folder_file(here, each, what)
        if isinstance(brought, Failure):
            return brought
        files |= _by_name([brought.unwrap()])
    verdict = judge_folder(here, files.values(), FileLocations(environment).variables)
    written = _read_written(files, name, verdict)
    if isinstance(written, Failure):
        return written
    known, keys = _parted(written.unwrap())
    dotenvs = (_read_variables(files, each, verdict) for each in dict.fromkeys((_DOTENV, beside)))
    return Success(
        SettingSources(
            file=here / name,
            written=known,
            dotenvs=(*dotenvs, DotEnv(variables=keys)),
            folder=str(here),
            verdict=verdict,
        )
    )


def _by_name(files: Iterable[FolderFile | None]) -> dict[str, FolderFile]:
    return {file.name: file for file in files if file is not None}


def _read_written(
    files: Mapping[str, FolderFile], name: str, verdict: FolderVerdict
) -> Result[ConfigFile, InvalidSetting]:
    if name not in files:
        return Success(ConfigFile())
    path = files[name].path
    return (
        decode_config(files[name].content.whole, path)
        .bind(lambda text: _parsed(text or "", path))
        .map(lambda written: _limited(written, verdict.standings[name]))
    )


def _limited(written: ConfigFile, standing: Standing) -> ConfigFile:
    """Return what counts of a settings file of a folder; a reference to elsewhere is withheld."""
    if standing == "trusted":
        return written
    entries = {path: _foreign(entry) for path, entry in written.entries.items()}
    allowed = {
        path: entry
        for path, entry in entries.items()
        if standing != "anothers" and FOLDER.may_set(path) and "${" not in str(entry.value)
    }
    withheld = {path: entry for path, entry in entries.items() if path not in allowed}
    return replace(written, entries=allowed, withheld=withheld)


def _parted(written: ConfigFile) -> tuple[ConfigFile, dict[str, Entry]]:
    """Return a folder's file without the keys of providers, and these by their variables.

    An account is made of the user's variables or of the folder's, never of both.
    """
    keys = {
        path: entry
        for path, entry in written.entries.items()
        if entry.origin.foreign and path[0] == _BLOCK and path[-1] == _KEY
    }
    rest = {path: entry for path, entry in written.entries.items() if path not in keys}
    variables = {VENDORS.provider_keys[path[1]][0]: entry for path, entry in keys.items()}
    return replace(written, entries=rest), variables


def _foreign(entry: Entry) -> Entry:
    return replace(entry, origin=replace(entry.origin, foreign=True))


def read_config(path: Path) -> Result[ConfigFile, InvalidSetting]:
    """Read a settings file, ours or that of Hermes; one that is not there says nothing."""
    text = read_text(path)
    if isinstance(text, Failure):
        return text
    content = text.unwrap()
    return Success(ConfigFile()) if content is None else _parsed(content, path)


def _parsed(content: str, path: Path) -> Result[ConfigFile, InvalidSetting]:
    from .parser import parse_config  # noqa: PLC0415  YAML is loaded when there is some

    return parse_config(content, str(path)).map(
        lambda parsed: ConfigFile(
            entries=parsed.entries,
            hermes=parsed.hermes,
            exposed=is_exposed(path),
            warnings=parsed.warnings,
        )
    )


def read_env_file(path: Path) -> Result[DotEnv, InvalidSetting]:
    """Read the user's own variables; what is not there, or is no file, such as a pipe, is none."""
    if not is_file(path):
        return Success(DotEnv())
    text = read_text(path, _VARIABLES)
    return text.bind(lambda content: _variables(content or "", path))


def _read_variables(files: Mapping[str, FolderFile], name: str, verdict: FolderVerdict) -> DotEnv:
    """Read a folder's variables, as far as the folder stands; what cannot be read only warns."""
    if name not in files:
        return DotEnv()
    path, standing = files[name].path, verdict.standings[name]
    brought = decode_config(files[name].content.whole, path, _VARIABLES).bind(
        lambda text: _variables(text or "", path, foreign=standing != "trusted")
    )
    if isinstance(brought, Failure):
        return DotEnv(warnings=(brought.failure().message,))
    return _withholding(brought.unwrap(), standing)


def _withholding(brought: DotEnv, standing: Standing) -> DotEnv:
    if standing == "trusted":
        return brought
    allowed = {
        name: entry
        for name, entry in brought.variables.items()
        if standing != "anothers" and FOLDER.may_name(name)
    }
    withheld = {name: each for name, each in brought.variables.items() if name not in allowed}
    return replace(brought, variables=allowed, withheld=withheld)


def _variables(text: str, path: Path, *, foreign: bool = False) -> Result[DotEnv, InvalidSetting]:
    parsed = read_dotenv(text)
    if isinstance(parsed, Failure):
        return unusable_error(path, _VARIABLES, parsed.failure())
    return Success(_entries(parsed.unwrap(), str(path), foreign=foreign))


def _entries(parsed: DotenvVariables, name: str, *, foreign: bool) -> DotEnv:
    return DotEnv(
        variables={
            key: Entry(
                value=variable.value,
                texts=(variable.value,),
                origin=Origin(layer="dotenv", name=name, line=variable.line, foreign=foreign),
            )
            for key, variable in parsed.variables.items()
        },
        warnings=tuple(
            f"{name}:{line} is not NAME=value and was skipped" for line in parsed.unread
        ),
    )
