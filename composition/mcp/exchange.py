"""One request under way: the revision it is in, and what may be told while it runs."""

from collections.abc import Callable
from typing import Any, TypeAlias

from .json_rpc import (
    CAPABILITIES_KEY,
    INVALID_PARAMS,
    LEVEL_KEY,
    LEVELS,
    MODERN,
    UNSUPPORTED_VERSION,
    VERSION_KEY,
    Json,
    Level,
    RpcError,
    RpcRequest,
    notification,
)

Send: TypeAlias = Callable[[Json], None]
# What is told to a client of the older revision that never named a level.
_DEFAULT_LEVEL = "warning"


class McpSession:
    """What a client of the older revision agreed on: the version, and how much it is told."""

    def __init__(self) -> None:
        """Begin before the handshake."""
        self.version: str | None = None
        self.level = _DEFAULT_LEVEL


class McpExchange:
    """A request, and the way back to whoever sent it."""

    def __init__(
        self, request: RpcRequest, session: McpSession, send: Send, *, modern: bool
    ) -> None:
        """Answer ``request`` in the ``modern`` revision or the older one."""
        self.request = request
        self.session = session
        self.modern = modern
        self._send = send
        self._progress = 0.0
        self._over = False

    @property
    def method(self) -> str:
        """What is asked."""
        return self.request.method

    @property
    def params(self) -> Json:
        """What it is asked with."""
        return self.request.params

    @property
    def meta(self) -> Json:
        """What stands beside that."""
        return self.request.meta

    def notify(self, method: str, params: Json) -> None:
        """Tell something that belongs to this request, as long as it has no answer."""
        if not self._over:
            self._send(notification(method, params))

    def progress(self, done: float, total: float | None, words: str) -> None:
        """Tell how far it is, to a client that wants to know; only ever further.

        ``total`` None: nobody knows how much there is.
        """
        token = self.meta.get("progressToken")
        if type(token) not in (int, str) or done <= self._progress:
            return
        self._progress = done
        known = {} if total is None else {"total": total}
        params = {"progressToken": token, "progress": done, **known, "message": words}
        self.notify("notifications/progress", params)

    def log(self, level: Level, data: object) -> None:
        """Tell what happens, to a client that wants messages of this level."""
        wanted = self.meta.get(LEVEL_KEY) if self.modern else self.session.level
        if wanted in LEVELS and LEVELS.index(level) >= LEVELS.index(wanted):
            params = {"level": level, "logger": "webseam", "data": data}
            self.notify("notifications/message", params)

    def end(self) -> None:
        """Tell nothing more."""
        self._over = True

    def text(self, name: str) -> str | RpcError:
        """Return a parameter that must be text."""
        value: Any = self.params.get(name)
        if isinstance(value, str):
            return value
        return RpcError(INVALID_PARAMS, f"{name} must be text.", {"field": name})

    def fields(self, name: str) -> Json | RpcError:
        """Return a parameter that must be an object; one that is not there is an empty one."""
        value: Any = self.params.get(name)
        if value is None or isinstance(value, dict):
            return value or {}
        return RpcError(INVALID_PARAMS, f"{name} must be an object.", {"field": name})


def read_revision(request: RpcRequest, session: McpSession) -> bool | RpcError:
    """Tell whether a request is in the newer revision, or what its envelope lacks.

    On one connection each request may be in the one or the other; a handshake is in the older.
    """
    meta, version = request.meta, request.meta.get(VERSION_KEY)
    if request.method == "initialize" and "protocolVersion" in request.params:
        return False
    if version is None:
        return _without_version(request, session)
    if not isinstance(meta.get(CAPABILITIES_KEY), dict):
        return RpcError(INVALID_PARAMS, f"_meta must hold {CAPABILITIES_KEY}, an object.")
    if version not in MODERN:
        data = {"supported": list(MODERN), "requested": version}
        return RpcError(UNSUPPORTED_VERSION, "This revision of the protocol is not spoken.", data)
    if meta.get(LEVEL_KEY, "info") not in LEVELS:
        return RpcError(INVALID_PARAMS, f"_meta: {LEVEL_KEY} is none of {', '.join(LEVELS)}.")
    return True


def _without_version(request: RpcRequest, session: McpSession) -> bool | RpcError:
    if session.version is not None or request.method in ("ping", "initialize"):
        return False
    what = f"Send initialize first, or say _meta: {VERSION_KEY} in each request."
    return RpcError(INVALID_PARAMS, what)
