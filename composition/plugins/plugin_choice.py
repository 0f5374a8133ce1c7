"""Which plugins run: those of the settings and those of ``webseam plugins``, less the disabled."""

import logging
from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.files import write_file
from ...ports.errors import NotConfigured, StoreFailed, WebError
from .. import remedies
from ..calls.session import Session
from ..file_locations import FileLocations
from ..settings.loader import load_settings
from ..settings.schema import Settings
from .report import ChosenPlugins, LoadedPlugins, PluginChoices

_NAME = "plugins.json"


def read_choices(environment: Mapping[str, str] | None) -> Result[PluginChoices, StoreFailed]:
    """Return what was chosen; without a file, nothing was."""
    try:
        written = _file(environment).read_bytes()
    except FileNotFoundError:
        return Success(PluginChoices())
    except OSError as error:
        return _refuse((error.strerror or type(error).__name__).lower())
    try:
        return Success(msgspec.json.decode(written, type=PluginChoices))
    except (ValueError, RecursionError):
        return _refuse(f"{_NAME} beside the settings file is not what webseam wrote")


def write_choices(
    choices: PluginChoices, environment: Mapping[str, str] | None
) -> Result[None, StoreFailed]:
    """Write the choices whole or not at all, for the user alone to read."""
    content = msgspec.json.format(msgspec.json.encode(choices), indent=2)
    try:
        write_file(_file(environment), content)
    except OSError as error:
        return _refuse((error.strerror or type(error).__name__).lower())
    return Success(None)


def _file(environment: Mapping[str, str] | None) -> Path:
    return FileLocations(environment).settings_folder / _NAME


def _refuse(reason: str) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store="plugins", reason=reason, setting="WEBSEAM_CONFIG"))


def choose_plugins(
    environment: Mapping[str, str] | None, settings: Settings | None = None
) -> Result[ChosenPlugins, WebError]:
    """Return what settings and store say together; to disable beats to enable."""
    loaded = load_settings(environment) if settings is None else Success(settings)
    if isinstance(loaded, Failure):
        return loaded
    kept = read_choices(environment)
    if isinstance(kept, Failure):
        return kept
    in_settings, choices = loaded.unwrap().plugins, kept.unwrap()
    off = {*in_settings.disabled, *choices.disabled}
    on = dict.fromkeys((*in_settings.enabled, *choices.enabled))
    folder = (
        Path(in_settings.folder).expanduser()
        if in_settings.folder
        else FileLocations(environment).plugins_folder
    )
    return Success(
        ChosenPlugins(
            choices=msgspec.structs.replace(
                choices, enabled=tuple(key for key in on if key not in off)
            ),
            folder=folder,
            data=FileLocations(environment).plugins_folder.parent / "plugin-files",
        )
    )


# The plugins that run. One that is broken is reported by name, and the others go on.


def load_plugins(
    environment: Mapping[str, str] | None = None, settings: Settings | None = None
) -> Result[LoadedPlugins, WebError]:
    """Load what the user enabled. A broken plugin fails only when it is required.

    Without ``settings`` they are read from where they are.
    """
    chosen = choose_plugins(environment, settings)
    if isinstance(chosen, Failure):
        return chosen
    if not chosen.unwrap().enabled:
        return Success(LoadedPlugins())
    # Nothing is looked for when nothing runs.
    from .discovery import discover_plugins  # noqa: PLC0415
    from .loader import load_chosen_plugins  # noqa: PLC0415

    loaded = load_chosen_plugins(chosen.unwrap(), discover_plugins(chosen.unwrap().folder))
    required = chosen.unwrap().choices.required
    missing = next((report for report in loaded.broken if report.key in required), None)
    if missing is None:
        return Success(loaded)
    reason = f"The required plugin {missing.key} cannot be loaded: {missing.problem}"
    return Failure(NotConfigured(reason=reason, remedy=remedies.plugin_remedy(missing.key)))


_LOGGER = logging.getLogger("webseam.plugins")


def enabled_around(
    environment: Mapping[str, str] | None = None, settings: Settings | None = None
) -> Result[Session, WebError]:
    """Return what enabled plugins registered; a broken one is logged by name."""
    loaded = load_plugins(environment, settings)
    if isinstance(loaded, Failure):
        return loaded
    log_broken(loaded.unwrap())
    limit = (settings or Settings()).plugins.timeout
    return Success(Session(callbacks=loaded.unwrap().callbacks, callback_seconds=limit))


def log_broken(loaded: LoadedPlugins) -> None:
    """Write down which plugins were left out, and why."""
    for report in loaded.broken:
        _LOGGER.warning("plugin %s is broken and was left out: %s", report.key, report.problem)
