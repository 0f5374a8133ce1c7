"""The chosen plugins, and reports on how loading them went."""

from collections.abc import Mapping
from pathlib import Path

import msgspec

from webseam.ports.middleware import Callbacks


class PluginChoices(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that run, in order; calls fail while a ``required`` one cannot be loaded."""

    enabled: tuple[str, ...] = ()
    disabled: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    settings: dict[str, dict[str, object]] = {}

    def with_enabled(
        self, key: str, settings: Mapping[str, object], *, required: bool = False
    ) -> "PluginChoices":
        """Return the choices with a plugin enabled; its earlier settings stay."""
        needed = (key,) if required else ()
        return PluginChoices(
            enabled=(*_without_plugin(self.enabled, key), key),
            disabled=_without_plugin(self.disabled, key),
            required=(*_without_plugin(self.required, key), *needed),
            settings={**self.settings, key: {**self.settings.get(key, {}), **settings}},
        )

    def with_disabled(self, key: str) -> "PluginChoices":
        """Return the choices with a plugin disabled, wherever it was enabled."""
        return PluginChoices(
            enabled=_without_plugin(self.enabled, key),
            disabled=(*_without_plugin(self.disabled, key), key),
            required=_without_plugin(self.required, key),
            settings=self.settings,
        )


class ChosenPlugins(msgspec.Struct, frozen=True, kw_only=True):
    """The plugins that run, the folder to search, and the folder for plugin files."""

    choices: PluginChoices
    folder: Path
    data: Path

    @property
    def enabled(self) -> tuple[str, ...]:
        """The keys of the plugins that run."""
        return self.choices.enabled


class PluginReport(msgspec.Struct, frozen=True, kw_only=True):
    """The load result of a plugin: its registrations and refusals, or its problem."""

    key: str
    middleware: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    problem: str = ""


class LoadedPlugins(msgspec.Struct, frozen=True, kw_only=True):
    """The callbacks of all running plugins, and a report on each."""

    callbacks: Callbacks = Callbacks()
    reports: tuple[PluginReport, ...] = ()

    @property
    def broken(self) -> tuple[PluginReport, ...]:
        """The reports on plugins that could not be loaded."""
        return tuple(report for report in self.reports if report.problem)


def _without_plugin(keys: tuple[str, ...], key: str) -> tuple[str, ...]:
    return tuple(other_key for other_key in keys if other_key != key)
