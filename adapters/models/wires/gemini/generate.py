"""Gemini's own API, generateContent: the only one of Google's that searches for a model.

https://ai.google.dev/api/generate-content (fields as of 2026-11-14). Signatures of thoughts go back
with the calls that they came with; Gemini 3 refuses its calls without them.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from .....ports.models.chat import ChatRequest, Message, Tool
from ....values.json_values import as_mapping, text
from ...declaration.optional_fields import named_fields
from ...declaration.provider import Provider
from ...declaration.rules import (
    finish_body,
    provider_tools,
    sent_max_tokens,
    sent_temperature,
    sent_top_p,
)
from ...declaration.wire import Conversation, Json, Wire, WireRequest
from ...messages.allowed_tools import allowed_tools
from ...messages.tool_calls import tool_name, wire_name
from ...messages.turns import build_turns, system_blocks
from ...refusals.errors import refusal_error
from ...schemas.subset import tool_schema
from ..server_sent_events import ServerSentEvents
from .gemini_answers import cache_stats, map_finish_reason, normalize_response, validate_response
from .gemini_parts import gemini_spelling, turn_contents
from .gemini_stream import GeminiFold

_PATH = "/models/{model}"
_CONFIG_NAMES = {
    "seed": "seed",
    "frequency_penalty": "frequencyPenalty",
    "presence_penalty": "presencePenalty",
    "top_logprobs": "logprobs",
}
_TOP_NAMES = {"safety_settings": "safetySettings", "cached_content": "cachedContent"}
_CHOICES = {"auto": "AUTO", "required": "ANY", "any": "ANY", "none": "NONE"}


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return contents, with the system messages apart."""
    prepared = provider.changes.prepare_messages(messages, model)
    words = gemini_spelling(provider)
    system = [part for part in system_blocks(prepared, words) if isinstance(part, dict)]
    contents = turn_contents(build_turns(prepared, words), model)
    return Conversation(system=system or None, messages=contents)


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return all functions as one tool; the provider's own tools are passed on as given."""
    accepted = provider_tools(tools, provider, model)
    functions = {
        wire_name(tool_name(tool)): _function(tool) for tool in accepted if _is_function(tool)
    }
    own = [dict(tool) for tool in accepted if not _is_function(tool)]
    return own + ([{"functionDeclarations": list(functions.values())}] if functions else [])


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body; the model is in the path."""
    leading = [{"role": "system", "content": request.instructions}] if request.instructions else []
    talk = convert_messages((*leading, *request.messages), provider, request.model)
    body: Json = {"contents": talk.messages}
    body |= {"systemInstruction": {"parts": talk.system}} if talk.system else {}
    body |= _tools(request, provider)
    config = _config(request, provider)
    body |= {"generationConfig": config} if config else {}
    body |= named_fields(request, _TOP_NAMES)
    if provider.changes.reasoning is not None:
        body |= provider.changes.reasoning(request)
    name = quote(request.model.removeprefix("models/"), safe="", errors="replace")
    path = (provider.http.path or _PATH).replace("{model}", name)
    return WireRequest(
        path=f"{path}:streamGenerateContent?alt=sse" if stream else f"{path}:generateContent",
        headers=provider.http.request_headers(request),
        body=finish_body(body, request, provider),
    )


def _is_function(tool: Tool) -> bool:
    return bool(tool_name(tool)) and (
        isinstance(tool.get("function"), Mapping) or tool.get("type") == "function"
    )


def _function(tool: Tool) -> Json:
    function = as_mapping(tool.get("function")) or tool
    return {
        "name": wire_name(tool_name(tool)),
        "description": text(function.get("description")),
        "parametersJsonSchema": tool_schema(function.get("parameters")),
    }


def _tools(request: ChatRequest, provider: Provider) -> Json:
    tools = convert_tools(request.tools, provider, request.model)
    if not tools:
        return {}
    choice = request.tool_choice
    mode = _CHOICES.get(choice) if isinstance(choice, str) else None
    config: Json | None = None if mode is None else {"mode": mode}
    if isinstance(choice, Mapping):
        config = _named_choice(choice)
    return {"tools": tools} | ({"toolConfig": {"functionCallingConfig": config}} if config else {})


def _named_choice(choice: Mapping[str, object]) -> Json | None:
    """Return which functions may be called: one, a list as OpenAI has it, or Gemini's own words."""
    one, allowed = tool_name(choice), allowed_tools(choice)
    if not one and (allowed is None or not allowed.names):
        return dict(choice) if choice.get("mode") else None
    names = (one,) if allowed is None else allowed.names
    # Names go only with a mode that holds the model to them; VALIDATED still lets it just speak.
    # https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes (2026-11-15)
    mode = "ANY" if allowed is None or allowed.required else "VALIDATED"
    return {"mode": mode, "allowedFunctionNames": [wire_name(name) for name in names]}


def _config(request: ChatRequest, provider: Provider) -> Json:
    wanted = request.output_schema
    values: Json = {
        "maxOutputTokens": sent_max_tokens(request, provider),
        "temperature": sent_temperature(request, provider),
        "topP": sent_top_p(request, provider),
        "stopSequences": list(request.stop) or None,
    }
    if wanted is not None and provider.fields.structured_output == "json_schema":
        values |= {
            "responseMimeType": "application/json",
            "responseJsonSchema": dict(wanted.schema),
        }
    if wanted is None and request.json_mode:
        values["responseMimeType"] = "application/json"
    if request.logprobs or request.top_logprobs is not None:
        values["responseLogprobs"] = True
    if request.thinking_budget is not None:
        values["thinkingConfig"] = {"thinkingBudget": request.thinking_budget}
    values |= named_fields(request, _CONFIG_NAMES)
    return {name: value for name, value in values.items() if value is not None}


def optional_fields(_request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Return the optional fields; only this API has settings for safety and cached content."""
    return frozenset({*_CONFIG_NAMES, *_TOP_NAMES, "json_mode", "logprobs", "thinking_budget"})


GEMINI_GENERATE = Wire(
    api_mode="gemini_generate",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=normalize_response,
    validate_response=validate_response,
    cache_stats=cache_stats,
    map_finish_reason=map_finish_reason,
    refusal=refusal_error,
    frames=ServerSentEvents,
    fold=GeminiFold,
    takes=optional_fields,
)
