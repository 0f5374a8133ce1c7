"""Which plugins run: those of the settings and those of ``webseam plugins``, less the disabled."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.files import write_file
from ...ports.errors import StoreFailed, WebError
from ..file_locations import plugins_folder, settings_folder
from ..settings.loader import load_settings
from ..settings.schema import Settings
from .report import ChosenPlugins, PluginChoices

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
    return settings_folder(environment) / _NAME


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
        Path(in_settings.folder).expanduser() if in_settings.folder else plugins_folder(environment)
    )
    return Success(
        ChosenPlugins(
            choices=msgspec.structs.replace(
                choices, enabled=tuple(key for key in on if key not in off)
            ),
            folder=folder,
            data=plugins_folder(environment).parent / "plugin-files",
        )
    )
