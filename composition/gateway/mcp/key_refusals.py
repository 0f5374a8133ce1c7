"""Tool results for calls that a key may not make."""

from __future__ import annotations

from ....kernel.envelopes import failure_reply
from ....ports.errors import CallRefused, RateLimited
from ...mcp.json_rpc import Json
from ...mcp.tool_results import failure_result


def forbidden_result(tool: str) -> Json:
    """Return the result for a tool that the key forbids."""
    error = CallRefused(by="the key", reason=f"it may not call {tool}")
    return failure_result(failure_reply(error), error)


def rate_limit_result(seconds: float) -> Json:
    """Return the result for a call over the rate of the key."""
    error = RateLimited(backend="this server", retry_after=round(seconds, 2))
    return failure_result(failure_reply(error), error)
