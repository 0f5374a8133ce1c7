"""Answers of Converse, and how Bedrock says no."""

from typing import Any

import httpx
import pytest

from webseam.adapters.features.models.declaration.wire import RefusedAnswer
from webseam.adapters.features.models.wires.bedrock.bedrock_refusals import bedrock_refusal
from webseam.adapters.features.models.wires.bedrock.converse import BEDROCK_CONVERSE
from webseam.adapters.features.models.wires.bedrock.converse_stream import (
    cache_stats,
    map_finish_reason,
    normalize_response,
    validate_response,
)
from webseam.ports import (
    AuthFailed,
    BadPayload,
    ContextTooLong,
    HttpStatus,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
    WebError,
)
from webseam.ports.models import ChatRequest, NormalizedResponse, OutputSchema, ToolCall
from webseam.ports.receipts import CacheStats, Usage

THOUGHT = {"reasoningContent": {"reasoningText": {"text": "short plan", "signature": "Eq0"}}}
CALL = {"toolUse": {"toolUseId": "tooluse_9aB", "name": "lookup", "input": {"q": "tides"}}}
CONTENT = [THOUGHT, {"text": "Two tides today."}, CALL]
ANSWER: dict[str, Any] = {
    "output": {"message": {"role": "assistant", "content": CONTENT}},
    "stopReason": "tool_use",
    "usage": {"inputTokens": 210, "outputTokens": 58, "totalTokens": 268, "cacheReadInputTokens": 30, "cacheWriteInputTokens": 2},
    "metrics": {"latencyMs": 812},
}  # fmt: skip
REQUEST = ChatRequest(model="amazon.nova-lite-v1:0", messages=())


def answer(*content: object, stop: object = "end_turn", **more: object) -> dict[str, object]:
    return {"output": {"message": {"content": list(content)}}, "stopReason": stop, **more}


def says(*content: object, stop: object = "end_turn", **more: object) -> NormalizedResponse:
    return normalize_response(answer(*content, stop=stop, **more)).unwrap()


def test_a_whole_answer_is_read() -> None:
    assert normalize_response(ANSWER, REQUEST).unwrap() == NormalizedResponse(
        content="Two tides today.",
        finish_reason="tool_calls",
        tool_calls=(ToolCall(id="tooluse_9aB", name="lookup", arguments='{"q":"tides"}'),),
        reasoning="short plan",
        cache=CacheStats(read_tokens=30, written_tokens=2),
        usage=Usage(
            input_tokens=242,
            output_tokens=58,
            total_tokens=300,
            cached_tokens=30,
            cache_write_tokens=2,
        ),
        model="amazon.nova-lite-v1:0",
        provider_data={
            "reasoning_details": [
                {"type": "thinking", "thinking": "short plan", "signature": "Eq0"}
            ],
            "bedrock_content_blocks": CONTENT,
            "metrics": {"latencyMs": 812},
        },
    )


@pytest.mark.parametrize(
    ("raw", "mapped"),
    [
        ("end_turn", "stop"),
        ("stop_sequence", "stop"),
        ("tool_use", "tool_calls"),
        ("max_tokens", "length"),
        ("model_context_window_exceeded", "length"),
        ("content_filtered", "content_filter"),
        ("guardrail_intervened", "content_filter"),
        ("new", "stop"),
        (None, "stop"),
    ],
)
def test_reasons_are_four(raw: object, mapped: str) -> None:
    assert map_finish_reason(raw) == mapped


def test_calls_make_the_reason() -> None:
    assert says(CALL).finish_reason == "tool_calls"
    assert says({"text": "x"}, stop="tool_use").finish_reason == "stop"
    assert says(CALL, stop="max_tokens").finish_reason == "length"


def test_a_guardrails_words_are_the_answer_and_its_trace_is_kept() -> None:
    reply = says({"text": "Blocked."}, stop="guardrail_intervened", trace={"guardrail": {}})

    assert (reply.content, reply.finish_reason) == ("Blocked.", "content_filter")
    assert reply.provider_data == {"trace": {"guardrail": {}}}


def test_text_that_stands_on_citations_belongs_to_the_answer() -> None:
    cited = {"citationsContent": {"content": [{"text": "at 04:12"}], "citations": [{"title": "T"}]}}
    server = {
        "toolUse": {
            "toolUseId": "s",
            "name": "nova_grounding",
            "input": {},
            "type": "server_tool_use",
        }
    }

    reply = says(server, {"text": "High tide is "}, cited, {"text": "."})

    assert (reply.content, reply.tool_calls) == ("High tide is at 04:12.", ())
    assert reply.provider_data == {
        "bedrock_content_blocks": [server, {"text": "High tide is "}, cited, {"text": "."}]
    }


def test_redacted_thoughts_are_kept_for_the_way_back() -> None:
    reply = says({"reasoningContent": {"redactedContent": "YQ=="}}, {"text": "x"})

    assert reply.reasoning is None
    assert reply.provider_data is not None
    assert reply.provider_data["reasoning_details"] == [
        {"type": "redacted_thinking", "data": "YQ=="}
    ]


def test_an_answer_that_came_as_a_forced_call_is_text() -> None:
    request = ChatRequest(
        model="m", messages=(), output_schema=OutputSchema(name="lookup", schema={})
    )

    reply = normalize_response(answer(CALL, stop="tool_use"), request).unwrap()

    assert (reply.content, reply.finish_reason, reply.tool_calls) == ('{"q":"tides"}', "stop", ())


CONTENT_PATH = "$.output.message.content"


@pytest.mark.parametrize(
    ("payload", "error"),
    [
        (None, BadPayload(problem="shape")),
        ({}, BadPayload(problem="shape", path=CONTENT_PATH)),
        ({"output": {"message": {"content": "x"}}}, BadPayload(problem="shape", path=CONTENT_PATH)),
        (answer(stop=None), BadPayload(problem="shape", path=CONTENT_PATH, detail="it is empty")),
        (
            answer(stop="tool_use"),
            BadPayload(problem="shape", path=CONTENT_PATH, detail="it is empty"),
        ),
        (answer({"text": "x"}, stop="malformed_tool_use"), ModelFailed(code="malformed_tool_use")),
        ({"__type": "ThrottlingException", "message": "slow"}, RateLimited(detail="slow")),
    ],
)
def test_invalid_answer_is_a_typed_failure(payload: object, error: WebError) -> None:
    assert validate_response(payload) == error
    assert normalize_response(payload).failure() == error


def test_an_empty_answer_is_one_only_if_it_was_broken_off() -> None:
    empty = {"output": {"message": {"content": []}}, "stopReason": "end_turn"}

    assert normalize_response(empty).failure().kind == "empty_content"
    assert says(stop="guardrail_intervened").finish_reason == "content_filter"


def test_the_cache_is_told_of_only_when_it_did_something() -> None:
    assert cache_stats(ANSWER) == CacheStats(read_tokens=30, written_tokens=2)
    assert cache_stats({"usage": {"inputTokens": 3}}) is None
    assert cache_stats([]) is None


def refused(status: int, kind: str = "", payload: object = None, **headers: str) -> WebError:
    headers_sent = {"x-amzn-errortype": kind} if kind else {}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    body = {"message": "why"} if payload is None else payload
    return bedrock_refusal(
        RefusedAnswer(
            status=status,
            headers=httpx.Headers({**headers_sent, **named}),
            payload=body,
            model="m",
            now=0.0,
        )
    )


@pytest.mark.parametrize(
    ("status", "kind", "error"),
    [
        (403, "AccessDeniedException", AuthFailed(status=403, detail="why")),
        (
            403,
            "UnrecognizedClientException:http://internal.amazon.com/",
            AuthFailed(status=403, detail="why"),
        ),
        (403, "InvalidSignatureException", AuthFailed(status=403, detail="why")),
        (400, "ExpiredTokenException", AuthFailed(status=400, detail="why")),
        (404, "ResourceNotFoundException", ModelNotFound(model="m", detail="why")),
        (408, "ModelTimeoutException", UpstreamUnavailable(status=408, detail="why")),
        (424, "ModelErrorException", ModelFailed(code="modelerror", detail="why")),
        (429, "com.amazon#ThrottlingException", RateLimited(detail="why")),
        (429, "ModelNotReadyException", ModelOverloaded(status=429, detail="why")),
        (400, "ServiceQuotaExceededException", QuotaExhausted(status=400, detail="why")),
        (500, "InternalServerException", UpstreamUnavailable(status=500, detail="why")),
        (503, "ServiceUnavailableException", UpstreamUnavailable(status=503, detail="why")),
        (400, "ValidationException", HttpStatus(status=400, detail="why")),
        (418, "", HttpStatus(status=418, detail="why")),
    ],
)
def test_an_exception_is_a_typed_error(status: int, kind: str, error: WebError) -> None:
    assert refused(status, kind) == error


def test_an_exception_may_be_named_in_the_body_and_speak_in_capitals() -> None:
    body = {"__type": "com.amazon.coral.service#ExpiredTokenException", "Message": "old"}

    assert refused(403, payload=body) == AuthFailed(status=403, detail="old")


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (
            "Input is too long for requested model.",
            ContextTooLong(status=400, detail="Input is too long for requested model."),
        ),
        (
            "The provided model identifier is invalid.",
            ModelNotFound(model="m", detail="The provided model identifier is invalid."),
        ),
    ],
)
def test_a_validation_tells_long_conversations_and_unknown_models_by_its_words(
    words: str, error: WebError
) -> None:
    assert refused(400, "ValidationException", {"message": words}) == error


def test_the_time_to_wait_is_in_milliseconds() -> None:
    assert refused(429, "ThrottlingException", x_amz_retry_after="1500") == RateLimited(
        retry_after=1.5, detail="why"
    )


def test_the_wire_is_whole() -> None:
    assert BEDROCK_CONVERSE.api_mode == "bedrock_converse"
    assert BEDROCK_CONVERSE.accept == "application/vnd.amazon.eventstream"
