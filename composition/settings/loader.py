"""Load settings from all sources; the more explicit source wins.

Arguments, then the environment, then ``.env`` in the working folder and beside the settings file,
then the file itself: ``$WEBSEAM_CONFIG``, else ``config.yaml`` in the platform's folder.
``kernel/policy/trust.py`` limits what the working folder may set.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import cast

import msgspec
from returns.result import Failure, Result, Success

from webseam.kernel.policy.trust import UNTRUSTED_ADDRESS_REASON, Origin, may_secret_meet_address
from webseam.kernel.text.display import quote_value
from webseam.ports.errors import InvalidSetting

from . import checks
from .entries import (
    Entries,
    Entry,
    KeyPath,
    Variables,
    expand_setting_entries,
    is_secret_setting,
    option_variable,
    referenced_variables,
    setting_path_text,
)
from .file_locations import FILE_VARIABLES, FileLocations
from .notices import show_notice
from .schema import FolderReport, IgnoredEntry, Settings
from .settings_files import ConfigFile, SettingSources, read_setting_sources
from .vendors import FOLDER, VENDORS


def read_setting_arguments(
    arguments: Mapping[str, object],
) -> Result[dict[KeyPath, Entry], InvalidSetting]:
    """Return a program's arguments by path, or an error for an unknown one; None is absent."""
    entries: dict[KeyPath, Entry] = {}
    for path, value in _flatten_arguments((), arguments):
        full_path = checks.canonical_setting_path(path)
        is_open = path[0] in checks.OPEN_BLOCKS and len(full_path) >= checks.OPEN_DEPTH
        if checks.find_setting(full_path) is None and not is_open:
            return Failure(_unknown_argument(path))
        if value is not None:
            entries[full_path] = _argument_entry(path, value)
    return Success(entries)


def arguments_as_variables(entries: Mapping[KeyPath, Entry]) -> dict[str, Entry]:
    """Return arguments about services and keys under the names of their variables.

    Other sources set these through the environment, and arguments must win over it.
    """
    return {
        name: msgspec.structs.replace(entry, value=",".join(entry.texts))
        for path, entry in entries.items()
        if len(path) == checks.OPEN_DEPTH
        for name in _argument_variables(path)
    }


def _argument_variables(path: KeyPath) -> tuple[str, ...]:
    block, name, option = path
    if block == "providers":
        return VENDORS.provider_keys.get(name, ())[:1] if option == "api_key" else ()
    return (option_variable(name, option),)


def _flatten_arguments(
    above: KeyPath, block: Mapping[str, object]
) -> Iterator[tuple[KeyPath, object]]:
    for name, value in block.items():
        path = (*above, *str(name).split("."))
        if isinstance(value, Mapping) and (
            path[0] in checks.OPEN_BLOCKS or checks.is_settings_block(path)
        ):
            yield from _flatten_arguments(path, value)
        else:
            yield path, value


def _argument_entry(path: KeyPath, value: object) -> Entry:
    origin = Origin(layer="argument", name=f"argument {_printable_path(path)}")
    is_list = isinstance(value, list | tuple)
    items = cast("list[object]", list(value)) if is_list else [value]  # type: ignore[call-overload]
    texts = tuple(str(item).lower() if isinstance(item, bool) else str(item) for item in items)
    return Entry(value=items if is_list else value, texts=texts, origin=origin)


def _unknown_argument(path: KeyPath) -> InvalidSetting:
    is_block = checks.is_settings_block(path) or path[0] in checks.OPEN_BLOCKS
    reason = "must be a block of settings" if is_block else checks.unknown_setting_reason(path)
    return InvalidSetting(setting=_printable_path(path), place="argument", reason=reason)


def _printable_path(path: KeyPath) -> str:
    name = setting_path_text(path)[:200]
    return name if name.isascii() and name.isprintable() else quote_value(name)


def load_settings(
    environment: Mapping[str, str] | None = None,
    *,
    arguments: Mapping[str, object] | None = None,
    folder: Path | None = None,
) -> Result[Settings, InvalidSetting]:
    """Return all settings, or an error for the first wrong one.

    ``arguments`` are settings by name, such as ``{"cache.enabled": False}``, or in blocks like the
    file; None is absent. ``folder`` is the working folder, whose ``.env`` is read. ``environment``
    defaults to that of the process. Values of an untrusted folder that are ignored are logged once.
    """
    if isinstance(chosen := read_setting_arguments(arguments or {}), Failure):
        return chosen
    files = FileLocations(environment)
    return read_setting_sources(files, folder).bind(
        lambda sources: _combine_sources(sources, files, chosen.unwrap())
    )


def _combine_sources(
    sources: SettingSources, files: FileLocations, chosen: Mapping[KeyPath, Entry]
) -> Result[Settings, InvalidSetting]:
    config = sources.written
    environment = {
        name: Entry(value=value, texts=(value,), origin=Origin(layer="environment", name=name))
        for name, value in files.variables.items()
    }
    dotenvs = (dotenv.variables for dotenv in sources.dotenvs)
    variables = Variables(arguments_as_variables(chosen), environment, *dotenvs)
    written = expand_setting_entries(config.entries, variables) if config.hermes else config.entries
    # A reference in the user's file may have pulled in a value of the working folder.
    refused = {
        path: entry
        for path, entry in written.items()
        if entry.origin.foreign and not FOLDER.may_set(path)
    }
    file_entries = {path: entry for path, entry in written.items() if path not in refused}
    by_variable = {
        path: variables.first_entry(*key.variables)
        for path, key in checks.keys_of_variables(variables.names()).items()
    }
    from_variables = {path: entry for path, entry in by_variable.items() if entry is not None}
    entries = {**file_entries, **from_variables, **chosen}
    withheld = {**config.withheld, **refused}
    ignored = [_ignored_entry(setting_path_text(path), withheld[path]) for path in withheld]
    report = FolderReport(
        folder=sources.folder,
        standing=sources.verdict.worst,
        left_out=(*_ignored_variables(sources, files), *ignored),
        problem=sources.verdict.problem,
    )
    if report.sentence:
        show_notice(report.sentence)
    warnings = (
        *(warning for dotenv in sources.dotenvs for warning in dotenv.warnings),
        *config.warnings,
        *_exposed_file_warnings(config, sources.file),
        *_misspelt_variable_warnings(files),
    )
    checked = _check_custom_address(entries).bind(checks.check_setting_entries)
    return checked.map(
        lambda settings: msgspec.structs.replace(
            settings,
            entries=Entries(entries),
            variables=variables,
            file=str(sources.file),
            warnings=warnings,
            folder=report,
        )
    )


def _misspelt_variable_warnings(files: FileLocations) -> Iterator[str]:
    """Yield warnings about misspelt ``WEBSEAM_`` variables; load the checker only if needed."""
    keys = checks.keys_of_variables(files.variables)
    valid = {name for key in keys.values() for name in key.variables} | {*FILE_VARIABLES}
    unknown = [key for key in files.variables if key.startswith("WEBSEAM_") and key not in valid]
    if unknown:
        from .misspelt_variables import misspelling_warnings  # noqa: PLC0415  the names of all services

        yield from misspelling_warnings(unknown)


def _ignored_variables(sources: SettingSources, files: FileLocations) -> Iterator[IgnoredEntry]:
    """Yield the withheld variables that would count if the folder were trusted."""
    mentioned = referenced_variables(sources.written.entries)
    for dotenv in sources.dotenvs:
        for name, entry in dotenv.withheld.items():
            counts = FOLDER.is_awaited(name) or name in mentioned
            if counts and not files.variables.get(name, "").strip() and str(entry.value).strip():
                yield _ignored_entry(name, entry)


def _ignored_entry(name: str, entry: Entry) -> IgnoredEntry:
    return IgnoredEntry(name=name, file=entry.origin.name, line=entry.origin.line)


def _check_custom_address(
    entries: dict[KeyPath, Entry],
) -> Result[Mapping[KeyPath, Entry], InvalidSetting]:
    """Return the entries, unless an untrusted search model address would receive the key."""
    address, key = entries.get(("custom_base_url",)), entries.get(("custom_api_key",))
    if address is None or key is None or may_secret_meet_address(key.origin, address.origin):
        return Success(entries)
    origin, reason = str(address.origin), UNTRUSTED_ADDRESS_REASON
    return Failure(InvalidSetting(setting="custom_base_url", place=origin, reason=reason))


def _exposed_file_warnings(written: ConfigFile, file: Path) -> list[str]:
    if not written.exposed or not any(map(is_secret_setting, written.entries)):
        return []
    return [f"{file} holds a key and other users can read it; run: chmod 600 {file}"]
