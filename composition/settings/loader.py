"""Settings, put together from everywhere they can be given. What is explicit is strongest.

Arguments, then the environment, then ``.env`` in the working folder and beside the settings file,
then the file itself: ``$WEBSEAM_CONFIG``, else ``config.yaml`` in the platform's folder. What came
with the working folder counts as far as ``kernel/trust.py`` says.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.text.display import quote_value
from ...kernel.trust import UNTRUSTED_ADDRESS_REASON, Origin, may_meet_address
from ...ports.errors import InvalidSetting
from ..file_locations import FileLocations
from ..notices import notify
from .checks import (
    OPEN_BLOCKS,
    block_paths,
    canonical_path,
    check_entries,
    known_keys,
    nearest_setting,
)
from .entries import (
    Entries,
    Entry,
    KeyPath,
    Variables,
    expand_entries,
    is_secret,
    referenced_variables,
    setting_path_text,
)
from .schema import FolderReport, IgnoredEntry, Settings
from .settings_files import ConfigFile, SettingSources, read_sources
from .vendors import FOLDER, VENDORS

# services.<name>.<option>: what is open begins below the name.
_OPEN_DEPTH = 3


def take_arguments(arguments: Mapping[str, object]) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    """Return what a program gives, by path, or what of it is no setting; None is not there."""
    entries: dict[KeyPath, Entry] = {}
    for path, value in _flat((), arguments):
        whole = canonical_path(path)
        if whole not in known_keys() and not _is_open(whole):
            return Failure(_unknown(path))
        if value is not None:
            entries[whole] = _entry(path, value)
    return Success(entries)


def as_variables(entries: Mapping[KeyPath, Entry]) -> dict[str, Entry]:
    """Return what arguments say of services and keys under the names that variables have.

    There the environment says it for others, and an argument wins over the environment.
    """
    return {
        name: msgspec.structs.replace(entry, value=",".join(entry.texts))
        for path, entry in entries.items()
        if len(path) == _OPEN_DEPTH
        for name in _names(path)
    }


def _names(path: KeyPath) -> tuple[str, ...]:
    block, name, option = path
    if block == "providers":
        return VENDORS.provider_keys.get(name, ())[:1] if option == "api_key" else ()
    return (re.sub(r"[^A-Z0-9]", "_", f"WEBSEAM_{name}_{option}".upper()),)


def _flat(above: KeyPath, block: Mapping[str, object]) -> Iterator[tuple[KeyPath, object]]:
    for name, value in block.items():
        path = (*above, *str(name).split("."))
        if isinstance(value, Mapping) and (path[0] in OPEN_BLOCKS or path in block_paths()):
            yield from _flat(path, value)
        else:
            yield path, value


def _is_open(path: KeyPath) -> bool:
    return path[0] in OPEN_BLOCKS and len(path) >= _OPEN_DEPTH


def _entry(path: KeyPath, value: object) -> Entry:
    origin = Origin(layer="argument", name=f"argument {_safe(path)}")
    listed = isinstance(value, list | tuple)
    items = cast("list[object]", list(value)) if listed else [value]  # type: ignore[call-overload]
    return Entry(
        value=items if listed else value, texts=tuple(map(_spelling, items)), origin=origin
    )


def _spelling(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _unknown(path: KeyPath) -> InvalidSetting:
    hint = nearest_setting(path)
    if path in block_paths() or path[0] in OPEN_BLOCKS:
        reason = "must be a block of settings"
    else:
        reason = "is not a setting" + (f"; {hint} is" if hint else "")
    return InvalidSetting(setting=_safe(path), place="argument", reason=reason)


def _safe(path: KeyPath) -> str:
    name = setting_path_text(path)[:200]
    return name if name.isascii() and name.isprintable() else quote_value(name)


# Settings, put together from everywhere they can be given. What is explicit is strongest.

_OURS = "WEBSEAM_"


def load_settings(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Result[Settings, InvalidSetting]:
    """Return all settings, or the first place that is wrong.

    ``arguments`` are settings by name, such as ``{"cache.enabled": False}``, or in blocks as the
    file has them; None is absent.
    ``folder`` is the working folder, whose ``.env`` is read. Without an ``environment`` it is that
    of the process. What is left out of the folder's files is told, once, to the log.
    """
    chosen = take_arguments(arguments or {})
    if isinstance(chosen, Failure):
        return chosen
    sources = read_sources(environment, folder)
    if isinstance(sources, Failure):
        return sources
    return _put_together(sources.unwrap(), FileLocations(environment).variables, chosen.unwrap())


def _put_together(
    sources: SettingSources, environment: Mapping[str, str], chosen: Mapping[KeyPath, Entry]
) -> Result[Settings, InvalidSetting]:
    own = sources.written
    variables = Variables(
        as_variables(chosen),
        _from_environment(environment),
        *(one.variables for one in sources.dotenvs),
    )
    file_says = expand_entries(own.entries, variables) if own.hermes else own.entries
    # A reference in the user's file may have taken a value of the folder's.
    refused = {path: each for path, each in file_says.items() if not _may_stand(path, each)}
    file_entries = {path: entry for path, entry in file_says.items() if path not in refused}
    entries = merge_layers(file_entries, _from_variables(variables), chosen)
    left_out = (*_variables_left_out(sources, environment), *_settings_left_out(sources, refused))
    report = _report(sources, left_out)
    if report.sentence:
        notify(report.sentence)
    warnings = (
        *(word for one in sources.dotenvs for word in one.warnings),
        *own.warnings,
        *_exposed(own, sources.file),
        *_slips(environment),
    )
    return (
        _unstolen(entries)
        .bind(check_entries)
        .map(
            lambda settings: msgspec.structs.replace(
                settings,
                entries=Entries(entries),
                variables=variables,
                file=str(sources.file),
                warnings=warnings,
                folder=report,
            )
        )
    )


def _slips(environment: Mapping[str, str]) -> Iterator[str]:
    """Guess at variables of ours that nobody knows; without any, nothing is loaded for it."""
    known = {name for key in known_keys().values() for name in key.variables}
    unknown = [name for name in environment if name.startswith(_OURS) and name not in known]
    if unknown:
        from .misspelt_variables import misspelling_warnings  # noqa: PLC0415  the names of all services

        yield from misspelling_warnings(unknown)


def merge_layers(*layers: Mapping[KeyPath, Entry]) -> dict[KeyPath, Entry]:
    """Return all layers as one: of several values at one path, that of the last layer."""
    merged: dict[KeyPath, Entry] = {}
    for layer in layers:
        merged.update(layer)
    return merged


def _may_stand(path: KeyPath, entry: Entry) -> bool:
    return not entry.origin.foreign or FOLDER.may_set(path)


def _variables_left_out(
    sources: SettingSources, environment: Mapping[str, str]
) -> Iterator[IgnoredEntry]:
    """Yield what is withheld and would count for something if its folder were trusted."""
    mentioned = referenced_variables(sources.written.entries)
    for dotenv in sources.dotenvs:
        for name, entry in dotenv.withheld.items():
            counts = FOLDER.is_awaited(name) or name in mentioned
            if counts and not environment.get(name, "").strip() and str(entry.value).strip():
                yield _left_out(name, entry)


def _settings_left_out(
    sources: SettingSources, refused: Mapping[KeyPath, Entry]
) -> Iterator[IgnoredEntry]:
    for path, entry in {**sources.written.withheld, **refused}.items():
        yield _left_out(setting_path_text(path), entry)


def _left_out(name: str, entry: Entry) -> IgnoredEntry:
    return IgnoredEntry(name=name, file=entry.origin.name, line=entry.origin.line)


def _report(sources: SettingSources, left_out: tuple[IgnoredEntry, ...]) -> FolderReport:
    return FolderReport(
        folder=sources.folder,
        standing=sources.verdict.worst,
        left_out=left_out,
        problem=sources.verdict.problem,
    )


def _unstolen(
    entries: dict[KeyPath, Entry],
) -> Result[Mapping[KeyPath, Entry], InvalidSetting]:
    """Return the entries, unless a search model's address may not have the key beside it."""
    address, key = entries.get(("custom_base_url",)), entries.get(("custom_api_key",))
    if address is None or key is None or may_meet_address(key.origin, address.origin):
        return Success(entries)
    place = str(address.origin)
    return Failure(
        InvalidSetting(setting="custom_base_url", place=place, reason=UNTRUSTED_ADDRESS_REASON)
    )


def _from_environment(environment: Mapping[str, str]) -> dict[str, Entry]:
    return {
        name: Entry(value=value, texts=(value,), origin=Origin(layer="environment", name=name))
        for name, value in environment.items()
    }


def _from_variables(variables: Variables) -> dict[KeyPath, Entry]:
    entries = {path: variables.first(*key.variables) for path, key in known_keys().items()}
    return {path: entry for path, entry in entries.items() if entry is not None}


def _exposed(written: ConfigFile, file: Path) -> list[str]:
    if not written.exposed or not any(map(is_secret, written.entries)):
        return []
    return [f"{file} holds a key and other users can read it; run: chmod 600 {file}"]
