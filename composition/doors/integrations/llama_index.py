"""LlamaIndex: async tools whose output says ``is_error`` when a call failed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from llama_index.core.tools.types import AsyncBaseTool, ToolMetadata, ToolOutput

from .offered_tools import OfferedTool, framework_failure_text, offered_framework_tools

if TYPE_CHECKING:
    from webseam.kernel.envelopes import ToolReply

    from ..client.blocking import BlockingWeb


def llama_index_tools(web: BlockingWeb | None = None) -> list[WebseamTool]:
    """Return the tools for a ``FunctionAgent`` or a ``ReActAgent``."""
    return [WebseamTool(tool) for tool in offered_framework_tools(web)]


class _SchemaMetadata(ToolMetadata):
    """A tool's name and description, with a JSON schema instead of a pydantic model."""

    def __init__(self, tool: OfferedTool) -> None:
        super().__init__(name=tool.name, description=tool.description, fn_schema=None)
        self._parameters = tool.parameters

    def get_parameters_dict(self) -> dict[str, Any]:
        """Return the JSON schema of the arguments."""
        return self._parameters

    @property
    def fn_schema_str(self) -> str:
        """The schema as text, for agents that reason in text."""
        return str(self._parameters)


class WebseamTool(AsyncBaseTool):
    """One tool."""

    def __init__(self, tool: OfferedTool) -> None:
        self._tool = tool
        self._metadata = _SchemaMetadata(tool)

    @property
    def metadata(self) -> ToolMetadata:
        """The name, the description and the schema."""
        return self._metadata

    def call(self, **arguments: Any) -> ToolOutput:  # noqa: ANN401  whatever a model sends
        """Call the tool and wait."""
        return self._tool_output(self._tool.call(arguments), arguments)

    async def acall(self, **arguments: Any) -> ToolOutput:  # noqa: ANN401  untyped there
        """Call the tool from async code."""
        return self._tool_output(await self._tool.acall(arguments), arguments)

    def _tool_output(self, reply: ToolReply, arguments: dict[str, Any]) -> ToolOutput:
        return ToolOutput(
            tool_name=self._tool.name,
            content=framework_failure_text(reply),
            raw_input=arguments,
            raw_output=reply.envelope,
            is_error=reply.error is not None,
        )
