"""Replay of thoughts on Converse: the blocks of Messages in another format, by the same rules.

As of 2026-11-15:
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html
"""

from collections.abc import Mapping, Sequence

from webseam.adapters.values.json_values import as_mapping, as_objects, text
from webseam.ports.models import Message

from ...claude import thinking_blocks
from ...messages.pairing import Block, Part, ToolUse
from ...messages.turns import message_calls
from .converse_blocks import bedrock_cited_text, bedrock_text, read_bedrock_part

# The field of ``provider_data`` where ``normalize_response`` puts a turn's ordered blocks.
CONVERSE_BLOCKS_FIELD = "bedrock_content_blocks"
_SERVER_TOOL = "server_tool_use"


def replay_bedrock_turn(message: Message, replay: thinking_blocks.Replay) -> Sequence[Part] | None:
    """Return a turn's original blocks in their order, if the message still says the same."""
    content = as_objects(message.get("content"))
    if any("reasoningContent" in part for part in content) and not message.get("tool_calls"):
        return [part for block in content for part in _replay_block(block, replay)]
    original_turn = thinking_blocks.replay_claude_turn(_message_for_claude(message), replay)
    if original_turn is None:
        return None
    stored = as_objects(thinking_blocks.message_data_field(message, CONVERSE_BLOCKS_FIELD))
    answered_ids = {text(as_mapping(block.get("toolResult")).get("toolUseId")) for block in stored}
    if answered_ids == {""}:
        return _convert_parts(original_turn)
    calls = {call.id: call for call in message_calls(message)}
    parts = (
        _replay_stored_block(block, calls, replay)
        for block in stored
        if _is_complete_block(block, answered_ids)
    )
    return [part for group in parts for part in group]


def _is_complete_block(block: Mapping[str, object], answered_ids: set[str]) -> bool:
    """Tell whether a block may be sent: the API refuses a server tool's call without a result."""
    call = as_mapping(block.get("toolUse"))
    return call.get("type") != _SERVER_TOOL or text(call.get("toolUseId")) in answered_ids


def _replay_stored_block(
    block: Mapping[str, object], calls: Mapping[str, ToolUse], replay: thinking_blocks.Replay
) -> Sequence[Part]:
    """Return a block of an answer in which server tools ran; their blocks stay unchanged.

    Nova's code interpreter has both its call and its result in the assistant's turn.
    """
    call = as_mapping(block.get("toolUse"))
    # A result in an answer is always one of a server tool.
    if "toolResult" in block or as_mapping(block.get("toolUse")).get("type") == _SERVER_TOOL:
        return [dict(block)]
    if call:
        message_call = calls.get(text(call.get("toolUseId")))
        return [message_call] if message_call is not None else []
    return _replay_block(block, replay)


def _replay_block(block: Mapping[str, object], replay: thinking_blocks.Replay) -> Sequence[Part]:
    """Convert a block in the API's own format; thoughts stay in their place."""
    if "reasoningContent" not in block:
        return read_bedrock_part(block)
    thought = bedrock_to_claude_block(block)
    return (
        _convert_parts([thought])
        if thought and thinking_blocks.is_thought_replayed(thought, replay)
        else []
    )


def bedrock_thinking_blocks(message: Message, replay: thinking_blocks.Replay) -> Sequence[Part]:
    """Return the thoughts that precede the message's content."""
    return _convert_parts(thinking_blocks.claude_thoughts(_message_for_claude(message), replay))


def bedrock_to_claude_block(block: Mapping[str, object]) -> Block | None:
    """Return a block of an answer in the format of Messages; None if that has no such block."""
    reasoning_content = as_mapping(block.get("reasoningContent"))
    thinking = as_mapping(reasoning_content.get("reasoningText"))
    if thinking:
        thought: Block = {"type": "thinking", "thinking": text(thinking.get("text"))}
        return thought | ({"signature": thinking["signature"]} if thinking.get("signature") else {})
    if reasoning_content.get("redactedContent"):
        return {"type": "redacted_thinking", "data": reasoning_content["redactedContent"]}
    call = as_mapping(block.get("toolUse"))
    if call:
        kind = _SERVER_TOOL if call.get("type") == _SERVER_TOOL else "tool_use"
        call_id, name = call.get("toolUseId"), call.get("name")
        return {"type": kind, "id": call_id, "name": name, "input": call.get("input")}
    if isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if "citationsContent" in block:
        return {"type": "text", "text": bedrock_cited_text(block)}
    return None


def _message_for_claude(message: Message) -> Message:
    """Return the message with its stored Converse blocks in the format of Messages."""
    stored = [
        block
        for item in as_objects(thinking_blocks.message_data_field(message, CONVERSE_BLOCKS_FIELD))
        if (block := bedrock_to_claude_block(item)) is not None
    ]
    return {**message, thinking_blocks.CONTENT_BLOCKS_FIELD: stored} if stored else message


def _convert_parts(parts: Sequence[Part]) -> list[Part]:
    """Return parts in the format of Converse, without blocks of server tools."""
    blocks = (_claude_to_bedrock_block(part) if isinstance(part, dict) else part for part in parts)
    return [part for part in blocks if part is not None]


def _claude_to_bedrock_block(block: Block) -> Part | None:
    kind = block.get("type")
    if kind == "text":
        return bedrock_text(text(block["text"]))
    if kind == "thinking":
        signature = {"signature": block["signature"]} if block.get("signature") else {}
        return {"reasoningContent": {"reasoningText": {"text": block["thinking"], **signature}}}
    if kind == "redacted_thinking":
        return {"reasoningContent": {"redactedContent": block["data"]}}
    return None
