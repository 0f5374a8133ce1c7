"""Answers of a chat completions API and their counts, in every shape that servers send."""

from collections.abc import Iterator, Mapping

from returns.result import Failure, Result, Success

from .....ports.errors import BadPayload, ContentFiltered, ModelFailed, WebError
from .....ports.models.chat import ChatRequest, FinishReason, NormalizedResponse
from .....ports.receipts import CacheStats, Usage
from ....values.json_values import as_count, as_list, as_mapping, as_objects, text
from ....values.think_tags import split_thinking
from ...refusals.errors import embedded_error
from ...usage import cache_usage, reported_cost
from .completion_calls import read_calls


def read_usage(counts: object) -> Usage | None:
    """Return the counts; None where there are none."""
    usage = as_mapping(counts)
    if not usage:
        return None
    into = as_mapping(usage.get("prompt_tokens_details"))
    out = as_mapping(usage.get("completion_tokens_details"))
    prompt = as_count(usage.get("prompt_tokens", usage.get("input_tokens")))
    completion = as_count(usage.get("completion_tokens", usage.get("output_tokens")))
    total = as_count(usage.get("total_tokens"))
    within, apart = as_count(out.get("reasoning_tokens")), as_count(usage.get("reasoning_tokens"))
    # Thoughts are counted in the completion, but for these: xAI and Gemini count them in the total
    # alone, and Gemini may not tell how many; Perplexity counts them nowhere else.
    beside = max(total - prompt - completion, 0) if prompt else 0
    if beside and _hears(usage, into):
        # Voxtral counts what it heard in the total alone: that is input and no thought.
        prompt, beside = prompt + beside, 0
    reasoning = within or apart or beside
    if reasoning == beside or (not within and apart > completion):
        completion += reasoning
    return Usage(
        input_tokens=prompt,
        output_tokens=completion,
        total_tokens=max(total, prompt + completion),
        cached_tokens=as_count(into.get("cached_tokens"))
        or as_count(usage.get("prompt_cache_hit_tokens"))
        or as_count(usage.get("cached_tokens"))
        or as_count(usage.get("num_cached_tokens"))
        or as_count(usage.get("cache_read_input_tokens")),
        cache_write_tokens=as_count(into.get("cache_write_tokens"))
        or as_count(into.get("cache_creation_input_tokens"))
        or as_count(usage.get("cache_creation_input_tokens")),
        reasoning_tokens=reasoning,
        cost=reported_cost(usage),
    )


def _hears(usage: Mapping[str, object], into: Mapping[str, object]) -> bool:
    return bool(as_count(usage.get("prompt_audio_seconds")) or as_count(into.get("audio_tokens")))


_FINISH: dict[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "tool_calls": "tool_calls",
    "tool_use": "tool_calls",
    "function_call": "tool_calls",
    "content_filter": "content_filter",
    "sensitive": "content_filter",
    "refusal": "content_filter",
    "safety": "content_filter",
    "recitation": "content_filter",
    "blocklist": "content_filter",
    "prohibited_content": "content_filter",
    "spii": "content_filter",
}
# Not an end of an answer but of what is behind it (GLM, OpenRouter, DeepSeek, Gemini).
_BROKEN = (
    "network_error",
    "error",
    "insufficient_system_resource",
    "malformed_function_call",
    "function_call_filter: malformed_function_call",
)
# https://platform.minimax.io/docs/api-reference/errorcode (2026-11-15)
_VERDICTS = {
    1000: "unknown_error",
    1001: "timeout",
    1002: "rate_limit_exceeded",
    1004: "authentication_error",
    1008: "insufficient_balance",
    1024: "internal_error",
    1026: "content_filter",
    1027: "content_filter",
    1033: "internal_error",
    1039: "rate_limit_exceeded",
    2049: "invalid_api_key",
}
# Beside the message and in it: what search models and replays need.
_KEPT = ("citations", "search_results", "web_search", "search_info", "usage")
_KEPT_IN_MESSAGE = (
    "reasoning_details",
    "refusal",
    "annotations",
    "citations",
    "images",
    "audio",
    "executed_tools",
)


NO_CHOICE = "$.choices[0]"


def map_finish_reason(raw: object) -> FinishReason:
    """Return the one of four reasons that ``raw`` means; what nobody knows is ``stop``."""
    return _FINISH.get(raw.lower(), "stop") if isinstance(raw, str) else "stop"


def validate_response(payload: object) -> WebError | None:
    """Return why ``payload`` is not an answer, None if it is one."""
    if not isinstance(payload, Mapping):
        return BadPayload(problem="shape")
    # Also beside choices, whose words are then no answer.
    error = find_error(payload)
    if error is not None:
        return error
    choices = _choices(payload)
    if choices:
        return _trouble_in(choices[0])
    # A list without a choice is told from none at all: for a search it means nothing found.
    path = NO_CHOICE if payload.get("choices") == [] else "$.choices"
    return BadPayload(problem="shape", path=path)


def _choices(payload: Mapping[str, object]) -> list[Mapping[str, object]]:
    """Return the choices; a server that only lists what it found has said nothing in one."""
    choices = as_objects(payload.get("choices"))
    if not choices and as_objects(payload.get("search_results")):
        return [{"message": {"content": ""}}]
    return choices


def find_error(payload: Mapping[str, object]) -> WebError | None:
    """Return the error that stands where an answer, or a piece of one, should be."""
    if payload.get("error") or payload.get("object") == "error":
        return embedded_error(payload)
    stopped = as_mapping(payload.get("x_groq")).get("error")
    if stopped:
        return embedded_error({"error": stopped})
    verdict = as_mapping(payload.get("base_resp"))
    if not verdict.get("status_code"):
        return None
    # MiniMax answers 200 to everything, and tells here what is wrong.
    detail, word = text(verdict.get("status_msg")), _VERDICTS.get(as_count(verdict["status_code"]))
    if word is not None:
        return embedded_error({"error": {"code": word, "message": detail}})
    return BadPayload(problem="error_object", path="$.base_resp", detail=detail)


def _trouble_in(choice: Mapping[str, object]) -> WebError | None:
    if choice.get("error"):
        return embedded_error(choice)
    reason = text(choice.get("finish_reason")).lower()
    if not isinstance(choice.get("message"), Mapping):
        # Azure leaves the message out where its filter left nothing of it.
        if _FINISH.get(reason) == "content_filter":
            return ContentFiltered(detail=reason)
        return BadPayload(problem="shape", path="$.choices[0].message")
    return ModelFailed(code=reason) if reason in _BROKEN else None


def cache_stats(payload: object) -> CacheStats | None:
    """Return what the cache did; None when it did nothing."""
    return cache_usage(read_usage(as_mapping(payload).get("usage")))


def normalize_response(
    payload: object,
    request: ChatRequest | None = None,  # noqa: ARG001  nothing was renamed for this wire
    /,
) -> Result[NormalizedResponse, WebError]:
    """Return the answer in any JSON, or a typed failure."""
    refused = validate_response(payload)
    if refused is not None:
        return Failure(refused)
    body = as_mapping(payload)
    choice = _choices(body)[0]
    message = as_mapping(choice["message"])
    content, thoughts = read_content(message.get("content"))
    calls = tuple(read_calls(message))
    finish = map_finish_reason(choice.get("finish_reason"))
    refusal = text(message.get("refusal"))
    if refusal and not content.strip() and not calls:
        content, finish = refusal, "content_filter"
    if calls and finish == "stop":
        finish = "tool_calls"
    return Success(
        NormalizedResponse(
            content=content or None,
            finish_reason=finish,
            tool_calls=calls,
            reasoning=text(message.get("reasoning")) or thoughts or None,
            reasoning_content=_text_or_none(message.get("reasoning_content")),
            usage=read_usage(body.get("usage")),
            cache=cache_stats(body),
            id=_text_or_none(body.get("id")),
            model=_text_or_none(body.get("model")),
            provider_data=_kept(body, choice, message),
        )
    )


def read_content(content: object) -> tuple[str, str]:
    """Return text and thoughts of a message's content: a text, or parts (Mistral)."""
    if isinstance(content, str):
        return split_thinking(content)
    words = "".join(_part_text(part) for part in as_list(content))
    thoughts = "".join(
        _part_text(inner)
        for part in as_objects(content)
        if part.get("type") == "thinking"
        for inner in _inside(part.get("thinking"))
    )
    return words, thoughts


def _part_text(part: object) -> str:
    if isinstance(part, str):
        return part
    return text(as_mapping(part).get("text"))


def _inside(value: object) -> Iterator[object]:
    yield from [value] if isinstance(value, str) else as_list(value)


def _kept(
    body: Mapping[str, object], choice: Mapping[str, object], message: Mapping[str, object]
) -> Mapping[str, object] | None:
    extras = {name: body[name] for name in _KEPT if body.get(name)}
    extras.update({name: message[name] for name in _KEPT_IN_MESSAGE if message.get(name)})
    extras.update({"logprobs": choice["logprobs"]} if choice.get("logprobs") else {})
    return extras or None


def _text_or_none(value: object) -> str | None:
    return text(value) or None
