"""Replay of thinking blocks: which of them, signed or not, a host wants back.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking (2026-11-15): signed
blocks must be sent back unchanged within a loop of tool calls.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text
from webseam.ports.models import Message

from ..declaration.provider import Provider
from ..messages.pairing import Block, Part, ToolUse, WriteText
from ..messages.turns import EMPTY_TURN_TEXT, Spoken, message_calls
from .content_blocks import (
    THINKING_TYPES,
    claude_block,
    claude_caller,
    claude_text,
    join_claude_text,
    mark_claude_parts,
)
from .facts import identify_claude

# The field of ``provider_data`` where ``normalize_response`` puts a turn's ordered blocks.
CONTENT_BLOCKS_FIELD = "anthropic_content_blocks"
Replay: TypeAlias = Literal["signed", "unsigned", "as_given", "none"]
ReplayRule: TypeAlias = Callable[[Message], Replay]


# Claude's signatures are valid on every host of Claude; others only with their issuer.
_CLAUDE_HOSTS = frozenset({"anthropic", "bedrock"})


def is_foreign_model_turn(message: Message, provider: Provider) -> bool:
    """Tell whether a turn came from another provider, so that its blocks cannot be replayed."""
    issuer = as_mapping(message.get("provider_data")).get("_issuer", provider.name)
    return issuer != provider.name and not {issuer, provider.name} <= _CLAUDE_HOSTS


def thought_replay_rule(provider: Provider) -> ReplayRule:
    """Return the replay rule for a message: "none" for one from another provider."""
    return lambda message: (
        "none" if is_foreign_model_turn(message, provider) else provider.messages.thinking_replay
    )


def drop_old_thoughts(
    turns: list[Spoken], provider: Provider, model: str, write: WriteText
) -> list[Spoken]:
    """Drop the thoughts of finished turns, for a Claude that does not want them.

    An older Claude wants only those of the open turn, in which tools answer it.
    """
    claude = identify_claude(model)
    if provider.messages.thinking_replay != "signed" or claude is None or claude.wants_all_thoughts:
        return turns
    assistant_indices = [index for index, (role, _) in enumerate(turns) if role == "assistant"]
    questions = [
        index
        for index, turn in enumerate(turns[: max(assistant_indices, default=0)])
        if _is_user_question_turn(turn)
    ]
    first = max(questions, default=0)
    return [*(_drop_thoughts(turn, write) for turn in turns[:first]), *turns[first:]]


def _is_user_question_turn(turn: Spoken) -> bool:
    """Tell whether a user's turn is a question, not tool results."""
    role, blocks = turn
    has_results = any(part.get("type") == "tool_result" or "toolResult" in part for part in blocks)
    return role == "user" and not has_results


def _drop_thoughts(turn: Spoken, write: WriteText) -> Spoken:
    role, blocks = turn
    rest = [
        block
        for block in blocks
        if block.get("type") not in THINKING_TYPES and "reasoningContent" not in block
    ]
    return role, rest or [write(EMPTY_TURN_TEXT)]


def claude_thoughts(message: Message, replay: Replay) -> list[Part]:
    """Return the thinking blocks that precede the message's content."""
    blocks = [
        block for source in _block_sources(message) if (block := _read_block(source)) is not None
    ]
    if not blocks and replay in ("unsigned", "as_given"):
        thought = message.get("reasoning_content")
        blocks = [{"type": "thinking", "thinking": thought}] if isinstance(thought, str) else []
    return [block for block in blocks if is_thought_replayed(block, replay)]


def replay_claude_turn(message: Message, replay: Replay) -> list[Part] | None:
    """Return a turn's original blocks in their order, if the message still says the same.

    None means that its text or calls were changed: build it from its fields instead.
    """
    blocks = as_objects(message_data_field(message, CONTENT_BLOCKS_FIELD)) or _native_blocks(
        message
    )
    calls = {call.id: call for call in message_calls(message)}
    block_ids = {text(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
    if not blocks or (calls and block_ids != set(calls)) or not _has_same_text(message, blocks):
        return None
    return list(_replay_parts(blocks, calls, replay))


def _replay_parts(
    blocks: Sequence[Mapping[str, object]], calls: Mapping[str, ToolUse], replay: Replay
) -> Iterator[Part]:
    for block in blocks:
        part = _replay_block(block, calls)
        if isinstance(part, ToolUse) or (part is not None and _is_sent(part, replay)):
            yield from mark_claude_parts([part], block.get("cache_control"))


def _replay_block(
    block: Mapping[str, object], calls: Mapping[str, ToolUse]
) -> Block | ToolUse | None:
    if block.get("type") != "tool_use":
        return claude_block(block)
    name, arguments = text(block.get("name")), dict(as_mapping(block.get("input")))
    call = ToolUse(id=text(block.get("id")), name=name, input=arguments)
    # Take the call from the message, where its arguments may have been redacted.
    return replace(calls.get(call.id, call), caller=claude_caller(block))


def _is_sent(block: Block, replay: Replay) -> bool:
    if block["type"] in THINKING_TYPES:
        return is_thought_replayed(block, replay)
    return block["type"] != "text" or bool(text(block["text"]).strip())


def _has_same_text(message: Message, blocks: Sequence[Mapping[str, object]]) -> bool:
    content = message.get("content")
    message_text = content if isinstance(content, str) else join_claude_text(_text_blocks(content))
    return message_text == join_claude_text(blocks)


def _text_blocks(content: object) -> list[Block]:
    items = (claude_text(item) if isinstance(item, str) else item for item in as_list(content))
    return [dict(as_mapping(item)) for item in items]


def _native_blocks(message: Message) -> list[Mapping[str, object]]:
    content = as_objects(message.get("content"))
    kinds = {text(block.get("type")) for block in content}
    is_complete = all(block.get("type") == "tool_use" or claude_block(block) for block in content)
    return content if is_complete and kinds & {*THINKING_TYPES, "server_tool_use"} else []


def _block_sources(message: Message) -> list[Mapping[str, object]]:
    for name in ("reasoning_details", CONTENT_BLOCKS_FIELD):
        if details := as_objects(message_data_field(message, name)):
            return details
    return as_objects(message.get("content"))


def message_data_field(message: Message, name: str) -> object:
    """Return a field of the message or of its ``provider_data``."""
    return message.get(name) or as_mapping(message.get("provider_data")).get(name)


def _read_block(detail: Mapping[str, object]) -> Block | None:
    """Read a thinking block in the API's shape or in OpenRouter's; None for others."""
    kind = detail.get("type")
    if kind in THINKING_TYPES:
        return claude_block(detail)
    if not text(detail.get("format")).startswith("anthropic"):
        return None
    if kind == "reasoning.encrypted":
        return claude_block({"type": "redacted_thinking", "data": detail.get("data")})
    thought, signature = detail.get("text"), detail.get("signature")
    return claude_block({"type": "thinking", "thinking": thought, "signature": signature})


def is_thought_replayed(block: Mapping[str, object], replay: Replay) -> bool:
    """Tell whether a thinking block is sent again."""
    is_signed = block.get("type") == "redacted_thinking" or bool(block.get("signature"))
    return {"signed": is_signed, "unsigned": not is_signed, "as_given": True, "none": False}[replay]
