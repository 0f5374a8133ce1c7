"""What the head of a request says: where it was sent, from whose page, and what is in the body.

A page in a browser may send requests to this machine under a name of its own (DNS rebinding), so
that names that are not ours are refused, as are the pages of others.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Iterable, Mapping

import msgspec

from ...mcp.json_rpc import (
    CAPABILITIES_KEY,
    HEADER_MISMATCH,
    LEGACY,
    VERSION_KEY,
    RpcError,
    RpcRequest,
)

_LOOPBACK = ("127.0.0.1", "localhost", "[::1]")
_BASE64 = ("=?base64?", "?=")
# Which parameter of a method is repeated in Mcp-Name.
_NAMED = {"tools/call": "name", "prompts/get": "name", "resources/read": "uri"}


class McpHead(msgspec.Struct, frozen=True, kw_only=True):
    """Method, path, and headers under their names in small letters."""

    method: str
    path: str
    headers: Mapping[str, str]
    # Those that came more than once: which of them counts is anybody's guess.
    repeated: frozenset[str] = frozenset()
    # Who connected; empty where nobody knows.
    peer: str = ""

    def get(self, name: str) -> str:
        """Return a header without blanks around it; empty when it is not there."""
        return self.headers.get(name, "").strip(" \t")


class HostRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which names are ours, with a port or for any, and the pages of which origins may call."""

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    loopback: bool = True

    def refusal(self, head: McpHead) -> tuple[int, str] | None:
        """Return the status and the reason when a request is not for us, or not from a friend."""
        host, origin = head.get("host").lower(), head.get("origin")
        ours = {*self.hosts, *(_LOOPBACK if self.loopback else ())}
        if host not in ours and _name_of(host) not in ours:
            return 421, "This is not the host that was meant. mcp.hosts names those of this server."
        if origin and not self._is_friend(origin, ours):
            return 403, "Pages of this origin may not call. mcp.origins names those that may."
        return None

    def _is_friend(self, origin: str, ours: set[str]) -> bool:
        if origin.rstrip("/") in self.origins:
            return True
        scheme, _, host = origin.lower().partition("://")
        return scheme in ("http", "https") and (host in ours or _name_of(host) in ours)


def read_mcp_head(scope: Mapping[str, object]) -> McpHead:
    """Read the head of an ASGI request."""
    raw = scope["headers"]
    pairs = [
        (name.decode("latin-1").lower(), value.decode("latin-1")) for name, value in _pairs(raw)
    ]
    names = [name for name, _ in pairs]
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return McpHead(
        method=str(scope["method"]),
        path=path.removeprefix(root) or "/",
        headers=dict(pairs),
        repeated=frozenset(name for name in names if names.count(name) > 1),
        peer=_peer(scope.get("client")),
    )


def _peer(client: object) -> str:
    return str(client[0]) if isinstance(client, list | tuple) and client else ""


def _pairs(raw: object) -> Iterable[tuple[bytes, bytes]]:
    return raw if isinstance(raw, list | tuple) else ()


def is_modern(head: McpHead, request: object) -> bool:
    """Tell whether a message is in the newer revision: by its header, or by its own words."""
    version = head.get("mcp-protocol-version")
    if version:
        return version not in LEGACY
    return isinstance(request, RpcRequest) and VERSION_KEY in request.meta


def header_mismatch(head: McpHead, request: RpcRequest) -> RpcError | None:
    """Return which header is missing, repeated, or unlike the body of a request.

    Proxies route by these headers, so that one that lies would get around their rules.
    """
    meta = request.meta
    if VERSION_KEY not in meta or not isinstance(meta.get(CAPABILITIES_KEY), dict):
        # The envelope comes first, and is refused by those who open it.
        return None
    wanted = {"mcp-protocol-version": meta[VERSION_KEY], "mcp-method": request.method}
    named = _NAMED.get(request.method)
    if named is not None and isinstance(request.params.get(named), str):
        wanted["mcp-name"] = request.params[named]
    for name, value in wanted.items():
        if name in head.repeated or name not in head.headers or _decoded(head, name) != value:
            what = f"The header {name} is missing, repeated or unlike the body."
            return RpcError(HEADER_MISMATCH, what, {"header": name})
    return None


def _decoded(head: McpHead, name: str) -> str | None:
    value = head.get(name)
    start, end = _BASE64
    if name != "mcp-name" or not (value.startswith(start) and value.endswith(end)):
        return value
    text = value[len(start) : -len(end)]
    try:
        decoded = base64.b64decode(text, validate=True)
        # Only the one spelling, so that nobody can say the same in another.
        return decoded.decode() if base64.b64encode(decoded).decode() == text else None
    except (binascii.Error, ValueError):
        return None


def _name_of(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
