"""Choose the plugins to run: enabled in settings or by command, and not disabled."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

import logging
from pathlib import Path

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.files import write_file
from webseam.ports.errors import NotConfigured, StoreFailed, WebError

from ..session import Session
from ..settings import remedies
from ..settings.file_locations import FileLocations
from ..settings.settings_root import SettingsRoot
from .report import ChosenPlugins, LoadedPlugins, PluginChoices

_FILE_NAME = "plugins.json"
_LOGGER = logging.getLogger("webseam.plugins")


def read_plugin_choices(files: FileLocations) -> Result[PluginChoices, StoreFailed]:
    """Return the stored choices; empty without a file."""
    try:
        written = _choices_file(files).read_bytes()
    except FileNotFoundError:
        return Success(PluginChoices())
    except OSError as error:
        return _store_failure((error.strerror or type(error).__name__).lower())
    try:
        return Success(msgspec.json.decode(written, type=PluginChoices))
    except (ValueError, RecursionError):
        return _store_failure(f"{_FILE_NAME} beside the settings file is not what webseam wrote")


def write_plugin_choices(choices: PluginChoices, files: FileLocations) -> Result[None, StoreFailed]:
    """Write the choices atomically, readable by the user alone."""
    try:
        content = msgspec.json.format(msgspec.json.encode(choices), indent=2)
        write_file(_choices_file(files), content)
    except OSError as error:
        return _store_failure((error.strerror or type(error).__name__).lower())
    return Success(None)


def _choices_file(files: FileLocations) -> Path:
    return files.settings_folder / _FILE_NAME


def _store_failure(reason: str) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store="plugins", reason=reason, setting="WEBSEAM_CONFIG"))


def choose_plugins(root: SettingsRoot) -> Result[ChosenPlugins, WebError]:
    """Combine settings and stored choices; disabling beats enabling."""
    if isinstance(stored := read_plugin_choices(root.files), Failure):
        return stored
    in_settings, choices = root.settings.plugins, stored.unwrap()
    disabled = {*in_settings.disabled, *choices.disabled}
    otel, recorder = map(msgspec.structs.asdict, (in_settings.otel, in_settings.recorder))
    recording = {"recorder": recorder} if in_settings.recorder.file else {}
    enabled = dict.fromkeys((*in_settings.enabled, *choices.enabled, *recording))
    default_folder = root.files.plugins_folder
    return Success(
        ChosenPlugins(
            choices=replace(
                choices,
                enabled=tuple(key for key in enabled if key not in disabled),
                required=(*choices.required, *recording),
                settings={"otel": otel, **choices.settings, **recording},
            ),
            folder=Path(in_settings.folder).expanduser() if in_settings.folder else default_folder,
            data=default_folder.parent / "plugin-files",
        )
    )


def load_plugins(root: SettingsRoot) -> Result[LoadedPlugins, WebError]:
    """Load the enabled plugins; a broken one fails the call only if it is required."""
    if isinstance(chosen := choose_plugins(root), Failure):
        return chosen
    if not chosen.unwrap().enabled:
        return Success(LoadedPlugins())
    # Import late: without enabled plugins nothing is discovered.
    from .discovery import discover_plugins
    from .loader import load_chosen_plugins

    loaded = load_chosen_plugins(chosen.unwrap(), discover_plugins(chosen.unwrap().folder))
    required = chosen.unwrap().choices.required
    missing = next((report for report in loaded.broken if report.key in required), None)
    if missing is None:
        return Success(loaded)
    reason = f"The required plugin {missing.key} cannot be loaded: {missing.problem}"
    return Failure(NotConfigured(reason=reason, remedy=remedies.plugin_remedy(missing.key)))


def plugin_session(root: SettingsRoot) -> Result[Session, WebError]:
    """Return a session with the callbacks of enabled plugins; log broken ones."""
    if isinstance(loaded := load_plugins(root), Failure):
        return loaded
    log_broken_plugins(loaded.unwrap())
    limit = root.settings.plugins.timeout
    return Success(Session(callbacks=loaded.unwrap().callbacks, callback_seconds=limit))


def log_broken_plugins(loaded: LoadedPlugins) -> None:
    """Log which plugins were left out, and why."""
    for report in loaded.broken:
        _LOGGER.warning("plugin %s is broken and was left out: %s", report.key, report.problem)
