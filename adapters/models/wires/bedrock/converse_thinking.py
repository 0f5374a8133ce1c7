"""Thoughts on Converse: the same as on Messages, in other words. So the same rules hold.

As of 2026-11-15:
https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ReasoningContentBlock.html
"""

from collections.abc import Mapping, Sequence

from .....ports.models.chat import Message
from ....values.json_values import as_mapping, as_objects, text
from ...claude.thinking_blocks import (
    CONTENT_BLOCKS_FIELD as MESSAGES_BLOCKS,
    Replay,
    is_replayed,
    replay_turn,
    thinking_blocks,
)
from ...messages.pairing import Block, Part, ToolUse
from ...messages.turns import message_calls
from .converse_blocks import cited_text, read_part, text_block

# The ordered blocks of a turn, as ``normalize_response`` puts them into ``provider_data``.
BLOCKS = "bedrock_content_blocks"
_SERVER = "server_tool_use"


def replayed_turn(message: Message, replay: Replay) -> Sequence[Part] | None:
    """Return a turn block by block, in the order it was made, if that still is what it says."""
    content = as_objects(message.get("content"))
    if any("reasoningContent" in part for part in content) and not message.get("tool_calls"):
        return [part for block in content for part in _own_part(block, replay)]
    whole = replay_turn(_in_messages(message), replay)
    if whole is None:
        return None
    stored = as_objects(_stored(message))
    answered = {text(as_mapping(block.get("toolResult")).get("toolUseId")) for block in stored}
    if answered == {""}:
        return _in_converse(whole)
    calls = {call.id: call for call in message_calls(message)}
    parts = (_stored_part(block, calls, replay) for block in stored if _is_whole(block, answered))
    return [part for group in parts for part in group]


def _is_whole(block: Mapping[str, object], answered: set[str]) -> bool:
    """Leave out the call of a host's tool without its result: alone it is refused."""
    call = as_mapping(block.get("toolUse"))
    return call.get("type") != _SERVER or text(call.get("toolUseId")) in answered


def _stored_part(
    block: Mapping[str, object], calls: Mapping[str, ToolUse], replay: Replay
) -> Sequence[Part]:
    """Return a block of an answer in which the host's own tools worked: those go back as they are.

    The call of Nova's code interpreter and its result both stand in the assistant's turn.
    """
    call = as_mapping(block.get("toolUse"))
    if _is_server(block):
        return [dict(block)]
    if call:
        known = calls.get(text(call.get("toolUseId")))
        return [known] if known is not None else []
    return _own_part(block, replay)


def _is_server(block: Mapping[str, object]) -> bool:
    """Tell whether a block is of a tool that the host runs: a result in an answer always is."""
    return "toolResult" in block or as_mapping(block.get("toolUse")).get("type") == _SERVER


def _stored(message: Message) -> object:
    return message.get(BLOCKS) or as_mapping(message.get("provider_data")).get(BLOCKS)


def _own_part(block: Mapping[str, object], replay: Replay) -> Sequence[Part]:
    """Return what a block in the API's own words becomes; thoughts stay where they stand."""
    if "reasoningContent" not in block:
        return read_part(block)
    thought = to_messages(block)
    return _in_converse([thought]) if thought and is_replayed(thought, replay) else []


def replayed_thoughts(message: Message, replay: Replay) -> Sequence[Part]:
    """Return the thoughts that stand before what the message says."""
    return _in_converse(thinking_blocks(_in_messages(message), replay))


def to_messages(block: Mapping[str, object]) -> Block | None:
    """Return a block of an answer in the words of Messages; None for what has none there."""
    held = as_mapping(block.get("reasoningContent"))
    reasoning = as_mapping(held.get("reasoningText"))
    if reasoning:
        thought: Block = {"type": "thinking", "thinking": text(reasoning.get("text"))}
        return thought | (
            {"signature": reasoning["signature"]} if reasoning.get("signature") else {}
        )
    if held.get("redactedContent"):
        return {"type": "redacted_thinking", "data": held["redactedContent"]}
    call = as_mapping(block.get("toolUse"))
    if call:
        kind = _SERVER if call.get("type") == _SERVER else "tool_use"
        own, name = call.get("toolUseId"), call.get("name")
        return {"type": kind, "id": own, "name": name, "input": call.get("input")}
    return _text(block)


def _text(block: Mapping[str, object]) -> Block | None:
    if isinstance(block.get("text"), str):
        return {"type": "text", "text": block["text"]}
    if "citationsContent" in block:
        return {"type": "text", "text": cited_text(block)}
    return None


def _in_messages(message: Message) -> Message:
    """Return the message with what Converse says of it in the words of Messages."""
    stored = [
        block for item in as_objects(_stored(message)) if (block := to_messages(item)) is not None
    ]
    return {**message, MESSAGES_BLOCKS: stored} if stored else message


def _in_converse(parts: Sequence[Part]) -> list[Part]:
    """Return parts in the words of Converse; the tools that a provider runs itself stay away."""
    converted = (_converse(part) if isinstance(part, dict) else part for part in parts)
    return [part for part in converted if part is not None]


def _converse(block: Block) -> Part | None:
    kind = block.get("type")
    if kind == "text":
        return text_block(text(block["text"]))
    if kind == "thinking":
        signed = {"signature": block["signature"]} if block.get("signature") else {}
        return {"reasoningContent": {"reasoningText": {"text": block["thinking"], **signed}}}
    if kind == "redacted_thinking":
        return {"reasoningContent": {"redactedContent": block["data"]}}
    return None
