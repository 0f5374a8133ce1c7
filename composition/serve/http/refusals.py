"""A refusal in our own envelope, with its status: the native API's, and that of no dialect."""

from ....adapters.dialect.refusal import Refusal, RefusalKind, refusal_reply
from ....adapters.dialect.wire import Call, Reply
from ....kernel.envelopes import failure_envelope

STATUSES: dict[RefusalKind, int] = {
    "invalid": 400,
    "unsupported": 400,
    "unauthorized": 401,
    "budget": 402,
    "shared_budget": 402,
    "forbidden": 403,
    "denied": 403,
    "missing": 404,
    "conflict": 409,
    "too_large": 413,
    "unreadable": 422,
    "rate": 429,
    "backend": 502,
    "busy": 503,
    "unavailable": 503,
    "deadline": 504,
}


def refuse(refusal: Refusal, _call: Call | None = None) -> Reply:
    """Return a refusal as our own envelope of a failure."""
    if refusal.error is not None:
        body = failure_envelope(refusal.error)
    else:
        body = {
            "success": False,
            "error": refusal.message,
            "failure": {
                "kind": refusal.kind,
                "retryable": refusal.kind in ("rate", "busy", "deadline"),
            },
        }
    return refusal_reply(refusal, STATUSES, body)
