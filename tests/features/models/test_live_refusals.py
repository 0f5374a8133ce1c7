"""What providers really say when they say no: the kind of error that each of it must become."""

import httpx
import pytest

from webseam.adapters.features.models.client.attempts import drop_body_fields, droppable_field
from webseam.adapters.features.models.declaration.wire import RefusedAnswer
from webseam.adapters.features.models.refusal_errors import embedded_refusal, model_refusal
from webseam.adapters.features.models.wires.bedrock.bedrock_refusals import bedrock_refusal
from webseam.ports import (
    AuthFailed,
    ContentFiltered,
    ContextTooLong,
    HttpStatus,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    ParameterRefused,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)


def refused(status: int, payload: object, **headers: str) -> WebError:
    headers_sent = httpx.Headers({name.replace("_", "-"): value for name, value in headers.items()})
    return model_refusal(
        RefusedAnswer(status=status, headers=headers_sent, payload=payload, model="m", now=1000.0)
    )


def error(message: str, **more: object) -> dict[str, object]:
    return {"error": {"message": message, **more}}


def claude(kind: str, message: str) -> dict[str, object]:
    return {"type": "error", "error": {"type": kind, "message": message}, "request_id": "req_1"}


def grok(code: str, message: str) -> dict[str, object]:
    return {"code": code, "error": message}


BAD, FORBIDDEN = "Client specified an invalid argument", "The caller does not have permission"
EXHAUSTED = "Some resource has been exhausted"
WRAPPED = '{"error":{"message":"the window is full","code":"context_length_exceeded"}}'

LIVE: list[tuple[type[object], int, object]] = [
    # Anthropic
    (QuotaExhausted, 400, claude("invalid_request_error", "Your credit balance is too low to access the Anthropic API.")),
    (QuotaExhausted, 400, claude("invalid_request_error", "You have reached your specified API usage limits. You will regain access on 2026-12-01.")),
    (ContextTooLong, 400, claude("invalid_request_error", "prompt is too long: 210000 tokens > 200000 maximum")),
    (ContextTooLong, 400, claude("invalid_request_error", "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000")),
    (ContextTooLong, 413, claude("request_too_large", "Request exceeds the maximum size")),
    (ContentFiltered, 400, claude("invalid_request_error", "Output blocked by content filtering policy")),
    (ModelNotFound, 404, claude("not_found_error", "model: claude-none")),
    (ModelOverloaded, 529, claude("overloaded_error", "Overloaded")),
    (UpstreamUnavailable, 500, claude("api_error", "Internal server error")),
    # OpenAI and Azure
    (ContextTooLong, 429, error("Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 75000.", type="tokens", code="rate_limit_exceeded")),
    (ModelNotFound, 400, error("invalid model ID", type="invalid_request_error")),
    (ModelNotFound, 403, error("Project `p` does not have access to model `m`", code="model_not_found")),
    (ModelOverloaded, 503, error("The server is currently overloaded with other requests.", type="server_error")),
    (ModelNotFound, 404, error("The API deployment for this resource does not exist.", code="DeploymentNotFound")),
    (HttpStatus, 404, error("Resource not found", code="404")),
    (ModelNotFound, 404, error("This is not a chat model", type="invalid_request_error", param="model")),
    # Groq
    (ContextTooLong, 413, error("Request too large for model `m` on tokens per minute (TPM): Limit 6000, Requested 12000", type="tokens", code="rate_limit_exceeded")),
    (ModelFailed, 400, error("Failed to call a function.", type="invalid_request_error", code="tool_use_failed", failed_generation="<f")),
    (ModelNotFound, 400, error("The model `m` has been decommissioned", code="model_decommissioned")),
    (ModelOverloaded, 498, error("over capacity")),
    # DeepSeek, Moonshot, Zhipu, Alibaba, MiniMax
    (QuotaExhausted, 402, error("Insufficient Balance", type="unknown_error", code="invalid_request_error")),
    (ContentFiltered, 400, error("Content Exists Risk", type="invalid_request_error")),
    (ModelNotFound, 400, error("Model Not Exist", type="invalid_request_error")),
    (QuotaExhausted, 429, error("Your account is suspended, please check your plan and billing details", type="exceeded_current_quota_error")),
    (RateLimited, 429, error("Your account reached organization max RPM: 3", type="rate_limit_reached_error")),
    (ModelOverloaded, 429, error("The engine is currently overloaded, please try again later", type="engine_overloaded_error")),
    (ContextTooLong, 400, error("Invalid request: Your request exceeded model token limit: 262144")),
    (ModelNotFound, 404, error("Not found the model m or Permission denied", type="resource_not_found_error")),
    (QuotaExhausted, 429, error("余额不足或无可用资源包,请充值。", code="1113")),
    (RateLimited, 429, error("您的账户已达到速率限制", code="1302")),
    (ModelOverloaded, 429, error("The service may be temporarily overloaded", code="1305")),
    (ContentFiltered, 400, error("系统检测到输入或生成内容可能包含不安全或敏感内容", code="1301")),
    (ContextTooLong, 400, error("Prompt exceeds max length", code="1261")),
    (ModelNotFound, 400, error("Unknown Model, please check the model code.", code="1211")),
    (QuotaExhausted, 400, error("Access denied, please make sure your account is in good standing.", code="Arrearage")),
    (ContextTooLong, 400, error("<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 30720]", code="invalid_parameter_error")),
    (QuotaExhausted, 500, {"type": "error", "error": {"type": "insufficient_balance_error", "message": "insufficient balance (1008)"}}),
    (ContextTooLong, 400, {"type": "error", "error": {"type": "bad_request_error", "message": "invalid params, context window exceeds limit (2013)"}}),
    # xAI
    (AuthFailed, 400, grok(BAD, "Incorrect API key provided: xa***yz.")),
    (ModelNotFound, 404, grok("Some requested entity was not found", "The model m does not exist or your team does not have access to it.")),
    (QuotaExhausted, 403, grok(FORBIDDEN, "Your newly created team doesn't have any credits yet.")),
    (QuotaExhausted, 429, grok(EXHAUSTED, "Your team has either used all available credits or reached its monthly spending limit.")),
    (RateLimited, 429, grok(EXHAUSTED, "Too many requests for team t and model m.")),
    (ContentFiltered, 403, grok(FORBIDDEN, "Content violates usage guidelines. Failed check: SAFETY_CHECK")),
    (ContextTooLong, 400, grok(BAD, "This model's maximum prompt length is 131072 but the request contains 537812 tokens.")),
    # OpenRouter
    (AuthFailed, 401, error("No auth credentials found", code=401)),
    (QuotaExhausted, 402, error("This request requires more credits, or fewer max_tokens.", code=402)),
    (ContentFiltered, 403, error("m requires moderation on OpenAI. Your input was flagged", code=403, metadata={"reasons": ["violence"]})),
    (ModelNotFound, 400, error("foo/bar is not a valid model ID", code=400)),
    (ModelNotFound, 404, error("No endpoints found for foo/bar.", code=404)),
    (HttpStatus, 404, error("No endpoints found that support tool use.", code=404)),
    (ContextTooLong, 400, error("Provider returned error", code=400, metadata={"raw": WRAPPED, "provider_name": "OpenAI"})),
    (RateLimited, 429, error("Provider returned error", code=429, metadata={"raw": "m is temporarily rate-limited upstream"})),
    # Google
    (AuthFailed, 400, error("API key not valid. Please pass a valid API key.", code=400, status="INVALID_ARGUMENT")),
    (ContextTooLong, 400, error("The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).", code=400)),
    (ModelNotFound, 404, error("models/m is not found for API version v1beta", code=404, status="NOT_FOUND")),
    (ModelOverloaded, 503, error("The model is overloaded. Please try again later.", code=503, status="UNAVAILABLE")),
    # Mistral, Perplexity, Cohere, Cerebras, GitHub, Together, Fireworks
    (ContextTooLong, 400, {"object": "error", "message": "Prompt contains 40000 tokens, too large for model with 32768 maximum context length", "code": "3051"}),
    (ModelNotFound, 400, {"object": "error", "message": "Invalid model: m", "type": "invalid_model", "code": "1500"}),
    (RateLimited, 429, {"object": "error", "message": "Service tier capacity exceeded for this model.", "code": "3505"}),
    (QuotaExhausted, 401, error("You exceeded your current quota", type="insufficient_quota", code=401)),
    (ModelNotFound, 400, error("Invalid model 'm'.", type="invalid_model", code=400)),
    (ContextTooLong, 400, {"message": "too many tokens: total number of tokens in the prompt cannot exceed 4081"}),
    (ContextTooLong, 400, {"message": "Please reduce the length of the messages or completion.", "param": "messages", "code": "context_length_exceeded"}),
    (ContextTooLong, 413, error("Request body too large for m model. Max size: 8000 tokens.", code="tokens_limit_reached")),
    (ContextTooLong, 422, error("Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4097.")),
    (ModelNotFound, 404, error("Model not found, inaccessible, and/or not deployed", code="NOT_FOUND")),
    (ModelNotFound, 400, error("The requested model is not supported by any provider", code="model_not_supported")),
    (ModelNotFound, 400, error("Unknown model: m", code="unknown_model", details="Unknown model: m")),
    # Servers of one's own: vLLM, llama.cpp, Ollama, LM Studio
    (ContextTooLong, 400, error("The decoder prompt (length 5000) is longer than the maximum model length of 4096.", code=400)),
    (ModelNotFound, 404, {"object": "error", "message": "The model `m` does not exist.", "type": "NotFoundError", "code": 404}),
    (ContextTooLong, 400, error("the request exceeds the available context size", code=400, type="exceed_context_size_error")),
    (UpstreamUnavailable, 503, error("Loading model", code=503, type="unavailable_error")),
    (ModelNotFound, 404, error('model "m" not found, try pulling it first', type="api_error")),
    (ContextTooLong, 400, {"error": "However, the model is loaded with context length of only 4096 tokens, which is not enough."}),
]  # fmt: skip


def test_refusals_of_providers_have_their_kind() -> None:
    for kind, status, payload in LIVE:
        assert type(refused(status, payload)) is kind, payload


FIELDS: list[tuple[str, object]] = [
    ("temperature", claude("invalid_request_error", "temperature: Extra inputs are not permitted")),
    ("temperature", claude("invalid_request_error", "`temperature` is deprecated for this model.")),
    ("reasoning_effort", error("Unrecognized request argument supplied: reasoning_effort")),
    ("reasoning_effort", grok(BAD, "Model grok-4 does not support parameter reasoningEffort.")),
    ("stop", grok(BAD, "Argument not supported on this model: stop")),
    ("reasoning_effort", error("property 'reasoning_effort' is unsupported")),
    ("seed", error("Extra inputs are not permitted, field: 'seed', value: 1")),
    ("reasoning_effort", error('Invalid JSON payload received. Unknown name "reasoning_effort": Cannot find field.')),
    ("top_p", {"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "top_p"], "msg": "Extra inputs are not permitted"}]}}),
    ("parallel_tool_calls", {"message": "property 'body.parallel_tool_calls' is unsupported", "code": "wrong_api_format"}),
    ("max_tokens", {"message": "no", "code": "unsupported_parameter", "param": "max_tokens"}),
]  # fmt: skip


@pytest.mark.parametrize(("field", "payload"), FIELDS, ids=lambda value: str(value)[:60])
def test_a_refused_field_is_found_in_the_words_for_it(field: str, payload: object) -> None:
    error = refused(400, payload)

    assert isinstance(error, ParameterRefused)
    assert error.parameter == field == droppable_field(error, ())


def test_an_effort_is_left_out_wherever_it_stands() -> None:
    body: dict[str, object] = {"model": "m", "reasoning": {"effort": "low"}}

    assert drop_body_fields(body, ["reasoning_effort"]) == {"model": "m"}
    assert drop_body_fields({"reasoning_effort": "low"}, ["reasoning_effort"]) == {}


WAITS: list[tuple[float | None, object]] = [
    (22.5, [error("slow", details=[{"retryDelay": "1"}, {"retryDelay": "22.5s"}])]),
    (None, error("slow", details=[{"retryDelay": "soons"}])),
    (8.2, error("Limit 30000, Used 29000. Please try again in 8.2s.")),
    (0.12, error("Please try again in 120ms. Visit the limits page.")),
    (361.5, error("Please try again in 6m1.5s.")),
    (24.0, error("Please retry after 24 seconds.")),
    (None, error("Please try again in a while.")),
]


@pytest.mark.parametrize(("seconds", "payload"), WAITS, ids=lambda value: str(value)[:60])
def test_a_wait_is_read_from_what_is_said(seconds: float | None, payload: object) -> None:
    assert getattr(refused(429, payload), "retry_after", 0) == seconds


def test_a_wait_in_a_header_counts_before_one_in_words() -> None:
    refusal = refused(429, error("Please try again in 8s."), retry_after="2")

    assert refusal == RateLimited(retry_after=2.0, detail="Please try again in 8s.")


def test_wrapped_refusal_of_a_gateway_is_the_detail() -> None:
    refusal = refused(400, error("Provider returned error", metadata={"raw": WRAPPED}))

    assert refusal == ContextTooLong(status=400, detail="the window is full")


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (error("slow", code=429), RateLimited(detail="slow")),
        (error("pay", code=402), QuotaExhausted(status=402, detail="pay")),
        (error("who", code=401), AuthFailed(status=401, detail="who")),
        (error("no", code=400), HttpStatus(status=400, detail="no")),
        (error("busy", code=529), ModelOverloaded(status=529, detail="busy")),
        (error("oh", code="429"), RateLimited(detail="oh")),
        (error("gone", code=502), ModelFailed(code="error", detail="gone")),
        (error("hm", code="rate_limit_exceeded"), RateLimited(detail="hm")),
        (
            error("Please try again in 3s.", code=429),
            RateLimited(retry_after=3, detail="Please try again in 3s."),
        ),
        ({"error": {"code": False}}, ModelFailed(code="error")),
    ],
)
def test_a_number_inside_a_success_is_the_status_it_would_have_been(
    value: object, expected: WebError
) -> None:
    assert embedded_refusal(value) == expected


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (ModelNotFound, "Invocation of model ID m with on-demand throughput isn't supported."),
        (ContentFiltered, "The model returned: Output blocked by content filtering policy"),
        (ContextTooLong, "input length and `max_tokens` exceed context limit: 19 + 20 > 20"),
    ],
)
def test_bedrock_says_it_in_the_words_of_the_model(kind: type[object], words: str) -> None:
    headers = httpx.Headers({"x-amzn-errortype": "ValidationException"})
    error = bedrock_refusal(
        RefusedAnswer(
            status=400, headers=headers, payload={"message": words}, model="m", now=1000.0
        )
    )

    assert type(error) is kind
