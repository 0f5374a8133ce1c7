"""Which of its tools a request lets a model call, in the two spellings that OpenAI has for it.

https://platform.openai.com/docs/guides/function-calling#tool-choice (2026-11-15): chat has the
list in an ``allowed_tools`` of its own, Responses has it beside the type.
"""

from collections.abc import Mapping

import msgspec

from ....ports.models.chat import ChatRequest, Tool
from ...values.json_values import as_mapping, as_objects
from .tool_calls import tool_name

_TYPE = "allowed_tools"


class AllowedTools(msgspec.Struct, frozen=True, kw_only=True):
    """The tools that may be called, and whether one of them must be."""

    tools: tuple[Mapping[str, object], ...]
    required: bool

    @property
    def mode(self) -> str:
        """The word that OpenAI has for it."""
        return "required" if self.required else "auto"

    @property
    def names(self) -> tuple[str, ...]:
        """The names of those that have one."""
        return tuple(filter(None, map(tool_name, self.tools)))

    def has(self, tool: Tool) -> bool:
        """Tell whether a tool is listed: by its name, else as one of its type."""
        name, kind = tool_name(tool), tool.get("type")
        if name and name in self.names:
            return True
        return any(not tool_name(each) and each.get("type") == kind for each in self.tools)


def allowed_tools(choice: object) -> AllowedTools | None:
    """Return the list in a tool choice, None where it is no list."""
    held = as_mapping(choice)
    inner = as_mapping(held.get(_TYPE)) or held
    tools = as_objects(inner.get("tools"))
    if held.get("type") != _TYPE and not tools:
        return None
    return AllowedTools(tools=tuple(tools), required=inner.get("mode") != "auto")


def allows_nothing(request: ChatRequest) -> bool:
    """Tell whether a request has tools, and lets none of them be called by any of their names."""
    allowed = allowed_tools(request.tool_choice)
    return allowed is not None and not any(map(allowed.has, request.tools))


def narrow_tools(request: ChatRequest) -> ChatRequest:
    """Return the request with those tools alone that may be called, for an API without a list."""
    allowed = allowed_tools(request.tool_choice)
    if allowed is None:
        return request
    tools = tuple(filter(allowed.has, request.tools))
    return msgspec.structs.replace(request, tools=tools, tool_choice=allowed.mode)
