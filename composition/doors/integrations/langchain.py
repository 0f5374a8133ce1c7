"""LangChain and LangGraph: ``StructuredTool``; a failure is a ``ToolException`` for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from langchain_core.tools import StructuredTool, ToolException

from .offered_tools import OfferedTool, framework_failure_text, offered_framework_tools

if TYPE_CHECKING:
    from webseam.kernel.envelopes import ToolReply

    from ..client.blocking import BlockingWeb


def langchain_tools(web: BlockingWeb | None = None) -> list[StructuredTool]:
    """Return the tools for ``create_agent``, ``bind_tools`` or a ``ToolNode``."""
    return [_make_tool(tool) for tool in offered_framework_tools(web)]


def _make_tool(tool: OfferedTool) -> StructuredTool:
    def run(**arguments: Any) -> str:  # noqa: ANN401  whatever a model sends
        return _reply_text(tool.call(arguments))

    async def arun(**arguments: Any) -> str:  # noqa: ANN401  untyped there
        return _reply_text(await tool.acall(arguments))

    return StructuredTool(
        name=tool.name,
        description=tool.description,
        args_schema=tool.parameters,
        func=run,
        coroutine=arun,
        handle_tool_error=True,
    )


def _reply_text(reply: ToolReply) -> str:
    if reply.error is not None:
        raise ToolException(framework_failure_text(reply))
    return reply.text
