"""Responses: OpenAI's newer API, also spoken by xAI and Perplexity.

https://platform.openai.com/docs/api-reference/responses (fields as of 2026-11-14). It has no stop
sequences, so those of a request are not sent.
"""

from collections.abc import Mapping, Sequence

from .....ports.models import ChatRequest, Tool
from ....values.json import mapping, text
from ...declaration.provider import Provider
from ...declaration.rules import (
    cache_key_of,
    effort_of,
    finish_body,
    instructions_of,
    max_tokens_of,
    reasons,
    schema_of,
    temperature_of,
    tools_of,
    top_p_of,
)
from ...declaration.wire import Json, Wire, WireRequest
from ...refusals.errors import refusal_error
from ..sse import ServerSentEvents
from .answers import cache_stats, map_finish_reason, normalize_response, validate_response
from .input import convert_messages
from .replay import wire_name
from .stream import ResponsesFold

_PATH = "/responses"
_SEALED = "reasoning.encrypted_content"


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return functions in their flat form; the provider's own tools are passed on as given."""
    converted = (_tool(tool, provider) for tool in tools_of(tools, provider, model))
    return [tool for tool in converted if tool]


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body."""
    conversation = convert_messages(request.messages, provider, request.model)
    body: Json = {"model": request.model, "input": conversation.messages, "store": request.store}
    instructions = [instructions_of(request, provider), text(conversation.system)]
    if request.previous_response_id is None or provider.responses.chained_instructions:
        body["instructions"] = "\n\n".join(part for part in instructions if part) or None
    for more in (_limits, _tools, _reasoning, _format, cache_key_of):
        body.update(more(request, provider))
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
    function = mapping(tool.get("function", tool))
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
        "max_output_tokens": max_tokens_of(request, provider),
        "temperature": temperature_of(request, provider),
        "top_p": top_p_of(request, provider),
        "previous_response_id": request.previous_response_id,
    }


def _tools(request: ChatRequest, provider: Provider) -> Json:
    tools = convert_tools(request.tools, provider, request.model)
    if not tools:
        return {"include": list(request.include) or None}
    sealed = (
        provider.responses.encrypted_reasoning
        and not request.store
        and _SEALED not in request.include
        # Others answer 400: "Encrypted content is not supported with this model."
        and reasons(request.model, provider)
    )
    return {
        "tools": tools,
        "tool_choice": _choice(request.tool_choice, provider),
        "parallel_tool_calls": request.parallel_tool_calls,
        # Thoughts are wanted back within a loop of tool calls, and nowhere else.
        "include": [*request.include, *([_SEALED] if sealed else [])] or None,
    }


def _choice(wanted: str | Mapping[str, object] | None, provider: Provider) -> object:
    if not isinstance(wanted, Mapping) or wanted.get("type") != "function":
        return wanted
    name = text(mapping(wanted.get("function", wanted)).get("name"))
    return {"type": "function", "name": wire_name(name, provider)}


def _reasoning(request: ChatRequest, provider: Provider) -> Mapping[str, object]:
    if provider.changes.reasoning is not None:
        return provider.changes.reasoning(request)
    effort = effort_of(request, provider)
    return {} if effort is None else {"reasoning": {"effort": effort}}


def _format(request: ChatRequest, provider: Provider) -> Json:
    wanted = request.output_schema
    if wanted is None or provider.fields.structured_output not in ("json_schema", "json_object"):
        return {}
    if provider.fields.structured_output == "json_object":
        return {"text": {"format": {"type": "json_object"}}}
    return {"text": {"format": {"type": "json_schema", **schema_of(wanted)}}}


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
)
