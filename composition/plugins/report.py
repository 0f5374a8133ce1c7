"""Which plugins were chosen to run, and how loading them went."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from ...ports.middleware import Callbacks


class PluginChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that run, in the order in which they were enabled.

    One that is ``required`` takes calls down with it when it cannot be loaded.
    """

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    settings: dict[str, dict[str, object]] = {}

    def enabling(
        self, key: str, settings: Mapping[str, object], *, required: bool = False
    ) -> "PluginChoices":
        """Return the choices with one more plugin; settings it had before stay."""
        needed = (key,) if required else ()
        return PluginChoices(
            enabled=(*_without(self.enabled, key), key),
            disabled=_without(self.disabled, key),
            required=(*_without(self.required, key), *needed),
            settings={**self.settings, key: {**self.settings.get(key, {}), **settings}},
        )

    def disabling(self, key: str) -> "PluginChoices":
        """Return the choices with one plugin less, wherever else it is enabled."""
        return PluginChoices(
            enabled=_without(self.enabled, key),
            disabled=(*_without(self.disabled, key), key),
            required=_without(self.required, key),
            settings=self.settings,
        )


class ChosenPlugins(msgspec.Struct, frozen=True, kw_only=True):
    """What runs, in order, the folder that is searched for more, and where plugins keep files."""

    choices: PluginChoices
    folder: Path
    data: Path

    @property
    def enabled(self) -> tuple[str, ...]:
        """The keys of the plugins that run."""
        return self.choices.enabled


class PluginReport(msgspec.Struct, frozen=True, kw_only=True):
    """How loading one plugin went: what it registered, what was refused, or why it is broken."""

    key: str
    middleware: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    problem: str = ""


class LoadedPlugins(msgspec.Struct, frozen=True, kw_only=True):
    """The callbacks of all plugins that run, and a report on each."""

    callbacks: Callbacks = Callbacks()
    reports: tuple[PluginReport, ...] = ()

    @property
    def broken(self) -> tuple[PluginReport, ...]:
        """The reports on plugins that could not be loaded."""
        return tuple(report for report in self.reports if report.problem)


def _without(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(each for each in keys if each != key)
