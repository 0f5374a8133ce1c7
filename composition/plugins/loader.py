"""Run a plugin's ``register``; an exception becomes the plugin's report."""

import inspect
from collections.abc import Mapping
from pathlib import Path

from webseam.kernel.text.display import one_line
from webseam.kernel.text.redaction import redact
from webseam.ports.middleware import Callbacks

from .context import Manifest, PluginContext
from .discovery import PARENT_PACKAGE, FoundPlugin
from .report import ChosenPlugins, LoadedPlugins, PluginReport

# Top-level modules of Hermes, which has no package around them.
_HERMES_MODULES = ("agent", "gateway", "model_tools", "plugins", "providers", "run_agent", "tools")


def load_chosen_plugins(chosen: ChosenPlugins, plugins: Mapping[str, FoundPlugin]) -> LoadedPlugins:
    """Load the chosen plugins in order."""
    settings = chosen.choices.settings
    loads = [
        (key, load_plugin(plugins.get(key), settings.get(key, {}), chosen.data))
        for key in chosen.enabled
    ]
    contexts = [loaded for _, loaded in loads if isinstance(loaded, PluginContext)]
    callbacks = Callbacks(
        middleware=tuple(callback for context in contexts for callback in context.middleware),
        hooks=tuple(callback for context in contexts for callback in context.hooks),
        payers=tuple(payer for context in contexts for payer in context.payers),
    )
    return LoadedPlugins(
        callbacks=callbacks, reports=tuple(_make_report(key, loaded) for key, loaded in loads)
    )


def load_plugin(
    plugin: FoundPlugin | None, settings: Mapping[str, object], folder: Path
) -> PluginContext | str:
    """Run a plugin's ``register``; return its context, or why it is broken."""
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
    # Catch SystemExit too, as a script's main raises it: no plugin may end the program.
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a plugin raises is its report
        reason = one_line(redact(f"{type(error).__name__}: {error}"))
        return f"{reason}{_install_advice(error, plugin.manifest)}"
    if inspect.iscoroutine(answer):
        answer.close()
        return "its register function is async; write it with def, its callbacks may be async"
    return context


def _install_advice(error: BaseException, manifest: Manifest) -> str:
    """Return an install command for a missing module that is not the plugin's own."""
    missing = (error.name or "") if isinstance(error, ModuleNotFoundError) else ""
    if (package := missing.partition(".")[0]) in ("", PARENT_PACKAGE):
        return ""
    if package in _HERMES_MODULES or package.startswith("hermes_"):
        return "; it needs Hermes itself; run: pip install hermes-agent"
    return f"; run: pip install {' '.join(manifest.pip_dependencies) or package}"


def _make_report(key: str, loaded: PluginContext | str) -> PluginReport:
    if isinstance(loaded, str):
        return PluginReport(key=key, problem=loaded)
    return PluginReport(
        key=key,
        middleware=(*[it.kind for it in loaded.middleware], *["payer" for _ in loaded.payers]),
        hooks=tuple(callback.name for callback in loaded.hooks),
        refusals=tuple(loaded.refusals),
    )
