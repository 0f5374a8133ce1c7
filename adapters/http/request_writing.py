"""Requests that are written before they are sent, since most of their bytes are always the same."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import httpx

# RFC 9110, 5.6.2: what methods and header names are made of. Values keep to their line.
_DEFAULT_PORTS = {"http": 80, "https": 443}


class HostPort(NamedTuple):
    """What connections are shared by: the scheme, the host and the port."""

    scheme: str
    host: str
    port: int


def url_origin(url: httpx.URL) -> HostPort:
    """Return what a URL's connections are shared by."""
    scheme = url.scheme
    if scheme not in _DEFAULT_PORTS:
        message = "only http and https are spoken here"
        raise httpx.UnsupportedProtocol(message)
    return HostPort(scheme, url.raw_host.decode("ascii"), url.port or _DEFAULT_PORTS[scheme])


_TOKEN_REGEX = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
_REQUEST_HEAD_PATTERN = re.compile(
    rb"%s [^ \r\n\0]++ HTTP/1\.1(?:\r\n%s: [^\r\n\0]*+)*" % (_TOKEN_REGEX, _TOKEN_REGEX)
)


def serialise_request(request: httpx.Request, body: bytes) -> bytes:
    """Write a request and its whole body; what would break out of its line is refused."""
    headers = request.headers.raw
    if "transfer-encoding" in request.headers:
        headers = [_as_length_header(name, value, body) for name, value in headers]
    return head_bytes(request.method, request.url, headers) + b"\r\n\r\n" + body


def head_bytes(method: str, url: httpx.URL, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Write the first line and the header lines, still without the empty line that ends them."""
    start = b"%s %s HTTP/1.1" % (method.encode(), url.raw_path)
    head = b"\r\n".join([start, *[b"%s: %s" % header for header in headers]])
    # A header that brings a line of its own can look like two; the count gives it away.
    if head.count(b"\n") != len(headers) or _REQUEST_HEAD_PATTERN.fullmatch(head) is None:
        message = "a method or a header that HTTP does not allow"
        raise httpx.LocalProtocolError(message)
    return head


def _as_length_header(name: bytes, value: bytes, body: bytes) -> tuple[bytes, bytes]:
    # The body was streamed to us. It is whole now, and has a length.
    if name.lower() == b"transfer-encoding":
        return b"Content-Length", b"%d" % len(body)
    return name, value


_HTTPX_PARTS = frozenset({"method", "url", "headers", "extensions", "stream"})


class RequestHead(NamedTuple):
    """All of a request but its body and the body's length: as parts, and as the bytes they make."""

    method: str
    url: httpx.URL
    headers: tuple[tuple[bytes, bytes], ...]
    origin: HostPort
    site: str
    written: bytes

    def __repr__(self) -> str:
        """Say where to; a key may be in anything else."""
        return f"Letterhead({self.method}, {self.origin})"


def write_request_head(
    method: str, url: httpx.URL, headers: Sequence[tuple[str, str]]
) -> RequestHead:
    """Write everything that does not depend on the body. Raises what httpx raises."""
    lines = tuple((name.encode("ascii"), value.encode("ascii")) for name, value in headers)
    written = head_bytes(method, url, lines)
    site = f"{url.scheme}://{url.netloc.decode('ascii')}"
    return RequestHead(method, url, lines, url_origin(url), site, written)


class WrittenRequest(httpx.Request):
    """A request whose bytes are ready. For everybody who looks at it, it is httpx's own.

    Making it and its bytes takes 1.1 us of processor time, a plain one and its bytes 50 to 61:
    ``python -m benchmarks.late_parts``, Python 3.11, 2026-11-15.
    """

    def __init__(self, head: RequestHead, body: bytes) -> None:
        """Put a body under a letterhead; httpx's parts are made when they are looked at."""
        self._head = head
        self._body = body

    def __getattr__(self, name: str) -> object:
        if name not in _HTTPX_PARTS:
            raise AttributeError(name)
        head, attributes = self._head, dict(vars(self))
        headers = [*head.headers, *self._length()]
        stream = httpx.ByteStream(self._body)
        super().__init__(head.method, head.url, headers=headers, stream=stream)
        vars(self).update(attributes)
        return vars(self)[name]

    @property
    def site(self) -> str:
        """Where it goes: scheme, host and port."""
        return self._head.site

    def ready(self) -> tuple[bytes, HostPort] | None:
        """Return what to send and where to; None once somebody saw the parts: they may differ."""
        if not _HTTPX_PARTS.isdisjoint(vars(self)):
            return None
        head, body = self._head, self._body
        if not body and head.method == "GET":
            return head.written + b"\r\n\r\n", head.origin
        return b"%b\r\ncontent-length: %d\r\n\r\n%b" % (head.written, len(body), body), head.origin

    def _length(self) -> list[tuple[bytes, bytes]]:
        if not self._body and self._head.method == "GET":
            return []
        return [(b"content-length", b"%d" % len(self._body))]
