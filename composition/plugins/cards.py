"""Describe each plugin for ``webseam plugins``; only enabled plugins are loaded."""

from collections.abc import Mapping
from typing import Literal

import msgspec

from ..file_locations import FileLocations
from .discovery import FoundPlugin
from .loader import load_chosen_plugins
from .report import ChosenPlugins, PluginReport


class PluginCard(msgspec.Struct, frozen=True, kw_only=True):
    """One plugin as ``webseam plugins`` shows it."""

    name: str
    state: Literal["enabled", "disabled", "broken"]
    source: str = ""
    version: str = ""
    description: str = ""
    author: str = ""
    path: str = ""
    required: bool = False
    missing_env: tuple[str, ...] = ()
    settings: dict[str, object] = {}
    middleware: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    problem: str = ""


def plugin_cards(
    chosen: ChosenPlugins,
    plugins: Mapping[str, FoundPlugin],
    environment: Mapping[str, str] | None = None,
) -> dict[str, PluginCard]:
    """Return a card for every found or enabled plugin, the enabled ones first."""
    reports = {report.key: report for report in load_chosen_plugins(chosen, plugins).reports}
    keys = dict.fromkeys((*chosen.enabled, *plugins))
    return {
        key: _plugin_card(key, chosen, plugins.get(key), reports.get(key), environment)
        for key in keys
    }


def _plugin_card(
    key: str,
    chosen: ChosenPlugins,
    plugin: FoundPlugin | None,
    report: PluginReport | None,
    environment: Mapping[str, str] | None,
) -> PluginCard:
    variables = FileLocations(environment).variables
    card = PluginCard(
        name=key,
        state="disabled",
        required=key in chosen.choices.required,
        settings=chosen.choices.settings.get(key, {}),
        problem="" if plugin is None else plugin.problem,
    )
    if plugin is not None:
        manifest = plugin.manifest
        card = msgspec.structs.replace(
            card,
            source=manifest.source,
            version=manifest.version,
            description=manifest.description,
            author=manifest.author,
            path=manifest.path,
            missing_env=tuple(name for name in manifest.requires_env if name not in variables),
        )
    if report is None:
        return card
    return msgspec.structs.replace(
        card,
        state="broken" if report.problem else "enabled",
        middleware=report.middleware,
        hooks=report.hooks,
        refusals=report.refusals,
        problem=report.problem,
    )
