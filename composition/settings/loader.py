"""Settings, put together from everywhere they can be given. What is explicit is strongest.

Arguments, then the environment, then ``.env`` in the working folder and beside the settings file,
then the file itself: ``$WEBSEAM_CONFIG``, else ``config.yaml`` in the platform's folder.
"""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.trust import STOLEN, Origin, is_privileged, may_meet
from ...ports.errors import InvalidSetting
from ..places import config_file, is_file, variables_of
from .checks import check_entries
from .entries import Entries, Entry, KeyPath, Variables, expanded, is_secret
from .keys import canonical, known_keys, near
from .schema import Settings
from .sources.dotenv import DotenvVariables, read_dotenv
from .sources.files import is_exposed, read_text, unusable

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


def read_env_file(path: Path, *, foreign: bool = False) -> Result[DotEnv, InvalidSetting]:
    """Read a file of variables; what is not there, or is no file, such as a pipe, says nothing.

    It is ``foreign`` when it came with the working folder.
    """
    if not is_file(path):
        return Success(DotEnv())
    text = read_text(path, _VARIABLES)
    if isinstance(text, Failure):
        return text
    parsed = read_dotenv(text.unwrap() or "")
    if isinstance(parsed, Failure):
        return unusable(path, _VARIABLES, parsed.failure())
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


def load_settings(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Result[Settings, InvalidSetting]:
    """Return all settings, or the first place that is wrong.

    ``arguments`` are settings by name, such as ``{"cache.enabled": False}``; None is absent.
    ``folder`` is the working folder, whose ``.env`` is read. Without an ``environment`` it is that
    of the process.
    """
    file = config_file(environment)
    written = read_config(file)
    if isinstance(written, Failure):
        return written
    env_files = _read_env_files(file, folder)
    if isinstance(env_files, Failure):
        return env_files
    chosen = _from_arguments(arguments or {})
    if isinstance(chosen, Failure):
        return chosen
    variables = Variables(
        _from_environment(variables_of(environment)), *(one.variables for one in env_files.unwrap())
    )
    own = written.unwrap()
    file_says = expanded(own.entries, variables) if own.hermes else own.entries
    entries = layered(file_says, _from_variables(variables), chosen.unwrap())
    warnings = (
        *(word for one in env_files.unwrap() for word in one.warnings),
        *own.warnings,
        *_exposed(own, file),
    )
    return (
        _unstolen(entries)
        .bind(check_entries)
        .map(
            lambda settings: msgspec.structs.replace(
                settings,
                entries=Entries(entries),
                variables=variables,
                file=str(file),
                warnings=warnings,
            )
        )
    )


def layered(*layers: Mapping[KeyPath, Entry]) -> dict[KeyPath, Entry]:
    """Return all layers as one: of several values at one path, that of the last layer."""
    merged: dict[KeyPath, Entry] = {}
    for layer in layers:
        merged.update(layer)
    return merged


def _unstolen(
    entries: dict[KeyPath, Entry],
) -> Result[Mapping[KeyPath, Entry], InvalidSetting]:
    """Return the entries, unless a search model's address may not have the key beside it."""
    address, key = entries.get(("custom_base_url",)), entries.get(("custom_api_key",))
    if (
        address is None
        or key is None
        or may_meet("".join(address.texts), address.origin, key.origin)
    ):
        return Success(entries)
    place = str(address.origin)
    return Failure(InvalidSetting(setting="custom_base_url", place=place, reason=STOLEN))


def _read_env_files(file: Path, folder: Path | None) -> Result[list[DotEnv], InvalidSetting]:
    """Read the file of the working folder, which only warns, and the one beside the settings."""
    try:
        home, here = file.parent.absolute(), (folder or Path()).absolute()
    except OSError:
        # The working folder is gone, and no relative path leads anywhere.
        return read_env_file(file.parent / ".env").map(lambda one: [one])
    beside = read_env_file(home / ".env")
    if home == here:
        return beside.map(lambda one: [one])
    working = read_env_file(here / ".env", foreign=True).lash(_left_out).unwrap()
    return beside.map(lambda one: [without_privileges(working), one])


def without_privileges(file: DotEnv) -> DotEnv:
    """Return what may be read of a working folder's file, with a warning for what may not."""
    privileged = {
        name for path, key in known_keys().items() if is_privileged(path) for name in key.variables
    }
    refused = {name: entry for name, entry in file.variables.items() if name in privileged}
    warnings = tuple(
        f"{entry.origin}: {name} is not read from a working folder; set it in the environment"
        for name, entry in refused.items()
    )
    return DotEnv(
        variables={name: each for name, each in file.variables.items() if name not in refused},
        warnings=(*file.warnings, *warnings),
    )


def _left_out(error: InvalidSetting) -> Result[DotEnv, InvalidSetting]:
    return Success(DotEnv(warnings=(error.message,)))


def _from_environment(environment: Mapping[str, str]) -> dict[str, Entry]:
    return {
        name: Entry(value=value, texts=(value,), origin=Origin(layer="environment", name=name))
        for name, value in environment.items()
    }


def _from_variables(variables: Variables) -> dict[KeyPath, Entry]:
    entries = {path: variables.first(*key.variables) for path, key in known_keys().items()}
    return {path: entry for path, entry in entries.items() if entry is not None}


def _from_arguments(
    arguments: Mapping[str, object],
) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    found: dict[KeyPath, Entry] = {}
    for name, value in arguments.items():
        path = canonical(tuple(name.split(".")))
        if path not in known_keys():
            hint = near(path)
            reason = "is not a setting" + (f"; {hint} is" if hint else "")
            return Failure(InvalidSetting(setting=name, place="argument", reason=reason))
        if value is not None:
            texts = (value,) if isinstance(value, str) else ()
            origin = Origin(layer="argument", name=f"argument {name}")
            found[path] = Entry(value=value, texts=texts, origin=origin)
    return Success(found)


def _exposed(written: Written, file: Path) -> list[str]:
    if not written.exposed or not any(map(is_secret, written.entries)):
        return []
    return [f"{file} holds a key and other users can read it; run: chmod 600 {file}"]
