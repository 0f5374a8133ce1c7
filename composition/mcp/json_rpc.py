"""Messages of the protocol: taken apart, and made. Two revisions are spoken.

The older one, 2025-11-25, begins with ``initialize``. In the newer one, 2026-07-28, each request
says for itself which revision it is in, under ``_meta``.
https://modelcontextprotocol.io/specification (read 2026-11-15)
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias

import msgspec

MODERN = ("2026-07-28",)
LEGACY = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
BATCHED = "2025-03-26"  # the one revision in which several messages may come as one
MAX_BATCH_MESSAGES = 100
META = "io.modelcontextprotocol/"
VERSION_KEY = f"{META}protocolVersion"
CAPABILITIES_KEY = f"{META}clientCapabilities"
LEVEL_KEY = f"{META}logLevel"
SERVER_KEY = f"{META}serverInfo"
SUBSCRIPTION_KEY = f"{META}subscriptionId"

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
RESOURCE_NOT_FOUND = -32002  # in the older revision alone
HEADER_MISMATCH = -32020
MISSING_CAPABILITY = -32021
UNSUPPORTED_VERSION = -32022

Level: TypeAlias = Literal[
    "debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"
]
LEVELS = ("debug", "info", "notice", "warning", "error", "critical", "alert", "emergency")
Json: TypeAlias = dict[str, Any]
Id: TypeAlias = int | str


class RpcError(msgspec.Struct, frozen=True):
    """An error of the protocol: a code, a sentence, and what belongs into ``data``."""

    code: int
    message: str
    data: Mapping[str, object] | None = None


class RpcRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A message that wants an answer."""

    id: Id
    method: str
    params: Json

    @property
    def meta(self) -> Json:
        """What stands beside the parameters."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """A message that wants none."""

    method: str
    params: Json


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """An answer of the client to a request of ours."""

    id: object
    message: Json


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """What is no message; ``id`` is None when none could be read."""

    id: Id | None
    refusal: RpcError


Message: TypeAlias = RpcRequest | Notification | Response | Unreadable


class Batch(msgspec.Struct, frozen=True):
    """Several messages that came as one."""

    messages: tuple[Message, ...]


def read_message(data: bytes) -> Message | Batch:
    """Take one message apart, or a batch; whatever it is, something comes back."""
    try:
        fields = msgspec.json.decode(data)
    # Bad UTF-8 and deep nesting are in a client's power to send.
    except (ValueError, RecursionError):
        return _unreadable(None, PARSE_ERROR, "This is not JSON.")
    return _batch(fields) if isinstance(fields, list) and fields else _message(fields)


def _batch(messages: list[object]) -> Batch | Unreadable:
    if len(messages) > MAX_BATCH_MESSAGES:
        what = f"A batch may have {MAX_BATCH_MESSAGES} messages."
        return _unreadable(None, INVALID_REQUEST, what)
    return Batch(tuple(_batched(_message(each)) for each in messages))


def _batched(message: Message) -> Message:
    if isinstance(message, RpcRequest) and message.method == "initialize":
        return _unreadable(message.id, INVALID_REQUEST, "Send initialize alone.")
    return message


def _message(fields: object) -> Message:
    if not isinstance(fields, dict):
        return Unreadable(id=None, refusal=NO_BATCH)
    if "method" not in fields and ("result" in fields or "error" in fields):
        return Response(id=fields.get("id"), message=fields)
    named = fields.get("id")
    # bool is an int to Python; null is forbidden here, unlike in JSON-RPC.
    known: Id | None = named if type(named) in (int, str) else None
    method: Any = fields.get("method")
    params: Any = fields.get("params", {})
    wrong = _wrong(fields, method, params, known)
    if wrong is not None:
        return wrong
    if known is None:
        return Notification(method=method, params=params)
    return RpcRequest(id=known, method=method, params=params)


def _wrong(fields: Json, method: object, params: object, known: Id | None) -> Unreadable | None:
    if fields.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return _unreadable(known, INVALID_REQUEST, _NO_MESSAGE)
    if "id" in fields and known is None:
        return _unreadable(None, INVALID_REQUEST, _BAD_ID)
    if not isinstance(params, dict):
        return _unreadable(known, INVALID_PARAMS, "params must be an object.")
    return None


def _unreadable(known: Id | None, code: int, what: str) -> Unreadable:
    return Unreadable(id=known, refusal=RpcError(code, what))


NO_BATCH = RpcError(
    INVALID_REQUEST,
    f"Send one JSON-RPC message, an object: batches are part of revision {BATCHED} alone.",
)
_NO_MESSAGE = 'A message has "jsonrpc": "2.0" and a method.'
_BAD_ID = "The id of a request must be text or a whole number."


def error_message(request_id: Id | None, refusal: RpcError) -> Json:
    """Return the answer that tells of a refusal; without an id when none could be read."""
    error: Json = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        error["data"] = dict(refusal.data)
    # The schema has no null for an id.
    named: Json = {} if request_id is None else {"id": request_id}
    return {"jsonrpc": "2.0", **named, "error": error}


def result_message(request_id: Id, result: Json) -> Json:
    """Return the answer that holds a result."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def notification(method: str, params: Json) -> Json:
    """Return a message of ours that wants no answer."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
