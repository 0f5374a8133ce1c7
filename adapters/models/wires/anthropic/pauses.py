"""A paused answer of Messages: sent back as it came, and made one with what follows.

https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (2026-11-15):
``pause_turn`` goes on when the content is sent back.
"""

from collections.abc import Iterator, Mapping

import msgspec

from .....ports.models.chat import ChatRequest, NormalizedResponse, ToolCall
from ....values.json_values import as_list, as_mapping, as_objects, json_or_none
from ....values.usages import add_usage
from ...claude.content_blocks import join_text_blocks, text_block
from ...claude.thinking_blocks import BLOCKS
from ...messages.pairing import Block
from ...usage import cache_usage
from .messages_answers import PAUSED

_THOUGHTS = "reasoning_details"


def continue_request(request: ChatRequest, response: NormalizedResponse) -> ChatRequest | None:
    """Return the request that goes on from a paused answer; None if the answer is whole."""
    if as_mapping(response.provider_data).get("stop_reason") != PAUSED:
        return None
    turn = {"role": "assistant", "content": list(_blocks(response))}
    return msgspec.structs.replace(request, messages=(*request.messages, turn))


def join_answers(first: NormalizedResponse, second: NormalizedResponse) -> NormalizedResponse:
    """Return one answer of two parts; how it ended is how the second did."""
    blocks = [*_blocks(first), *_blocks(second)]
    held = dict(as_mapping(second.provider_data))
    parts = (as_mapping(part.provider_data) for part in (first, second))
    thoughts = [block for part in parts for block in as_objects(part.get(_THOUGHTS))]
    if thoughts:
        held[_THOUGHTS] = thoughts
    reasoning = "\n\n".join(filter(None, (first.reasoning, second.reasoning)))
    refused = second.finish_reason == "content_filter"
    usage = add_usage(first.usage, second.usage)
    return msgspec.structs.replace(
        second,
        content=second.content if refused else join_text_blocks(blocks) or None,
        tool_calls=second.tool_calls if refused else first.tool_calls + second.tool_calls,
        reasoning=reasoning or None,
        usage=usage,
        cache=cache_usage(usage),
        provider_data={**held, BLOCKS: blocks},
        raw=_raw(first.raw, second.raw),
    )


def _raw(first: Mapping[str, object] | None, second: Mapping[str, object] | None) -> Block | None:
    """Return the second part's JSON with the blocks of both: citations may be in either."""
    if first is None or second is None:
        return None
    content = [*as_list(first.get("content")), *as_list(second.get("content"))]
    return {**second, "content": content}


def _blocks(response: NormalizedResponse) -> Iterator[Block]:
    """Give an answer's blocks; one without any of its own is all text and calls."""
    stored = as_objects(as_mapping(response.provider_data).get(BLOCKS))
    if stored:
        yield from (dict(block) for block in stored)
        return
    if response.content:
        yield text_block(response.content)
    yield from (_call(call) for call in response.tool_calls)


def _call(call: ToolCall) -> Block:
    held = dict(as_mapping(json_or_none(call.arguments)))
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": held}
