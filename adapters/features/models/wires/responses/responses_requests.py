"""Responses: OpenAI's newer API, also offered by xAI and Perplexity.

https://platform.openai.com/docs/api-reference/responses (fields as of 2026-11-14). It has no stop
sequences, so a request's are named as left out.
"""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from msgspec.structs import replace

from webseam.adapters.values.json_values import as_list, as_mapping, as_objects, text
from webseam.ports.models import ChatRequest, Message, Tool

from ...declaration import rules
from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json, Wire, WireRequest, wire_named_fields
from ...messages.tool_calls import add_tool_call_ids, allowed_tools, is_custom_tool_call, tool_name
from ...messages.turns import instructions_with_schema
from ...refusal_errors import model_refusal
from ...refusal_hints import SEALED_THOUGHTS
from ..chat.messages import move_result_images
from ..server_sent_events import ServerSentEvents
from . import replay, responses_answers, responses_stream

_SYSTEM_ROLES = ("system", "developer")
_RESULT_ITEM_TYPES = ("function_call_output", "custom_tool_call_output")
_DEFAULT_PATH = "/responses"
_ENCRYPTED_INCLUDE = "reasoning.encrypted_content"
_LOGPROBS_INCLUDE = "message.output_text.logprobs"


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the leading system text, and the other messages as items; one may make several."""
    with_ids = add_tool_call_ids(messages)
    prepared = [dict(message) for message in provider.changes.prepare_messages(with_ids, model)]
    if not provider.history.images_in_tool_results:
        prepared = move_result_images(prepared)
    start = next(
        (i for i, message in enumerate(prepared) if message.get("role") not in _SYSTEM_ROLES), None
    )
    # The API needs some input, so system messages are the input if there are no others.
    leading = prepared[: start or 0]
    instructions = [replay.plain_text(message.get("content")) for message in leading]
    custom_ids = _custom_ids(prepared)
    input_messages = prepared[start or 0 :]
    turns = [[*_input_items(message, provider, custom_ids)] for message in input_messages]
    if provider.responses.newest_reasoning_only:
        turns = _keep_newest_reasoning(turns)
    items = _add_callers([item for turn in turns for item in turn])
    if provider.responses.typed_items:
        items = [{"type": "message", **item} if "role" in item else item for item in items]
    return Conversation(
        system="\n\n".join(part for part in instructions if part) or None, messages=items
    )


def _custom_ids(messages: Sequence[Message]) -> frozenset[str]:
    """Return the ids of calls with free text input: their results have another item type."""
    calls = (call for message in messages for call in as_objects(message.get("tool_calls")))
    return frozenset(
        replay.shared_call_id(text(call.get("id"))) for call in calls if is_custom_tool_call(call)
    )


def _add_callers(items: list[Json]) -> list[Json]:
    """Return the items with the calling program added to the results of its calls."""
    callers = {item.get("call_id"): item["caller"] for item in items if "caller" in item}
    return [
        {**item, "caller": callers[item["call_id"]]}
        if text(item.get("type")) in _RESULT_ITEM_TYPES and item["call_id"] in callers
        else item
        for item in items
    ]


def _keep_newest_reasoning(turns: Sequence[list[Json]]) -> list[list[Json]]:
    """Drop the reasoning of all turns but the newest."""
    newest = max((i for i, turn in enumerate(turns) if any(map(_is_reasoning, turn))), default=None)
    return [
        [item for item in turn if i == newest or not _is_reasoning(item)]
        for i, turn in enumerate(turns)
    ]


def unsent_history(request: ChatRequest, provider: Provider) -> tuple[str, ...]:
    """Return the name of the provider's own sealed thoughts, if it does not take all of them."""
    facts = provider.responses
    if facts.encrypted_reasoning and not facts.newest_reasoning_only:
        return ()
    every_thought = replace(facts, encrypted_reasoning=True, newest_reasoning_only=False)
    taking = replace(provider, responses=every_thought)
    sent = convert_messages(request.messages, provider, request.model).messages
    whole = convert_messages(request.messages, taking, request.model).messages
    return () if len(sent) == len(whole) else ("messages.reasoning_items",)


def drop_sealed_thoughts(body: Json, names: Sequence[str]) -> Json:
    """Return the body without sealed thoughts, if ``names`` has them."""
    if SEALED_THOUGHTS not in names:
        return body
    items = [item for item in as_objects(body.get("input")) if item.get("type") != "reasoning"]
    return {**body, "input": items}


def _is_reasoning(item: Json) -> bool:
    return item.get("type") == "reasoning"


def _input_items(message: Json, provider: Provider, custom_ids: frozenset[str]) -> Iterator[Json]:
    role = message.get("role")
    if role == "assistant":
        yield from replay.replay_turn(message, provider)
    elif role == "tool" and text(message.get("tool_call_id")):
        output = replay.input_content(message.get("content"))
        call = replay.shared_call_id(text(message["tool_call_id"]))
        kind = "custom_tool_call_output" if call in custom_ids else "function_call_output"
        yield {"type": kind, "call_id": call, "output": output}
    else:
        yield from _split_turn(role if role in _SYSTEM_ROLES else "user", message.get("content"))


def _split_turn(role: object, content: object) -> Iterator[Json]:
    """Yield a message, and separately its parts that must be items: approvals, patch results."""
    parts = as_list(content)
    items = [dict(as_mapping(part)) for part in parts if _is_item(part)]
    yield from items
    rest = replay.input_content(
        [part for part in parts if not _is_item(part)] if items else content
    )
    if rest:
        yield {"role": role, "content": rest}


def _is_item(part: object) -> bool:
    kind = text(as_mapping(part).get("type"))
    return kind.endswith(("_call_output", "_response")) or kind == "compaction"


_FIELD_NAMES = {name: name for name in ("top_logprobs", "service_tier", "background")}


def responses_optional_fields(_request: ChatRequest, provider: Provider) -> frozenset[str]:
    """Return the supported optional fields: this API has no seed and no penalties."""
    json_mode = {"json_mode"} if provider.fields.structured_output != "none" else set()
    budget = {"thinking_budget"} if provider.changes.thinking_budget is not None else set()
    names = {*_FIELD_NAMES, "logprobs", "verbosity", "previous_response_id"}
    return frozenset(names | json_mode | budget)


def pending_path(payload: object, provider: Provider) -> str:
    """Return the path to poll for an answer in the background; blank if it is ready."""
    body = as_mapping(payload)
    response_id = text(body.get("id"))
    path = f"{provider.http.path or _DEFAULT_PATH}/{quote(response_id, safe='')}"
    return path if response_id and body.get("status") in responses_answers.PENDING_STATUSES else ""


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return functions in their flat format; other tools stay unchanged."""
    converted = (
        _tool_definition(tool, provider) for tool in rules.provider_tools(tools, provider, model)
    )
    return [tool for tool in converted if tool]


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    conversation = convert_messages(request.messages, provider, request.model)
    body: Json = {"model": request.model, "input": conversation.messages, "store": request.store}
    has_schema_field = provider.fields.structured_output == "json_schema"
    requested = instructions_with_schema(request, has_schema_field=has_schema_field)
    instructions = [requested, text(conversation.system)]
    if request.previous_response_id is None or provider.responses.chained_instructions:
        body["instructions"] = "\n\n".join(part for part in instructions if part) or None
    body |= _sampling_fields(request, provider)
    body |= _tool_fields(request, provider)
    body |= rules.reasoning_fields(
        request, provider, lambda effort: {"reasoning": {"effort": effort}}
    )
    body |= _text_field(request, provider) | rules.prompt_cache_field(request, provider)
    body |= wire_named_fields(request, _FIELD_NAMES)
    if request.background:
        # Only a stored answer can be polled.
        body["store"] = True
    if stream:
        body["stream"] = True
    return WireRequest(
        path=provider.http.path or _DEFAULT_PATH,
        headers=provider.http.request_headers(request),
        body=rules.finish_model_body(_drop_unset_fields(body), request, provider),
    )


def _tool_definition(tool: Tool, provider: Provider) -> Json:
    if tool.get("type") != "function":
        return dict(tool)
    function = as_mapping(tool.get("function", tool))
    name = text(function.get("name"))
    if not name:
        return {}
    return {
        "type": "function",
        "name": replay.provider_tool_name(name, provider),
        "description": text(function.get("description")),
        "parameters": function.get("parameters") or {"type": "object", "properties": {}},
        # Always sent, because the server's default is strict.
        "strict": function.get("strict") is True,
    }


def _sampling_fields(request: ChatRequest, provider: Provider) -> Json:
    return {
        "max_output_tokens": rules.declared_max_tokens(request, provider),
        "temperature": rules.declared_temperature(request, provider),
        "top_p": rules.sent_top_p(request, provider),
        "previous_response_id": request.previous_response_id,
    }


def _tool_fields(request: ChatRequest, provider: Provider) -> Json:
    tools = convert_tools(request.tools, provider, request.model)
    if not tools:
        return {"include": _include_values(request) or None}
    is_encrypted = (
        provider.responses.encrypted_reasoning
        and not request.store
        and _ENCRYPTED_INCLUDE not in request.include
        # Other models answer 400: "Encrypted content is not supported with this model."
        and rules.may_model_think(request.model, provider)
    )
    return {
        "tools": tools,
        "tool_choice": _tool_choice(request.tool_choice, provider),
        "parallel_tool_calls": request.parallel_tool_calls,
        # Thoughts are only needed back within a loop of tool calls.
        "include": [*_include_values(request), *([_ENCRYPTED_INCLUDE] if is_encrypted else [])]
        or None,
    }


def _include_values(request: ChatRequest) -> list[str]:
    has_logprobs = request.logprobs or request.top_logprobs is not None
    added = [_LOGPROBS_INCLUDE] if has_logprobs and _LOGPROBS_INCLUDE not in request.include else []
    return [*request.include, *added]


def _tool_choice(choice: str | Mapping[str, object] | None, provider: Provider) -> object:
    allowed = allowed_tools(choice)
    if allowed is not None:
        tools = [_tool_reference(tool, provider) for tool in allowed.tools]
        return {"type": "allowed_tools", "mode": allowed.mode, "tools": tools}
    if not isinstance(choice, Mapping) or choice.get("type") != "function":
        return choice
    name = text(as_mapping(choice.get("function", choice)).get("name"))
    return {"type": "function", "name": replay.provider_tool_name(name, provider)}


def _tool_reference(tool: Mapping[str, object], provider: Provider) -> Json:
    name = tool_name(tool)
    kind = text(tool.get("type")) or "function"
    return {"type": kind, "name": replay.provider_tool_name(name, provider)} if name else dict(tool)


def _text_field(request: ChatRequest, provider: Provider) -> Json:
    fields = {
        "format": _text_format(request, provider),
        "verbosity": request.verbosity or None,
    }
    return {"text": _drop_unset_fields(fields)} if any(fields.values()) else {}


def _text_format(request: ChatRequest, provider: Provider) -> Json | None:
    schema, structured_output = request.output_schema, provider.fields.structured_output
    if schema is not None and structured_output == "json_schema":
        return {"type": "json_schema", **rules.output_schema_fields(schema)}
    has_json_mode = request.json_mode if schema is None else structured_output == "json_object"
    return {"type": "json_object"} if has_json_mode else None


def _drop_unset_fields(body: Mapping[str, object]) -> Json:
    return {name: value for name, value in body.items() if value is not None}


RESPONSES = Wire(
    api_mode="responses",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=responses_answers.normalize_response,
    validate_response=responses_answers.validate_response,
    cache_stats=responses_answers.cache_stats,
    map_finish_reason=responses_answers.map_finish_reason,
    refusal=model_refusal,
    frames=ServerSentEvents,
    fold=responses_stream.ResponsesFold,
    takes=responses_optional_fields,
    pending=pending_path,
    leave_out=drop_sealed_thoughts,
    unsent_history=unsent_history,
)
