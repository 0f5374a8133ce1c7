"""Running a plugin's ``register``: whatever it raises is a report on it, and nothing more."""

import inspect
from collections.abc import Mapping
from pathlib import Path

from ...kernel.text.display import one_line
from ...kernel.text.redaction import redact
from ...ports.middleware import Callbacks
from .context import Manifest, PluginContext
from .discovery import PARENT, FoundPlugin
from .report import ChosenPlugins, LoadedPlugins, PluginReport

# What plugins import of Hermes, which has no package of its own around its modules.
_OF_HERMES = ("agent", "gateway", "model_tools", "plugins", "providers", "run_agent", "tools")


def load_chosen_plugins(chosen: ChosenPlugins, plugins: Mapping[str, FoundPlugin]) -> LoadedPlugins:
    """Load the chosen plugins, in their order, out of those that were found."""
    settings = chosen.choices.settings
    loads = [
        (key, load_plugin(plugins.get(key), settings.get(key, {}), chosen.data))
        for key in chosen.enabled
    ]
    contexts = [each for _, each in loads if isinstance(each, PluginContext)]
    callbacks = Callbacks(
        middleware=tuple(one for context in contexts for one in context.middleware),
        hooks=tuple(one for context in contexts for one in context.hooks),
    )
    return LoadedPlugins(
        callbacks=callbacks, reports=tuple(_report(key, each) for key, each in loads)
    )


def load_plugin(
    plugin: FoundPlugin | None, settings: Mapping[str, object], folder: Path
) -> PluginContext | str:
    """Run a plugin's ``register`` and return what it said, or why it is broken."""
    if plugin is None:
        return "it is enabled but not there"
    if plugin.problem:
        return plugin.problem
    context = PluginContext(plugin.manifest, settings, folder)
    try:
        loaded = plugin.load()
        register = getattr(loaded, "register", None) or loaded
        if not callable(register):
            return "it has no register function"
        answer = register(context)
    # Also SystemExit, as raised by a script's main: no plugin ends the program.
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a plugin raises is its report
        reason = one_line(redact(f"{type(error).__name__}: {error}"))
        return f"{reason}{_advice(error, plugin.manifest)}"
    if inspect.iscoroutine(answer):
        answer.close()
        return "its register function is async; write it with def, its callbacks may be async"
    return context


def _advice(error: BaseException, manifest: Manifest) -> str:
    """Return what to install where a module is missing that is not the plugin's own."""
    missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    package = missing.partition(".")[0]
    if package in ("", PARENT):
        return ""
    if package in _OF_HERMES or package.startswith("hermes_"):
        return "; it needs Hermes itself; run: pip install hermes-agent"
    return f"; run: pip install {' '.join(manifest.pip_dependencies) or package}"


def _report(key: str, loaded: PluginContext | str) -> PluginReport:
    if isinstance(loaded, str):
        return PluginReport(key=key, problem=loaded)
    return PluginReport(
        key=key,
        middleware=tuple(each.kind for each in loaded.middleware),
        hooks=tuple(each.name for each in loaded.hooks),
        refusals=tuple(loaded.refusals),
    )
