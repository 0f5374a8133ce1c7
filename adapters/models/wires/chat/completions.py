"""Chat completions: OpenAI's older API, which nearly every provider speaks.

https://platform.openai.com/docs/api-reference/chat (fields as of 2026-11-14)
"""

from collections.abc import Mapping, Sequence

from .....ports.models.chat import ChatRequest, Tool
from ....values.json_values import text
from ...declaration.optional_fields import named_fields
from ...declaration.provider import Provider
from ...declaration.rules import (
    cache_key_field,
    effort_of,
    finish_body,
    provider_tools,
    schema_fields,
    sent_instructions,
    sent_max_tokens,
    sent_temperature,
    sent_top_p,
)
from ...declaration.wire import Json, Wire, WireRequest
from ...messages.allowed_tools import allowed_tools
from ...refusals.errors import refusal_error
from ..server_sent_events import ServerSentEvents
from .completion_answers import (
    cache_stats,
    map_finish_reason,
    normalize_response,
    validate_response,
)
from .completion_stream import ChatFold
from .messages import convert_messages, with_cache_marks, with_instructions

_PATH = "/chat/completions"
_NAMES = {
    name: name
    for name in (
        "seed",
        "frequency_penalty",
        "presence_penalty",
        "logprobs",
        "top_logprobs",
        "service_tier",
        "verbosity",
    )
}


def optional_fields(_request: ChatRequest, provider: Provider) -> frozenset[str]:
    """Return the optional fields; who has no schema may still have JSON mode."""
    json_mode = {"json_mode"} if provider.fields.structured_output != "none" else set()
    budget = {"thinking_budget"} if provider.changes.thinking_budget is not None else set()
    return frozenset({*_NAMES, *json_mode, *budget})


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return the tools as the provider takes them; they are its format already."""
    return [dict(tool) for tool in provider_tools(tools, provider, model)]


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    instructed = with_instructions(request.messages, sent_instructions(request, provider))
    messages = convert_messages(instructed, provider, request.model).messages
    if request.cache and provider.history.cache_marks:
        messages = with_cache_marks(messages)
    body: Json = {"model": request.model, "messages": messages}
    for more in (_sampling, _tools, _reasoning, _format):
        body.update(more(request, provider))
    body.update(named_fields(request, _NAMES))
    if request.top_logprobs is not None:
        # The API takes the number only beside the switch.
        body["logprobs"] = True
    body.update(cache_key_field(request, provider))
    if stream:
        body["stream"] = True
        if provider.fields.stream_usage:
            body["stream_options"] = {"include_usage": True}
    return WireRequest(
        path=provider.http.path or _PATH,
        headers=provider.http.request_headers(request),
        body=finish_body(body, request, provider),
    )


def _sampling(request: ChatRequest, provider: Provider) -> Json:
    values = {
        "temperature": sent_temperature(request, provider),
        "top_p": sent_top_p(request, provider),
        "stop": list(request.stop) or None,
        provider.fields.max_tokens_field: sent_max_tokens(request, provider),
    }
    return {name: value for name, value in values.items() if value is not None}


def _tools(request: ChatRequest, provider: Provider) -> Json:
    # Without tools all three fields stay away: several servers refuse an empty list.
    if not request.tools:
        return {}
    values = {
        "tools": convert_tools(request.tools, provider, request.model),
        "tool_choice": _choice(request.tool_choice),
        "parallel_tool_calls": request.parallel_tool_calls,
    }
    return {name: value for name, value in values.items() if value is not None}


def _choice(wanted: str | Mapping[str, object] | None) -> object:
    allowed = allowed_tools(wanted)
    if allowed is None:
        return wanted
    listed = [_allowed(tool) for tool in allowed.tools]
    return {"type": "allowed_tools", "allowed_tools": {"mode": allowed.mode, "tools": listed}}


def _allowed(tool: Mapping[str, object]) -> Json:
    kind, name = text(tool.get("type")) or "function", text(tool.get("name"))
    return {"type": kind, kind: {"name": name}} if name else dict(tool)


def _reasoning(request: ChatRequest, provider: Provider) -> Mapping[str, object]:
    budget = provider.changes.thinking_budget
    if budget is not None and request.thinking_budget is not None:
        return budget(request.thinking_budget)
    if provider.changes.reasoning is not None:
        return provider.changes.reasoning(request)
    effort = effort_of(request, provider)
    return {} if effort is None else {"reasoning_effort": effort}


def _format(request: ChatRequest, provider: Provider) -> Json:
    wanted = request.output_schema
    if wanted is None and request.json_mode:
        return {"response_format": {"type": "json_object"}}
    if wanted is None or provider.fields.structured_output not in ("json_schema", "json_object"):
        return {}
    if provider.fields.structured_output == "json_object":
        return {"response_format": {"type": "json_object"}}
    return {"response_format": {"type": "json_schema", "json_schema": schema_fields(wanted)}}


CHAT_COMPLETIONS = Wire(
    api_mode="chat_completions",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=normalize_response,
    validate_response=validate_response,
    cache_stats=cache_stats,
    map_finish_reason=map_finish_reason,
    refusal=refusal_error,
    frames=ServerSentEvents,
    fold=ChatFold,
    takes=optional_fields,
)
