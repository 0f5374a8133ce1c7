"""Google's Agent Development Kit: ``BaseTool``; a failure is a dict whose status says so."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from google.adk.tools import BaseTool
from google.genai.types import FunctionDeclaration

from .offered_tools import OfferedTool, framework_failure_text, offered_framework_tools

if TYPE_CHECKING:
    from google.adk.tools import ToolContext

    from ..client.blocking import BlockingWeb


def google_adk_tools(web: BlockingWeb | None = None) -> list[WebseamTool]:
    """Return the tools for ``LlmAgent(..., tools=...)``."""
    return [WebseamTool(tool) for tool in offered_framework_tools(web)]


class WebseamTool(BaseTool):
    """One tool."""

    def __init__(self, tool: OfferedTool) -> None:
        super().__init__(name=tool.name, description=tool.description)
        self._tool = tool

    def _get_declaration(self) -> FunctionDeclaration:
        schema = self._tool.parameters
        return FunctionDeclaration(
            name=self.name, description=self.description, parameters_json_schema=schema
        )

    async def run_async(
        self,
        *,
        args: dict[str, Any],
        tool_context: ToolContext,  # noqa: ARG002  the framework's own signature
    ) -> dict[str, object]:
        """Call the tool."""
        reply = await self._tool.acall(args)
        if reply.error is None:
            return {"status": "success", **reply.envelope}
        return {"status": "error", "error_message": framework_failure_text(reply), **reply.envelope}
