"""Tools on Converse, who may be called, and conversations about tools that are no longer there."""

from collections.abc import Mapping, Sequence

from .....ports.models.chat import ChatRequest, Tool
from ....values.json_values import as_mapping, as_objects, text, write_json
from ...declaration.provider import Provider
from ...declaration.rules import provider_tools
from ...declaration.wire import Json
from ...messages.allowed_tools import narrow_tools
from ...messages.tool_calls import tool_name, wire_name
from ...schemas.subset import closed_schema, tool_schema
from .converse_blocks import cache_point, text_block
from .facts import model_facts

_OWN = frozenset({"toolSpec", "systemTool", "cachePoint"})
_CHOICES = {"auto": "auto", "required": "any", "any": "any"}
_FORM = "Give the answer in this form."


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools in the words of Converse; of two with the same name the first counts."""
    facts = model_facts(model)
    converted: dict[str, Json] = {}
    for tool in provider_tools(tools, provider, model):
        if set(tool) & _OWN or not _is_function(tool):
            converted.setdefault(write_json(tool), dict(tool))
        elif name := tool_name(tool):
            spec = _spec(tool, name, strict=facts.structured)
            converted.setdefault(wire_name(name), {"toolSpec": spec})
            mark = tool.get("cache_control")
            if isinstance(mark, Mapping) and facts.cached_tools:
                converted[f"{wire_name(name)}|"] = cache_point(mark)
    return list(converted.values())


def _is_function(tool: Tool) -> bool:
    return isinstance(tool.get("function"), Mapping) or tool.get("type") == "function"


def _spec(tool: Tool, name: str, *, strict: bool) -> Json:
    function = as_mapping(tool.get("function")) or tool
    description = text(function.get("description")).strip()
    spec: Json = {
        "name": wire_name(name),
        "description": description or name,
        "inputSchema": {"json": tool_schema(function.get("parameters"))},
    }
    return spec | ({"strict": True} if strict and function.get("strict") is True else {})


def tool_config(request: ChatRequest, provider: Provider) -> Json | None:
    """Return ``toolConfig``; None where there are no tools, or none may be used."""
    # A choice is any, auto or one tool (as of 2026-11-15): what may not be called is not sent.
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
    request = narrow_tools(request)
    tools = convert_tools(request.tools, provider, request.model)
    answer = _answer_tool(request, provider)
    if request.tool_choice == "none" or not model_facts(request.model).tools:
        tools = []
    choice = _choice(request.tool_choice) if tools else None
    if answer is not None:
        # With other tools beside it the model may use those first, but must end with this one.
        choice = {"any": {}} if tools else {"tool": {"name": answer["name"]}}
        tools.append({"toolSpec": answer})
    if not tools:
        return None
    return {"tools": tools} | ({"toolChoice": choice} if choice else {})


def _choice(wanted: object) -> Json | None:
    if isinstance(wanted, str):
        word = _CHOICES.get(wanted)
        return {word: {}} if word else None
    held = as_mapping(wanted)
    name = tool_name(held) or text(as_mapping(held.get("tool")).get("name"))
    return {"tool": {"name": wire_name(name)}} if name else None


def _answer_tool(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the tool that stands for the answer, where a schema can be had in no other way."""
    wanted, facts = request.output_schema, model_facts(request.model)
    if wanted is None or provider.fields.structured_output == "none" or not facts.tools:
        return None
    if answer_format(request, provider) is not None:
        return None
    schema = {"json": tool_schema(wanted.schema)}
    return {"name": wire_name(wanted.name), "description": _FORM, "inputSchema": schema}


def answer_format(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the schema for the text itself, where the model follows one."""
    wanted = request.output_schema
    able = (
        model_facts(request.model).structured and provider.fields.structured_output == "json_schema"
    )
    if wanted is None or not able:
        return None
    # A schema is a text here.
    schema = {"name": wire_name(wanted.name), "schema": write_json(closed_schema(wanted.schema))}
    return {"type": "json_schema", "structure": {"jsonSchema": schema}}


def without_tools(messages: Sequence[Json]) -> list[Json]:
    """Return turns that tell of calls and results in words; without tools both are refused."""
    return [
        {
            **turn,
            "content": [
                described for block in as_objects(turn["content"]) for described in _told(block)
            ],
        }
        for turn in messages
    ]


def _told(block: Mapping[str, object]) -> list[Json]:
    call, result = as_mapping(block.get("toolUse")), as_mapping(block.get("toolResult"))
    if call:
        return [text_block(f"(tool call {text(call.get('name'))} {write_json(call.get('input'))})")]
    if not result:
        return [dict(block)]
    head = text_block(f"(result of tool call {text(result.get('toolUseId'))})")
    held = (
        text_block(write_json(inner["json"])) if "json" in inner else dict(inner)
        for inner in as_objects(result.get("content"))
    )
    return [head, *held]
