"""What the user's plugins put around calls that nobody else has put anything around."""

import logging
import os
from collections.abc import Mapping

from returns.result import Failure, Result, Success

from ...ports.errors import WebError
from ..settings import Settings
from ..tools.around import Around
from .host import load_plugins
from .reports import Loaded

_LOGGER = logging.getLogger("webseam.plugins")


def enabled_around(
    environment: Mapping[str, str] = os.environ, settings: Settings | None = None
) -> Result[Around, WebError]:
    """Return what enabled plugins registered; a broken one is logged by name."""
    loaded = load_plugins(environment, settings)
    if isinstance(loaded, Failure):
        return Failure(loaded.failure())
    log_broken(loaded.unwrap())
    return Success(Around(callbacks=loaded.unwrap().callbacks))


def log_broken(loaded: Loaded) -> None:
    """Write down which plugins were left out, and why."""
    for report in loaded.broken:
        _LOGGER.warning("plugin %s is broken and was left out: %s", report.key, report.problem)
