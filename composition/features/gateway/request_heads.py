"""Read the head of a request and judge it before any other work.

Any page can make a browser call this machine. So a request must name one of our hosts (this stops
DNS rebinding) and must not come from a foreign page (Origin, Sec-Fetch-Site).
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from webseam.adapters.features.gateway.replies import Refusal, refuse_invalid
from webseam.adapters.values.json_values import parse_whole_number
from webseam.kernel.urls.service_endpoints import is_loopback

_SINGLE_HEADERS = (
    "host",
    "content-length",
    "content-type",
    "authorization",
    "transfer-encoding",
    "origin",
)
_FORWARDED_HEADERS = ("x-forwarded-for", "forwarded", "x-real-ip", "via", "x-forwarded-host")
_HOST_PATTERN = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
_PREFIX_PATTERN = re.compile(r"(?:/[A-Za-z0-9._~-]+)*")
PROBE_PATHS = ("/health", "/ready", "/metrics")
MAX_QUERY_FIELDS = 200
# Calls of one key with the same id are one session.
SESSION_HEADER = "x-session-id"
_REQUEST_ID_PATTERN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TRACEPARENT_PATTERN = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


class RequestHead(msgspec.Struct, frozen=True, kw_only=True):
    """The head of a request. ``path`` is percent-encoded, as it was sent."""

    method: str
    path: str
    search: str
    headers: Mapping[str, str]
    peer: str
    scheme: str
    twice: str = ""

    @property
    def forwarded(self) -> bool:
        """Whether a proxy forwarded it; then the peer is not the caller."""
        return any(name in self.headers for name in _FORWARDED_HEADERS)

    @property
    def id(self) -> str:
        """The X-Request-Id; empty without a valid one."""
        header = self.headers.get("x-request-id", "")
        return header if _REQUEST_ID_PATTERN.fullmatch(header) else ""

    @property
    def trace(self) -> str:
        """The traceparent; empty without a valid one."""
        header = self.headers.get("traceparent", "")
        return header if _TRACEPARENT_PATTERN.fullmatch(header) else ""


class HostRules(msgspec.Struct, frozen=True, kw_only=True):
    """The names of this gateway, the origins that may call, trusted proxies and the path prefix."""

    loopback: bool
    bound: str
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()
    prefix: str = ""


def read_gateway_head(scope: Mapping[str, Any]) -> RequestHead:
    """Return the head of a request from an ASGI scope."""
    headers: dict[str, str] = {}
    twice = ""
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1").strip()
        if name in headers and name in _SINGLE_HEADERS:
            twice = name
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    client = scope.get("client") or ("", 0)
    raw_path = scope.get("raw_path") or scope["path"].encode()
    return RequestHead(
        method=scope["method"],
        path=merge_path_slashes(raw_path.decode("latin-1")),
        search=scope.get("query_string", b"").decode("latin-1"),
        headers=headers,
        peer=str(client[0]),
        scheme=scope.get("scheme", "http"),
        twice=twice,
    )


def strip_path_prefix(scope: Mapping[str, Any], prefix: str) -> Mapping[str, Any]:
    """Return a scope without the prefix of its path, which a proxy may have kept or removed.

    >>> strip_path_prefix({"path": "/web/mcp", "raw_path": b"/web/mcp"}, "/web")["path"]
    '/mcp'
    """
    raw = scope.get("raw_path") or scope.get("path", "").encode()
    if not prefix or not (raw + b"/").startswith(f"{prefix}/".encode()):
        return scope
    path = scope["path"].removeprefix(prefix) or "/"
    return {**scope, "path": path, "raw_path": raw.removeprefix(prefix.encode()) or b"/"}


def merge_path_slashes(path: str) -> str:
    """Return a path without double slashes, which come from a base address that ends in one.

    A URL in a path is not changed.

    >>> merge_path_slashes("//tavily//search"), merge_path_slashes("/jina/r/https://a.example//b")
    ('/tavily/search', '/jina/r/https://a.example//b')
    """
    if "//" not in path:
        return path
    before, colon, url = path.partition(":")
    return re.sub(r"/{2,}", "/", before) + colon + url


def judge_gateway_head(head: RequestHead, rules: HostRules, max_body_bytes: int) -> Refusal | None:
    """Return a refusal for a bad head; None for a good one."""
    framing = _check_framing(head, max_body_bytes) or _check_encoding(head)
    return framing or _check_host(head, rules) or _check_origin(head, rules)


def _check_encoding(head: RequestHead) -> Refusal | None:
    coding = head.headers.get("content-encoding", "identity").lower()
    return None if coding == "identity" else refuse_invalid("Send the body as it is, uncompressed.")


def _check_framing(head: RequestHead, max_body_bytes: int) -> Refusal | None:
    """Refuse framing that allows request smuggling (RFC 9112, section 6.3)."""
    if head.twice:
        return refuse_invalid(f"The header {head.twice} stands there twice.")
    length, coding = head.headers.get("content-length"), head.headers.get("transfer-encoding")
    if length is not None and coding is not None:
        return refuse_invalid("A request has a length or a transfer coding, not both.")
    if coding is not None and coding.lower() != "chunked":
        return refuse_invalid("The only transfer coding is chunked.")
    if length is not None and not (length.isascii() and length.isdigit()):
        return refuse_invalid("The length of the body is no number.")
    size = (
        0
        if length is None
        else parse_whole_number(length.lstrip("0") or "0", len(str(max_body_bytes)))
    )
    if size is None or size > max_body_bytes:
        return refuse_large_body(max_body_bytes)
    return None


def refuse_large_body(max_body_bytes: int) -> Refusal:
    """Refuse a body over the limit."""
    return Refusal(kind="too_large", message=f"The body is larger than {max_body_bytes} bytes.")


def _check_host(head: RequestHead, rules: HostRules) -> Refusal | None:
    if (name := host_header_name(request_host(head, rules))) is None:
        return refuse_invalid("The request names no host.")
    if name in rules.hosts or (not rules.loopback and not rules.hosts):
        return None
    is_own_name = name == rules.bound or (
        rules.loopback and (is_loopback(name) or name.endswith(".localhost"))
    )
    # No name can be rebound to an address, so probes and Prometheus may use one, also by a proxy.
    is_probe = head.path.rstrip("/") in PROBE_PATHS and _is_ip_address(name)
    is_probe = is_probe and bool(rules.hosts or not rules.loopback)
    if is_own_name or is_probe:
        return None
    return Refusal(
        kind="forbidden", message=f"{name} is not a name of this gateway; serve.hosts lists them."
    )


def request_host(head: RequestHead, rules: HostRules) -> str:
    """Return the host that the caller named; believe X-Forwarded-Host from trusted proxies."""
    if head.peer in rules.proxies and "x-forwarded-host" in head.headers:
        return head.headers["x-forwarded-host"]
    return head.headers.get("host", "")


def gateway_caller_prefix(head: RequestHead, rules: HostRules) -> str:
    """Return the path prefix that the caller used; believe X-Forwarded-Prefix from proxies."""
    forwarded = head.headers.get("x-forwarded-prefix", "").rstrip("/")
    is_trusted = head.peer in rules.proxies and _PREFIX_PATTERN.fullmatch(forwarded)
    return forwarded if forwarded and is_trusted else rules.prefix


def gateway_caller_base(head: RequestHead, rules: HostRules) -> str:
    """Return the URL of this gateway as the caller wrote it."""
    scheme, host = request_scheme(head, rules), request_host(head, rules)
    return f"{scheme}://{host}{gateway_caller_prefix(head, rules)}"


def _is_ip_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def gateway_caller_address(head: RequestHead, rules: HostRules) -> str:
    """Return the address of the caller; believe X-Forwarded-For from trusted proxies.

    Each proxy appends its peer, so only the last entry is reliable.
    """
    if head.peer not in rules.proxies:
        return head.peer
    return head.headers.get("x-forwarded-for", "").rpartition(",")[2].strip() or head.peer


def request_scheme(head: RequestHead, rules: HostRules) -> str:
    """Return the scheme that the caller used."""
    forwarded = head.headers.get("x-forwarded-proto", "")
    trusted = head.peer in rules.proxies and forwarded in ("http", "https")
    return forwarded if trusted else head.scheme


def host_header_name(host: str) -> str | None:
    """Return the name in a Host header; None if it is invalid.

    >>> host_header_name("LOCALHOST:80"), host_header_name("[::1]:80"), host_header_name("a b")
    ('localhost', '::1', None)
    """
    if (parts := _HOST_PATTERN.fullmatch(host)) is None:
        return None
    name = parts[1].lower().removesuffix(".")
    if not name.startswith("["):
        return name
    try:
        return str(ipaddress.ip_address(name[1:-1]))
    except ValueError:
        return None


def _check_origin(head: RequestHead, rules: HostRules) -> Refusal | None:
    if (origin := head.headers.get("origin")) is not None:
        shown = re.sub(r"[^\x21-\x7e]", "?", origin)[:100]
        return None if is_allowed_origin(origin, head, rules) else _refuse_origin(shown)
    # Browsers send this since 2023, also without Origin: for images, links and GET forms.
    site = head.headers.get("sec-fetch-site", "none")
    is_home_navigation = head.headers.get("sec-fetch-mode") == "navigate" and head.path == "/"
    if site in ("none", "same-origin") or (is_home_navigation and not head.search):
        return None
    return _refuse_origin("another site")


def is_allowed_origin(origin: str, head: RequestHead, rules: HostRules) -> bool:
    """Tell whether pages of an origin may call: our own origin, or one in the settings."""
    if origin in rules.origins:
        return True
    parts = urlsplit(origin)
    own_host = request_host(head, rules).lower()
    return parts.scheme == request_scheme(head, rules) and parts.netloc.lower() == own_host


def _refuse_origin(origin: str) -> Refusal:
    return Refusal(
        kind="forbidden",
        message=f"Pages of {origin} may not call this gateway; serve.origins lists those that may.",
    )


def split_gateway_query(search: str) -> tuple[tuple[str, str], ...] | None:
    """Return the parameters of a query; None if it is not UTF-8 or has too many fields."""
    from urllib.parse import parse_qsl  # noqa: PLC0415  few requests have one

    try:
        return tuple(
            parse_qsl(
                search, keep_blank_values=True, max_num_fields=MAX_QUERY_FIELDS, errors="strict"
            )
        )
    except ValueError:
        return None


def normalise_gateway_hosts(names: Iterable[str]) -> tuple[str, ...]:
    """Return host names in lower case, without a final dot."""
    return tuple(name.strip().lower().removesuffix(".") for name in names if name.strip())
