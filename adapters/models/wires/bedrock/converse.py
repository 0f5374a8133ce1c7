"""Converse: the one API for all models on Amazon Bedrock.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (2026-11-14)
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from .....ports.models.chat import ChatRequest, Message, Tool
from ....values.json_values import as_mapping, as_objects, text, write_json
from ...aws import EventStreamFrames
from ...claude.facts import ANSWER_TOKENS, Thinking, max_output_tokens, takes_thinking_budget
from ...claude.thinking_blocks import drop_old_thoughts, is_foreign_turn, replay_rule
from ...declaration.provider import Provider
from ...declaration.rules import (
    effort_of,
    finish_body,
    provider_tools,
    sent_max_tokens,
    sent_temperature,
)
from ...declaration.wire import Conversation, Json, Wire, WireRequest
from ...messages.pairing import Block
from ...messages.tool_calls import narrow_tools, tool_name, wire_name
from ...messages.turns import build_turns, system_blocks
from ...schemas import closed_schema, tool_schema
from .bedrock_refusals import bedrock_refusal, leave_out
from .converse_blocks import cache_point, converse_spelling, text_block
from .converse_stream import (
    ConverseFold,
    cache_stats,
    map_finish_reason,
    normalize_response,
    validate_response,
)
from .converse_thinking import replayed_thoughts, replayed_turn
from .turns import add_cache_points, limit_cache_points, model_facts, reasoning_fields, settle_turns

_OWN = frozenset({"toolSpec", "systemTool", "cachePoint"})
_CHOICES = {"auto": "auto", "required": "any", "any": "any"}
_FORM = "Give the answer in this form."


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools in the words of Converse; of two with the same name the first counts."""
    facts = model_facts(model)
    converted: dict[str, Json] = {}
    for tool in provider_tools(tools, provider, model):
        if set(tool) & _OWN or not _is_function(tool):
            converted.setdefault(write_json(tool), dict(tool))
        elif name := tool_name(tool):
            spec = _spec(tool, name, strict=facts.has_structured_output)
            converted.setdefault(wire_name(name), {"toolSpec": spec})
            mark = tool.get("cache_control")
            if isinstance(mark, Mapping) and facts.cached_tools:
                converted[f"{wire_name(name)}|"] = cache_point(mark)
    return list(converted.values())


def _is_function(tool: Tool) -> bool:
    return isinstance(tool.get("function"), Mapping) or tool.get("type") == "function"


def _spec(tool: Tool, name: str, *, strict: bool) -> Json:
    function = as_mapping(tool.get("function")) or tool
    description = text(function.get("description")).strip()
    spec: Json = {
        "name": wire_name(name),
        "description": description or name,
        "inputSchema": {"json": tool_schema(function.get("parameters"))},
    }
    return spec | ({"strict": True} if strict and function.get("strict") is True else {})


def tool_config(request: ChatRequest, provider: Provider) -> Json | None:
    """Return ``toolConfig``; None where there are no tools, or none may be used."""
    # A choice is any, auto or one tool (as of 2026-11-15): what may not be called is not sent.
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
    request = narrow_tools(request)
    tools = convert_tools(request.tools, provider, request.model)
    answer = _answer_tool(request, provider)
    if request.tool_choice == "none" or not model_facts(request.model).tools:
        tools = []
    choice = _choice(request.tool_choice) if tools else None
    if answer is not None:
        # With other tools beside it the model may use those first, but must end with this one.
        choice = {"any": {}} if tools else {"tool": {"name": answer["name"]}}
        tools.append({"toolSpec": answer})
    if not tools:
        return None
    return {"tools": tools} | ({"toolChoice": choice} if choice else {})


def _choice(wanted: object) -> Json | None:
    if isinstance(wanted, str):
        word = _CHOICES.get(wanted)
        return {word: {}} if word else None
    held = as_mapping(wanted)
    name = tool_name(held) or text(as_mapping(held.get("tool")).get("name"))
    return {"tool": {"name": wire_name(name)}} if name else None


def _answer_tool(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the tool that stands for the answer, where a schema can be had in no other way."""
    wanted, facts = request.output_schema, model_facts(request.model)
    if wanted is None or provider.fields.structured_output == "none" or not facts.tools:
        return None
    if answer_format(request, provider) is not None:
        return None
    schema = {"json": tool_schema(wanted.schema)}
    return {"name": wire_name(wanted.name), "description": _FORM, "inputSchema": schema}


def answer_format(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the schema for the text itself, where the model follows one."""
    wanted = request.output_schema
    able = (
        model_facts(request.model).has_structured_output
        and provider.fields.structured_output == "json_schema"
    )
    if wanted is None or not able:
        return None
    # A schema is a text here.
    schema = {"name": wire_name(wanted.name), "schema": write_json(closed_schema(wanted.schema))}
    return {"type": "json_schema", "structure": {"jsonSchema": schema}}


def without_tools(messages: Sequence[Json]) -> list[Json]:
    """Return turns that tell of calls and results in words; without tools both are refused."""
    return [
        {
            **turn,
            "content": [
                described for block in as_objects(turn["content"]) for described in _told(block)
            ],
        }
        for turn in messages
    ]


def _told(block: Mapping[str, object]) -> list[Json]:
    call, result = as_mapping(block.get("toolUse")), as_mapping(block.get("toolResult"))
    if call:
        return [text_block(f"(tool call {text(call.get('name'))} {write_json(call.get('input'))})")]
    if not result:
        return [dict(block)]
    head = text_block(f"(result of tool call {text(result.get('toolUseId'))})")
    held = (
        text_block(write_json(inner["json"])) if "json" in inner else dict(inner)
        for inner in as_objects(result.get("content"))
    )
    return [head, *held]


# Converse: the one API for all models on Amazon Bedrock.

__all__ = [
    "BEDROCK_CONVERSE",
    "build_request",
    "cache_stats",
    "convert_messages",
    "convert_tools",
    "map_finish_reason",
    "normalize_response",
    "validate_response",
]
_PATH = "/model/{model}/converse"
_IN_SYSTEM = frozenset({"text", "guardContent", "cachePoint"})


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return system and turns apart; each call has its result, and nobody speaks twice in a row."""
    facts = model_facts(model)
    prepared = list(provider.changes.prepare_messages(messages, model))
    wanted = replay_rule(provider)
    words = converse_spelling(
        turn=lambda message: (
            None if is_foreign_turn(message, provider) else replayed_turn(message, wanted(message))
        ),
        thoughts=lambda message: replayed_thoughts(message, wanted(message)),
        cached=facts.cached,
        status=facts.status,
    )
    system = [
        _in_system(block) for block in system_blocks(prepared, words) if isinstance(block, dict)
    ]
    turns = drop_old_thoughts(build_turns(prepared, words), provider, model, text_block)
    ended = settle_turns(turns, facts)
    spoken: list[Json] = [{"role": role, "content": blocks} for role, blocks in ended]
    return Conversation(system=system or None, messages=spoken)


def _in_system(block: Block) -> Block:
    """Name in words what may not stand there."""
    return block if set(block) <= _IN_SYSTEM else text_block(f"({next(iter(block))} left out)")


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body; the model is in the path."""
    facts = model_facts(request.model)
    talk = convert_messages(_asked(request), provider, request.model)
    tools = tool_config(request, provider)
    messages = talk.messages if tools else without_tools(talk.messages)
    body: Json = {"messages": messages}
    body |= {"system": talk.system} if talk.system else {}
    body |= {"toolConfig": tools} if tools else {}
    body |= _config(request, provider, tools)
    if request.cache and facts.cached:
        body = add_cache_points(body, facts)
    finished = finish_body(limit_cache_points(body), request, provider)
    path = (provider.http.path or _PATH).replace("{model}", _quoted(request.model))
    return WireRequest(
        path=f"{path}-stream" if stream else path,
        headers=provider.http.request_headers(request),
        body=finished if stream else _unstreamed(finished),
    )


def _asked(request: ChatRequest) -> Sequence[Message]:
    if not request.instructions:
        return request.messages
    return ({"role": "system", "content": request.instructions}, *request.messages)


def _quoted(model: str) -> str:
    """Return a model's id, profile or ARN as one step of a path: ``:`` and ``/`` encoded too."""
    return quote(model.removeprefix("bedrock/"), safe="", errors="replace")


def _unstreamed(body: Json) -> Json:
    """Leave out of the guardrail what is for streams alone."""
    guard = as_mapping(body.get("guardrailConfig"))
    if "streamProcessingMode" not in guard:
        return body
    rest = {name: value for name, value in guard.items() if name != "streamProcessingMode"}
    return {**body, "guardrailConfig": rest}


def _config(request: ChatRequest, provider: Provider, tools: Json | None) -> Json:
    """Return how much, how random, how thoughtful and in which form."""
    cap, ceiling = sent_max_tokens(request, provider), max_output_tokens(request.model)
    fields: Json = {}
    output: Json = {}
    plan = Thinking()
    form = answer_format(request, provider)
    if form is not None:
        output["textFormat"] = form
    forced = bool(set(as_mapping(as_mapping(tools).get("toolChoice"))) & {"any", "tool"})
    if provider.changes.reasoning is not None:
        fields |= provider.changes.reasoning(request)
    elif not forced:
        # With a tool forced on it a model may not think.
        room = ceiling if request.max_tokens is None else request.max_tokens
        plan, own = reasoning_fields(request, effort_of(request, provider), room)
        fields |= {"additionalModelRequestFields": own} if own else {}
        output |= {"effort": plan.effort} if plan.effort else {}
    if request.max_tokens is None and plan.budget:
        cap = max(cap or 0, min(ceiling, plan.budget + ANSWER_TOKENS))
    thinks = plan.budget > 0 or plan.effort is not None
    # An object here: priority, default, flex or reserved (2026-11-15).
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ServiceTier.html
    fields |= {"serviceTier": {"type": request.service_tier}} if request.service_tier else {}
    inference = _inference(request, provider, cap=cap, thinks=thinks)
    fields |= {"inferenceConfig": inference} if inference else {}
    return fields | ({"outputConfig": output} if output else {})


def optional_fields(request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Return the optional fields: Converse has a tier, and Claude's older models a budget."""
    claude = model_facts(request.model).claude
    budget = {"thinking_budget"} if claude is not None and takes_thinking_budget(claude) else set()
    return frozenset({"service_tier", *budget})


def _inference(request: ChatRequest, provider: Provider, *, cap: int | None, thinks: bool) -> Json:
    facts = model_facts(request.model)
    sampled = facts.takes_sampling and not thinks
    temperature = sent_temperature(request, provider) if sampled else None
    # Claude refuses both at once.
    paired = temperature is None or facts.claude is None
    values = {
        "maxTokens": cap or None,
        "temperature": None if temperature is None else min(temperature, 1.0),
        "topP": request.top_p if sampled and paired else None,
        "stopSequences": [word for word in request.stop if word.strip()] or None,
    }
    return {name: value for name, value in values.items() if value is not None}


BEDROCK_CONVERSE = Wire(
    api_mode="bedrock_converse",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=normalize_response,
    validate_response=validate_response,
    cache_stats=cache_stats,
    map_finish_reason=map_finish_reason,
    refusal=bedrock_refusal,
    frames=EventStreamFrames,
    fold=ConverseFold,
    takes=optional_fields,
    leave_out=leave_out,
    accept="application/vnd.amazon.eventstream",
)
