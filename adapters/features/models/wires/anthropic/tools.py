"""Tools and tool choice of the Messages API, and the tool that returns a structured answer."""

from collections.abc import Mapping, Sequence

from webseam.adapters.values.json_values import as_mapping, as_objects, text, write_json
from webseam.ports.models import ChatRequest, Tool

from ...claude.content_blocks import mark_claude_block
from ...claude.facts import identify_claude
from ...declaration.provider import Provider
from ...declaration.rules import provider_tools
from ...declaration.wire import Json
from ...messages.tool_calls import is_openai_function, narrow_tools, tool_name, wire_name
from ...schemas import closed_schema, tool_schema

_CHOICE_TYPES = {"auto": "auto", "required": "any", "any": "any", "none": "none"}
# Fields of the API's own tools that a tool in OpenAI's format may have, too.
# https://platform.claude.com/docs/en/agents-and-tools/tool-use/tool-reference (2026-11-19)
_PASSED_TOOL_FIELDS = (
    "defer_loading", "allowed_callers", "eager_input_streaming", "input_examples",
)  # fmt: skip
_ANSWER_TOOL_DESCRIPTION = "Give the answer in this form."


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools in the format of Messages; of two with one name the first counts."""
    converted: dict[str, Json] = {}
    for tool in provider_tools(tools, provider, model):
        name = tool_name(tool)
        if name:
            block = _tool_definition(tool, name) if is_openai_function(tool) else dict(tool)
            converted.setdefault(text(block.get("name")), block)
        elif tool.get("type") not in (None, "function"):
            # A set of tools, such as mcp_toolset, has no name.
            converted.setdefault(write_json(tool), dict(tool))
    return list(converted.values())


def _tool_definition(tool: Tool, name: str) -> Json:
    function = as_mapping(tool.get("function")) or tool
    block: Json = {"name": wire_name(name)}
    description = text(function.get("description"))
    if description.strip():
        block["description"] = description
    block["input_schema"] = tool_schema(function.get("parameters"))
    if function.get("strict") is True:
        block["strict"] = True
    for field in _PASSED_TOOL_FIELDS:
        value = tool.get(field, function.get(field))
        if value is not None:
            block[field] = value
    return mark_claude_block(block, tool.get("cache_control") or function.get("cache_control"))


def tool_fields(request: ChatRequest, provider: Provider, messages: Sequence[Json]) -> Json:
    """Return ``tools`` and ``tool_choice``; no fields without tools."""
    # The API has no list of allowed tools, so send only the allowed ones.
    # https://docs.claude.com/en/api/messages (2026-11-15)
    request = narrow_tools(request)
    tools = convert_tools(request.tools, provider, request.model)
    choice = _tool_choice(request) if tools else None
    schema_tool = answer_tool(request, provider)
    if schema_tool is not None:
        # The model may call other tools first, but must end with this one.
        choice = {"type": "any"} if tools else {"type": "tool", "name": schema_tool["name"]}
        tools.append(schema_tool)
    if not tools:
        # The API refuses a history with tool calls without definitions of these tools.
        tools = _called_tools(messages)
        choice = {"type": "none"} if tools else None
    fields: Json = {"tools": tools} if tools else {}
    return fields | ({"tool_choice": choice} if choice else {})


def _tool_choice(request: ChatRequest) -> Json | None:
    requested = request.tool_choice
    fields: Mapping[str, object] = (
        {"type": requested} if isinstance(requested, str) else as_mapping(requested)
    )
    name, kind = tool_name(fields), _CHOICE_TYPES.get(text(fields.get("type")))
    choice: Json | None = {"type": kind} if kind else None
    if name:
        choice, kind = {"type": "tool", "name": wire_name(name)}, "tool"
    if request.parallel_tool_calls is False and kind != "none":
        choice = {**(choice or {"type": "auto"}), "disable_parallel_tool_use": True}
    return choice


def answer_tool(request: ChatRequest, provider: Provider) -> Json | None:
    """Return a tool that takes the answer, if the model does not support a schema."""
    output_schema = request.output_schema
    if output_schema is None or provider.fields.structured_output == "none":
        return None
    if answer_format(request, provider) is not None:
        return None
    schema = tool_schema(output_schema.schema)
    name = wire_name(output_schema.name)
    return {"name": name, "description": _ANSWER_TOOL_DESCRIPTION, "input_schema": schema}


def answer_format(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the format field with the schema, if the model supports one."""
    claude = identify_claude(request.model)
    can_follow = claude is not None and claude.has_structured_output
    is_supported = can_follow and provider.fields.structured_output == "json_schema"
    if request.output_schema is None or not is_supported:
        return None
    return {"type": "json_schema", "schema": closed_schema(request.output_schema.schema)}


def _called_tools(messages: Sequence[Json]) -> list[Json]:
    blocks = [block for turn in messages for block in as_objects(turn.get("content"))]
    names = (text(block.get("name")) for block in blocks if block.get("type") == "tool_use")
    return [{"name": name, "input_schema": tool_schema({})} for name in dict.fromkeys(names)]
