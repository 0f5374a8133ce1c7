"""Read and check the head of an MCP request.

A page can reach this machine under its own host name (DNS rebinding), so refuse foreign hosts and
origins.
"""

from __future__ import annotations

import base64
import binascii
from collections.abc import Mapping
from typing import Any

import msgspec

from webseam.composition.doors.mcp import json_rpc

_LOOPBACK_HOSTS = ("127.0.0.1", "localhost", "[::1]")
_BASE64_MARKS = ("=?base64?", "?=")
# The parameter that the header Mcp-Name repeats.
_MCP_NAME_PARAMETERS = {
    "tools/call": "name", "prompts/get": "name", "resources/read": "uri",
    **dict.fromkeys(("tasks/get", "tasks/update", "tasks/cancel"), "taskId"),
}  # fmt: skip


class McpHead(msgspec.Struct, frozen=True, kw_only=True):
    """Method, path, and headers by lower-case name."""

    method: str
    path: str
    headers: Mapping[str, str]
    # Headers that came more than once, so that their value is ambiguous.
    repeated: frozenset[str] = frozenset()
    # The address of the client; empty if unknown.
    peer: str = ""

    def get(self, name: str) -> str:
        """Return a header without surrounding blanks; empty if missing."""
        return self.headers.get(name, "").strip(" \t")


class HostRules(msgspec.Struct, frozen=True, kw_only=True):
    """The hosts of this server, with or without a port, and the origins that may call."""

    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    loopback: bool = True

    def explain_refusal(self, head: McpHead) -> tuple[int, str] | None:
        """Return status and reason for a foreign host or origin; None if both are allowed."""
        host, origin = head.get("host").lower(), head.get("origin")
        own_hosts = {*self.hosts, *(_LOOPBACK_HOSTS if self.loopback else ())}
        if host not in own_hosts and _host_without_port(host) not in own_hosts:
            return 421, "This is not the host that was meant. mcp.hosts names those of this server."
        if origin and not self._allows_origin(origin, own_hosts):
            return 403, "Pages of this origin may not call. mcp.origins names those that may."
        return None

    def _allows_origin(self, origin: str, ours: set[str]) -> bool:
        if origin.rstrip("/") in self.origins:
            return True
        scheme, _, host = origin.lower().partition("://")
        return scheme in ("http", "https") and (host in ours or _host_without_port(host) in ours)


def read_mcp_head(scope: Mapping[str, Any]) -> McpHead:
    """Read the head of an ASGI request."""
    pairs = [
        (name.decode("latin-1").lower(), value.decode("latin-1"))
        for name, value in scope["headers"]
    ]
    names = [name for name, _ in pairs]
    path, root = str(scope["path"]), str(scope.get("root_path", ""))
    return McpHead(
        method=str(scope["method"]),
        path=path.removeprefix(root) or "/",
        headers=dict(pairs),
        repeated=frozenset(name for name in names if names.count(name) > 1),
        peer=str((scope.get("client") or ("",))[0]),
    )


def is_modern_mcp(head: McpHead, request: object) -> bool:
    """Tell whether a message is in the newer revision, by its header or its metadata."""
    version = head.get("mcp-protocol-version")
    if version:
        return version not in json_rpc.LEGACY_REVISIONS
    return isinstance(request, json_rpc.RpcRequest) and json_rpc.VERSION_KEY in request.meta


def mcp_header_mismatch(head: McpHead, request: json_rpc.RpcRequest) -> json_rpc.RpcError | None:
    """Return an error for a header that is missing, repeated or unlike the body.

    Proxies route by these headers, so a false one could bypass their rules.
    """
    meta = request.meta
    if json_rpc.VERSION_KEY not in meta or not isinstance(
        meta.get(json_rpc.CAPABILITIES_KEY), dict
    ):
        # The server itself refuses a request without this metadata.
        return None
    expected = {"mcp-protocol-version": meta[json_rpc.VERSION_KEY], "mcp-method": request.method}
    parameter = _MCP_NAME_PARAMETERS.get(request.method)
    if parameter is not None and isinstance(request.params.get(parameter), str):
        expected["mcp-name"] = request.params[parameter]
    for name, value in expected.items():
        if name in head.repeated or name not in head.headers or _decode_header(head, name) != value:
            message = f"The header {name} is missing, repeated or unlike the body."
            return json_rpc.RpcError(json_rpc.HEADER_MISMATCH, message, {"header": name})
    return None


def _decode_header(head: McpHead, name: str) -> str | None:
    value = head.get(name)
    start, end = _BASE64_MARKS
    if name != "mcp-name" or not (value.startswith(start) and value.endswith(end)):
        return value
    text = value[len(start) : -len(end)]
    try:
        decoded = base64.b64decode(text, validate=True)
        # Accept only the canonical encoding, so that a value has one spelling.
        return decoded.decode() if base64.b64encode(decoded).decode() == text else None
    except (binascii.Error, ValueError):
        return None


def _host_without_port(host: str) -> str:
    """Return a host without its port."""
    name, colon, port = host.rpartition(":")
    return name if colon and port.isdigit() else host
