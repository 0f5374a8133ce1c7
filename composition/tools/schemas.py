"""Tool schemas of each vendor, generated from argument structs; vendors' types are ``Any``."""

from __future__ import annotations

from collections.abc import Coroutine
from typing import TYPE_CHECKING, Any, Protocol, TypedDict, cast

import msgspec
from returns.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from .web_tools import Tool


class ToolClient(Protocol):
    """A client that returns its tools, as ``webseam.open_blocking()`` does."""

    def tools(self) -> Iterable[Tool]:
        """Return the tools that are set up."""


class McpAnnotations(TypedDict):
    """The hints to an MCP client about a tool's effects."""

    readOnlyHint: bool
    openWorldHint: bool


class McpTool(TypedDict):
    """A tool as an MCP server lists it; ``mcp.types.Tool.model_validate`` takes it."""

    name: str
    description: str
    inputSchema: dict[str, object]
    annotations: McpAnnotations


def openai_tools(tools: Iterable[Tool] | ToolClient) -> list[Any]:
    """Return the tools as a chat completions request takes them."""
    return [
        {"type": "function", "function": _describe_tool(tool, "parameters")}
        for tool in _listed_tools(tools)
    ]


def openai_responses_tools(tools: Iterable[Tool] | ToolClient) -> list[Any]:
    """Return the tools as a request of OpenAI's Responses API takes them."""
    # Strict would make every field required; filters are optional.
    return [
        {"type": "function", **_describe_tool(tool, "parameters"), "strict": False}
        for tool in _listed_tools(tools)
    ]


def anthropic_tools(tools: Iterable[Tool] | ToolClient) -> list[Any]:
    """Return the tools as a messages request takes them."""
    return [_describe_tool(tool, "input_schema") for tool in _listed_tools(tools)]


def gemini_tools(tools: Iterable[Tool] | ToolClient) -> list[Any]:
    """Return the tools as ``google.genai`` takes them, in the ``tools`` of a config."""
    declarations = [_describe_tool(tool, "parameters_json_schema") for tool in _listed_tools(tools)]
    return [{"function_declarations": declarations}]


def mcp_tools(tools: Iterable[Tool] | ToolClient) -> list[McpTool]:
    """Return the tools as an MCP server lists them."""
    return [
        {
            "name": tool.name,
            "description": tool.description,
            "inputSchema": tool_parameters(tool),
            "annotations": {"readOnlyHint": True, "openWorldHint": True},
        }
        for tool in _listed_tools(tools)
    ]


def _listed_tools(source: Iterable[Tool] | ToolClient) -> Iterable[Tool]:
    """Return the tools that were given, or those of a blocking client."""
    if isinstance(source, Result):
        message = "this is a Result of tools: call webseam.unwrap on it first"
        raise TypeError(message)
    if not callable(getattr(source, "tools", None)):
        return cast("Iterable[Tool]", source)
    tools = cast("ToolClient", source).tools()
    if isinstance(tools, Coroutine):
        tools.close()
        message = "the tools of an async client are webseam.unwrap(await web.tools())"
        raise TypeError(message)
    return tools


def _describe_tool(tool: Tool, schema_field: str) -> dict[str, Any]:
    """Return a tool's name, description and JSON schema, which is in ``schema_field``."""
    description = {"name": tool.name, "description": tool.description}
    return {**description, schema_field: tool_parameters(tool)}


def tool_parameters(tool: Tool) -> dict[str, object]:
    """Return the JSON schema of a tool's arguments, with a sentence for each."""
    document = msgspec.json.schema(tool.arguments)
    schema = document["$defs"][tool.arguments.__name__]
    properties = {
        name: {**_portable_schema(part), "description": tool.explained[name]}
        for name, part in schema["properties"].items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema["required"],
        "additionalProperties": False,
    }


def _portable_schema(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a schema that every provider accepts: no null, no default, no Python pattern."""
    only = next((option for option in part.get("anyOf", ()) if option != {"type": "null"}), part)
    schema = {name: value for name, value in only.items() if name != "default"}
    if "items" in schema:
        schema["items"] = _portable_schema(schema["items"])
    if "enum" in schema:
        schema["type"] = "string"
    if "pattern" in schema:
        # JSON Schema uses JavaScript patterns, which have no \Z.
        schema["pattern"] = schema["pattern"].replace(r"\Z", "$")
    return schema
