"""Pydantic AI: ``ModelRetry`` if other arguments would work, else ``ToolFailed``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import ModelRetry, Tool, exceptions

from . import offered_tools

if TYPE_CHECKING:
    from ..client.blocking import BlockingWeb


def pydantic_ai_tools(web: BlockingWeb | None = None) -> list[Tool]:
    """Return the tools for ``Agent(..., tools=...)``; ``run`` and ``run_sync`` both work."""
    return [_make_tool(tool) for tool in offered_tools.offered_framework_tools(web)]


def _make_tool(tool: offered_tools.OfferedTool) -> Tool:
    async def run(**arguments: Any) -> dict[str, object]:  # noqa: ANN401  whatever a model sends
        reply = await tool.acall(arguments)
        if offered_tools.should_model_retry_arguments(reply):
            raise ModelRetry(offered_tools.framework_failure_text(reply))
        # Older releases have no ToolFailed, and ModelRetry would end the run: return the envelope.
        failure = getattr(exceptions, "ToolFailed", None)
        if reply.error is not None and failure is not None:
            raise failure(offered_tools.framework_failure_text(reply))
        return reply.envelope

    return Tool.from_schema(
        run, name=tool.name, description=tool.description, json_schema=tool.parameters
    )
