"""CrewAI: ``BaseTool`` with a pydantic model of the arguments; a failure is a ``ToolFailure``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec
from crewai import tools as crewai_tools_module
from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, create_model

from .offered_tools import OfferedTool, framework_failure_text, offered_framework_tools

if TYPE_CHECKING:
    from webseam.kernel.envelopes import ToolReply

    from ..client.blocking import BlockingWeb


def crewai_tools(web: BlockingWeb | None = None) -> list[WebseamTool]:
    """Return the tools for ``Agent(..., tools=...)``."""
    return [WebseamTool.from_offered(tool) for tool in offered_framework_tools(web)]


class WebseamTool(crewai_tools_module.BaseTool):
    """One tool."""

    _tool: OfferedTool = PrivateAttr()

    @classmethod
    def from_offered(cls, tool: OfferedTool) -> WebseamTool:
        """Return the tool that calls ``tool``."""
        schema = _arguments_model(tool)
        crewai_tool = cls(name=tool.name, description=tool.description, args_schema=schema)
        crewai_tool._tool = tool
        return crewai_tool

    def _run(self, **arguments: Any) -> Any:  # noqa: ANN401  whatever a model sends
        return _tool_answer(self._tool.call(_given_arguments(arguments)))

    async def _arun(self, **arguments: Any) -> Any:  # noqa: ANN401  untyped there
        return _tool_answer(await self._tool.acall(_given_arguments(arguments)))


def _tool_answer(reply: ToolReply) -> object:
    failure = getattr(crewai_tools_module, "ToolFailure", None)
    # Releases before 1.15 have no ToolFailure: return the text.
    if reply.error is None or failure is None:
        return framework_failure_text(reply)
    error = reply.error
    return failure(
        message=framework_failure_text(reply), code=error.kind, retryable=error.retryable
    )


def _given_arguments(arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments without the empty ones: pydantic fills in every default."""
    builtins = {name: msgspec.to_builtins(value) for name, value in arguments.items()}
    return {name: value for name, value in builtins.items() if value not in (None, [])}


def _arguments_model(tool: OfferedTool) -> type[BaseModel]:
    fields: dict[str, Any] = {}
    for field in msgspec.structs.fields(tool.arguments):
        default = ... if field.required else field.default
        facts = Field(default=default, description=tool.explained[field.name])
        fields[field.name] = (field.type, facts)
    return create_model(tool.arguments.__name__, __config__=ConfigDict(extra="forbid"), **fields)
