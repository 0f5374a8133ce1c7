"""The tools that every framework gets, callable from any code.

Calls run in the loop of the blocking client, so that a framework may call from any thread or loop.
"""

import msgspec

from webseam.kernel.envelopes import ToolReply

from ...settings.remedies import retry_advice
from ...tools.schemas import tool_parameters
from ...tools.web_tools import Tool
from ..client.blocking import BlockingWeb, open_blocking

# The page size for a model that did not set one; web_more returns the rest.
DEFAULT_PAGE_CHARS = 20_000


class OfferedTool:
    """A tool and the client that runs it."""

    def __init__(self, tool: Tool, web: BlockingWeb) -> None:
        self.name = tool.name
        self.description = tool.description
        self.arguments: type[msgspec.Struct] = tool.arguments
        self.explained = tool.explained
        self.parameters = tool_parameters(tool)
        self._web = web

    def call(self, arguments: object) -> ToolReply:
        """Call the tool and wait. A failure is in the reply; nothing raises."""
        return self._web.call_tool(self.name, arguments)

    async def acall(self, arguments: object) -> ToolReply:
        """Call the tool from async code."""
        return await self._web.acall_tool(self.name, arguments)


def offered_framework_tools(web: BlockingWeb | None = None) -> list[OfferedTool]:
    """Return the tools that are set up; ``WebseamError`` when the settings are wrong.

    Without ``web``, they use a new client with the user's settings.
    """
    client = web or open_blocking(settings={"extract_char_limit": DEFAULT_PAGE_CHARS})
    return [OfferedTool(tool, client) for tool in client.tools()]


def framework_failure_text(reply: ToolReply) -> str:
    """Return a failure's text for a model: the message, and whether a retry can help."""
    if reply.error is None:
        return reply.text
    return f"{reply.envelope['error']} {retry_advice(reply.error)}".strip()


def should_model_retry_arguments(reply: ToolReply) -> bool:
    """Tell whether the model should retry with other arguments."""
    kinds = ("invalid_query", "invalid_url", "unsupported_filter")
    return reply.error is not None and reply.error.kind in kinds
