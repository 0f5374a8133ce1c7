"""Which plugins run: those of the settings and those of ``webseam plugins``, less the disabled."""

from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ..places import plugins_folder
from ..settings import Settings, load_settings
from .store import Choices, read_choices


class Chosen(msgspec.Struct, frozen=True, kw_only=True):
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
) -> Result[Chosen, WebError]:
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
        Chosen(
            choices=msgspec.structs.replace(
                choices, enabled=tuple(key for key in on if key not in off)
            ),
            folder=folder,
            data=plugins_folder(environment).parent / "plugin-files",
        )
    )
