"""Thinking blocks on their way back: which of them, signed or not, a host wants to see again.

https://platform.claude.com/docs/en/build-with-claude/extended-thinking (2026-11-15): signed
blocks go back unchanged within a loop of tool calls.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from msgspec.structs import replace

from ....ports.models.chat import Message
from ...values.json_values import as_list, as_mapping, as_objects, text
from ..declaration.provider import Provider
from ..messages.pairing import Block, Part, ToolUse, WriteText
from ..messages.turns import EMPTY, Spoken, message_calls
from .content_blocks import (
    THOUGHTS,
    block_caller,
    join_text_blocks,
    mark_parts,
    own_block,
    text_block,
)
from .facts import identify_claude

# The ordered blocks of a turn, as ``normalize_response`` puts them into ``provider_data``.
BLOCKS = "anthropic_content_blocks"
Replay: TypeAlias = Literal["signed", "unsigned", "as_given", "none"]
Wanted: TypeAlias = Callable[[Message], Replay]


# A signature of Claude's is good wherever Claude is; anybody else's is good with its issuer alone.
_CLAUDES = frozenset({"anthropic", "bedrock"})


def is_foreign(message: Message, provider: Provider) -> bool:
    """Tell whether a turn came from somewhere else, so that only its fields can be understood."""
    issuer = as_mapping(message.get("provider_data")).get("_issuer", provider.name)
    return issuer != provider.name and not {issuer, provider.name} <= _CLAUDES


def replay_rule(provider: Provider) -> Wanted:
    """Return what is replayed of each message's thoughts: nothing of what came from elsewhere."""
    return lambda message: (
        "none" if is_foreign(message, provider) else provider.messages.thinking_replay
    )


def drop_old_thoughts(
    turns: list[Spoken], provider: Provider, model: str, write: WriteText
) -> list[Spoken]:
    """Leave out the thoughts of turns that are over, for a Claude that does not want them.

    An older one takes those of the turn that is still open, where tools answer it.
    """
    claude = identify_claude(model)
    if provider.messages.thinking_replay != "signed" or claude is None or claude.remembers:
        return turns
    spoke = [at for at, (role, _) in enumerate(turns) if role == "assistant"]
    questions = [at for at, turn in enumerate(turns[: max(spoke, default=0)]) if _asks(turn)]
    first = max(questions, default=0)
    return [*(_without_thoughts(turn, write) for turn in turns[:first]), *turns[first:]]


def _asks(turn: Spoken) -> bool:
    """Tell a question from the results of tools."""
    role, blocks = turn
    results = any(block.get("type") == "tool_result" or "toolResult" in block for block in blocks)
    return role == "user" and not results


def _without_thoughts(turn: Spoken, write: WriteText) -> Spoken:
    role, blocks = turn
    rest = [
        block
        for block in blocks
        if block.get("type") not in THOUGHTS and "reasoningContent" not in block
    ]
    return role, rest or [write(EMPTY)]


def thinking_blocks(message: Message, replay: Replay) -> list[Part]:
    """Return the thinking blocks that stand before what the message says."""
    blocks = [block for source in _sources(message) if (block := _thought(source)) is not None]
    if not blocks and replay in ("unsigned", "as_given"):
        thought = message.get("reasoning_content")
        blocks = [{"type": "thinking", "thinking": thought}] if isinstance(thought, str) else []
    return [block for block in blocks if is_replayed(block, replay)]


def replay_turn(message: Message, replay: Replay) -> list[Part] | None:
    """Return a turn block by block, in the order it was made, if that still is what it says.

    A message whose text or calls were changed since is built from its fields instead.
    """
    blocks = as_objects(_held(message, BLOCKS)) or _own_content(message)
    calls = {call.id: call for call in message_calls(message)}
    called = {text(block.get("id")) for block in blocks if block.get("type") == "tool_use"}
    if not blocks or (calls and called != set(calls)) or not _says(message, blocks):
        return None
    return list(_replayed(blocks, calls, replay))


def _replayed(
    blocks: Sequence[Mapping[str, object]], calls: Mapping[str, ToolUse], replay: Replay
) -> Iterator[Part]:
    for block in blocks:
        part = _part(block, calls)
        if isinstance(part, ToolUse) or (part is not None and _is_sent(part, replay)):
            yield from mark_parts([part], block.get("cache_control"))


def _part(block: Mapping[str, object], calls: Mapping[str, ToolUse]) -> Block | ToolUse | None:
    if block.get("type") != "tool_use":
        return own_block(block)
    name, arguments = text(block.get("name")), dict(as_mapping(block.get("input")))
    call = ToolUse(id=text(block.get("id")), name=name, input=arguments)
    # The call as the message has it: what was redacted there stays so.
    return replace(calls.get(call.id, call), caller=block_caller(block))


def _is_sent(block: Block, replay: Replay) -> bool:
    if block["type"] in THOUGHTS:
        return is_replayed(block, replay)
    return block["type"] != "text" or bool(text(block["text"]).strip())


def _says(message: Message, blocks: Sequence[Mapping[str, object]]) -> bool:
    content = message.get("content")
    words = content if isinstance(content, str) else join_text_blocks(_as_blocks(content))
    return words == join_text_blocks(blocks)


def _as_blocks(content: object) -> list[Block]:
    items = (text_block(item) if isinstance(item, str) else item for item in as_list(content))
    return [dict(as_mapping(item)) for item in items]


def _own_content(message: Message) -> list[Mapping[str, object]]:
    """Return the content itself if it is in the API's own words, with thoughts in their places."""
    content = as_objects(message.get("content"))
    kinds = {text(block.get("type")) for block in content}
    known = all(block.get("type") == "tool_use" or own_block(block) for block in content)
    return content if known and kinds & {*THOUGHTS, "server_tool_use"} else []


def _sources(message: Message) -> list[Mapping[str, object]]:
    for name in ("reasoning_details", BLOCKS):
        if details := as_objects(_held(message, name)):
            return details
    return as_objects(message.get("content"))


def _held(message: Message, name: str) -> object:
    """Return what a message carries for this wire, beside its fields or in ``provider_data``."""
    return message.get(name) or as_mapping(message.get("provider_data")).get(name)


def _thought(detail: Mapping[str, object]) -> Block | None:
    """Read a thinking block, in the API's own words or in those of OpenRouter."""
    kind = detail.get("type")
    if kind in THOUGHTS:
        return own_block(detail)
    if not text(detail.get("format")).startswith("anthropic"):
        return None
    if kind == "reasoning.encrypted":
        return own_block({"type": "redacted_thinking", "data": detail.get("data")})
    words, signature = detail.get("text"), detail.get("signature")
    return own_block({"type": "thinking", "thinking": words, "signature": signature})


def is_replayed(block: Mapping[str, object], replay: Replay) -> bool:
    """Tell whether a thinking block is sent again."""
    signed = block.get("type") == "redacted_thinking" or bool(block.get("signature"))
    return {"signed": signed, "unsigned": not signed, "as_given": True, "none": False}[replay]
