"""Answers of a chat completions API and their token counts, in all shapes that servers send."""

from collections.abc import Mapping

from returns.result import Failure

from webseam.adapters.values.json_values import (
    as_count,
    as_list,
    as_mapping,
    as_objects,
    text,
    write_json,
)
from webseam.adapters.values.think_tags import split_thinking
from webseam.ports.errors import BadPayload, ContentFiltered, ModelFailed, WebError
from webseam.ports.models import ChatRequest, FinishReason, NormalizedResponse
from webseam.ports.receipts import CacheStats, Usage

from ...declaration.wire import AnswerResult
from ...refusal_errors import embedded_refusal
from ...usage import reported_cost, token_cache_stats
from ..unread_answers import refuse_unread_answer
from .completion_calls import read_chat_calls

# Fields of a usage in which servers report cached tokens.
_CACHED_FIELDS = (
    "prompt_cache_hit_tokens", "cached_tokens", "num_cached_tokens", "cache_read_input_tokens",
)  # fmt: skip


def read_chat_usage(counts: object) -> Usage | None:
    """Return the token counts; None if there are none."""
    usage = as_mapping(counts)
    if not usage:
        return None
    prompt_details = as_mapping(usage.get("prompt_tokens_details"))
    completion_details = as_mapping(usage.get("completion_tokens_details"))
    prompt = as_count(usage.get("prompt_tokens", usage.get("input_tokens")))
    completion = as_count(usage.get("completion_tokens", usage.get("output_tokens")))
    total = as_count(usage.get("total_tokens"))
    inner_reasoning = as_count(completion_details.get("reasoning_tokens"))
    outer_reasoning = as_count(usage.get("reasoning_tokens"))
    # Most servers count thoughts in the completion. xAI and Gemini count them only in the total,
    # and Gemini may not say how many; Perplexity counts them separately from both.
    uncounted = max(total - prompt - completion, 0) if prompt else 0
    audio = usage.get("prompt_audio_seconds"), prompt_details.get("audio_tokens")
    if uncounted and any(map(as_count, audio)):
        # Voxtral counts audio input only in the total.
        prompt, uncounted = prompt + uncounted, 0
    reasoning = inner_reasoning or outer_reasoning or uncounted
    if reasoning == uncounted or (not inner_reasoning and outer_reasoning > completion):
        completion += reasoning
    cached = (prompt_details.get("cached_tokens"), *(usage.get(name) for name in _CACHED_FIELDS))
    written = (
        prompt_details.get("cache_write_tokens"),
        prompt_details.get("cache_creation_input_tokens"),
        usage.get("cache_creation_input_tokens"),
    )
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        total_tokens=max(total, prompt + completion),
        cached_tokens=next(filter(None, map(as_count, cached)), 0),
        cache_write_tokens=next(filter(None, map(as_count, written)), 0),
        reasoning_tokens=reasoning,
        cost=reported_cost(usage),
    )


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
# Fields of the body and of the message that search models and replays need.
_KEPT_BODY_FIELDS = ("citations", "search_results", "web_search", "search_info", "usage")
_KEPT_MESSAGE_FIELDS = (
    "reasoning_details", "refusal", "annotations", "citations", "images", "audio", "executed_tools",
)  # fmt: skip
_SOURCE_FIELDS = ("search_results", "citations")
_CONTENT_FIELDS = ("content", "refusal", "tool_calls", "function_call")
NO_CHOICE_PATH = "$.choices[0]"


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
        return _choice_error(choices[0])
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
    if not isinstance(choice.get("message"), Mapping):
        # Azure omits a message that its filter removed.
        if _FINISH_REASONS.get(reason) == "content_filter":
            return ContentFiltered(detail=reason)
        return BadPayload(problem="shape", path="$.choices[0].message")
    return ModelFailed(code=reason) if reason in _FAILED_FINISH_REASONS else None


def cache_stats(payload: object) -> CacheStats | None:
    """Return the tokens read from and written to the cache, or None."""
    return token_cache_stats(read_chat_usage(as_mapping(payload).get("usage")))


def normalize_response(
    payload: object,
    request: ChatRequest | None = None,  # noqa: ARG001  this wire renames no tools
    /,
) -> AnswerResult:
    """Return the answer in any JSON, or a typed failure."""
    error = validate_response(payload)
    if error is not None:
        return Failure(error)
    body = as_mapping(payload)
    choice = _answer_choices(body)[0]
    message = as_mapping(choice["message"])
    content, thoughts = read_chat_content(message.get("content"))
    calls = tuple(read_chat_calls(message))
    finish = map_finish_reason(choice.get("finish_reason"))
    refusal = text(message.get("refusal"))
    if refusal and not content.strip() and not calls:
        content, finish = refusal, "content_filter"
    if calls and finish == "stop":
        finish = "tool_calls"
    response = NormalizedResponse(
        content=content or None,
        finish_reason=finish,
        tool_calls=calls,
        reasoning=text(message.get("reasoning")) or thoughts or None,
        reasoning_content=text(message.get("reasoning_content")) or None,
        usage=read_chat_usage(body.get("usage")),
        cache=cache_stats(body),
        id=text(body.get("id")) or None,
        model=text(body.get("model")) or None,
        provider_data=_provider_data(body, choice, message),
    )
    return refuse_unread_answer(
        response,
        {name: message.get(name) for name in _CONTENT_FIELDS},
        "$.choices[0].message",
        is_kept=any(map(message.get, _KEPT_MESSAGE_FIELDS)),
    )


def read_chat_content(content: object) -> tuple[str, str]:
    """Return text and thoughts of a content, which is a text, parts (Mistral) or JSON.

    Cloudflare sends the answer to an output schema as a JSON value.
    """
    if isinstance(content, str):
        return split_thinking(content)
    if content and not any(map(_is_content_part, as_list(content))):
        return write_json(content), ""
    content_text = "".join(_part_text(part) for part in as_list(content))
    thinking = [
        part.get("thinking") for part in as_objects(content) if part.get("type") == "thinking"
    ]
    lists = ([value] if isinstance(value, str) else as_list(value) for value in thinking)
    return content_text, "".join(_part_text(part) for parts in lists for part in parts)


def _is_content_part(part: object) -> bool:
    return isinstance(part, str) or bool({"type", "text"} & {*as_mapping(part)})


def _part_text(part: object) -> str:
    return part if isinstance(part, str) else text(as_mapping(part).get("text"))


def _provider_data(
    body: Mapping[str, object], choice: Mapping[str, object], message: Mapping[str, object]
) -> Mapping[str, object] | None:
    extras = {name: body[name] for name in _KEPT_BODY_FIELDS if body.get(name)}
    extras.update({name: message[name] for name in _KEPT_MESSAGE_FIELDS if message.get(name)})
    extras.update({"logprobs": choice["logprobs"]} if choice.get("logprobs") else {})
    return extras or None
