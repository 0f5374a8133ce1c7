"""Gemini's own API, generateContent: the only one of Google's that searches for a model.

https://ai.google.dev/api/generate-content (fields as of 2026-11-14). Signatures of thoughts go back
with the calls that they came with; Gemini 3 refuses its calls without them.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from urllib.parse import quote

from .....ports.models.chat import ChatRequest, Message, Tool
from ....values.json_values import as_mapping, as_objects, text, write_json
from ...declaration.provider import Provider
from ...declaration.rules import (
    finish_body,
    provider_tools,
    sent_max_tokens,
    sent_temperature,
    sent_top_p,
)
from ...declaration.wire import Conversation, Json, Wire, WireRequest, wire_named_fields
from ...messages.media import image_part_url, read_data_url
from ...messages.pairing import Block, Part, ToolResult, ToolUse
from ...messages.tool_calls import allowed_tools, tool_name, wire_name
from ...messages.turns import Spoken, WireSpelling, build_turns, message_calls, system_blocks
from ...refusals.errors import refusal_error
from ...schemas import tool_schema
from ..server_sent_events import ServerSentEvents
from .gemini_answers import (
    PARTS,
    cache_stats,
    map_finish_reason,
    normalize_response,
    read_calls,
    text_and_thoughts,
    validate_response,
)
from .gemini_stream import GeminiFold

# What a call goes with that no Gemini made.
UNSIGNED = "skip_thought_signature_validator"
_SIGNING = 3
_ATTACHED = "(attached)"
_ROLES = {"user": "user", "assistant": "model"}


def text_part(words: str) -> Block:
    """Return a part of text."""
    return {"text": words}


def turn_contents(turns: Iterable[Spoken], model: str) -> list[Json]:
    """Return turns as contents; each result gets the name of its call, which is asked for here."""
    names: dict[str, str] = {}
    contents: list[Json] = []
    third = _is_third(model)
    for role, blocks in turns:
        parts = [_named(block, names) for block in blocks]
        parts = _signed(parts) if third else _with_media_behind(parts)
        contents.append({"role": _ROLES[role], "parts": parts})
    return contents


def _is_third(model: str) -> bool:
    """Tell Gemini 3 and later; a name without a number is taken for the newest.

    >>> [_is_third(name) for name in ("gemini-3.1-pro", "gemini-flash-latest", "gemini-2.5-pro")]
    [True, True, False]
    """
    name = model.lower()
    number = re.search(r"gemini-(\d+)", name)
    return "gemini" in name and (number is None or int(number[1]) >= _SIGNING)


def _signed(parts: Sequence[Block]) -> list[Block]:
    """Return a turn whose first call has a signature: Gemini 3 refuses it without one.

    A call that somebody else made has none. The words that stand for it are Google's own:
    https://ai.google.dev/gemini-api/docs/thought-signatures (2026-11-15)
    """
    first = next((at for at, part in enumerate(parts) if "functionCall" in part), None)
    if first is None or parts[first].get("thoughtSignature"):
        return list(parts)
    return [*parts[:first], {**parts[first], "thoughtSignature": UNSIGNED}, *parts[first + 1 :]]


def _with_media_behind(parts: Sequence[Block]) -> list[Block]:
    """Return a turn with the pictures of its results beside them: older models take none inside."""
    media: list[Block] = []
    results: list[Block] = []
    for part in parts:
        result = dict(as_mapping(part.get("functionResponse")))
        media += [dict(piece) for piece in as_objects(result.pop("parts", None))]
        results.append({**part, "functionResponse": result} if result else part)
    return [*results, *media]


def _named(block: Block, names: dict[str, str]) -> Block:
    call, result = as_mapping(block.get("functionCall")), as_mapping(block.get("functionResponse"))
    if call:
        names[text(call.get("id"))] = text(call.get("name"))
    if not result:
        return block
    return {"functionResponse": {**result, "name": names.get(text(result.get("id")), "_")}}


def _read(part: Mapping[str, object]) -> Sequence[Part]:
    """Return what a part that is no plain text becomes; what cannot be sent is named in words."""
    url = image_part_url(part) or text(as_mapping(part.get("file")).get("file_data"))
    media = read_data_url(url)
    if media is not None:
        return [{"inlineData": {"mimeType": media.type, "data": media.data}}]
    if url.startswith(("https://", "http://")):
        return [text_part(f"(image: {url})")]
    words = text(part.get("text"))
    kind = text(part.get("type")) or "a part"
    return [text_part(words if words.strip() else f"({kind} left out)")]


def _call(call: ToolUse) -> Block:
    function_call = {"id": call.id, "name": wire_name(call.name), "args": call.input}
    signed: Block = {"thoughtSignature": call.signature} if call.signature else {}
    return {"functionCall": function_call, **signed}


def _answer(answer: ToolResult) -> Block:
    # https://ai.google.dev/gemini-api/docs/function-calling#multimodal (2026-11-15)
    media = [block for block in answer.blocks if "inlineData" in block]
    rest = [block for block in answer.blocks if "inlineData" not in block]
    words = "\n".join(text(block.get("text")) or write_json(block) for block in rest)
    field = "error" if answer.failed else "result"
    response: Block = {"id": answer.id, "response": {field: words or _ATTACHED * bool(media)}}
    return {"functionResponse": response | ({"parts": media} if media else {})}


def _whole_turn(message: Message, provider: Provider) -> Sequence[Part] | None:
    """Return a turn part by part, in the order it was made, if that still is what it says.

    Signatures stand on words too, and pictures and code that ran are part of the conversation:
    https://ai.google.dev/gemini-api/docs/thought-signatures
    """
    held = as_mapping(message.get("provider_data"))
    parts = as_objects(message.get(PARTS) or held.get(PARTS))
    calls = message_calls(message)
    ids = [call.id for call in read_calls(parts, None)]
    if not parts or held.get("_issuer", provider.name) != provider.name:
        return None
    if ids != [call.id for call in calls] or text_and_thoughts(parts)[0] != (
        message.get("content") or ""
    ):
        return None
    waiting = iter(calls)
    return [
        next(waiting) if as_mapping(part.get("functionCall")).get("name") else dict(part)
        for part in parts
        if part.get("thought") is not True
    ]


def _no_thoughts(_message: Message) -> Sequence[Part]:
    return ()


def _unmarked(parts: Sequence[Part], _mark: object) -> Sequence[Part]:
    return parts


def gemini_spelling(provider: Provider) -> WireSpelling:
    """Return how Gemini spells a conversation; parts go back to their issuer alone."""
    return WireSpelling(
        text=text_part,
        read=_read,
        turn=lambda message: _whole_turn(message, provider),
        thoughts=_no_thoughts,
        call=_call,
        answer=_answer,
        mark=_unmarked,
        clean_id=lambda identity: identity or "call_0",
    )


# Gemini's own API, generateContent: the only one of Google's that searches for a model.

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
    body |= wire_named_fields(request, _TOP_NAMES)
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
    values |= wire_named_fields(request, _CONFIG_NAMES)
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
