"""Timing: log the milliseconds of each call, and warn about slow ones.

Settings: ``slow_ms`` (5000). The lines go to the logger ``webseam.timing``.
"""

import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any

from ..context import PluginContext

_LOGGER = logging.getLogger("webseam.timing")


def register(ctx: PluginContext) -> None:
    """Time tool calls and model calls."""
    slow_ms = float(str(ctx.settings.get("slow_ms", 5000)))

    async def time_call(*, next_call: Callable[..., Awaitable[object]], **call: Any) -> object:  # noqa: ANN401  whatever the contract tells
        name = call.get("tool_name") or call.get("model") or "call"
        start = time.monotonic()
        outcome = "failed"
        try:
            result = await next_call()
            outcome = "done"
        finally:
            milliseconds = (time.monotonic() - start) * 1000
            level = logging.WARNING if milliseconds >= slow_ms else logging.INFO
            _LOGGER.log(level, "%s %s in %.0f ms", name, outcome, milliseconds)
        return result

    ctx.register_middleware("tool_execution", time_call)
    ctx.register_middleware("llm_execution", time_call)
