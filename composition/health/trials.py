"""A key, tried before it is saved: one cheap call with the settings as they would be."""

import asyncio

from msgspec.structs import replace
from returns.result import Failure

from ...ports.errors import WebError
from ..settings.changes import Changes, SetupTarget, changed_settings
from ..wiring.backends.backend_rows import Root
from ..wiring.backends.backend_table import find_row
from .probes import probe_all
from .providers import try_provider


def trial_words(target: SetupTarget) -> str:
    """Say what the call will be, so that nobody is surprised by it."""
    if target.block == "providers":
        return f"asking {target.service.name} for its list of models, which costs nothing"
    what = "one search" if target.service.search is not None else "one page"
    return f"asking {target.service.name} for {what}, which it may count"


def try_changes(target: SetupTarget, changes: Changes, root: Root) -> WebError | None:
    """Return why a call with ``changes`` fails, None when it is answered."""
    settings = changed_settings(root.settings, target, changes)
    if isinstance(settings, Failure):
        error: WebError = settings.failure()
        return error
    if target.block == "providers":
        return asyncio.run(try_provider(target.service.name, settings.unwrap())).error
    return asyncio.run(_backend(target.service.name, replace(root, settings=settings.unwrap())))


async def _backend(name: str, root: Root) -> WebError | None:
    row = find_row(name, root)
    if row is None or row.problem is not None:
        return None if row is None else row.problem
    (diagnosis,) = await probe_all([row], root)
    return None if diagnosis.probe is None else diagnosis.probe.error
