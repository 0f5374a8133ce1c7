"""Answers of a chat completions API, in all shapes that servers send."""

from collections.abc import Mapping, Sequence

from returns.result import Failure

from webseam.adapters.values.json_values import (
    as_count,
    as_list,
    as_mapping,
    as_objects,
    text,
)
from webseam.ports.errors import BadPayload, ModelFailed, WebError
from webseam.ports.models import ChatRequest, FinishReason, NormalizedResponse

from ...declaration.wire import AnswerResult
from ...refusal_errors import embedded_refusal
from ...usage import token_cache_stats
from ..unread_answers import refuse_empty_answer
from ..unread_fields import (
    KnownFields,
    find_unread_fields,
    keep_unread_fields,
    known,
    says_something,
)
from .completion_calls import delta_calls, is_named_call, read_chat_calls
from .completion_content import is_content_part, is_text_part, read_chat_content, wordless_parts
from .completion_usage import read_chat_usage

_FINISH_REASONS: dict[str, FinishReason] = {
    "length": "length", "max_tokens": "length", "model_length": "length",
    "model_context_window_exceeded": "length", "tool_calls": "tool_calls", "tool_use": "tool_calls",
    "function_call": "tool_calls", "content_filter": "content_filter",
    "sensitive": "content_filter", "refusal": "content_filter", "safety": "content_filter",
    "recitation": "content_filter", "blocklist": "content_filter",
    "prohibited_content": "content_filter", "spii": "content_filter",
}  # fmt: skip
# Finish reasons that mean a failure behind the API (GLM, OpenRouter, DeepSeek, Gemini).
_FAILED_FINISH_REASONS = (
    "network_error", "error", "insufficient_system_resource", "malformed_function_call",
    "function_call_filter: malformed_function_call",
)  # fmt: skip
# https://platform.minimax.io/docs/api-reference/errorcode (2026-11-15)
_MINIMAX_CODES = {
    1000: "unknown_error", 1001: "timeout", 1002: "rate_limit_exceeded",
    1004: "authentication_error", 1008: "insufficient_balance", 1024: "internal_error",
    1026: "content_filter", 1027: "content_filter", 1033: "internal_error",
    1039: "rate_limit_exceeded", 2049: "invalid_api_key",
}  # fmt: skip
# Finish reasons that those of an answer tell; ``provider_data`` keeps the others.
_TOLD_FINISH_REASONS = frozenset({
    "stop", "eos", "eos_token", "end_turn", "completed", *_FINISH_REASONS,
})  # fmt: skip
# Fields of the body and of the message that search models, replays and bills need.
_KEPT_BODY_FIELDS = (
    "citations", "search_results", "web_search", "search_info", "usage", "service_tier",
    "system_fingerprint", "provider",
)  # fmt: skip
_KEPT_MESSAGE_FIELDS = (
    "reasoning_details", "refusal", "annotations", "citations", "images", "audio", "executed_tools",
)  # fmt: skip
_SOURCE_FIELDS = ("search_results", "citations")
NO_CHOICE_PATH = "$.choices[0]"
_MESSAGE_PATH = "$.choices[0].message"
# Parts of a content that are an answer without words.
_MEDIA_PART_TYPES = frozenset({
    "audio", "document_url", "file", "image", "image_url", "input_audio", "output_audio", "video",
    "video_url",
})  # fmt: skip
KNOWN_CHOICE_FIELDS = frozenset({
    "index", "delta", "message", "finish_reason", "logprobs", "usage", "error",
})  # fmt: skip
KNOWN_MESSAGE_FIELDS = frozenset({
    "role", "content", "tool_calls", "function_call", "reasoning", "reasoning_content",
    *_KEPT_MESSAGE_FIELDS,
})  # fmt: skip
_KNOWN_CALL = known(
    "id",
    "type",
    "index",
    "extra_content",
    function=known("name", "arguments"),
    custom=known("name", "input"),
)
# Left out on purpose: the names of types, the server's clock, and padding against eavesdroppers.
LEFT_OUT_BODY_FIELDS = ("object", "created", "obfuscation")
_KNOWN_BODY = known(
    "id",
    "model",
    "choices",
    "error",
    *LEFT_OUT_BODY_FIELDS,
    *_KEPT_BODY_FIELDS,
    base_resp=known("status_code", "status_msg"),
    x_groq=known("usage", "error"),
)
_KNOWN_MESSAGE = known(*KNOWN_MESSAGE_FIELDS - {"tool_calls"}, tool_calls=_KNOWN_CALL)
_KNOWN_CHOICE = KnownFields(KNOWN_CHOICE_FIELDS)
_KNOWN_PART = known("type", "text", thinking=known("type", "text"))
# Fields of a message that are an answer without words: media, sources, results of tools.
_ANSWERING_FIELDS = (
    "annotations", "citations", "images", "audio", "executed_tools", "search_results",
)  # fmt: skip
# Fields of which each part of a split answer has its own.
_PART_FIELDS = frozenset({
    "index", "message", "finish_reason", "tool_calls", "function_call", "role",
})  # fmt: skip
_BROKEN_OFF_REASONS = ("length", "content_filter")


def map_finish_reason(raw: object) -> FinishReason:
    """Return one of four reasons; an unknown one is ``stop``."""
    return _FINISH_REASONS.get(raw.lower(), "stop") if isinstance(raw, str) else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return the error if ``payload`` is not an answer, else None."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    # An error counts even beside choices.
    error = find_chat_error(payload)
    if error is not None:
        return error
    choices = _answer_choices(payload)
    if choices:
        faults = (_choice_error(choice) for choice in choices)
        return next((fault for fault in faults if fault is not None), None)
    # An empty list has a path of its own: for a search it means no results.
    path = NO_CHOICE_PATH if payload.get("choices") == [] else "$.choices"
    return BadPayload(problem="shape", path=path)


def _answer_choices(payload: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the choices; a body with only sources counts as one empty choice."""
    choices = as_objects(payload.get("choices"))
    if not choices and any(as_list(payload.get(name)) for name in _SOURCE_FIELDS):
        return [{"message": {"content": ""}}]
    return choices


def find_chat_error(payload: Mapping[str, object]) -> WebError | None:
    """Return the error in a body or a chunk, or None."""
    if payload.get("error") or payload.get("object") == "error":
        return embedded_refusal(payload)
    groq_error = as_mapping(payload.get("x_groq")).get("error")
    if groq_error:
        return embedded_refusal({"error": groq_error})
    minimax_status = as_mapping(payload.get("base_resp"))
    if not minimax_status.get("status_code"):
        return None
    # MiniMax always answers 200 and puts the error here.
    detail = text(minimax_status.get("status_msg"))
    code = _MINIMAX_CODES.get(as_count(minimax_status["status_code"]))
    if code is not None:
        return embedded_refusal({"error": {"code": code, "message": detail}})
    return BadPayload(problem="error_object", path="$.base_resp", detail=detail)


def _choice_error(choice: Mapping[str, object]) -> WebError | None:
    if choice.get("error"):
        return embedded_refusal(choice)
    reason = text(choice.get("finish_reason")).lower()
    # Azure omits a message that its filter removed.
    is_filtered = _FINISH_REASONS.get(reason) == "content_filter"
    if not isinstance(choice.get("message"), Mapping) and not is_filtered:
        return BadPayload(problem="shape", path="$.choices[0].message")
    return ModelFailed(code=reason) if reason in _FAILED_FINISH_REASONS else None


def normalize_response(
    payload: object,
    request: ChatRequest | None = None,  # noqa: ARG001  this wire renames no tools
    /,
) -> AnswerResult:
    """Return the answer in any JSON, or a typed failure."""
    error = validate_response(payload)
    if error is not None:
        return Failure(error)
    response = read_completion(as_mapping(payload))
    return refuse_empty_answer(response, _MESSAGE_PATH, is_kept=_has_other_answer(response))


def read_completion(body: Mapping[str, object]) -> NormalizedResponse:
    """Return the answer in a body of the right shape, even one that says nothing."""
    unread: dict[str, object] = {}
    choices = _answer_choices(body)
    choice = choices[0] if len(choices) == 1 else _join_choices(choices, unread)
    message = as_mapping(choice.get("message"))
    content, thoughts = read_chat_content(message.get("content"))
    calls = tuple(read_chat_calls(message))
    finish = map_finish_reason(choice.get("finish_reason"))
    refusal = text(message.get("refusal"))
    if refusal and not content.strip() and not calls:
        content, finish = refusal, "content_filter"
    if finish in ("stop", "tool_calls"):
        finish = "tool_calls" if calls else "stop"
    # A model that speaks says its words here.
    content = content or text(as_mapping(message.get("audio")).get("transcript"))
    parts = wordless_parts(message.get("content"))
    usage = read_chat_usage(body.get("usage"))
    _find_unread_fields(body, choice, message, unread)
    return NormalizedResponse(
        content=content or None,
        finish_reason=finish,
        tool_calls=calls,
        reasoning=text(message.get("reasoning")) or thoughts or None,
        reasoning_content=text(message.get("reasoning_content")) or None,
        usage=usage,
        cache=token_cache_stats(usage),
        id=text(body.get("id")) or None,
        model=text(body.get("model")) or None,
        provider_data=_provider_data(body, choice, message, parts, unread),
    )


def _has_other_answer(response: NormalizedResponse) -> bool:
    """Tell whether an answer has media, sources or results of tools instead of words."""
    data = as_mapping(response.provider_data)
    parts = as_objects(data.get("content_parts"))
    has_media = any(text(part.get("type")) in _MEDIA_PART_TYPES for part in parts)
    return has_media or any(map(data.get, _ANSWERING_FIELDS))


def _join_choices(
    choices: Sequence[Mapping[str, object]], unread: dict[str, object]
) -> Mapping[str, object]:
    """Return one choice of several that are parts of one answer; put the others into ``unread``.

    One answer is always asked for. Some gateways split it: its text is the first choice and its
    calls are the others, or the first choice is empty. A second text is another answer.
    """
    joined: dict[str, object] = {}
    message: dict[str, object] = {}
    calls: list[object] = []
    reasons: list[object] = []
    for index, choice in enumerate(choices):
        part = as_mapping(choice.get("message"))
        if message.get("content") and part.get("content"):
            unread[f"$.choices[{index}]"] = choice
            continue
        calls += delta_calls(part)
        reasons.append(choice.get("finish_reason"))
        for whole, more in ((message, part), (joined, choice)):
            for name, value in more.items():
                if says_something(value) and not says_something(whole.get(name)):
                    whole[name] = value
                elif says_something(value) and whole[name] != value and name not in _PART_FIELDS:
                    path = _MESSAGE_PATH if whole is message else NO_CHOICE_PATH
                    unread[f"{path.replace('[0]', f'[{index}]')}.{name}"] = value
    if calls:
        message["tool_calls"] = calls
        message.pop("function_call", None)
    # A reason that says more than that the answer is complete counts for all of it.
    ended = [reason for reason in reasons if map_finish_reason(reason) in _BROKEN_OFF_REASONS]
    joined["finish_reason"] = (ended or reasons)[0] if reasons else None
    return {**joined, "message": message}


def _find_unread_fields(
    body: Mapping[str, object],
    choice: Mapping[str, object],
    message: Mapping[str, object],
    unread: dict[str, object],
) -> None:
    find_unread_fields(body, _KNOWN_BODY, "$", unread)
    find_unread_fields(choice, _KNOWN_CHOICE, NO_CHOICE_PATH, unread)
    find_unread_fields(message, _KNOWN_MESSAGE, _MESSAGE_PATH, unread)
    for index, call in enumerate(delta_calls(message)):
        if not is_named_call(call):
            unread[f"{_MESSAGE_PATH}.tool_calls[{index}]"] = call
    content = message.get("content")
    if isinstance(content, list | tuple) and any(map(is_content_part, content)):
        texts = [part if is_text_part(part) else None for part in map(as_mapping, content)]
        find_unread_fields(texts, _KNOWN_PART, f"{_MESSAGE_PATH}.content", unread)


def _provider_data(
    body: Mapping[str, object],
    choice: Mapping[str, object],
    message: Mapping[str, object],
    parts: Sequence[Mapping[str, object]],
    unread: Mapping[str, object],
) -> Mapping[str, object] | None:
    extras = {name: body[name] for name in _KEPT_BODY_FIELDS if body.get(name)}
    extras.update({name: message[name] for name in _KEPT_MESSAGE_FIELDS if message.get(name)})
    extras.update({"logprobs": choice["logprobs"]} if choice.get("logprobs") else {})
    reason = choice.get("finish_reason")
    if reason and text(reason).lower() not in _TOLD_FINISH_REASONS:
        extras["finish_reason"] = reason
    extras.update({"content_parts": list(parts)} if parts else {})
    extras.update(keep_unread_fields(unread))
    return extras or None
