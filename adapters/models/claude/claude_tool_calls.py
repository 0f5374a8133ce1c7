"""Tool calls and thoughts among Claude's blocks, and the answer that is a call of its own."""

from collections.abc import Mapping, Sequence

from ....ports.models.chat import ChatRequest, OutputSchema, ToolCall
from ...values.json_values import steady_id, text, write_json
from ..messages.tool_calls import given_name, tool_name, wire_name


def is_answer(name: str, request: ChatRequest | None) -> bool:
    """Tell whether a call is the answer that the schema asked for, and no tool of the caller's."""
    wanted: OutputSchema | None = None if request is None else request.output_schema
    if request is None or wanted is None or wire_name(wanted.name) != name:
        return False
    return all(wire_name(tool_name(tool)) != name for tool in request.tools)


def read_calls(
    blocks: Sequence[Mapping[str, object]], request: ChatRequest | None
) -> tuple[tuple[ToolCall, ...], list[str]]:
    """Return the calls, and the answers that came as calls because a schema asked for them."""
    calls: list[ToolCall] = []
    answers: list[str] = []
    for block in blocks:
        if block.get("type") != "tool_use":
            continue
        name, held = text(block.get("name")), block.get("input")
        # A call that was cut off in a stream has only the text of its arguments.
        arguments = held if isinstance(held, str) else write_json({} if held is None else held)
        if is_answer(name, request):
            answers.append(arguments)
            continue
        own = text(block.get("id")) or steady_id(name, arguments, len(calls))
        calls.append(ToolCall(id=own, name=given_name(name, request), arguments=arguments))
    return tuple(calls), answers


def read_thoughts(blocks: Sequence[Mapping[str, object]]) -> str | None:
    """Return the thoughts that can be read, one after another."""
    thoughts = (text(block.get("thinking")) for block in blocks if block.get("type") == "thinking")
    return "\n\n".join(thought for thought in thoughts if thought) or None
