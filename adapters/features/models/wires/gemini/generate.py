"""Gemini's own API, generateContent: the only one of Google's APIs with a search tool.

https://ai.google.dev/api/generate-content (fields as of 2026-11-14). Thought signatures are sent
back with their calls; Gemini 3 refuses its calls without them.
"""

from collections.abc import Mapping, Sequence
from urllib.parse import quote

from webseam.adapters.values.json_values import as_mapping, as_objects, text, write_json
from webseam.ports.models import ChatRequest, Message, Tool

from ...declaration import rules
from ...declaration.provider import Provider
from ...declaration.wire import Conversation, Json, Wire, WireRequest, wire_named_fields
from ...gemini_thinking import gemini_thinking, gemini_version
from ...messages.media import image_part_url, read_media_url
from ...messages.pairing import Block, Part, ToolResult, ToolUse
from ...messages.tool_calls import allowed_tools, is_openai_function, tool_name, wire_name
from ...messages.turns import (
    WireSpelling,
    build_message_turns,
    message_calls,
    prepend_instructions,
    system_parts,
)
from ...refusal_errors import model_refusal
from ...schemas import tool_schema
from ..server_sent_events import ServerSentEvents
from . import gemini_answers
from .gemini_stream import GeminiFold

# The signature for a call that Gemini did not make.
UNSIGNED_CALL_SIGNATURE = "skip_thought_signature_validator"
_FIRST_SIGNING_VERSION = (3, 0)
_MEDIA_TEXT = "(attached)"
_JSON_TYPE = "application/json"
_ROLES = {"user": "user", "assistant": "model"}
# https://ai.google.dev/gemini-api/docs/file-input-methods (2026-11-19): addresses of the web, of
# Google's storage, and of files that were uploaded.
_ADDRESS_STARTS = ("https://", "http://", "gs://")
_AUDIO_TYPES = {"mp3": "audio/mp3", "mpeg": "audio/mp3", "pcm16": "audio/pcm"}
_ADDRESS_FIELDS = ("url", "file_data", "file_url", "file_uri", "file_id")
# https://ai.google.dev/gemini-api/docs/file-input-methods (2026-11-19)
_TYPES_BY_ENDING = {
    "png": "image/png", "jpg": "image/jpeg", "jpeg": "image/jpeg", "webp": "image/webp",
    "heic": "image/heic", "heif": "image/heif", "gif": "image/gif", "pdf": "application/pdf",
    "txt": "text/plain", "mp3": "audio/mp3", "wav": "audio/wav", "flac": "audio/flac",
    "ogg": "audio/ogg", "aac": "audio/aac", "mp4": "video/mp4", "mov": "video/mov",
    "mpeg": "video/mpeg", "webm": "video/webm", "avi": "video/avi",
}  # fmt: skip
_MEDIA_KEYS = frozenset({"inlineData", "fileData"})
_CONFIG_NAMES = {
    "seed": "seed", "frequency_penalty": "frequencyPenalty", "presence_penalty": "presencePenalty",
    "top_logprobs": "logprobs",
}  # fmt: skip
_THINKING_NAMES = {
    "include_thoughts": "includeThoughts", "thinking_budget": "thinkingBudget",
    "thinking_level": "thinkingLevel",
}  # fmt: skip
_BODY_NAMES = {"safety_settings": "safetySettings", "cached_content": "cachedContent"}
_FUNCTION_CALLING_MODES = {"auto": "AUTO", "required": "ANY", "any": "ANY", "none": "NONE"}


def gemini_text_part(content: str) -> Block:
    """Return a text part."""
    return {"text": content}


def _sign_first_call(parts: Sequence[Block]) -> list[Block]:
    """Return a turn with a signature on its first call: Gemini 3 refuses it without one.

    A call of another model has none; Google documents the placeholder for it:
    https://ai.google.dev/gemini-api/docs/thought-signatures (2026-11-15)
    """
    first_call = next((index for index, part in enumerate(parts) if "functionCall" in part), None)
    if first_call is None or parts[first_call].get("thoughtSignature"):
        return list(parts)
    signed = {**parts[first_call], "thoughtSignature": UNSIGNED_CALL_SIGNATURE}
    return [*parts[:first_call], signed, *parts[first_call + 1 :]]


def _move_media(parts: Sequence[Block]) -> list[Block]:
    """Return a turn with media moved out of its results: older models accept none inside."""
    media: list[Block] = []
    results: list[Block] = []
    for part in parts:
        result = dict(as_mapping(part.get("functionResponse")))
        media += [dict(piece) for piece in as_objects(result.pop("parts", None))]
        results.append({**part, "functionResponse": result} if result else part)
    return [*results, *media]


def _name_response(block: Block, names: dict[str, str]) -> Block:
    call, result = as_mapping(block.get("functionCall")), as_mapping(block.get("functionResponse"))
    if call:
        names[text(call.get("id"))] = text(call.get("name"))
    if not result:
        return block
    return {"functionResponse": {**result, "name": names.get(text(result.get("id")), "_")}}


def _read_part(part: Mapping[str, object]) -> Sequence[Part]:
    """Convert a part that is not text; one that cannot be sent becomes a text that names it."""
    url, mime_type = _media_address(part)
    media = read_media_url(url)
    if media is not None:
        return [{"inlineData": {"mimeType": media.type, "data": media.data}}]
    if url.startswith(_ADDRESS_STARTS):
        mime = {"mimeType": mime_type} if mime_type else {}
        return [{"fileData": {**mime, "fileUri": url}}]
    part_text = text(part.get("text"))
    kind = text(part.get("type")) or "a part"
    return [gemini_text_part(part_text if part_text.strip() else f"({kind} left out)")]


def _media_address(part: Mapping[str, object]) -> tuple[str, str]:
    """Return the address of an image, audio, video or file, and its media type if it is stated."""
    audio = as_mapping(part.get("input_audio"))
    if audio:
        form = text(audio.get("format")).lower()
        kind = _AUDIO_TYPES.get(form, f"audio/{form}" if form else "audio/wav")
        return f"data:{kind};base64,{text(audio.get('data'))}", kind
    file = as_mapping(part.get("file"))
    for source in (as_mapping(part.get("video_url")), as_mapping(part.get("audio_url")), file):
        address = next(filter(None, (text(source.get(name)) for name in _ADDRESS_FIELDS)), "")
        if address:
            kind = text(source.get("mime_type")) or text(source.get("format"))
            return address, kind or _guess_type(address, text(source.get("filename")))
    url = image_part_url(part) or text(part.get("video_url")) or text(part.get("audio_url"))
    return url, _guess_type(url)


def _guess_type(*names: str) -> str:
    """Return the media type that the ending of an address or a file's name says, or nothing."""
    for name in names:
        kind = _TYPES_BY_ENDING.get(name.partition("?")[0].rpartition(".")[2].lower())
        if kind is not None:
            return kind
    return ""


def _call_part(call: ToolUse) -> Block:
    function_call = {"id": call.id, "name": wire_name(call.name), "args": call.input}
    signature: Block = {"thoughtSignature": call.signature} if call.signature else {}
    return {"functionCall": function_call, **signature}


def _response_part(result: ToolResult) -> Block:
    # https://ai.google.dev/gemini-api/docs/function-calling#multimodal (2026-11-15)
    media = [block for block in result.blocks if block.keys() & _MEDIA_KEYS]
    other_blocks = [block for block in result.blocks if not block.keys() & _MEDIA_KEYS]
    content = "\n".join(text(block.get("text")) or write_json(block) for block in other_blocks)
    field = "error" if result.failed else "result"
    response: Block = {"id": result.id, "response": {field: content}}
    if media:
        response["response"] = {field: content or _MEDIA_TEXT}
        response["parts"] = media
    return {"functionResponse": response}


def _replay_turn(message: Message, provider: Provider) -> Sequence[Part] | None:
    """Return a turn's original parts in their order, if the message still says the same.

    Text may have signatures too, and images and executed code are part of the conversation:
    https://ai.google.dev/gemini-api/docs/thought-signatures
    """
    provider_data = as_mapping(message.get("provider_data"))
    parts = as_objects(
        message.get(gemini_answers.GEMINI_PARTS_FIELD)
        or provider_data.get(gemini_answers.GEMINI_PARTS_FIELD)
    )
    calls = message_calls(message)
    ids = [call.id for call in gemini_answers.read_gemini_calls(parts, None)]
    if not parts or provider_data.get("_issuer", provider.name) != provider.name:
        return None
    content = message.get("content") or ""
    if ids != [call.id for call in calls] or gemini_answers.gemini_texts(parts)[0] != content:
        return None
    remaining_calls = iter(calls)
    return [
        next(remaining_calls) if as_mapping(part.get("functionCall")).get("name") else dict(part)
        for part in parts
        if part.get("thought") is not True
    ]


def gemini_spelling(provider: Provider) -> WireSpelling:
    """Return Gemini's spelling of a conversation; original parts go only to their issuer."""
    return WireSpelling(
        text=gemini_text_part,
        read=_read_part,
        turn=lambda message: _replay_turn(message, provider),
        thoughts=lambda _message: (),
        call=_call_part,
        answer=_response_part,
        mark=lambda parts, _mark: parts,
        clean_id=lambda identity: identity or "call_0",
    )


def convert_messages(messages: Sequence[Message], provider: Provider, model: str) -> Conversation:
    """Return the contents, and the system messages separately."""
    prepared = provider.changes.prepare_messages(messages, model)
    spelling = gemini_spelling(provider)
    system = [part for part in system_parts(prepared, spelling) if isinstance(part, dict)]
    # Each result gets the name of its call, which the API requires.
    turns = build_message_turns(prepared, spelling)
    names: dict[str, str] = {}
    contents: list[Json] = []
    is_third = (gemini_version(model) or (0, 0)) >= _FIRST_SIGNING_VERSION
    for role, blocks in turns:
        parts = [_name_response(block, names) for block in blocks]
        parts = _sign_first_call(parts) if is_third else _move_media(parts)
        contents.append({"role": _ROLES[role], "parts": parts})
    return Conversation(system=system or None, messages=contents)


def convert_tools(tools: Sequence[Tool], provider: Provider, model: str) -> list[Json]:
    """Return all functions as one tool; other tools stay unchanged."""
    accepted = rules.provider_tools(tools, provider, model)
    functions = {
        wire_name(tool_name(tool)): _function_declaration(tool)
        for tool in accepted
        if _is_function(tool)
    }
    other_tools = [dict(tool) for tool in accepted if not _is_function(tool)]
    return other_tools + ([{"functionDeclarations": list(functions.values())}] if functions else [])


def build_request(
    request: ChatRequest, provider: Provider, /, *, stream: bool = False
) -> WireRequest:
    """Return path, headers and the complete body; the model is in the path."""
    has_schema_field = provider.fields.structured_output == "json_schema"
    messages = prepend_instructions(request, has_schema_field=has_schema_field)
    conversation = convert_messages(messages, provider, request.model)
    body: Json = {"contents": conversation.messages}
    body |= {"systemInstruction": {"parts": conversation.system}} if conversation.system else {}
    body |= _tool_fields(request, provider)
    config = _generation_config(request, provider)
    body |= {"generationConfig": config} if config else {}
    body |= wire_named_fields(request, _BODY_NAMES)
    if provider.changes.reasoning is not None:
        body |= provider.changes.reasoning(request)
    name = quote(request.model.removeprefix("models/"), safe="", errors="replace")
    path = (provider.http.path or "/models/{model}").replace("{model}", name)
    return WireRequest(
        path=f"{path}:streamGenerateContent?alt=sse" if stream else f"{path}:generateContent",
        headers=provider.http.request_headers(request),
        body=rules.finish_model_body(body, request, provider),
    )


def _is_function(tool: Tool) -> bool:
    return bool(tool_name(tool)) and is_openai_function(tool)


def _function_declaration(tool: Tool) -> Json:
    function = as_mapping(tool.get("function")) or tool
    return {
        "name": wire_name(tool_name(tool)),
        "description": text(function.get("description")),
        "parametersJsonSchema": tool_schema(function.get("parameters")),
    }


def _tool_fields(request: ChatRequest, provider: Provider) -> Json:
    tools = convert_tools(request.tools, provider, request.model)
    if not tools:
        return {}
    choice = request.tool_choice
    mode = _FUNCTION_CALLING_MODES.get(choice) if isinstance(choice, str) else None
    config: Json | None = None if mode is None else {"mode": mode}
    if isinstance(choice, Mapping):
        config = _calling_config(choice)
    return {"tools": tools} | ({"toolConfig": {"functionCallingConfig": config}} if config else {})


def _calling_config(choice: Mapping[str, object]) -> Json | None:
    """Return the config for one function, OpenAI's list of allowed tools, or Gemini's own."""
    chosen, allowed = tool_name(choice), allowed_tools(choice)
    if not chosen and (allowed is None or not allowed.names):
        return dict(choice) if choice.get("mode") else None
    names = (chosen,) if allowed is None else allowed.names
    # Names need a mode that restricts the model to them; VALIDATED still allows plain text.
    # https://ai.google.dev/gemini-api/docs/function-calling#function_calling_modes (2026-11-15)
    mode = "ANY" if allowed is None or allowed.required else "VALIDATED"
    return {"mode": mode, "allowedFunctionNames": [wire_name(name) for name in names]}


def _generation_config(request: ChatRequest, provider: Provider) -> Json:
    output_schema = request.output_schema
    values: Json = {
        "maxOutputTokens": rules.declared_max_tokens(request, provider),
        "temperature": rules.declared_temperature(request, provider),
        "topP": rules.sent_top_p(request, provider),
        "stopSequences": list(request.stop) or None,
    }
    if output_schema is not None and provider.fields.structured_output == "json_schema":
        values |= {"responseMimeType": _JSON_TYPE, "responseJsonSchema": dict(output_schema.schema)}
    if output_schema is None and request.json_mode:
        values["responseMimeType"] = _JSON_TYPE
    if request.logprobs or request.top_logprobs is not None:
        values["responseLogprobs"] = True
    if request.thinking_budget is not None:
        values["thinkingConfig"] = {"thinkingBudget": request.thinking_budget}
    elif provider.changes.reasoning is None:
        thinking = gemini_thinking(rules.effort_of(request, provider), request.model)
        config = {_THINKING_NAMES[name]: value for name, value in thinking.items()}
        values["thinkingConfig"] = config or None
    values |= wire_named_fields(request, _CONFIG_NAMES)
    return {name: value for name, value in values.items() if value is not None}


def gemini_optional_fields(_request: ChatRequest, _provider: Provider) -> frozenset[str]:
    """Return the supported optional fields; only this API has safety settings."""
    return frozenset({*_CONFIG_NAMES, *_BODY_NAMES, "json_mode", "logprobs", "thinking_budget"})


GEMINI_GENERATE = Wire(
    api_mode="gemini_generate",
    convert_messages=convert_messages,
    convert_tools=convert_tools,
    build_request=build_request,
    normalize_response=gemini_answers.normalize_response,
    validate_response=gemini_answers.validate_response,
    cache_stats=gemini_answers.cache_stats,
    map_finish_reason=gemini_answers.map_finish_reason,
    refusal=model_refusal,
    frames=ServerSentEvents,
    fold=GeminiFold,
    takes=gemini_optional_fields,
)
