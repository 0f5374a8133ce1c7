"""Claude Agent SDK: tools in an MCP server inside the process; a failure says ``is_error``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from claude_agent_sdk import SdkMcpTool, create_sdk_mcp_server

from .offered_tools import OfferedTool, framework_failure_text, offered_framework_tools

if TYPE_CHECKING:
    from claude_agent_sdk.types import McpSdkServerConfig

    from ..client.blocking import BlockingWeb


def claude_agent_tools(web: BlockingWeb | None = None) -> list[SdkMcpTool[Any]]:
    """Return the tools for ``create_sdk_mcp_server``, beside tools of your own."""
    return [_make_tool(tool) for tool in offered_framework_tools(web)]


def claude_agent_server(web: BlockingWeb | None = None) -> McpSdkServerConfig:
    """Return a server for ``ClaudeAgentOptions(mcp_servers={"webseam": ...})``.

    Its tools are allowed by name: ``mcp__webseam__web_search`` and so on.
    """
    return create_sdk_mcp_server("webseam", tools=claude_agent_tools(web))


def _make_tool(tool: OfferedTool) -> SdkMcpTool[Any]:
    async def handle(arguments: dict[str, Any]) -> dict[str, Any]:
        reply = await tool.acall(arguments)
        text = {"type": "text", "text": framework_failure_text(reply)}
        return {"content": [text], "is_error": reply.error is not None}

    return SdkMcpTool(
        name=tool.name, description=tool.description, input_schema=tool.parameters, handler=handle
    )
