"""Converse: the API for all models on Amazon Bedrock.

https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_Converse.html (2026-11-14)
"""

from collections.abc import Mapping, Sequence
from itertools import chain
from urllib.parse import quote

from webseam.adapters.values.json_values import as_mapping, as_objects, text, write_json
from webseam.ports.models import ChatRequest, Message, Tool

from ... import aws, schemas
from ...claude import thinking_blocks
from ...claude.facts import ANSWER_TOKENS, Thinking, allows_thinking_budget, max_output_tokens
from ...declaration import rules
from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json, Wire, WireRequest
from ...messages.pairing import Block
from ...messages.tool_calls import is_openai_function, narrow_tools, tool_name, wire_name
from ...messages.turns import build_message_turns, prepend_instructions, system_parts
from . import bedrock_refusals, converse_stream, converse_thinking
from .converse_blocks import bedrock_cache_point, bedrock_spelling, bedrock_text
from .turns import (
    add_bedrock_cache_points,
    bedrock_facts,
    bedrock_reasoning,
    limit_bedrock_cache_points,
    settle_bedrock_turns,
)

_NATIVE_TOOL_KEYS = frozenset({"toolSpec", "systemTool", "cachePoint"})
_CHOICE_KINDS = {"auto": "auto", "required": "any", "any": "any"}
_ANSWER_TOOL_DESCRIPTION = "Give the answer in this form."
_SYSTEM_KEYS = frozenset({"text", "guardContent", "cachePoint"})


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools in the format of Converse; of two with one name the first counts."""
    facts = bedrock_facts(model)
    converted: dict[str, Json] = {}
    for tool in rules.provider_tools(tools, provider, model):
        if set(tool) & _NATIVE_TOOL_KEYS or not is_openai_function(tool):
            converted.setdefault(write_json(tool), dict(tool))
        elif name := tool_name(tool):
            spec = _tool_spec(tool, name, strict=facts.has_structured_output)
            converted.setdefault(wire_name(name), {"toolSpec": spec})
            mark = tool.get("cache_control")
            if isinstance(mark, Mapping) and facts.takes_tool_cache_points:
                converted[f"{wire_name(name)}|"] = bedrock_cache_point(mark)
    return list(converted.values())


def _tool_spec(tool: Tool, name: str, *, strict: bool) -> Json:
    function = as_mapping(tool.get("function")) or tool
    description = text(function.get("description")).strip()
    spec: Json = {
        "name": wire_name(name),
        "description": description or name,
        "inputSchema": {"json": schemas.tool_schema(function.get("parameters"))},
    }
    return spec | ({"strict": True} if strict and function.get("strict") is True else {})


def bedrock_tool_config(request: ChatRequest, provider: Provider) -> Json | None:
    """Return ``toolConfig``; None without tools, or if none may be used."""
    # A choice is any, auto or one tool (as of 2026-11-15), so send only the allowed tools.
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ToolChoice.html
    request = narrow_tools(request)
    tools = convert_tools(request.tools, provider, request.model)
    schema_tool = _answer_tool(request, provider)
    if request.tool_choice == "none" or not bedrock_facts(request.model).takes_tools:
        tools = []
    choice = _tool_choice(request.tool_choice) if tools else None
    if schema_tool is not None:
        # The model may call other tools first, but must end with this one.
        choice = {"any": {}} if tools else {"tool": {"name": schema_tool["name"]}}
        tools.append({"toolSpec": schema_tool})
    if not tools:
        return None
    return {"tools": tools} | ({"toolChoice": choice} if choice else {})


def _tool_choice(tool_choice: object) -> Json | None:
    if isinstance(tool_choice, str):
        kind = _CHOICE_KINDS.get(tool_choice)
        return {kind: {}} if kind else None
    fields = as_mapping(tool_choice)
    name = tool_name(fields) or text(as_mapping(fields.get("tool")).get("name"))
    return {"tool": {"name": wire_name(name)}} if name else None


def _answer_tool(request: ChatRequest, provider: Provider) -> Json | None:
    """Return a tool that takes the answer, if the model does not support a schema."""
    output_schema, takes_tools = request.output_schema, bedrock_facts(request.model).takes_tools
    if output_schema is None or provider.fields.structured_output == "none" or not takes_tools:
        return None
    if bedrock_answer_format(request, provider) is not None:
        return None
    schema = {"json": schemas.tool_schema(output_schema.schema)}
    name = wire_name(output_schema.name)
    return {"name": name, "description": _ANSWER_TOOL_DESCRIPTION, "inputSchema": schema}


def bedrock_answer_format(request: ChatRequest, provider: Provider) -> Json | None:
    """Return the format field with the schema, if the model supports one."""
    output_schema, structured_output = request.output_schema, provider.fields.structured_output
    has_support = bedrock_facts(request.model).has_structured_output
    if output_schema is None or not has_support or structured_output != "json_schema":
        return None
    # Converse takes the schema as a text.
    schema = write_json(schemas.closed_schema(output_schema.schema))
    json_schema = {"name": wire_name(output_schema.name), "schema": schema}
    return {"type": "json_schema", "structure": {"jsonSchema": json_schema}}


def describe_tool_turns(messages: Sequence[Json]) -> list[Json]:
    """Return turns with calls and results as text: without tools the API refuses both."""
    described: list[Json] = []
    for turn in messages:
        blocks = map(_describe_tool_block, as_objects(turn["content"]))
        described.append({**turn, "content": [*chain.from_iterable(blocks)]})
    return described


def _describe_tool_block(block: Mapping[str, object]) -> list[Json]:
    call, result = as_mapping(block.get("toolUse")), as_mapping(block.get("toolResult"))
    if call:
        name, arguments = text(call.get("name")), write_json(call.get("input"))
        return [bedrock_text(f"(tool call {name} {arguments})")]
    if not result:
        return [dict(block)]
    head = bedrock_text(f"(result of tool call {text(result.get('toolUseId'))})")
    inner_blocks = (
        bedrock_text(write_json(inner["json"])) if "json" in inner else dict(inner)
        for inner in as_objects(result.get("content"))
    )
    return [head, *inner_blocks]


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the system prompt and alternating turns, in which each call has its result."""
    facts = bedrock_facts(model)
    prepared = list(provider.changes.prepare_messages(messages, model))
    rule = thinking_blocks.thought_replay_rule(provider)
    spelling = bedrock_spelling(
        turn=lambda message: (
            None
            if thinking_blocks.is_foreign_model_turn(message, provider)
            else converse_thinking.replay_bedrock_turn(message, rule(message))
        ),
        thoughts=lambda message: converse_thinking.bedrock_thinking_blocks(message, rule(message)),
        with_cache_points=facts.takes_cache_points,
        with_status=facts.takes_status,
    )
    leading = (part for part in system_parts(prepared, spelling) if isinstance(part, dict))
    system = [_system_block(block) for block in leading]
    turns = thinking_blocks.drop_old_thoughts(
        build_message_turns(prepared, spelling), provider, model, bedrock_text
    )
    settled = settle_bedrock_turns(turns, facts)
    converted: list[Json] = [{"role": role, "content": blocks} for role, blocks in settled]
    return Conversation(system=system or None, messages=converted)


def _system_block(block: Block) -> Block:
    """Return a block for the system prompt; one that it does not accept becomes a text."""
    return block if set(block) <= _SYSTEM_KEYS else bedrock_text(f"({next(iter(block))} left out)")


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body; the model is in the path."""
    facts = bedrock_facts(request.model)
    has_schema_field = provider.fields.structured_output != "none" and facts.takes_tools
    history = prepend_instructions(request, has_schema_field=has_schema_field)
    conversation = convert_messages(history, provider, request.model)
    tools = bedrock_tool_config(request, provider)
    messages = conversation.messages if tools else describe_tool_turns(conversation.messages)
    body: Json = {"messages": messages}
    body |= {"system": conversation.system} if conversation.system else {}
    body |= {"toolConfig": tools} if tools else {}
    body |= _config_fields(request, provider, tools)
    if request.cache and facts.takes_cache_points:
        body = add_bedrock_cache_points(body, facts)
    finished = rules.finish_model_body(limit_bedrock_cache_points(body), request, provider)
    # An ARN or a profile's id is one path segment, with ``:`` and ``/`` encoded.
    model = quote(request.model.removeprefix("bedrock/"), safe="", errors="replace")
    path = (provider.http.path or "/model/{model}/converse").replace("{model}", model)
    return WireRequest(
        path=f"{path}-stream" if stream else path,
        headers=provider.http.request_headers(request),
        body=finished if stream else _drop_stream_option(finished),
    )


def _drop_stream_option(body: Json) -> Json:
    guardrail = as_mapping(body.get("guardrailConfig"))
    if "streamProcessingMode" not in guardrail:
        return body
    rest = {name: value for name, value in guardrail.items() if name != "streamProcessingMode"}
    return {**body, "guardrailConfig": rest}


def _config_fields(request: ChatRequest, provider: Provider, tools: Json | None) -> Json:
    cap, max_tokens = rules.declared_max_tokens(request, provider), max_output_tokens(request.model)
    fields: Json = {}
    output_config: Json = {}
    thinking = Thinking()
    answer_schema = bedrock_answer_format(request, provider)
    if answer_schema is not None:
        output_config["textFormat"] = answer_schema
    is_tool_forced = bool(set(as_mapping(as_mapping(tools).get("toolChoice"))) & {"any", "tool"})
    if provider.changes.reasoning is not None:
        fields |= provider.changes.reasoning(request)
    elif not is_tool_forced:
        # The API refuses thinking together with a forced tool.
        room = max_tokens if request.max_tokens is None else request.max_tokens
        thinking, extras = bedrock_reasoning(request, rules.effort_of(request, provider), room)
        fields |= {"additionalModelRequestFields": extras} if extras else {}
        output_config |= {"effort": thinking.effort} if thinking.effort else {}
    if request.max_tokens is None and thinking.budget:
        cap = max(cap or 0, min(max_tokens, thinking.budget + ANSWER_TOKENS))
    is_thinking = thinking.budget > 0 or thinking.effort is not None
    # The type is priority, default, flex or reserved (2026-11-15).
    # https://docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_ServiceTier.html
    fields |= {"serviceTier": {"type": request.service_tier}} if request.service_tier else {}
    inference = _inference_config(request, provider, cap=cap, is_thinking=is_thinking)
    fields |= {"inferenceConfig": inference} if inference else {}
    return fields | ({"outputConfig": output_config} if output_config else {})


def bedrock_optional_fields(request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Return the supported optional fields: a service tier, and a budget for older Claudes."""
    claude = bedrock_facts(request.model).claude
    budget = {"thinking_budget"} if claude is not None and allows_thinking_budget(claude) else set()
    return frozenset({"service_tier", *budget})


def _inference_config(
    request: ChatRequest, provider: Provider, *, cap: int | None, is_thinking: bool
) -> Json:
    facts = bedrock_facts(request.model)
    is_sampled = facts.takes_sampling and not is_thinking
    temperature = rules.declared_temperature(request, provider) if is_sampled else None
    # Claude refuses both at once.
    may_add_top_p = temperature is None or facts.claude is None
    values = {
        "maxTokens": cap or None,
        "temperature": None if temperature is None else min(temperature, 1.0),
        "topP": request.top_p if is_sampled and may_add_top_p else None,
        "stopSequences": [stop for stop in request.stop if stop.strip()] or None,
    }
    return {name: value for name, value in values.items() if value is not None}


BEDROCK_CONVERSE = Wire(
    api_mode="bedrock_converse",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=converse_stream.normalize_response,
    validate_response=converse_stream.validate_response,
    cache_stats=converse_stream.cache_stats,
    map_finish_reason=converse_stream.map_finish_reason,
    refusal=bedrock_refusals.bedrock_refusal,
    frames=aws.EventStreamFrames,
    fold=converse_stream.ConverseFold,
    takes=bedrock_optional_fields,
    leave_out=bedrock_refusals.drop_parts,
    accept="application/vnd.amazon.eventstream",
)
