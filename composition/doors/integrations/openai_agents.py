"""OpenAI Agents SDK: ``FunctionTool``; a failure is text for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agents import FunctionTool

from .offered_tools import OfferedTool, framework_failure_text, offered_framework_tools

if TYPE_CHECKING:
    from agents.tool_context import ToolContext

    from ..client.blocking import BlockingWeb


def openai_agents_tools(web: BlockingWeb | None = None) -> list[FunctionTool]:
    """Return the tools for ``Agent(..., tools=...)``; ``Runner.run`` and ``run_sync`` both work."""
    return [_make_tool(tool) for tool in offered_framework_tools(web)]


def _make_tool(tool: OfferedTool) -> FunctionTool:
    async def invoke(_context: ToolContext, arguments: str) -> str:
        return framework_failure_text(await tool.acall(arguments))

    return FunctionTool(
        name=tool.name,
        description=tool.description,
        params_json_schema=tool.parameters,
        on_invoke_tool=invoke,
        # Strict means that every field is required, which filters are not.
        strict_json_schema=False,
    )
