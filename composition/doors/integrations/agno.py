"""agno: ``Function``; a failure is raised, and agno shows it to the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agno.tools import Function

from ..client.results import WebseamError
from .offered_tools import OfferedTool, offered_framework_tools

if TYPE_CHECKING:
    from ..client.blocking import BlockingWeb


def agno_tools(web: BlockingWeb | None = None) -> list[Function]:
    """Return the tools for ``Agent(..., tools=...)``; ``run`` and ``arun`` both work."""
    return [_make_tool(tool) for tool in offered_framework_tools(web)]


def _make_tool(tool: OfferedTool) -> Function:
    def run(**arguments: Any) -> str:  # noqa: ANN401  whatever a model sends
        reply = tool.call(arguments)
        if reply.error is not None:
            raise WebseamError(reply.error)
        return reply.text

    return Function(
        name=tool.name,
        description=tool.description,
        parameters=tool.parameters,
        entrypoint=run,
        # Keep our schema; agno would make one from the signature.
        skip_entrypoint_processing=True,
    )
