"""Read and make MCP messages, in two kinds of revisions.

The older ones, up to 2025-11-25, begin with ``initialize``. In 2026-07-28 each request names its
revision under ``_meta``. https://modelcontextprotocol.io/specification (read 2026-11-15)
"""

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, get_args

import msgspec

MODERN_REVISIONS = ("2026-07-28",)
LEGACY_REVISIONS = ("2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05")
BATCH_REVISION = "2025-03-26"  # the one revision in which several messages may come as one
MAX_BATCH_MESSAGES = 100
META_PREFIX = "io.modelcontextprotocol/"
VERSION_KEY = f"{META_PREFIX}protocolVersion"
CAPABILITIES_KEY = f"{META_PREFIX}clientCapabilities"
LEVEL_KEY = f"{META_PREFIX}logLevel"
SERVER_KEY = f"{META_PREFIX}serverInfo"
SUBSCRIPTION_KEY = f"{META_PREFIX}subscriptionId"
TASKS_KEY, SKILLS_KEY = f"{META_PREFIX}tasks", f"{META_PREFIX}skills"  # extensions

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
LEVELS: tuple[Level, ...] = get_args(Level)
Json: TypeAlias = dict[str, Any]
Id: TypeAlias = int | str
_NO_MESSAGE_TEXT = 'A message has "jsonrpc": "2.0" and a method.'
_BAD_ID_TEXT = "The id of a request must be text or a whole number."


class RpcError(msgspec.Struct, frozen=True):
    """A protocol error: a code, a sentence, and its ``data``."""

    code: int
    message: str
    data: Mapping[str, object] | None = None


class RpcRequest(msgspec.Struct, frozen=True, kw_only=True):
    """A message that needs an answer."""

    id: Id
    method: str
    params: Json

    @property
    def meta(self) -> Json:
        """The ``_meta`` field of the parameters."""
        meta = self.params.get("_meta")
        return meta if isinstance(meta, dict) else {}


class Notification(msgspec.Struct, frozen=True, kw_only=True):
    """A message that needs no answer."""

    method: str
    params: Json


class Response(msgspec.Struct, frozen=True, kw_only=True):
    """The client's answer to a request from us."""

    id: object
    message: Json


class Unreadable(msgspec.Struct, frozen=True, kw_only=True):
    """A malformed message; ``id`` is None when none could be read."""

    id: Id | None
    refusal: RpcError


Message: TypeAlias = RpcRequest | Notification | Response | Unreadable


class Batch(msgspec.Struct, frozen=True):
    """Several messages that came as one."""

    messages: tuple[Message, ...]


def read_mcp_message(data: bytes) -> Message | Batch:
    """Parse one message or a batch; malformed input becomes ``Unreadable``."""
    try:
        fields = msgspec.json.decode(data)
    # A client can send bad UTF-8 and deep nesting.
    except (ValueError, RecursionError):
        return _unreadable_message(None, PARSE_ERROR, "This is not JSON.")
    is_batch = isinstance(fields, list) and fields
    return _read_batch(fields) if is_batch else _read_message(fields)


def _read_batch(messages: list[object]) -> Batch | Unreadable:
    if len(messages) > MAX_BATCH_MESSAGES:
        text = f"A batch may have {MAX_BATCH_MESSAGES} messages."
        return _unreadable_message(None, INVALID_REQUEST, text)
    return Batch(tuple(map(_check_batched_message, map(_read_message, messages))))


def _check_batched_message(message: Message) -> Message:
    if isinstance(message, RpcRequest) and message.method == "initialize":
        return _unreadable_message(message.id, INVALID_REQUEST, "Send initialize alone.")
    return message


def _read_message(fields: object) -> Message:
    if not isinstance(fields, dict):
        return Unreadable(id=None, refusal=NO_BATCH_ERROR)
    if "method" not in fields and ("result" in fields or "error" in fields):
        return Response(id=fields.get("id"), message=fields)
    raw_id = fields.get("id")
    # In Python bool is an int; MCP forbids null, unlike JSON-RPC.
    request_id: Id | None = raw_id if type(raw_id) in (int, str) else None
    method: Any = fields.get("method")
    params: Any = fields.get("params", {})
    problem = _explain_unreadable(fields, method, params, request_id)
    if problem is not None:
        return problem
    if request_id is None:
        return Notification(method=method, params=params)
    return RpcRequest(id=request_id, method=method, params=params)


def _explain_unreadable(
    fields: Json, method: object, params: object, request_id: Id | None
) -> Unreadable | None:
    if fields.get("jsonrpc") != "2.0" or not isinstance(method, str):
        return _unreadable_message(request_id, INVALID_REQUEST, _NO_MESSAGE_TEXT)
    if "id" in fields and request_id is None:
        return _unreadable_message(None, INVALID_REQUEST, _BAD_ID_TEXT)
    if not isinstance(params, dict):
        return _unreadable_message(request_id, INVALID_PARAMS, "params must be an object.")
    return None


def _unreadable_message(request_id: Id | None, code: int, text: str) -> Unreadable:
    return Unreadable(id=request_id, refusal=RpcError(code, text))


NO_BATCH_ERROR = RpcError(
    INVALID_REQUEST,
    f"Send one JSON-RPC message, an object: batches are part of revision {BATCH_REVISION} alone.",
)


def rpc_error_message(request_id: Id | None, refusal: RpcError) -> Json:
    """Return an error answer; without an id when none could be read."""
    error: Json = {"code": refusal.code, "message": refusal.message}
    if refusal.data is not None:
        error["data"] = dict(refusal.data)
    # The schema allows no null id.
    id_field: Json = {} if request_id is None else {"id": request_id}
    return {"jsonrpc": "2.0", **id_field, "error": error}


def rpc_result_message(request_id: Id, result: Json) -> Json:
    """Return a result answer."""
    return {"jsonrpc": "2.0", "id": request_id, "result": result}


def rpc_notification(method: str, params: Json) -> Json:
    """Return a notification message."""
    return {"jsonrpc": "2.0", "method": method, "params": params}
