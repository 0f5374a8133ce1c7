"""Loading the plugins that run. One that is broken is reported by name, and the others go on."""

import os
from collections.abc import Mapping
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...kernel.redact import redact
from ...kernel.text import one_line
from ...ports.errors import NotConfigured, WebError
from ...ports.middleware import Callbacks
from .chosen import Chosen, choose_plugins
from .context import PluginContext
from .discovery import Found, discover


class Report(msgspec.Struct, frozen=True, kw_only=True):
    """How loading one plugin went: what it registered, what was refused, or why it is broken."""

    key: str
    middleware: tuple[str, ...] = ()
    hooks: tuple[str, ...] = ()
    refusals: tuple[str, ...] = ()
    problem: str = ""


class Loaded(msgspec.Struct, frozen=True, kw_only=True):
    """The callbacks of all plugins that run, and a report on each."""

    callbacks: Callbacks = Callbacks()
    reports: tuple[Report, ...] = ()

    @property
    def broken(self) -> tuple[Report, ...]:
        """The reports on plugins that could not be loaded."""
        return tuple(report for report in self.reports if report.problem)


def load_plugins(environment: Mapping[str, str] = os.environ) -> Result[Loaded, WebError]:
    """Load what the user enabled. A broken plugin fails only when it is required."""
    chosen = choose_plugins(environment)
    if isinstance(chosen, Failure):
        return chosen
    # Nothing is looked for when nothing runs.
    if not chosen.unwrap().enabled:
        return Success(Loaded())
    loaded = load_chosen(chosen.unwrap(), discover(chosen.unwrap().folder))
    required = chosen.unwrap().choices.required
    missing = next((report for report in loaded.broken if report.key in required), None)
    if missing is None:
        return Success(loaded)
    reason = f"The required plugin {missing.key} cannot be loaded: {missing.problem}"
    setting = f"it right, or run: webseam plugins disable {missing.key}"
    return Failure(NotConfigured(reason=reason, setting=setting))


def load_chosen(chosen: Chosen, found: Mapping[str, Found]) -> Loaded:
    """Load the chosen plugins, in their order, out of those that were found."""
    settings = chosen.choices.settings
    loads = [
        (key, load_one(found.get(key), settings.get(key, {}), chosen.data))
        for key in chosen.enabled
    ]
    contexts = [each for _, each in loads if isinstance(each, PluginContext)]
    callbacks = Callbacks(
        middleware=tuple(one for context in contexts for one in context.middleware),
        hooks=tuple(one for context in contexts for one in context.hooks),
    )
    return Loaded(callbacks=callbacks, reports=tuple(_report(key, each) for key, each in loads))


def load_one(
    found: Found | None, settings: Mapping[str, object], folder: Path
) -> PluginContext | str:
    """Run a plugin's ``register`` and return what it said, or why it is broken."""
    if found is None:
        return "it is enabled but not there"
    if found.problem:
        return found.problem
    context = PluginContext(found.manifest, settings, folder)
    try:
        loaded = found.load()
        register = getattr(loaded, "register", None) or loaded
        if not callable(register):
            return "it has no register function"
        register(context)
    # Also SystemExit, as raised by a script's main: no plugin ends the program.
    except (Exception, SystemExit) as error:  # noqa: BLE001  whatever a plugin raises is its report
        return one_line(redact(f"{type(error).__name__}: {error}"))
    return context


def _report(key: str, loaded: PluginContext | str) -> Report:
    if isinstance(loaded, str):
        return Report(key=key, problem=loaded)
    return Report(
        key=key,
        middleware=tuple(each.kind for each in loaded.middleware),
        hooks=tuple(each.name for each in loaded.hooks),
        refusals=tuple(loaded.refusals),
    )
