"""What came in: the head of a request, judged before anything is done for it.

A browser can be made to call this machine by any page that it shows. So a request must come by a
name that is ours (a page whose name was rebound to this machine does not), and not from the page
of somebody else (Origin, Sec-Fetch-Site).
"""

import ipaddress
import re
from collections.abc import Iterable, Mapping
from typing import Any
from urllib.parse import urlsplit

import msgspec

from ....adapters.gateway.refusal import Refusal, refuse_invalid
from ....adapters.values.numbers import parse_whole_number
from ....kernel.urls.service_endpoints import is_loopback

_ONCE = ("host", "content-length", "content-type", "authorization", "transfer-encoding", "origin")
_FORWARDED = ("x-forwarded-for", "forwarded", "x-real-ip", "via", "x-forwarded-host")
_HOST = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
MAX_QUERY_FIELDS = 200
_ID = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_TRACE = re.compile(r"[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}")


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
        """Whether somebody passed it on: then nothing is known of who began it."""
        return any(name in self.headers for name in _FORWARDED)

    @property
    def id(self) -> str:
        """The caller's own id for it; empty when there is none that can be written down."""
        header = self.headers.get("x-request-id", "")
        return header if _ID.fullmatch(header) else ""

    @property
    def trace(self) -> str:
        """The trace that it is a part of; empty when it says nothing that can be read."""
        header = self.headers.get("traceparent", "")
        return header if _TRACE.fullmatch(header) else ""


class HostRules(msgspec.Struct, frozen=True, kw_only=True):
    """Which names are ours, whose pages may call, and who may pass requests on."""

    loopback: bool
    bound: str
    hosts: tuple[str, ...] = ()
    origins: tuple[str, ...] = ()
    proxies: tuple[str, ...] = ()


def read_head(scope: Mapping[str, Any]) -> RequestHead:
    """Return the head of a request out of an ASGI scope."""
    headers: dict[str, str] = {}
    twice = ""
    for raw_name, raw_value in scope["headers"]:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1").strip()
        if name in headers and name in _ONCE:
            twice = name
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    client = scope.get("client") or ("", 0)
    raw_path = scope.get("raw_path") or scope["path"].encode()
    return RequestHead(
        method=scope["method"],
        path=single_slashes(raw_path.decode("latin-1")),
        search=scope.get("query_string", b"").decode("latin-1"),
        headers=headers,
        peer=str(client[0]),
        scheme=scope.get("scheme", "http"),
        twice=twice,
    )


def single_slashes(path: str) -> str:
    """Return a path without doubled slashes, which a base address with one at its end makes.

    A URL in a path stays as it is.

    >>> single_slashes("//tavily//search"), single_slashes("/jina/r/https://a.example//b")
    ('/tavily/search', '/jina/r/https://a.example//b')
    """
    if "//" not in path:
        return path
    before, colon, url = path.partition(":")
    return re.sub(r"/{2,}", "/", before) + colon + url


def judge_head(head: RequestHead, rules: HostRules, max_body_bytes: int) -> Refusal | None:
    """Return why a request is not even looked at, None when it is."""
    framing = _framing(head, max_body_bytes) or _coding(head)
    return framing or _host(head, rules) or _origin(head, rules)


def _coding(head: RequestHead) -> Refusal | None:
    coding = head.headers.get("content-encoding", "identity").lower()
    return None if coding == "identity" else refuse_invalid("Send the body as it is, uncompressed.")


def _framing(head: RequestHead, most_body: int) -> Refusal | None:
    """Refuse what two servers could take for two different requests (RFC 9112, section 6.3)."""
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
        0 if length is None else parse_whole_number(length.lstrip("0") or "0", len(str(most_body)))
    )
    if size is None or size > most_body:
        return refuse_large_body(most_body)
    return None


def refuse_large_body(max_body_bytes: int) -> Refusal:
    """Refuse a body over the limit."""
    return Refusal(kind="too_large", message=f"The body is larger than {max_body_bytes} bytes.")


def _host(head: RequestHead, rules: HostRules) -> Refusal | None:
    name = host_name(public_host(head, rules))
    if name is None:
        return refuse_invalid("The request names no host.")
    if name in rules.hosts or (not rules.loopback and not rules.hosts):
        return None
    ours = (
        is_loopback(name) or name.endswith(".localhost") if rules.loopback else name == rules.bound
    )
    if ours:
        return None
    return Refusal(
        kind="forbidden", message=f"{name} is not a name of this gateway; serve.hosts lists them."
    )


def public_host(head: RequestHead, rules: HostRules) -> str:
    """Return the host that the caller named: a proxy passes it on, if it is one that was named."""
    if head.peer in rules.proxies and "x-forwarded-host" in head.headers:
        return head.headers["x-forwarded-host"]
    return head.headers.get("host", "")


def public_address(head: RequestHead, rules: HostRules) -> str:
    """Return where the caller is: by the word of a proxy that was named, else who connected.

    Each proxy appends who it heard from, so that only what the last one wrote is sure.
    """
    if head.peer not in rules.proxies:
        return head.peer
    return head.headers.get("x-forwarded-for", "").rpartition(",")[2].strip() or head.peer


def public_scheme(head: RequestHead, rules: HostRules) -> str:
    """Return the scheme by which the caller came."""
    passed_on = head.headers.get("x-forwarded-proto", "")
    trusted = head.peer in rules.proxies and passed_on in ("http", "https")
    return passed_on if trusted else head.scheme


def host_name(host: str) -> str | None:
    """Return the name in a Host header, None when it is none.

    >>> host_name("LOCALHOST:80"), host_name("[::1]:80"), host_name("a b")
    ('localhost', '::1', None)
    """
    parts = _HOST.fullmatch(host)
    if parts is None:
        return None
    name = parts[1].lower().removesuffix(".")
    if not name.startswith("["):
        return name
    try:
        return str(ipaddress.ip_address(name[1:-1]))
    except ValueError:
        return None


def _origin(head: RequestHead, rules: HostRules) -> Refusal | None:
    origin = head.headers.get("origin")
    if origin is not None:
        shown = re.sub(r"[^\x21-\x7e]", "?", origin)[:100]
        return None if is_allowed_origin(origin, head, rules) else _strange(shown)
    # Sent by every browser since 2023, also with what has no Origin: images, links, forms by GET.
    site = head.headers.get("sec-fetch-site", "none")
    walked_in = head.headers.get("sec-fetch-mode") == "navigate" and head.path == "/"
    if site in ("none", "same-origin") or (walked_in and not head.search):
        return None
    return _strange("another site")


def is_allowed_origin(origin: str, head: RequestHead, rules: HostRules) -> bool:
    """Tell whether a page of that origin may call: our own, or one that the settings name."""
    if origin in rules.origins:
        return True
    parts = urlsplit(origin)
    own = public_host(head, rules).lower()
    return parts.scheme == public_scheme(head, rules) and parts.netloc.lower() == own


def _strange(who: str) -> Refusal:
    return Refusal(
        kind="forbidden",
        message=f"Pages of {who} may not call this gateway; serve.origins lists those that may.",
    )


def split_query(search: str) -> tuple[tuple[str, str], ...] | None:
    """Return the parameters of a query; None when it is no UTF-8, or holds too many."""
    from urllib.parse import parse_qsl  # noqa: PLC0415  few requests have one

    try:
        return tuple(
            parse_qsl(
                search, keep_blank_values=True, max_num_fields=MAX_QUERY_FIELDS, errors="strict"
            )
        )
    except ValueError:
        return None


def normalise_hosts(names: Iterable[str]) -> tuple[str, ...]:
    """Return host names as they are compared."""
    return tuple(name.strip().lower().removesuffix(".") for name in names if name.strip())
