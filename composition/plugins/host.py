"""The plugins that run. One that is broken is reported by name, and the others go on."""

import os
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ...ports.errors import NotConfigured, WebError
from ..settings import Settings
from .chosen import choose_plugins
from .reports import Loaded


def load_plugins(
    environment: Mapping[str, str] = os.environ, settings: Settings | None = None
) -> Result[Loaded, WebError]:
    """Load what the user enabled. A broken plugin fails only when it is required.

    Without ``settings`` they are read from where they are.
    """
    chosen = choose_plugins(environment, settings)
    if isinstance(chosen, Failure):
        return chosen
    if not chosen.unwrap().enabled:
        return Success(Loaded())
    # Nothing is looked for when nothing runs.
    from .discovery import discover  # noqa: PLC0415
    from .loading import load_chosen  # noqa: PLC0415

    loaded = load_chosen(chosen.unwrap(), discover(chosen.unwrap().folder))
    required = chosen.unwrap().choices.required
    missing = next((report for report in loaded.broken if report.key in required), None)
    if missing is None:
        return Success(loaded)
    reason = f"The required plugin {missing.key} cannot be loaded: {missing.problem}"
    setting = f"it right, or run: webseam plugins disable {missing.key}"
    return Failure(NotConfigured(reason=reason, setting=setting))
