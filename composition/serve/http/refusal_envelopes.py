"""A refusal in our own envelope, with its status: the native API's, and that of no dialect."""

from ....adapters.dialect.http_messages import Call, Reply
from ....adapters.dialect.refusal import DEFAULT_STATUSES, Refusal, refusal_reply
from ....kernel.envelopes import failure_envelope
from ....ports.errors.facts import RefusalKind

STATUSES: dict[RefusalKind, int] = {
    **DEFAULT_STATUSES,
    "conflict": 409,
    "unreadable": 422,
    "backend": 502,
}


def refusal_envelope(refusal: Refusal, _call: Call | None = None) -> Reply:
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
