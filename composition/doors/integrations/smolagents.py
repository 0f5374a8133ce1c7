"""smolagents: ``Tool``; a failure is raised, as its agents expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from smolagents import Tool

from ..client.results import WebseamError
from .offered_tools import OfferedTool, offered_framework_tools

if TYPE_CHECKING:
    from ..client.blocking import BlockingWeb


def smolagents_tools(web: BlockingWeb | None = None) -> list[WebseamTool]:
    """Return the tools for a ``CodeAgent`` or a ``ToolCallingAgent``."""
    return [WebseamTool(tool) for tool in offered_framework_tools(web)]


class WebseamTool(Tool):
    """One tool. It takes the arguments of its schema and returns JSON text."""

    skip_forward_signature_validation = True

    def __init__(self, tool: OfferedTool) -> None:
        self.name = tool.name
        self.description = tool.description
        self.inputs = _tool_inputs(tool.parameters)
        self.output_type = "string"
        self._tool = tool
        super().__init__()

    def forward(self, *positional: Any, **arguments: Any) -> str:  # noqa: ANN401  whatever a model sends
        """Call the tool and wait."""
        named = dict(zip(self.inputs, positional, strict=False))
        reply = self._tool.call({**named, **arguments})
        if reply.error is not None:
            raise WebseamError(reply.error)
        return reply.text


def _tool_inputs(schema: dict[str, Any]) -> dict[str, dict[str, Any]]:
    required = schema["required"]
    return {
        name: {**part, **({} if name in required else {"nullable": True})}
        for name, part in schema["properties"].items()
    }
