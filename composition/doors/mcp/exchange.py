"""One open request: its revision, and the notifications that it may send."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeAlias

from .json_rpc import (
    CAPABILITIES_KEY,
    INVALID_PARAMS,
    LEVEL_KEY,
    LEVELS,
    MODERN_REVISIONS,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Json,
    Level,
    RpcError,
    RpcRequest,
    rpc_notification,
)

if TYPE_CHECKING:
    from webseam.kernel.policy.session_memory import SessionMemory

Send: TypeAlias = Callable[[Json], None]
# The log level of an older client that never set one.
_DEFAULT_LEVEL = "warning"


class McpSession:
    """The version and log level that a client of an older revision agreed on."""

    def __init__(self) -> None:
        """Begin before the handshake."""
        self.version: str | None = None
        self.level = _DEFAULT_LEVEL
        # None, where the client's own memory is that of the session.
        self.memory: SessionMemory | None = None


class McpExchange:
    """A request, and the channel back to its sender."""

    def __init__(
        self, request: RpcRequest, session: McpSession, send: Send, *, modern: bool
    ) -> None:
        """Answer ``request`` in the ``modern`` revision or an older one."""
        self.request = request
        self.method, self.params, self.meta = request.method, request.params, request.meta
        self.session, self.modern = session, modern
        self._send, self._progress, self._is_over = send, 0.0, False
        self.status = ""  # the last progress, for a client that asks later

    def notify(self, method: str, params: Json) -> None:
        """Send a notification of this request, as long as it has no answer."""
        if not self._is_over:
            self._send(rpc_notification(method, params))

    def progress(self, done: float, total: float | None, words: str) -> None:
        """Send progress that never decreases to a client that asked; an unknown total is None."""
        self.status, token = words, self.meta.get("progressToken")
        if type(token) not in (int, str) or done <= self._progress:
            return
        self._progress = done
        total_field = {} if total is None else {"total": total}
        params = {"progressToken": token, "progress": done, **total_field, "message": words}
        self.notify("notifications/progress", params)

    def log(self, level: Level, data: object) -> None:
        """Send a log message to a client that wants this level."""
        min_level = self.meta.get(LEVEL_KEY) if self.modern else self.session.level
        if min_level in LEVELS and LEVELS.index(level) >= LEVELS.index(min_level):
            params = {"level": level, "logger": "webseam", "data": data}
            self.notify("notifications/message", params)

    def has_extension(self, name: str) -> bool:
        """Tell whether the client declares a protocol extension in this request."""
        extensions = self.meta.get(CAPABILITIES_KEY, {}).get("extensions") if self.modern else None
        return isinstance(extensions, dict) and name in extensions

    def end(self) -> None:
        """Send nothing more."""
        self._is_over = True

    def text_parameter(self, name: str) -> str | RpcError:
        """Return a parameter that must be text."""
        value: Any = self.params.get(name)
        if isinstance(value, str):
            return value
        return RpcError(INVALID_PARAMS, f"{name} must be text.", {"field": name})

    def object_parameter(self, name: str) -> Json | RpcError:
        """Return a parameter that must be an object; a missing one is empty."""
        value: Any = self.params.get(name)
        if value is None or isinstance(value, dict):
            return value or {}
        return RpcError(INVALID_PARAMS, f"{name} must be an object.", {"field": name})


def read_mcp_revision(request: RpcRequest, session: McpSession) -> bool | RpcError:
    """Return whether a request is in the newer revision, or an error in its envelope.

    Requests on one connection may differ in this; a handshake is in the older one.
    """
    meta, version = request.meta, request.meta.get(VERSION_KEY)
    if request.method == "initialize" and "protocolVersion" in request.params:
        return False
    if version is None:
        return _session_revision(request, session)
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        return RpcError(INVALID_PARAMS, f"_meta must hold {CAPABILITIES_KEY}, an object.")
    if version not in MODERN_REVISIONS:
        data = {"supported": list(MODERN_REVISIONS), "requested": version}
        return RpcError(UNSUPPORTED_VERSION, "This protocol revision is not supported.", data)
    if meta.get(LEVEL_KEY, "info") not in LEVELS:
        return RpcError(INVALID_PARAMS, f"_meta: {LEVEL_KEY} is none of {', '.join(LEVELS)}.")
    return True


def _session_revision(request: RpcRequest, session: McpSession) -> bool | RpcError:
    if session.version is not None or request.method in ("ping", "initialize"):
        return False
    text = f"Send initialize first, or say _meta: {VERSION_KEY} in each request."
    return RpcError(INVALID_PARAMS, text)
