"""Messages: Anthropic's API, and that of the hosts which speak like it.

https://platform.claude.com/docs/en/api/messages (fields as of 2026-11-14)
"""

from collections.abc import Iterator, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from .....ports.models.chat import ChatRequest, Message, NormalizedResponse, ToolCall
from ....values.json_values import as_list, as_mapping, as_objects, json_or_none, text
from ....values.usages import add_usage
from ...claude.content_blocks import (
    join_text_blocks,
    limit_cache_marks,
    mark_cached_body,
    messages_spelling,
    read_claude_part,
    text_block,
)
from ...claude.facts import (
    ANSWER_TOKENS,
    identify_claude,
    max_output_tokens,
    takes_thinking_budget,
    thinking_for_effort,
    thinking_with_budget,
)
from ...claude.thinking_blocks import (
    CONTENT_BLOCKS_FIELD,
    drop_old_thoughts,
    is_foreign_turn,
    replay_rule,
    replay_turn,
    thinking_blocks,
)
from ...declaration.provider import Headers, Provider
from ...declaration.rules import effort_of, finish_body, sent_max_tokens, sent_temperature
from ...declaration.wire import Conversation, Json, Wire, WireRequest
from ...messages.pairing import Block
from ...messages.turns import EMPTY_TURN_TEXT, Spoken, build_turns, system_blocks
from ...refusals.errors import refusal_error
from ...usage import cache_usage
from ..server_sent_events import ServerSentEvents
from .messages_answers import (
    PAUSED,
    cache_stats,
    map_finish_reason,
    normalize_response,
    validate_response,
)
from .messages_stream import MessagesFold
from .tools import answer_format, convert_tools, tool_fields

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
        provider_data={**held, CONTENT_BLOCKS_FIELD: blocks},
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
    stored = as_objects(as_mapping(response.provider_data).get(CONTENT_BLOCKS_FIELD))
    if stored:
        yield from (dict(block) for block in stored)
        return
    if response.content:
        yield text_block(response.content)
    yield from (_call(call) for call in response.tool_calls)


def _call(call: ToolCall) -> Block:
    held = dict(as_mapping(json_or_none(call.arguments)))
    return {"type": "tool_use", "id": call.id, "name": call.name, "input": held}


# System messages in the middle of a conversation, where the model takes them in their place.

# Not of the API: what stands in a user's turn until the turns are made.
PLACED = "placed_system"
_SYSTEM = frozenset({"system", "developer"})
_CHANGES = frozenset({"tool_addition", "tool_removal"})
_FIRST = (4, 8)
_BY_NAME, _BY_VALUE = "mid-conversation-tool-changes-2026-07-01", "inline-tools-2026-09-15"


def place_system_messages(messages: Sequence[Message], model: str) -> list[Message]:
    """Return the messages with later system messages as parts of the user's turn before them."""
    claude = identify_claude(model)
    able = claude is not None and claude.version >= _FIRST
    begun = False
    placed: list[Message] = []
    for message in messages:
        blocks = _system_blocks(message) if begun and message.get("role") in _SYSTEM else []
        if blocks and (able or any(block["type"] in _CHANGES for block in blocks)):
            part = {"type": PLACED, "content": blocks}
            placed.append({"role": "user", "content": [part]})
        else:
            begun = begun or message.get("role") not in _SYSTEM
            placed.append(message)
    return placed


def _system_blocks(message: Message) -> list[Block]:
    content = message.get("content")
    if isinstance(content, str):
        return [text_block(content)] if content.strip() else []
    parts = (text_block(part) if isinstance(part, str) else part for part in as_list(content))
    kinds = _CHANGES | {"text"}
    return [dict(as_mapping(part)) for part in parts if as_mapping(part).get("type") in kinds]


def as_placed_part(part: Mapping[str, object]) -> list[Block]:
    """Return a part that ``place_system_messages`` made, as it is; nothing for any other."""
    return [dict(part)] if part.get("type") == PLACED else []


def take_unplaced(turns: Sequence[Spoken]) -> tuple[list[Spoken], list[Block]]:
    """Return the turns without a system message that has no place, and its blocks.

    It is one at the end, where no word of the user stands before it.
    """
    *earlier, (_, blocks) = turns
    if earlier and all(block.get("type") == PLACED for block in blocks):
        return earlier, list(_system_system(blocks))
    return list(turns), []


def separate_system(turns: Sequence[Spoken]) -> list[Json]:
    """Return the turns as messages, each system message behind the user's words before it.

    Where there are none, the user's turn says that it is empty, so that turns go on to alternate.
    """
    messages: list[Json] = []
    for role, blocks in turns:
        words = [block for block in blocks if block.get("type") != PLACED]
        system = list(_system_system(blocks))
        messages.append({"role": role, "content": words or [text_block(EMPTY_TURN_TEXT)]})
        messages += [{"role": "system", "content": system}] if system else []
    return messages


def _system_system(blocks: Sequence[Block]) -> Iterator[Block]:
    for block in blocks:
        if block.get("type") == PLACED:
            yield from (dict(inner) for inner in as_objects(block.get("content")))


def tool_beta(messages: Sequence[Json]) -> str:
    """Return the beta that changes of tools in these messages take; nothing if there are none."""
    system = (message for message in messages if message.get("role") == "system")
    blocks = [block for message in system for block in as_objects(message.get("content"))]
    changes = [block for block in blocks if block.get("type") in _CHANGES]
    by_value = any(_kind(block) == "tool_definition" for block in changes)
    return (_BY_VALUE if by_value else _BY_NAME) if changes else ""


def _kind(block: Mapping[str, object]) -> str:
    return text(as_mapping(block.get("tool")).get("type"))


# Messages: Anthropic's API, and that of the hosts which speak like it.

__all__ = [
    "ANTHROPIC_MESSAGES",
    "build_request",
    "cache_stats",
    "convert_messages",
    "convert_tools",
    "map_finish_reason",
    "model_name",
    "normalize_response",
    "validate_response",
]
_PATH = "/v1/messages"
_VERSION = "2023-06-01"
# Without a stream the API closes an answer that takes too long; with one it may be longer.
_UNSTREAMED = 16_384
_GO_ON = "(continue)"
_FORCED = frozenset({"any", "tool"})


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return system and turns apart; each call has its result, and nobody speaks twice in a row."""
    prepared = place_system_messages(provider.changes.prepare_messages(messages, model), model)
    wanted = replay_rule(provider)
    words = messages_spelling(
        turn=lambda message: (
            None if is_foreign_turn(message, provider) else replay_turn(message, wanted(message))
        ),
        thoughts=lambda message: thinking_blocks(message, wanted(message)),
    )
    words = replace(words, read=lambda part: as_placed_part(part) or read_claude_part(part))
    system = [
        _in_system(block) for block in system_blocks(prepared, words) if isinstance(block, dict)
    ]
    turns, placeless = take_unplaced(
        drop_old_thoughts(build_turns(prepared, words), provider, model, text_block)
    )
    system += [_in_system(block) for block in placeless]
    return Conversation(system=_system(system), messages=separate_system(_ended(turns, model)))


def _in_system(block: Block) -> Block:
    """Name in words what is no text: nothing else may stand there."""
    kind = block.get("type")
    return block if kind == "text" else text_block(f"({kind} left out)")


def _system(blocks: list[Block]) -> object:
    if not blocks:
        return None
    plain = len(blocks) == 1 and set(blocks[0]) == {"type", "text"}
    return blocks[0]["text"] if plain else blocks


def _ended(turns: list[Spoken], model: str) -> list[Spoken]:
    """Make the end one that the model takes: newer ones refuse to go on with their own words."""
    role, blocks = turns[-1]
    # An answer that paused while the provider's own tools worked is sent as it is.
    if role == "user" or any(block.get("type") == "server_tool_use" for block in blocks):
        return turns
    claude = identify_claude(model)
    if claude is not None and not claude.takes_prefill:
        return [*turns, ("user", [text_block(_GO_ON)])]
    last = blocks[-1]
    if last.get("type") != "text":
        return turns
    # Trailing space in the words to go on with is refused.
    words = text(last.get("text")).rstrip() or EMPTY_TURN_TEXT
    return [*turns[:-1], (role, [*blocks[:-1], {**last, "text": words}])]


def model_name(model: str) -> str:
    """Return the API's own name of a model.

    >>> model_name("anthropic/claude-opus-4.6"), model_name("claude-2.1"), model_name("qwen3.5")
    ('claude-opus-4-6', 'claude-2.1', 'qwen3.5')
    """
    bare = model.removeprefix("anthropic/")
    # The oldest are the only ones with a dot of their own.
    dotted = bare.startswith(("claude-2", "claude-instant")) or not bare.startswith("claude-")
    return bare if dotted else bare.replace(".", "-")


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    talk = convert_messages(_asked(request), provider, request.model)
    body: Json = {"model": model_name(request.model), "messages": talk.messages}
    if talk.system is not None:
        body["system"] = talk.system
    body |= tool_fields(request, provider, talk.messages)
    free = as_mapping(body.get("tool_choice")).get("type") not in _FORCED
    cap = _cap(request, provider, stream=stream)
    body |= {"max_tokens": cap} | _thinking(request, provider, cap=cap, free=free)
    body |= _sampling(request, provider, thinks=_thinks(body))
    # https://platform.claude.com/docs/en/api/service-tiers (2026-11-15)
    body |= {"service_tier": request.service_tier} if request.service_tier else {}
    if request.cache:
        body = mark_cached_body(body)
    if stream:
        body["stream"] = True
    return WireRequest(
        path=provider.http.path or _PATH,
        headers=(*_headers(provider, talk.messages), *provider.http.request_headers(request)),
        body=finish_body(limit_cache_marks(body), request, provider),
    )


def _asked(request: ChatRequest) -> Sequence[Message]:
    if not request.instructions:
        return request.messages
    return ({"role": "system", "content": request.instructions}, *request.messages)


def _headers(provider: Provider, messages: Sequence[Json]) -> Headers:
    version = (("anthropic-version", provider.messages.api_version or _VERSION),)
    named = tuple(filter(None, (*provider.messages.betas, tool_beta(messages))))
    betas = (("anthropic-beta", ",".join(named)),) if named else ()
    return version + betas


def _cap(request: ChatRequest, provider: Provider, *, stream: bool) -> int:
    """Return the most tokens to write; the API wants to be told."""
    cap = sent_max_tokens(request, provider)
    if cap is not None:
        return cap
    ceiling = max_output_tokens(request.model)
    return ceiling if stream else min(ceiling, _UNSTREAMED)


def _thinking(request: ChatRequest, provider: Provider, *, cap: int, free: bool) -> Json:
    """Return how thoughts and the answer's form are asked for."""
    fields: Json = {}
    form = answer_format(request, provider)
    config: Json = {} if form is None else {"format": form}
    if provider.changes.reasoning is not None:
        fields |= provider.changes.reasoning(request)
    elif free:
        # With a tool forced on it a model may not think.
        asked_cap, ceiling = request.max_tokens, max_output_tokens(request.model)
        room = ceiling if asked_cap is None else asked_cap
        budget = request.thinking_budget
        effort = effort_of(request, provider)
        plan = (
            thinking_for_effort(effort, identify_claude(request.model), room)
            if budget is None
            else thinking_with_budget(budget)
        )
        fields |= {"thinking": plan.thinking} if plan.thinking else {}
        config |= {"effort": plan.effort} if plan.effort else {}
        if asked_cap is None:
            fields["max_tokens"] = max(cap, min(ceiling, plan.budget + ANSWER_TOKENS))
    config = {**as_mapping(fields.get("output_config")), **config}
    return fields | ({"output_config": config} if config else {})


def optional_fields(request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Return the optional fields: this API has a tier, and a budget for its older models."""
    budget = {"thinking_budget"} if takes_thinking_budget(identify_claude(request.model)) else set()
    return frozenset({"service_tier", *budget})


def _thinks(body: Json) -> bool:
    return as_mapping(body.get("thinking")).get("type", "disabled") != "disabled"


def _sampling(request: ChatRequest, provider: Provider, *, thinks: bool) -> Json:
    """Return temperature and top_p where they are allowed, and the words to stop at."""
    fields: Json = {}
    stops = [word for word in request.stop if word.strip()]
    if stops:
        fields["stop_sequences"] = stops
    claude = identify_claude(request.model)
    refused = claude is not None and not claude.takes_sampling
    if refused or thinks or provider.messages.api_version not in (None, _VERSION):
        return fields
    temperature = sent_temperature(request, provider)
    if temperature is not None:
        fields["temperature"] = min(temperature, 1.0)
    # Claude refuses both at once.
    if request.top_p is not None and (temperature is None or claude is None):
        fields["top_p"] = request.top_p
    return fields


ANTHROPIC_MESSAGES = Wire(
    api_mode="anthropic_messages",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=normalize_response,
    validate_response=validate_response,
    cache_stats=cache_stats,
    map_finish_reason=map_finish_reason,
    refusal=refusal_error,
    frames=ServerSentEvents,
    fold=MessagesFold,
    takes=optional_fields,
    continued=continue_request,
    joined=join_answers,
)
