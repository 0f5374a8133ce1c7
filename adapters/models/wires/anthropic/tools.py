"""Tools of the Messages API, who may be called, and an answer that is a tool call of its own."""

from collections.abc import Mapping, Sequence

from .....ports.models.chat import ChatRequest, Tool
from ....values.json_values import as_mapping, as_objects, text, write_json
from ...claude.content_blocks import mark_block
from ...claude.facts import identify_claude
from ...declaration.provider import Provider
from ...declaration.rules import provider_tools
from ...declaration.wire import Json
from ...messages.tool_calls import narrow_tools, tool_name, wire_name
from ...schemas import closed_schema, tool_schema

_CHOICES = {"auto": "auto", "required": "any", "any": "any", "none": "none"}
_FORM = "Give the answer in this form."


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools in the words of Messages; of two with the same name the first counts."""
    converted: dict[str, Json] = {}
    for tool in provider_tools(tools, provider, model):
        name = tool_name(tool)
        if name:
            block = _function(tool, name) if _is_function(tool) else dict(tool)
            converted.setdefault(text(block.get("name")), block)
        elif tool.get("type") not in (None, "function"):
            # A set of tools, such as mcp_toolset, goes by its server's name.
            converted.setdefault(write_json(tool), dict(tool))
    return list(converted.values())


def _is_function(tool: Tool) -> bool:
    """Tell a function from the provider's own tools, and from those in its own words."""
    return isinstance(tool.get("function"), Mapping) or tool.get("type") == "function"


def _function(tool: Tool, name: str) -> Json:
    function = as_mapping(tool.get("function")) or tool
    block: Json = {"name": wire_name(name)}
    description = text(function.get("description"))
    if description.strip():
        block["description"] = description
    block["input_schema"] = tool_schema(function.get("parameters"))
    if function.get("strict") is True:
        block["strict"] = True
    return mark_block(block, tool.get("cache_control") or function.get("cache_control"))


def tool_fields(request: ChatRequest, provider: Provider, messages: Sequence[Json]) -> Json:
    """Return ``tools`` and ``tool_choice``; nothing where there are no tools in any sense."""
    # The API has no list of allowed tools: what may not be called is not sent.
    # https://docs.claude.com/en/api/messages (2026-11-15)
    request = narrow_tools(request)
    tools = convert_tools(request.tools, provider, request.model)
    choice = _choice(request) if tools else None
    answer = answer_tool(request, provider)
    if answer is not None:
        # With other tools beside it the model may use those first, but must end with this one.
        choice = {"type": "any"} if tools else {"type": "tool", "name": answer["name"]}
        tools.append(answer)
    if not tools:
        # A history with tool calls is refused without the tools' definitions.
        tools = _remembered(messages)
        choice = {"type": "none"} if tools else None
    fields: Json = {"tools": tools} if tools else {}
    return fields | ({"tool_choice": choice} if choice else {})


def _choice(request: ChatRequest) -> Json | None:
    wanted = request.tool_choice
    kind = _CHOICES.get(wanted) if isinstance(wanted, str) else _choice_kind(as_mapping(wanted))
    choice: Json | None = None if kind is None else {"type": kind}
    if choice is not None and kind == "tool":
        choice["name"] = wire_name(tool_name(as_mapping(wanted)))
    if request.parallel_tool_calls is False and kind != "none":
        choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": True}
    return choice


def _choice_kind(wanted: Mapping[str, object]) -> str | None:
    if tool_name(wanted):
        return "tool"
    return _CHOICES.get(text(wanted.get("type")))


def answer_tool(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the tool that stands for the answer, where a schema can be had in no other way."""
    wanted = request.output_schema
    if wanted is None or provider.fields.structured_output == "none" or _follows(request, provider):
        return None
    name = wire_name(wanted.name)
    return {"name": name, "description": _FORM, "input_schema": tool_schema(wanted.schema)}


def answer_format(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the schema for the text itself, where the model follows one."""
    wanted = request.output_schema
    if (
        wanted is None
        or provider.fields.structured_output == "none"
        or not _follows(request, provider)
    ):
        return None
    return {"type": "json_schema", "schema": closed_schema(wanted.schema)}


def _follows(request: ChatRequest, provider: Provider) -> bool:
    claude = identify_claude(request.model)
    able = claude is not None and claude.has_structured_output
    return able and provider.fields.structured_output == "json_schema"


def _remembered(messages: Sequence[Json]) -> list[Json]:
    """Return definitions for the tools that the conversation has calls of."""
    blocks = [block for turn in messages for block in as_objects(turn.get("content"))]
    names = (text(block.get("name")) for block in blocks if block.get("type") == "tool_use")
    return [{"name": name, "input_schema": tool_schema({})} for name in dict.fromkeys(names)]
