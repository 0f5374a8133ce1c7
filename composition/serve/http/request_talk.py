"""One request on its way: what the log will say of it, and how it ends early."""

import os
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import msgspec

from ....adapters.dialect.http_messages import Reply
from ....adapters.dialect.refusal import Refusal
from .bodies import Send
from .heads import RequestHead
from .refusal_envelopes import refusal_envelope

READS = ("GET", "HEAD")
_NATIVE = "native"
_CLOSING = (("connection", "close"),)


class RequestTalk:
    """One request on its way, and what the log will say of it."""

    def __init__(self, head: RequestHead) -> None:
        """Begin with what came in."""
        self.head = head
        self.id = head.id or os.urandom(8).hex()
        self.started = time.monotonic()
        self.dialect = _NATIVE
        self.route = "other"
        self.caller = ""
        self.failure = ""
        self.status = 0
        self.refuse: Callable[[Refusal], Reply] = refusal_envelope


def close_connection(reply: Reply, talk: RequestTalk, refusal: Refusal) -> Reply:
    """End the connection too: what follows on it is not to be trusted, or is still to come."""
    talk.failure = refusal.kind
    # A body that is late is the caller's, not ours (RFC 9110, section 15.5.9).
    status = 408 if refusal.kind == "deadline" else reply.status
    return msgspec.structs.replace(reply, status=status, headers=(*reply.headers, *_CLOSING))


def refuse_method(*methods: str) -> Reply:
    """Refuse a method, and say which the path takes."""
    refusal = Refusal(kind="invalid", message=f"This path takes {', '.join(methods)}.")
    allow = (("allow", ", ".join(methods)),)
    return msgspec.structs.replace(refusal_envelope(refusal), status=405, headers=allow)


def record_status(talk: RequestTalk, send: Send) -> Callable[[Mapping[str, Any]], Awaitable[None]]:
    """Return what sends on, and keeps the status for the log."""

    async def sent(message: Mapping[str, Any]) -> None:
        if message["type"] == "http.response.start":
            talk.status = message["status"]
        await send(dict(message))

    return sent


def join_trace(head: RequestHead) -> None:
    """Have spans of this call belong to the caller's trace, where OpenTelemetry is in use."""
    if "opentelemetry.trace" not in sys.modules:
        return
    from opentelemetry import context, propagate  # noqa: PLC0415  an extra

    context.attach(propagate.extract({"traceparent": head.trace}))
