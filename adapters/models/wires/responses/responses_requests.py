"""Responses: OpenAI's newer API, also spoken by xAI and Perplexity.

https://platform.openai.com/docs/api-reference/responses (fields as of 2026-11-14). It has no stop
sequences, so those of a request are not sent.
"""

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote

from .....ports.models.chat import ChatRequest, Message, Tool
from ....values.json_values import as_list, as_mapping, as_objects, text
from ...declaration.provider import Provider
from ...declaration.rules import (
    cache_key_field,
    effort_of,
    finish_body,
    may_reason,
    provider_tools,
    schema_fields,
    sent_instructions,
    sent_max_tokens,
    sent_temperature,
    sent_top_p,
)
from ...declaration.wire import Conversation, Json, Wire, WireRequest, wire_named_fields
from ...messages.tool_calls import allowed_tools, is_custom, tool_name, with_tool_call_ids
from ...refusals.errors import refusal_error
from ..chat.messages import with_images_moved
from ..server_sent_events import ServerSentEvents
from .replay import assistant_items, call_id, input_content, plain_text, wire_name
from .responses_answers import (
    NOT_ENDED,
    cache_stats,
    map_finish_reason,
    normalize_response,
    validate_response,
)
from .responses_stream import ResponsesFold

_SYSTEM = ("system", "developer")
_RESULTS = ("function_call_output", "custom_tool_call_output")


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the system text that leads, and the rest as items; one message may make several."""
    named = with_tool_call_ids(messages)
    prepared = [dict(message) for message in provider.changes.prepare_messages(named, model)]
    if not provider.history.images_in_tool_results:
        prepared = with_images_moved(prepared)
    start = next(
        (place for place, message in enumerate(prepared) if message.get("role") not in _SYSTEM),
        None,
    )
    # Nothing but system messages: the API wants some input, so they are it.
    leading = prepared[: start or 0]
    instructions = [plain_text(message.get("content")) for message in leading]
    free = _free_calls(prepared)
    rest = prepared[start or 0 :]
    items = _answered([item for message in rest for item in _items(message, provider, free)])
    if provider.responses.typed_items:
        items = [{"type": "message", **item} if "role" in item else item for item in items]
    return Conversation(
        system="\n\n".join(part for part in instructions if part) or None, messages=items
    )


def _free_calls(messages: Sequence[Message]) -> frozenset[str]:
    """Return the ids of calls whose input is free text: their results are items of another kind."""
    calls = (call for message in messages for call in as_objects(message.get("tool_calls")))
    return frozenset(call_id(text(call.get("id"))) for call in calls if is_custom(call))


def _answered(items: list[Json]) -> list[Json]:
    """Return the items with each result told to the program that called for it, where one did."""
    callers = {item.get("call_id"): item["caller"] for item in items if "caller" in item}
    return [
        {**item, "caller": callers[item["call_id"]]}
        if text(item.get("type")) in _RESULTS and item["call_id"] in callers
        else item
        for item in items
    ]


def _items(message: Json, provider: Provider, free: frozenset[str]) -> Iterator[Json]:
    role = message.get("role")
    if role == "assistant":
        yield from assistant_items(message, provider)
    elif role == "tool" and text(message.get("tool_call_id")):
        output = input_content(message.get("content"))
        call = call_id(text(message["tool_call_id"]))
        kind = "custom_tool_call_output" if call in free else "function_call_output"
        yield {"type": kind, "call_id": call, "output": output}
    else:
        yield from _spoken(role if role in _SYSTEM else "user", message.get("content"))


def _spoken(role: object, content: object) -> Iterator[Json]:
    """Yield a message, and beside it the items that the caller put among its parts.

    An approval, or the result of a patch, has no place inside of a message.
    """
    parts = as_list(content)
    items = [dict(as_mapping(part)) for part in parts if _is_item(part)]
    yield from items
    rest = input_content([part for part in parts if not _is_item(part)] if items else content)
    if rest:
        yield {"role": role, "content": rest}


def _is_item(part: object) -> bool:
    kind = text(as_mapping(part).get("type"))
    return kind.endswith(("_call_output", "_response")) or kind == "compaction"


# Responses: OpenAI's newer API, also spoken by xAI and Perplexity.

_PATH = "/responses"
_SEALED = "reasoning.encrypted_content"
_LOGPROBS = "message.output_text.logprobs"
_NAMES = {name: name for name in ("top_logprobs", "service_tier", "background")}


def optional_fields(_request: ChatRequest, provider: Provider) -> frozenset[str]:
    """Return the optional fields: this API has no seed and no penalties."""
    json_mode = {"json_mode"} if provider.fields.structured_output != "none" else set()
    budget = {"thinking_budget"} if provider.changes.thinking_budget is not None else set()
    return frozenset({*_NAMES, "logprobs", "verbosity", *json_mode, *budget})


def pending_path(payload: object, provider: Provider) -> str:
    """Return where an answer will be that the server still works on in the background."""
    body = as_mapping(payload)
    own = text(body.get("id"))
    path = f"{provider.http.path or _PATH}/{quote(own, safe='')}"
    return path if own and body.get("status") in NOT_ENDED else ""


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return functions in their flat form; the provider's own tools are passed on as given."""
    converted = (_tool(tool, provider) for tool in provider_tools(tools, provider, model))
    return [tool for tool in converted if tool]


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    conversation = convert_messages(request.messages, provider, request.model)
    body: Json = {"model": request.model, "input": conversation.messages, "store": request.store}
    instructions = [sent_instructions(request, provider), text(conversation.system)]
    if request.previous_response_id is None or provider.responses.chained_instructions:
        body["instructions"] = "\n\n".join(part for part in instructions if part) or None
    for more in (_limits, _tools, _reasoning, _text, cache_key_field):
        body.update(more(request, provider))
    body.update(wire_named_fields(request, _NAMES))
    if request.background:
        # What is not stored cannot be asked for later.
        body["store"] = True
    if stream:
        body["stream"] = True
    return WireRequest(
        path=provider.http.path or _PATH,
        headers=provider.http.request_headers(request),
        body=finish_body(_present(body), request, provider),
    )


def _tool(tool: Tool, provider: Provider) -> Json:
    if tool.get("type") != "function":
        return dict(tool)
    function = as_mapping(tool.get("function", tool))
    name = text(function.get("name"))
    if not name:
        return {}
    return {
        "type": "function",
        "name": wire_name(name, provider),
        "description": text(function.get("description")),
        "parameters": function.get("parameters") or {"type": "object", "properties": {}},
        # Said outright, because the server's own default is strict.
        "strict": function.get("strict") is True,
    }


def _limits(request: ChatRequest, provider: Provider) -> Json:
    return {
        "max_output_tokens": sent_max_tokens(request, provider),
        "temperature": sent_temperature(request, provider),
        "top_p": sent_top_p(request, provider),
        "previous_response_id": request.previous_response_id,
    }


def _tools(request: ChatRequest, provider: Provider) -> Json:
    tools = convert_tools(request.tools, provider, request.model)
    if not tools:
        return {"include": _include(request) or None}
    sealed = (
        provider.responses.encrypted_reasoning
        and not request.store
        and _SEALED not in request.include
        # Others answer 400: "Encrypted content is not supported with this model."
        and may_reason(request.model, provider)
    )
    return {
        "tools": tools,
        "tool_choice": _choice(request.tool_choice, provider),
        "parallel_tool_calls": request.parallel_tool_calls,
        # Thoughts are wanted back within a loop of tool calls, and nowhere else.
        "include": [*_include(request), *([_SEALED] if sealed else [])] or None,
    }


def _include(request: ChatRequest) -> list[str]:
    """Return what more is asked for; figures of likely words have to be."""
    wanted = request.logprobs or request.top_logprobs is not None
    more = [_LOGPROBS] if wanted and _LOGPROBS not in request.include else []
    return [*request.include, *more]


def _choice(wanted: str | Mapping[str, object] | None, provider: Provider) -> object:
    allowed = allowed_tools(wanted)
    if allowed is not None:
        listed = [_allowed(tool, provider) for tool in allowed.tools]
        return {"type": "allowed_tools", "mode": allowed.mode, "tools": listed}
    if not isinstance(wanted, Mapping) or wanted.get("type") != "function":
        return wanted
    name = text(as_mapping(wanted.get("function", wanted)).get("name"))
    return {"type": "function", "name": wire_name(name, provider)}


def _allowed(tool: Mapping[str, object], provider: Provider) -> Json:
    name = tool_name(tool)
    kind = text(tool.get("type")) or "function"
    return {"type": kind, "name": wire_name(name, provider)} if name else dict(tool)


def _reasoning(request: ChatRequest, provider: Provider) -> Mapping[str, object]:
    budget = provider.changes.thinking_budget
    if budget is not None and request.thinking_budget is not None:
        return budget(request.thinking_budget)
    if provider.changes.reasoning is not None:
        return provider.changes.reasoning(request)
    effort = effort_of(request, provider)
    return {} if effort is None else {"reasoning": {"effort": effort}}


def _text(request: ChatRequest, provider: Provider) -> Json:
    """Return the form of the answer's text, and how much of it there should be."""
    form = _format(request, provider)
    fields: Json = {} if form is None else {"format": form}
    fields |= {"verbosity": request.verbosity} if request.verbosity else {}
    return {"text": fields} if fields else {}


def _format(request: ChatRequest, provider: Provider) -> Json | None:
    wanted, way = request.output_schema, provider.fields.structured_output
    if wanted is None:
        return {"type": "json_object"} if request.json_mode else None
    if way == "json_object":
        return {"type": "json_object"}
    return {"type": "json_schema", **schema_fields(wanted)} if way == "json_schema" else None


def _present(body: Json) -> Json:
    return {name: value for name, value in body.items() if value is not None}


RESPONSES = Wire(
    api_mode="responses",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=normalize_response,
    validate_response=validate_response,
    cache_stats=cache_stats,
    map_finish_reason=map_finish_reason,
    refusal=refusal_error,
    frames=ServerSentEvents,
    fold=ResponsesFold,
    takes=optional_fields,
    pending=pending_path,
)
