"""Refusals over HTTP: the status that an error of the protocol has, and how one is turned away."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ..json_rpc import (
    HEADER_MISMATCH,
    INVALID_PARAMS,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    MISSING_CAPABILITY,
    PARSE_ERROR,
    UNSUPPORTED_VERSION,
    RpcError,
    error_message,
)
from .asgi import Headers, SendEvent, send_json
from .heads import McpHead

_STATUS = {
    PARSE_ERROR: 400,
    INVALID_REQUEST: 400,
    INVALID_PARAMS: 400,
    HEADER_MISMATCH: 400,
    MISSING_CAPABILITY: 400,
    UNSUPPORTED_VERSION: 400,
    METHOD_NOT_FOUND: 404,
}
_FORBIDDEN = 403
_ALLOWED = (
    b"accept, authorization, content-type, last-event-id, mcp-method, mcp-name,"
    b" mcp-protocol-version, mcp-session-id"
)


async def send_refusal(send: SendEvent, status: int, message: str, headers: Headers = ()) -> None:
    """Turn a request away with a sentence."""
    refusal = RpcError(INVALID_REQUEST, message)
    await send_json(send, status, error_message(None, refusal), headers)


def answer_status(data: bytes) -> int:
    """Return the status of an answer in the newer revision."""
    error = msgspec.json.decode(data).get("error")
    return 200 if error is None else _STATUS.get(error["code"], 200)


def explain_media_mismatch(head: McpHead) -> tuple[int, str] | None:
    """Return why a message cannot be read, or its answer not be understood."""
    if head.get("content-type").partition(";")[0].strip().lower() != "application/json":
        return 415, "Send application/json."
    accept = head.get("accept")
    if "*/*" in accept or ("application/json" in accept and "text/event-stream" in accept):
        return None
    return 406, "Accept both application/json and text/event-stream."


def with_origin(head: McpHead, send: SendEvent) -> SendEvent:
    """Have each answer say that the page which asks may read it; others never come this far."""
    origin = head.get("origin")
    if not origin:
        return send
    more = [
        (b"access-control-allow-origin", origin.encode("latin-1")),
        (b"access-control-allow-headers", _ALLOWED),
        (b"access-control-allow-methods", b"POST, GET, DELETE"),
        (b"access-control-expose-headers", b"mcp-session-id, www-authenticate"),
        (b"vary", b"origin"),
    ]

    async def sending(event: Mapping[str, Any]) -> None:
        start = event["type"] == "http.response.start" and event["status"] != _FORBIDDEN
        await send({**event, "headers": [*event["headers"], *more]} if start else event)

    return sending
