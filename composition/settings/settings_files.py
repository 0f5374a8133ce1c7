"""Read the settings files: the user's own, and those of the working folder.

From an untrusted folder only the settings that ``kernel/policy/trust.py`` allows are used; the
rest is withheld and reported.
"""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import io
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.kernel.policy.trust import Origin
from webseam.ports.errors import InvalidSetting
from webseam.ports.text import lazy_pattern

from .entries import Entry, KeyPath
from .file_locations import FileLocations, is_regular_file
from .schema import Standing
from .settings_folder import (
    CONFIG_VARIABLE,
    FolderFile,
    FolderVerdict,
    decode_settings_text,
    is_exposed_settings_file,
    judge_settings_folder,
    read_folder_file,
    read_settings_text,
    unusable_settings_error,
)
from .vendors import FOLDER, VENDORS

if TYPE_CHECKING:
    from dotenv.parser import Binding


MAX_DOTENV_LINES = 4_000
MAX_DOTENV_CHARS = 128 * 1024
# The parser tries a comment at every blank of a run, so a long run takes quadratic time.
_LONG_BLANK_PATTERN = lazy_pattern(r"[^\S\r\n]{65}")
_LINE_BREAK_PATTERN = lazy_pattern(r"\r\n|\n|\r")
_LEADING_BLANK_PATTERN = lazy_pattern(r"\s*")
_VARIABLES_LABEL = "the variables"
_DOTENV_NAME = ".env"
_PROVIDERS_BLOCK, _KEY_OPTION = "providers", "api_key"


class Variable(msgspec.Struct, frozen=True, kw_only=True):
    """A value and its line. The repr hides the value, which may be a key."""

    value: str
    line: int

    def __repr__(self) -> str:
        return f"Variable(line={self.line})"


class DotenvVariables(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of a file by name, and the lines that could not be read."""

    variables: Mapping[str, Variable]
    unread: tuple[int, ...] = ()


def read_dotenv(text: str) -> Result[DotenvVariables, str]:
    r"""Parse a file of variables, or return why not; the last duplicate counts.

    >>> read_dotenv("export A='x y' # one\nB = 2 # two").unwrap().variables["A"].value
    'x y'
    """
    reason = _explain_dotenv_limit(text)
    return Success(_parse_dotenv(text)) if reason is None else Failure(reason)


def _explain_dotenv_limit(text: str) -> str | None:
    if len(text) > MAX_DOTENV_CHARS:
        return f"has {len(text):,} characters; at most {MAX_DOTENV_CHARS:,} are read"
    if (count := len(_LINE_BREAK_PATTERN.findall(text))) > MAX_DOTENV_LINES:
        return f"has {count:,} lines; at most {MAX_DOTENV_LINES:,} are read"
    if (run := _LONG_BLANK_PATTERN.search(text)) is None:
        return None
    return f"has more than 64 blanks in a row on line {_dotenv_line_at_offset(text, run.start())}"


def _parse_dotenv(text: str) -> DotenvVariables:
    from dotenv.parser import parse_stream  # loaded when there is a file

    variables: dict[str, Variable] = {}
    unread: list[int] = []
    for binding in parse_stream(io.StringIO(text, newline="")):
        line = _dotenv_binding_line(binding)
        if binding.key is not None and binding.value is not None:
            variables[binding.key] = Variable(value=binding.value, line=line)
        elif binding.error or binding.key is not None:
            unread.append(line)
    return DotenvVariables(variables=variables, unread=tuple(unread))


def _dotenv_binding_line(binding: "Binding") -> int:
    """Return the line of a name; the parser counts from the blank lines before it."""
    text = binding.original.string
    blanks = _LEADING_BLANK_PATTERN.match(text)
    return binding.original.line + _dotenv_line_at_offset(text, blanks.end() if blanks else 0) - 1


def _dotenv_line_at_offset(text: str, offset: int) -> int:
    return len(_LINE_BREAK_PATTERN.findall(text, 0, offset)) + 1


class ConfigFile(msgspec.Struct, frozen=True, kw_only=True):
    """The content of a settings file, its kind, its exposure, and warnings.

    ``withheld`` is what an untrusted working folder's file may not set.
    """

    entries: dict[KeyPath, Entry] = {}
    withheld: dict[KeyPath, Entry] = {}
    hermes: bool = False
    exposed: bool = False
    warnings: tuple[str, ...] = ()


class DotEnv(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of one file, the withheld ones, and warnings."""

    variables: dict[str, Entry] = {}
    withheld: dict[str, Entry] = {}
    warnings: tuple[str, ...] = ()


class SettingSources(msgspec.Struct, frozen=True, kw_only=True):
    """All sources: the settings file and each ``.env``, the strongest first."""

    file: Path
    written: ConfigFile
    dotenvs: tuple[DotEnv, ...]
    folder: str = ""
    verdict: FolderVerdict = FolderVerdict(standings={})


def read_setting_sources(
    locations: FileLocations, folder: Path | None
) -> Result[SettingSources, InvalidSetting]:
    """Read all files, or return an error for an unreadable one of the user."""
    file = locations.config_file
    try:
        cwd = (folder or Path()).absolute()
    except OSError:
        # The working folder is gone, so no relative path resolves.
        return _read_user_sources(file)
    if not file.is_absolute():
        return _read_cwd_files(cwd, locations)
    if os.path.realpath(cwd) == os.path.realpath(file.parent):
        return _read_user_sources(file)
    dotenv_file = read_folder_file(cwd, _DOTENV_NAME, _VARIABLES_LABEL)
    present = dotenv_file.value_or(None)
    files = _files_by_name([present])
    verdict = judge_settings_folder(cwd, files.values(), locations)
    working = _dotenv_variables(files, _DOTENV_NAME, verdict)
    if isinstance(dotenv_file, Failure):
        working = DotEnv(warnings=(dotenv_file.failure().message,))
    changes = {"folder": str(cwd), "verdict": verdict}
    return _read_user_sources(file).map(
        lambda user: replace(user, dotenvs=(working, *user.dotenvs), **changes)
    )


def _read_user_sources(file: Path) -> Result[SettingSources, InvalidSetting]:
    if isinstance(written := read_settings_file(file), Failure):
        return written
    return read_dotenv_file(file.parent / _DOTENV_NAME).map(
        lambda beside: SettingSources(file=file, written=written.unwrap(), dotenvs=(beside,))
    )


def _read_cwd_files(cwd: Path, locations: FileLocations) -> Result[SettingSources, InvalidSetting]:
    """Read a settings file whose path is relative to the working folder."""
    name = os.path.normpath(locations.config_file)
    beside = os.path.normpath(locations.config_file.parent / _DOTENV_NAME)
    names = {_DOTENV_NAME: _VARIABLES_LABEL, beside: _VARIABLES_LABEL, name: CONFIG_VARIABLE}
    files: dict[str, FolderFile] = {}
    for path, label in names.items():
        if isinstance(outcome := read_folder_file(cwd, path, label), Failure):
            return outcome
        files |= _files_by_name([outcome.unwrap()])
    verdict = judge_settings_folder(cwd, files.values(), locations)
    if isinstance(written := _read_folder_config(files, name, verdict), Failure):
        return written
    config, keys = _split_provider_keys(written.unwrap())
    dotenvs = (
        _dotenv_variables(files, path, verdict) for path in dict.fromkeys((_DOTENV_NAME, beside))
    )
    return Success(
        SettingSources(
            file=cwd / name,
            written=config,
            dotenvs=(*dotenvs, DotEnv(variables=keys)),
            folder=str(cwd),
            verdict=verdict,
        )
    )


def _files_by_name(files: Iterable[FolderFile | None]) -> dict[str, FolderFile]:
    return {file.name: file for file in files if file is not None}


def _read_folder_config(
    files: Mapping[str, FolderFile], name: str, verdict: FolderVerdict
) -> Result[ConfigFile, InvalidSetting]:
    if name not in files:
        return Success(ConfigFile())
    path = files[name].path
    return (
        decode_settings_text(files[name].content.content_bytes, path)
        .bind(lambda text: _parse_config_file(text or "", path))
        .map(lambda written: _limit_folder_config(written, verdict.standings[name]))
    )


def _limit_folder_config(written: ConfigFile, standing: Standing) -> ConfigFile:
    """Return the allowed part of a folder's settings file; withhold references."""
    if standing == "trusted":
        return written
    entries = {
        path: replace(entry, origin=replace(entry.origin, foreign=True))
        for path, entry in written.entries.items()
    }
    allowed = {
        path: entry
        for path, entry in entries.items()
        if standing != "anothers" and FOLDER.may_set(path) and "${" not in str(entry.value)
    }
    withheld = {path: entry for path, entry in entries.items() if path not in allowed}
    return replace(written, entries=allowed, withheld=withheld)


def _split_provider_keys(written: ConfigFile) -> tuple[ConfigFile, dict[str, Entry]]:
    """Split provider keys off a folder's file; return the rest, and the keys by variable.

    An account uses the user's variables or the folder's, never both.
    """
    keys = {
        path: entry
        for path, entry in written.entries.items()
        if entry.origin.foreign and path[0] == _PROVIDERS_BLOCK and path[-1] == _KEY_OPTION
    }
    rest = {path: entry for path, entry in written.entries.items() if path not in keys}
    variables = {VENDORS.provider_keys[path[1]][0]: entry for path, entry in keys.items()}
    return replace(written, entries=rest), variables


def read_settings_file(path: Path) -> Result[ConfigFile, InvalidSetting]:
    """Read a settings file, ours or one of Hermes; a missing one is empty."""
    if isinstance(text := read_settings_text(path), Failure):
        return text
    content = text.unwrap()
    return Success(ConfigFile()) if content is None else _parse_config_file(content, path)


def _parse_config_file(content: str, path: Path) -> Result[ConfigFile, InvalidSetting]:
    from .parser import parse_config  # YAML is loaded when there is some

    return parse_config(content, str(path)).map(
        lambda parsed: ConfigFile(
            entries=parsed.entries,
            hermes=parsed.hermes,
            exposed=is_exposed_settings_file(path),
            warnings=parsed.warnings,
        )
    )


def read_dotenv_file(path: Path) -> Result[DotEnv, InvalidSetting]:
    """Read the user's own variables; a missing or irregular file is empty."""
    if not is_regular_file(path):
        return Success(DotEnv())
    text = read_settings_text(path, _VARIABLES_LABEL)
    return text.bind(lambda content: _read_dotenv(content or "", path))


def _dotenv_variables(files: Mapping[str, FolderFile], name: str, verdict: FolderVerdict) -> DotEnv:
    """Read a folder's variables as far as it is trusted; an unreadable file only warns."""
    if name not in files:
        return DotEnv()
    path, standing = files[name].path, verdict.standings[name]
    outcome = decode_settings_text(files[name].content.content_bytes, path, _VARIABLES_LABEL).bind(
        lambda text: _read_dotenv(text or "", path, foreign=standing != "trusted")
    )
    if isinstance(outcome, Failure):
        return DotEnv(warnings=(outcome.failure().message,))
    return _withhold_dotenv_variables(outcome.unwrap(), standing)


def _withhold_dotenv_variables(dotenv: DotEnv, standing: Standing) -> DotEnv:
    if standing == "trusted":
        return dotenv
    allowed = {
        name: entry
        for name, entry in dotenv.variables.items()
        if standing != "anothers" and FOLDER.may_name(name)
    }
    withheld = {name: entry for name, entry in dotenv.variables.items() if name not in allowed}
    return replace(dotenv, variables=allowed, withheld=withheld)


def _read_dotenv(text: str, path: Path, *, foreign: bool = False) -> Result[DotEnv, InvalidSetting]:
    if isinstance(parsed := read_dotenv(text), Failure):
        return unusable_settings_error(path, _VARIABLES_LABEL, parsed.failure())
    entries: dict[str, Entry] = {}
    for name, variable in parsed.unwrap().variables.items():
        origin = Origin(layer="dotenv", name=str(path), line=variable.line, foreign=foreign)
        entries[name] = Entry(value=variable.value, texts=(variable.value,), origin=origin)
    unread = parsed.unwrap().unread
    warnings = tuple(f"{path}:{line} is not NAME=value and was skipped" for line in unread)
    return Success(DotEnv(variables=entries, warnings=warnings))
