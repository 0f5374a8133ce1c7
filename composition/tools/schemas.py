"""Tool schemas in the three dialects, generated from the structs that the tools are called with."""

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from .kit import Tool


def openai_tools(tools: Iterable[Tool]) -> list[dict[str, object]]:
    """Return the tools as a chat completions request takes them."""
    return [
        {
            "type": "function",
            "function": {
                "name": tool.name,
                "description": tool.description,
                "parameters": parameters(tool),
            },
        }
        for tool in tools
    ]


def anthropic_tools(tools: Iterable[Tool]) -> list[dict[str, object]]:
    """Return the tools as a messages request takes them."""
    return [_described(tool, "input_schema") for tool in tools]


def mcp_tools(tools: Iterable[Tool]) -> list[dict[str, object]]:
    """Return the tools as an MCP server lists them."""
    notes = {"readOnlyHint": True, "openWorldHint": True}
    return [{**_described(tool, "inputSchema"), "annotations": notes} for tool in tools]


def parameters(tool: Tool) -> dict[str, object]:
    """Return the JSON schema of a tool's arguments, with a sentence for each."""
    whole = msgspec.json.schema(tool.arguments)
    schema = whole["$defs"][tool.arguments.__name__]
    properties = {
        name: {**_plain(part), "description": tool.explained[name]}
        for name, part in schema["properties"].items()
    }
    return {
        "type": "object",
        "properties": properties,
        "required": schema["required"],
        "additionalProperties": False,
    }


def _described(tool: Tool, key: str) -> dict[str, object]:
    return {"name": tool.name, "description": tool.description, key: parameters(tool)}


def _plain(part: Mapping[str, Any]) -> dict[str, Any]:
    """Return a part in words that every provider knows: no null, no default, no Python pattern."""
    only = next((each for each in part.get("anyOf", ()) if each != {"type": "null"}), part)
    plain = {name: value for name, value in only.items() if name != "default"}
    if "items" in plain:
        plain["items"] = _plain(plain["items"])
    if "enum" in plain:
        plain["type"] = "string"
    if "pattern" in plain:
        # JSON schema's expressions are JavaScript's, which has no \Z.
        plain["pattern"] = plain["pattern"].replace(r"\Z", "$")
    return plain
