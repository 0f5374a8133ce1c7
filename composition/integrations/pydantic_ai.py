"""Pydantic AI: ``ModelRetry`` where other arguments would have worked, else ``ToolFailed``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic_ai import ModelRetry, Tool, exceptions

from .offer import OfferedTool, is_callers_fault, offered, told

if TYPE_CHECKING:
    from ..client.blocking import BlockingWeb


def pydantic_ai_tools(web: BlockingWeb | None = None) -> list[Tool]:
    """Return the tools for ``Agent(..., tools=...)``; ``run`` and ``run_sync`` both work."""
    return [_tool(each) for each in offered(web)]


def _tool(tool: OfferedTool) -> Tool:
    async def run(**arguments: Any) -> dict[str, object]:  # noqa: ANN401  whatever a model sends
        reply = await tool.acall(arguments)
        if is_callers_fault(reply):
            raise ModelRetry(told(reply))
        # Older releases have no such thing. A retry would end the run there: the answer says it.
        failure = getattr(exceptions, "ToolFailed", None)
        if reply.error is not None and failure is not None:
            raise failure(told(reply))
        return reply.envelope

    return Tool.from_schema(
        run, name=tool.name, description=tool.description, json_schema=tool.parameters
    )
