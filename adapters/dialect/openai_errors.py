"""How OpenAI says no, and those who took over its words."""

from ...ports.errors.facts import RefusalKind
from .http_messages import Call, Reply
from .refusal import Refusal, refusal_reply

_STATUSES: dict[RefusalKind, int] = {
    "invalid": 400,
    "unsupported": 400,
    "conflict": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "denied": 403,
    "missing": 404,
    "too_large": 413,
    # Its only word for money that is gone; LiteLLM takes a 402 for nothing special.
    "budget": 429,
    "shared_budget": 429,
    "rate": 429,
    "busy": 503,
    "unavailable": 503,
    "deadline": 504,
}
_TYPES = {
    "invalid": "invalid_request_error",
    "unsupported": "invalid_request_error",
    # LiteLLM takes invalid_request_error for a bad request here (read 2026-11-15).
    "unauthorized": "authentication_error",
    "forbidden": "permission_error",
    "missing": "invalid_request_error",
    "budget": "insufficient_quota",
    "shared_budget": "insufficient_quota",
    "rate": "rate_limit_error",
}
_CODES = {
    "unauthorized": "invalid_api_key",
    "budget": "insufficient_quota",
    "shared_budget": "insufficient_quota",
    "rate": "rate_limit_exceeded",
}


def openai_refusal(refusal: Refusal, _call: Call) -> Reply:
    """Return a refusal as OpenAI words it."""
    error = {
        "message": refusal.message,
        "type": _TYPES.get(refusal.kind, "server_error"),
        "param": refusal.params[0] if refusal.params else None,
        "code": _CODES.get(refusal.kind),
    }
    return refusal_reply(refusal, _STATUSES, {"error": error}, default_status=503)
