"""Settings, put together from everywhere they can be given. What is explicit is strongest.

Arguments, then the environment, then ``.env`` in the working folder and beside the settings file,
then the file itself: ``$WEBSEAM_CONFIG``, else ``config.yaml`` in the platform's folder.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import InvalidSetting
from ..places import config_file
from .checks import check_entries
from .entries import Entries, Entry, KeyPath, Origin, Variables, is_secret
from .files import DotEnv, Written, read_config, read_env_file
from .keys import canonical, known_keys, near
from .schema import Settings
from .trust import STOLEN, may_meet, without_privileges

_REFERENCE = re.compile(r"\$\{([^}]+)\}")


def expanded(entries: Mapping[KeyPath, Entry], variables: Variables) -> dict[KeyPath, Entry]:
    """Return entries with each reference filled in; one that leads nowhere stays as it is."""

    def value_of(reference: re.Match[str]) -> str:
        entry = variables.first(reference[1])
        return reference[0] if entry is None else str(entry.value)

    def filled(entry: Entry) -> Entry:
        if not isinstance(entry.value, str) or "${" not in entry.value:
            return entry
        text = _REFERENCE.sub(value_of, entry.value)
        return msgspec.structs.replace(entry, value=text, texts=(text,))

    return {path: filled(entry) for path, entry in entries.items()}


# Settings, put together from everywhere they can be given. What is explicit is strongest.


def load_settings(
    environment: Mapping[str, str] = os.environ,
    *,
    arguments: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Result[Settings, InvalidSetting]:
    """Return all settings, or the first place that is wrong.

    ``arguments`` are settings by name, such as ``{"cache.enabled": False}``; None is absent.
    ``folder`` is the working folder, whose ``.env`` is read.
    """
    file = config_file(environment)
    written = read_config(file)
    if isinstance(written, Failure):
        return written
    read = _read_env_files(file, folder)
    if isinstance(read, Failure):
        return read
    chosen = _from_arguments(arguments or {})
    if isinstance(chosen, Failure):
        return chosen
    variables = Variables(_from_environment(environment), *(one.variables for one in read.unwrap()))
    own = written.unwrap()
    file_says = expanded(own.entries, variables) if own.hermes else own.entries
    found = layered(file_says, _from_variables(variables), chosen.unwrap())
    warnings = (
        *(word for one in read.unwrap() for word in one.warnings),
        *own.warnings,
        *_exposed(own, file),
    )
    return (
        _unstolen(found, str(file))
        .bind(check_entries)
        .map(
            lambda settings: msgspec.structs.replace(
                settings,
                entries=Entries(found),
                variables=variables,
                file=str(file),
                warnings=warnings,
            )
        )
    )


def layered(*layers: Mapping[KeyPath, Entry]) -> dict[KeyPath, Entry]:
    """Return all layers as one: of several values at one path, that of the last layer."""
    found: dict[KeyPath, Entry] = {}
    for layer in layers:
        found.update(layer)
    return found


def _unstolen(
    found: dict[KeyPath, Entry], file: str
) -> Result[Mapping[KeyPath, Entry], InvalidSetting]:
    """Return the entries, unless a search model's address may not have the key beside it."""
    address, key = found.get(("custom_base_url",)), found.get(("custom_api_key",))
    if address is None or key is None or may_meet(address, key, file):
        return Success(found)
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
    working = read_env_file(here / ".env").lash(_left_out).unwrap()
    return beside.map(lambda one: [without_privileges(working), one])


def _left_out(error: InvalidSetting) -> Result[DotEnv, InvalidSetting]:
    return Success(DotEnv(warnings=(error.message,)))


def _from_environment(environment: Mapping[str, str]) -> dict[str, Entry]:
    return {
        name: Entry(value=value, texts=(value,), origin=Origin(layer="environment", name=name))
        for name, value in environment.items()
    }


def _from_variables(variables: Variables) -> dict[KeyPath, Entry]:
    given = {path: variables.first(*key.variables) for path, key in known_keys().items()}
    return {path: entry for path, entry in given.items() if entry is not None}


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
