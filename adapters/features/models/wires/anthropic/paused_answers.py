"""An answer of Messages that paused: the request that continues it, and one answer of both parts.

The API pauses a turn in which its own tools work for long, with the stop reason ``pause_turn``. The
next request repeats the turn unchanged, and its answer goes on from there.
"""

from collections.abc import Iterator, Mapping

from msgspec.structs import replace

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, json_or_none
from webseam.ports.models import ChatRequest, NormalizedResponse
from webseam.ports.receipts import add_usage

from ...claude import thinking_blocks
from ...claude.content_blocks import claude_text, join_claude_text
from ...messages.pairing import Block
from ...usage import token_cache_stats
from .. import unread_fields
from . import messages_answers

_THOUGHTS_FIELD = "reasoning_details"
CONTAINER_FIELD = "container"


def continue_answer(request: ChatRequest, part: NormalizedResponse) -> ChatRequest | None:
    """Return the request that continues a paused answer; None if the answer is complete."""
    if as_mapping(part.provider_data).get("stop_reason") != messages_answers.PAUSED_STOP_REASON:
        return None
    turn = {
        "role": "assistant",
        "content": list(_answer_blocks(part)),
        messages_answers.PAUSED_MARK: True,
    }
    container = as_mapping(part.provider_data).get(CONTAINER_FIELD)
    if container is not None:
        turn["provider_data"] = {CONTAINER_FIELD: container}
    return replace(request, messages=(*request.messages, turn))


def answer_separator(request: ChatRequest, response: NormalizedResponse) -> str:
    """Return what stands between the text of a paused answer and the part that continues it."""
    paused = messages_answers.paused_blocks(request)
    if not paused or not response.content or response.finish_reason == "content_filter":
        return ""
    joined = join_claude_text([*paused, *_answer_blocks(response)])
    return joined.removeprefix(join_claude_text(paused)).removesuffix(response.content)


def join_answers(first: NormalizedResponse, second: NormalizedResponse) -> NormalizedResponse:
    """Return one answer from two parts, with the finish reason of the second."""
    blocks = [*_answer_blocks(first), *_answer_blocks(second)]
    data = as_mapping(first.provider_data), as_mapping(second.provider_data)
    provider_data = {**_kept_fields(data[0]), **data[1]}
    if all(unread_fields.UNREAD_FIELD in fields for fields in data):
        unread = [as_mapping(fields[unread_fields.UNREAD_FIELD]) for fields in data]
        provider_data[unread_fields.UNREAD_FIELD] = {**unread[0], **unread[1]}
    parts = (as_mapping(part.provider_data) for part in (first, second))
    thoughts = [block for part in parts for block in as_objects(part.get(_THOUGHTS_FIELD))]
    if thoughts:
        provider_data[_THOUGHTS_FIELD] = thoughts
    reasoning = "\n\n".join(filter(None, (first.reasoning, second.reasoning)))
    is_refused = second.finish_reason == "content_filter"
    usage = add_usage(first.usage, second.usage)
    return replace(
        second,
        content=second.content if is_refused else join_claude_text(blocks) or None,
        tool_calls=second.tool_calls if is_refused else first.tool_calls + second.tool_calls,
        reasoning=reasoning or None,
        usage=usage,
        cache=token_cache_stats(usage),
        provider_data={**provider_data, thinking_blocks.CONTENT_BLOCKS_FIELD: blocks},
        raw=_join_raw_answers(first.raw, second.raw),
    )


def _kept_fields(data: Mapping[str, object]) -> dict[str, object]:
    """Return the fields of a paused part that the next part may leave out."""
    names = (CONTAINER_FIELD, "server_tool_use", unread_fields.UNREAD_FIELD)
    return {name: data[name] for name in names if name in data}


def _join_raw_answers(
    first: Mapping[str, object] | None, second: Mapping[str, object] | None
) -> Block | None:
    """Return the second answer's JSON with the blocks of both: citations may be in either."""
    if first is None or second is None:
        return None
    content = [*as_list(first.get("content")), *as_list(second.get("content"))]
    return {**second, "content": content}


def _answer_blocks(response: NormalizedResponse) -> Iterator[Block]:
    """Yield an answer's blocks; without stored ones they are its text and calls."""
    saved = as_objects(as_mapping(response.provider_data).get(thinking_blocks.CONTENT_BLOCKS_FIELD))
    if saved:
        yield from (dict(block) for block in saved)
        return
    if response.content:
        yield claude_text(response.content)
    for call in response.tool_calls:
        arguments = dict(as_mapping(json_or_none(call.arguments)))
        yield {"type": "tool_use", "id": call.id, "name": call.name, "input": arguments}
