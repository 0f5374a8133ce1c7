"""Calls that a key may not make, as results that say so."""

from __future__ import annotations

from ....kernel.envelopes import failure_reply
from ....ports.errors import CallRefused, RateLimited
from ...mcp.json_rpc import Json
from ...mcp.tool_results import failure_result


def forbidden_result(tool: str) -> Json:
    """Return the result of a call to a tool that the key is not for."""
    error = CallRefused(by="the key", reason=f"it may not call {tool}")
    return failure_result(failure_reply(error), error)


def rate_limit_result(seconds: float) -> Json:
    """Return the result of a call that came too soon."""
    error = RateLimited(backend="this server", retry_after=round(seconds, 2))
    return failure_result(failure_reply(error), error)
