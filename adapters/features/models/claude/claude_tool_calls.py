"""Tool calls and thoughts in Claude's blocks, and answers that come as a tool call."""

from collections.abc import Mapping, Sequence

from webseam.adapters.values.json_values import stable_id, text, write_json
from webseam.ports.models import ChatRequest, OutputSchema, ToolCall

from ..messages.tool_calls import callers_tool_name, tool_name, wire_name


def is_schema_answer_call(name: str, request: ChatRequest | None) -> bool:
    """Tell whether a call is the answer by the output schema instead of a caller's tool."""
    output_schema: OutputSchema | None = None if request is None else request.output_schema
    if request is None or output_schema is None or wire_name(output_schema.name) != name:
        return False
    return all(wire_name(tool_name(tool)) != name for tool in request.tools)


def read_claude_tool_calls(
    blocks: Sequence[Mapping[str, object]], request: ChatRequest | None
) -> tuple[tuple[ToolCall, ...], list[str]]:
    """Return the tool calls, and the answers by the output schema that came as calls."""
    calls: list[ToolCall] = []
    answers: list[str] = []
    for block in blocks:
        if block.get("type") != "tool_use":
            continue
        name, raw_input = text(block.get("name")), block.get("input")
        # A call that was truncated in a stream has its arguments as text.
        arguments = (
            raw_input
            if isinstance(raw_input, str)
            else write_json({} if raw_input is None else raw_input)
        )
        if is_schema_answer_call(name, request):
            answers.append(arguments)
            continue
        call_id = text(block.get("id")) or stable_id(name, arguments, len(calls))
        calls.append(
            ToolCall(id=call_id, name=callers_tool_name(name, request), arguments=arguments)
        )
    return tuple(calls), answers


def read_claude_thoughts(blocks: Sequence[Mapping[str, object]]) -> str | None:
    """Return the readable thoughts, joined; None without any."""
    thoughts = (text(block.get("thinking")) for block in blocks if block.get("type") == "thinking")
    return "\n\n".join(thought for thought in thoughts if thought) or None
