"""A paused answer of Messages: sent back as it came, and made one with what follows.

https://platform.claude.com/docs/en/build-with-claude/handling-stop-reasons (2026-11-15):
``pause_turn`` goes on when the content is sent back.
"""

from collections.abc import Iterator, Mapping

import msgspec

from .....ports.models.chat import ChatRequest, NormalizedResponse, ToolCall
from ....values.json import listed, mapping, objects, parse
from ....values.usages import added
from ...claude.blocks import text_block, texts_of
from ...claude.thoughts import BLOCKS
from ...messages.pairing import Block
from ...usage import cache_work
from .answers import PAUSED

_THOUGHTS = "reasoning_details"


def continued(request: ChatRequest, response: NormalizedResponse) -> ChatRequest | None:
    """Return the request that goes on from a paused answer; None if the answer is whole."""
    if mapping(response.provider_data).get("stop_reason") != PAUSED:
        return None
    turn = {"role": "assistant", "content": list(_blocks(response))}
    return msgspec.structs.replace(request, messages=(*request.messages, turn))


def joined(first: NormalizedResponse, second: NormalizedResponse) -> NormalizedResponse:
    """Return one answer of two parts; how it ended is how the second did."""
    blocks = [*_blocks(first), *_blocks(second)]
    held = dict(mapping(second.provider_data))
    parts = (mapping(part.provider_data) for part in (first, second))
    thoughts = [block for part in parts for block in objects(part.get(_THOUGHTS))]
    if thoughts:
        held[_THOUGHTS] = thoughts
    reasoning = "\n\n".join(filter(None, (first.reasoning, second.reasoning)))
    refused = second.finish_reason == "content_filter"
    usage = added(first.usage, second.usage)
    return msgspec.structs.replace(
        second,
        content=second.content if refused else texts_of(blocks) or None,
        tool_calls=second.tool_calls if refused else first.tool_calls + second.tool_calls,
        reasoning=reasoning or None,
        usage=usage,
        cache=cache_work(usage),
        provider_data={**held, BLOCKS: blocks},
        raw=_raw(first.raw, second.raw),
    )


def _raw(first: Mapping[str, object] | None, second: Mapping[str, object] | None) -> Block | None:
    """Return the second part's JSON with the blocks of both: citations may be in either."""
    if first is None or second is None:
        return None
    content = [*listed(first.get("content")), *listed(second.get("content"))]
    return {**second, "content": content}


def _blocks(response: NormalizedResponse) -> Iterator[Block]:
    """Give an answer's blocks; one without any of its own is all text and calls."""
    stored = objects(mapping(response.provider_data).get(BLOCKS))
    if stored:
        yield from (dict(block) for block in stored)
        return
    if response.content:
        yield text_block(response.content)
    yield from (_call(call) for call in response.tool_calls)


def _call(call: ToolCall) -> Block:
    held = dict(mapping(parse(call.arguments)))
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": held}
