"""The plugins that run. One that is broken is reported by name, and the others go on."""

import logging
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured, WebError
from .. import remedies
from ..calls.session import Session
from ..settings.schema import Settings
from .plugin_choice import choose_plugins
from .report import LoadedPlugins


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
