"""Anthropic's Messages: https://platform.claude.com/docs/en/api/messages (2026-11-14)."""

from collections.abc import Sequence

from msgspec.structs import replace

from webseam.adapters.values.json_values import as_mapping, text
from webseam.ports.models import ChatRequest, Message

from ...claude import facts, thinking_blocks
from ...claude.content_blocks import (
    claude_spelling,
    claude_text,
    limit_claude_marks,
    mark_claude_body,
    read_claude_part,
)
from ...declaration.provider import Headers, Provider
from ...declaration.rules import (
    declared_max_tokens,
    declared_temperature,
    effort_of,
    finish_model_body,
)
from ...declaration.wire import Conversation, Json, Wire, WireRequest
from ...messages.pairing import Block
from ...messages.turns import (
    EMPTY_TURN_TEXT,
    Spoken,
    build_message_turns,
    prepend_instructions,
    system_parts,
)
from ...refusal_errors import model_refusal
from ..server_sent_events import ServerSentEvents
from . import messages_answers
from .messages_stream import MessagesFold
from .paused_answers import CONTAINER_FIELD, answer_separator, continue_answer, join_answers
from .placed_system import (
    PLACED_SYSTEM_TYPE,
    place_system,
    separate_system,
    split_trailing_system,
    tool_change_beta,
)
from .tools import answer_format, convert_tools, tool_fields

_API_VERSION = "2023-06-01"
# Without streaming the API aborts an answer that takes too long.
_MAX_UNSTREAMED_TOKENS = 16_384
_FORCED_CHOICES = frozenset({"any", "tool"})
_CLIENT_TOOL_TYPES = (None, "function", "custom")


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the system prompt and alternating turns, in which each call has its result."""
    prepared = place_system(provider.changes.prepare_messages(messages, model), model)
    rule = thinking_blocks.thought_replay_rule(provider)
    spelling = claude_spelling(
        turn=lambda message: (
            None
            if thinking_blocks.is_foreign_model_turn(message, provider)
            else thinking_blocks.replay_claude_turn(message, rule(message))
        ),
        thoughts=lambda message: thinking_blocks.claude_thoughts(message, rule(message)),
    )
    spelling = replace(
        spelling,
        read=lambda part: (
            [dict(part)] if part.get("type") == PLACED_SYSTEM_TYPE else read_claude_part(part)
        ),
    )
    leading = [part for part in system_parts(prepared, spelling) if isinstance(part, dict)]
    turns, unplaced = split_trailing_system(
        thinking_blocks.drop_old_thoughts(
            build_message_turns(prepared, spelling), provider, model, claude_text
        )
    )
    system = _system_prompt([_system_text(block) for block in (*leading, *unplaced)])
    messages = separate_system(_end_turns(turns, model))
    return Conversation(system=system, messages=messages)


def _system_text(block: Block) -> Block:
    """Return a text block, or a text that names another block: a system prompt has only text."""
    kind = block.get("type")
    return block if kind == "text" else claude_text(f"({kind} left out)")


def _system_prompt(blocks: list[Block]) -> object:
    if not blocks:
        return None
    is_plain_text = len(blocks) == 1 and set(blocks[0]) == {"type", "text"}
    return blocks[0]["text"] if is_plain_text else blocks


def _end_turns(turns: list[Spoken], model: str) -> list[Spoken]:
    """Return turns with an end that the model accepts: newer ones refuse prefilled answers."""
    role, blocks = turns[-1]
    # An answer that paused for the provider's own tools is sent unchanged.
    if role == "user" or any(block.get("type") == "server_tool_use" for block in blocks):
        return turns
    claude = facts.identify_claude(model)
    if claude is not None and not claude.takes_prefill:
        return [*turns, ("user", [claude_text("(continue)")])]
    last = blocks[-1]
    if last.get("type") != "text":
        return turns
    # The API refuses trailing space in a prefilled answer.
    prefill = text(last.get("text")).rstrip() or EMPTY_TURN_TEXT
    return [*turns[:-1], (role, [*blocks[:-1], {**last, "text": prefill}])]


def api_model_name(model: str) -> str:
    """Return the API's name of a model."""
    name = model.removeprefix("anthropic/")
    # Only the oldest models have a dot in their name.
    keeps_dot = name.startswith(("claude-2", "claude-instant")) or not name.startswith("claude-")
    return name if keeps_dot else name.replace(".", "-")


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    has_schema_field = provider.fields.structured_output != "none"
    history = prepend_instructions(request, has_schema_field=has_schema_field)
    conversation = convert_messages(history, provider, request.model)
    body: Json = {"model": api_model_name(request.model), "messages": conversation.messages}
    if conversation.system is not None:
        body["system"] = conversation.system
    body |= tool_fields(request, provider, conversation.messages)
    may_think = as_mapping(body.get("tool_choice")).get("type") not in _FORCED_CHOICES
    cap = _max_tokens(request, provider, stream=stream)
    body |= {"max_tokens": cap} | _thinking_fields(request, provider, cap=cap, may_think=may_think)
    thinks = as_mapping(body.get("thinking")).get("type", "disabled") != "disabled"
    body |= _sampling_fields(request, provider, thinks=thinks)
    # https://platform.claude.com/docs/en/api/service-tiers (2026-11-15)
    body |= {"service_tier": request.service_tier} if request.service_tier else {}
    body |= _container_field(request, provider)
    if request.cache:
        body = mark_claude_body(body)
    if stream:
        body["stream"] = True
    return WireRequest(
        path=provider.http.path or "/v1/messages",
        headers=(
            *_headers(provider, conversation.messages),
            *provider.http.request_headers(request),
        ),
        body=finish_model_body(limit_claude_marks(body), request, provider),
    )


def _container_field(request: ChatRequest, provider: Provider) -> Json:
    """Return the container of the newest answer that ran code, so that its code can go on.

    A result for a call that code made is refused without it. Only the API's own tools run code.
    https://platform.claude.com/docs/en/agents-and-tools/tool-use/programmatic-tool-calling
    (2026-11-19)
    """
    if all(tool.get("type") in _CLIENT_TOOL_TYPES for tool in request.tools):
        return {}
    for message in reversed(request.messages):
        data = as_mapping(message.get("provider_data"))
        container = data.get(CONTAINER_FIELD)
        identity = text(container) or text(as_mapping(container).get("id"))
        if identity and data.get("_issuer", provider.name) == provider.name:
            return {CONTAINER_FIELD: identity}
    return {}


def _headers(provider: Provider, messages: Sequence[Json]) -> Headers:
    version = (("anthropic-version", provider.messages.api_version or _API_VERSION),)
    names = tuple(filter(None, (*provider.messages.betas, tool_change_beta(messages))))
    betas = (("anthropic-beta", ",".join(names)),) if names else ()
    return version + betas


def _max_tokens(request: ChatRequest, provider: Provider, *, stream: bool) -> int:
    max_tokens = facts.max_output_tokens(request.model)
    default = max_tokens if stream else min(max_tokens, _MAX_UNSTREAMED_TOKENS)
    cap = declared_max_tokens(request, provider)
    return default if cap is None else cap


def _thinking_fields(
    request: ChatRequest, provider: Provider, *, cap: int, may_think: bool
) -> Json:
    fields: Json = {}
    answer_schema = answer_format(request, provider)
    config: Json = {} if answer_schema is None else {"format": answer_schema}
    if provider.changes.reasoning is not None:
        fields |= provider.changes.reasoning(request)
    elif may_think:
        # The API refuses thinking together with a forced tool.
        requested_cap, max_tokens = request.max_tokens, facts.max_output_tokens(request.model)
        output_room = max_tokens if requested_cap is None else requested_cap
        effort, claude = effort_of(request, provider), facts.identify_claude(request.model)
        thinking = facts.claude_thinking(effort, request.thinking_budget, claude, output_room)
        fields |= {"thinking": thinking.thinking} if thinking.thinking else {}
        config |= {"effort": thinking.effort} if thinking.effort else {}
        if requested_cap is None:
            fields["max_tokens"] = max(cap, min(max_tokens, thinking.budget + facts.ANSWER_TOKENS))
    config = {**as_mapping(fields.get("output_config")), **config}
    return fields | ({"output_config": config} if config else {})


def anthropic_optional_fields(request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Return the supported optional fields: a service tier, and a budget for older models."""
    budget = (
        {"thinking_budget"}
        if facts.allows_thinking_budget(facts.identify_claude(request.model))
        else set()
    )
    return frozenset({"service_tier", *budget})


def _sampling_fields(request: ChatRequest, provider: Provider, *, thinks: bool) -> Json:
    fields: Json = {}
    stops = [stop for stop in request.stop if stop.strip()]
    if stops:
        fields["stop_sequences"] = stops
    claude = facts.identify_claude(request.model)
    is_refused = claude is not None and not claude.takes_sampling
    if is_refused or thinks or provider.messages.api_version not in (None, _API_VERSION):
        return fields
    temperature = declared_temperature(request, provider)
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
    normalize_response=messages_answers.normalize_response,
    validate_response=messages_answers.validate_response,
    cache_stats=messages_answers.cache_stats,
    map_finish_reason=messages_answers.map_finish_reason,
    refusal=model_refusal,
    frames=ServerSentEvents,
    fold=MessagesFold,
    takes=anthropic_optional_fields,
    continued=continue_answer,
    joined=join_answers,
    separated=answer_separator,
)
