"""The files that settings come from: read within bounds, and whether others can read them, too."""

import os
import stat
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting
from ..places import is_file
from .dotenv import DotenvVariables, read_dotenv
from .entries import Entry, KeyPath, Origin

MOST_BYTES = 1024 * 1024
SETTING = "WEBSEAM_CONFIG"
_VARIABLES = "the variables"


class Written(msgspec.Struct, frozen=True, kw_only=True):
    """What a settings file says, whose file it is, who can read it, and what may be a mistake."""

    entries: dict[KeyPath, Entry] = {}
    hermes: bool = False
    exposed: bool = False
    warnings: tuple[str, ...] = ()


class DotEnv(msgspec.Struct, frozen=True, kw_only=True):
    """The variables of one file, and what was wrong with it."""

    variables: dict[str, Entry] = {}
    warnings: tuple[str, ...] = ()


def read_config(path: Path) -> Result[Written, InvalidSetting]:
    """Read a settings file, ours or that of Hermes; one that is not there says nothing."""
    text = read_text(path)
    if isinstance(text, Failure):
        return text
    content = text.unwrap()
    if content is None:
        return Success(Written())
    from .parser import parse_config  # noqa: PLC0415  YAML is loaded when there is some

    return parse_config(content, str(path)).map(
        lambda parsed: Written(
            entries=parsed.entries,
            hermes=parsed.hermes,
            exposed=is_exposed(path),
            warnings=parsed.warnings,
        )
    )


def read_env_file(path: Path) -> Result[DotEnv, InvalidSetting]:
    """Read a file of variables; what is not there, or is no file, such as a pipe, says nothing."""
    if not is_file(path):
        return Success(DotEnv())
    text = read_text(path, _VARIABLES)
    if isinstance(text, Failure):
        return text
    parsed = read_dotenv(text.unwrap() or "")
    if isinstance(parsed, Failure):
        return _unusable(path, _VARIABLES, parsed.failure())
    return Success(_entries(parsed.unwrap(), str(path)))


def _entries(parsed: DotenvVariables, name: str) -> DotEnv:
    return DotEnv(
        variables={
            key: Entry(
                value=variable.value,
                texts=(variable.value,),
                origin=Origin(layer="dotenv", name=name, line=variable.line),
            )
            for key, variable in parsed.variables.items()
        },
        warnings=tuple(
            f"{name}:{line} is not NAME=value and was skipped" for line in parsed.unread
        ),
    )


def read_text(path: Path, what: str = SETTING) -> Result[str | None, InvalidSetting]:
    """Return a file's text; None when there is no such file. ``what`` names it in an error."""
    try:
        with path.open("rb") as file:
            content = file.read(MOST_BYTES + 1)
    except (FileNotFoundError, NotADirectoryError):
        return Success(None)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it is no file name"
        return _unusable(path, what, f"cannot be read: {reason.lower()}")
    if len(content) > MOST_BYTES:
        return _unusable(path, what, f"is larger than {MOST_BYTES} bytes")
    try:
        return Success(content.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return _unusable(path, what, "is not UTF-8 text")


def is_exposed(path: Path) -> bool:
    """Tell whether other users of this machine may read a file; Windows has no such bits."""
    if os.name == "nt":
        return False
    try:
        return bool(path.stat().st_mode & (stat.S_IRGRP | stat.S_IROTH))
    except OSError:
        return False


def _unusable(path: Path, what: str, reason: str) -> Failure[InvalidSetting]:
    return Failure(InvalidSetting(setting=what, place=str(path), reason=reason))
