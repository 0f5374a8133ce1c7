"""Which plugins run: those of the settings and those of ``webseam plugins``, less the disabled."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.files import write_file
from ...ports.errors import StoreFailed, WebError
from ..places import config_file, plugins_folder
from ..settings import Settings, load_settings

_NAME = "plugins.json"


class Choices(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that run, in the order in which they were enabled.

    One that is ``required`` takes calls down with it when it cannot be loaded.
    """

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    settings: dict[str, dict[str, object]] = {}

    def enabling(
        self, key: str, settings: Mapping[str, object], *, required: bool = False
    ) -> "Choices":
        """Return the choices with one more plugin; settings it had before stay."""
        needed = (key,) if required else ()
        return Choices(
            enabled=(*_without(self.enabled, key), key),
            disabled=_without(self.disabled, key),
            required=(*_without(self.required, key), *needed),
            settings={**self.settings, key: {**self.settings.get(key, {}), **settings}},
        )

    def disabling(self, key: str) -> "Choices":
        """Return the choices with one plugin less, wherever else it is enabled."""
        return Choices(
            enabled=_without(self.enabled, key),
            disabled=(*_without(self.disabled, key), key),
            required=_without(self.required, key),
            settings=self.settings,
        )


def read_choices(environment: Mapping[str, str]) -> Result[Choices, StoreFailed]:
    """Return what was chosen; without a file, nothing was."""
    try:
        written = _file(environment).read_bytes()
    except FileNotFoundError:
        return Success(Choices())
    except OSError as error:
        return _refuse((error.strerror or type(error).__name__).lower())
    try:
        return Success(msgspec.json.decode(written, type=Choices))
    except (ValueError, RecursionError):
        return _refuse(f"{_NAME} beside the settings file is not what webseam wrote")


def write_choices(choices: Choices, environment: Mapping[str, str]) -> Result[None, StoreFailed]:
    """Write the choices whole or not at all, for the user alone to read."""
    content = msgspec.json.format(msgspec.json.encode(choices), indent=2)
    try:
        write_file(_file(environment), content)
    except OSError as error:
        return _refuse((error.strerror or type(error).__name__).lower())
    return Success(None)


def _file(environment: Mapping[str, str]) -> Path:
    return config_file(environment).parent / _NAME


def _without(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(each for each in keys if each != key)


def _refuse(reason: str) -> Failure[StoreFailed]:
    return Failure(StoreFailed(store="plugins", reason=reason, setting="WEBSEAM_CONFIG"))


# Which plugins run: those of the settings and those of ``webseam plugins``, less the disabled.


class ChosenPlugins(msgspec.Struct, frozen=True, kw_only=True):
    """What runs, in order, the folder that is searched for more, and where plugins keep files."""

    choices: Choices
    folder: Path
    data: Path

    @property
    def enabled(self) -> tuple[str, ...]:
        """The keys of the plugins that run."""
        return self.choices.enabled


def choose_plugins(
    environment: Mapping[str, str], settings: Settings | None = None
) -> Result[ChosenPlugins, WebError]:
    """Return what settings and store say together; to disable beats to enable."""
    loaded = load_settings(environment) if settings is None else Success(settings)
    if isinstance(loaded, Failure):
        return Failure(loaded.failure())
    kept = read_choices(environment)
    if isinstance(kept, Failure):
        return Failure(kept.failure())
    said, choices = loaded.unwrap().plugins, kept.unwrap()
    off = {*said.disabled, *choices.disabled}
    on = dict.fromkeys((*said.enabled, *choices.enabled))
    folder = Path(said.folder).expanduser() if said.folder else plugins_folder(environment)
    return Success(
        ChosenPlugins(
            choices=msgspec.structs.replace(
                choices, enabled=tuple(key for key in on if key not in off)
            ),
            folder=folder,
            data=plugins_folder(environment).parent / "plugin-files",
        )
    )
