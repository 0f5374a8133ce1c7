"""How providers say no, in the shapes they were seen to use, and what it means to a caller."""

import httpx
import pytest

from webseam.adapters.features.models.declaration.wire import RefusedAnswer
from webseam.adapters.features.models.refusal_errors import embedded_refusal, model_refusal
from webseam.adapters.features.models.refusal_hints import refusal_header_wait
from webseam.ports import (
    AuthFailed,
    BadRedirect,
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


def openai(message: str, code: str | None = None, kind: str = "invalid_request_error") -> object:
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


CASES: list[tuple[int, object, WebError]] = [
    (400, openai("too long", "context_length_exceeded"), ContextTooLong(status=400, detail="too long")),
    (400, openai("This model's maximum context length is 8192 tokens."), ContextTooLong(status=400, detail="This model's maximum context length is 8192 tokens.")),
    (413, "<html>", ContextTooLong(status=413, detail="<html>")),
    (400, openai("no", "content_filter"), ContentFiltered(status=400, detail="no")),
    (400, {"error": {"code": "content_filter", "innererror": {"code": "ResponsibleAIPolicyViolation"}}}, ContentFiltered(status=400, detail="content_filter")),
    (400, openai("bad temperature", "unsupported_value"), HttpStatus(status=400, detail="bad temperature")),
    (400, {"error": {"message": "no", "code": "unsupported_parameter", "param": "reasoning.effort"}}, ParameterRefused(parameter="reasoning", status=400, detail="no")),
    (400, {"error": {"message": "no", "code": "invalid_value", "param": "messages[1]"}}, HttpStatus(status=400, detail="no")),
    (422, {"detail": [{"type": "extra_forbidden", "loc": ["body", "stop"], "msg": "Extra inputs are not permitted"}]}, ParameterRefused(parameter="stop", status=422, detail="stop: Extra inputs are not permitted")),
    (400, {"code": "400", "error": "Incorrect API key provided."}, AuthFailed(status=400, detail="Incorrect API key provided.")),
    (401, openai("who are you", "invalid_api_key"), AuthFailed(status=401, detail="who are you")),
    (401, {"detail": "You exceeded your quota"}, AuthFailed(status=401, detail="You exceeded your quota")),
    (403, {}, AuthFailed(status=403)),
    (402, {"error": {"message": "no credit", "code": 402}}, QuotaExhausted(status=402, detail="no credit")),
    (404, openai("The model `m` does not exist", "model_not_found"), ModelNotFound(model="m", detail="The model `m` does not exist")),
    (404, {"error": "model 'm' not found"}, ModelNotFound(model="m", detail="model 'm' not found")),
    (404, "nothing here", HttpStatus(status=404, detail="nothing here")),
    (409, {}, UpstreamUnavailable(status=409)),
    (410, {"error": "Live search is deprecated."}, HttpStatus(status=410, detail="Live search is deprecated.")),
    (422, {"detail": [{"loc": ["body", "x"], "msg": "Extra inputs are not permitted"}]}, ParameterRefused(parameter="x", status=422, detail="x: Extra inputs are not permitted")),
    (429, openai("slow", "rate_limit_exceeded", "requests"), RateLimited(detail="slow")),
    (429, {"object": "error", "message": "slow down"}, RateLimited(detail="slow down")),
    (429, openai("pay", "insufficient_quota", "insufficient_quota"), QuotaExhausted(status=429, detail="pay")),
    (429, {"error": {"type": "rate_limit_error", "details": {"error_code": "enforced_spend_limit_reached"}}}, QuotaExhausted(status=429)),
    (500, None, UpstreamUnavailable(status=500)),
    (502, "<!DOCTYPE html>\n<html><head><TITLE>502 Bad Gateway</TITLE></head><body>x</body></html>", UpstreamUnavailable(status=502, detail="502 Bad Gateway")),
    (503, {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}, ModelOverloaded(status=503, detail="busy")),
    (529, {}, ModelOverloaded(status=529)),
    (400, [{"error": {"code": 400, "message": "bad", "status": "INVALID_ARGUMENT"}}], HttpStatus(status=400, detail="bad")),
    (302, {}, BadRedirect(status=302, reason="a service's redirects are not followed")),
    (500, openai("the maximum context length table is gone"), UpstreamUnavailable(status=500, detail="the maximum context length table is gone")),
]  # fmt: skip


@pytest.mark.parametrize(("status", "payload", "error"), CASES, ids=lambda value: str(value)[:50])
def test_a_refusal_is_a_typed_error(status: int, payload: object, error: WebError) -> None:
    assert refused(status, payload) == error


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "7"}, 7.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:17:00 GMT"}, 20.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"x-amz-retry-after": "250"}, 0.25),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "-1"}, None),
        ({}, None),
    ],
)
def test_a_wait_is_read_in_every_spelling(headers: dict[str, str], seconds: float | None) -> None:
    assert refusal_header_wait(httpx.Headers(headers), 1000.0) == seconds


def test_a_wait_is_kept_with_what_passes() -> None:
    assert refused(429, {}, retry_after="3") == RateLimited(retry_after=3.0)
    assert refused(503, {}, retry_after="3") == UpstreamUnavailable(status=503, retry_after=3.0)
    assert refused(529, {}, retry_after="3") == ModelOverloaded(status=529, retry_after=3.0)


@pytest.mark.parametrize(
    ("value", "error"),
    [
        (
            {"error": {"code": "server_error", "message": "oops"}},
            ModelFailed(code="server_error", detail="oops"),
        ),
        (
            {"error": {"code": 502, "message": "upstream"}},
            ModelFailed(code="error", detail="upstream"),
        ),
        (
            {"error": {"code": "9" * 5_000, "message": "far"}},
            ModelFailed(code="error", detail="far"),
        ),
        ({"code": "rate_limit_exceeded", "message": "slow"}, RateLimited(detail="slow")),
        ("prompt is too long", ContextTooLong(detail="prompt is too long")),
        (None, ModelFailed(code="error")),
    ],
)
def test_an_error_inside_a_success_is_a_typed_error(value: object, error: WebError) -> None:
    assert embedded_refusal(value) == error
