"""Timing: a log line for each call with its milliseconds, a warning when it was slow.

Settings: ``slow_ms`` (5000). The lines go to the logger ``webseam.timing``.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..context import PluginContext

_LOGGER = logging.getLogger("webseam.timing")


def register(ctx: PluginContext) -> None:
    """Time both kinds of calls."""
    slow = float(str(ctx.settings.get("slow_ms", 5000)))

    async def clock(*, next_call: Callable[..., Awaitable[object]], **told: Any) -> object:  # noqa: ANN401  whatever the contract tells
        name = told.get("tool_name") or told.get("model") or "call"
        begun = time.monotonic()
        ended = "failed"
        try:
            result = await next_call()
            ended = "done"
        finally:
            spent = (time.monotonic() - begun) * 1000
            level = logging.WARNING if spent >= slow else logging.INFO
            _LOGGER.log(level, "%s %s in %.0f ms", name, ended, spent)
        return result

    ctx.register_middleware("tool_execution", clock)
    ctx.register_middleware("llm_execution", clock)
