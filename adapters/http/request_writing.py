"""Serialised requests with cached heads, since most bytes of a service's requests repeat."""

import re
from collections.abc import Sequence
from typing import NamedTuple

import httpx

DEFAULT_PORTS = {"http": 80, "https": 443}
# RFC 9110, 5.6.2: the characters of methods and header names. Values have no line breaks.
_TOKEN_FORM = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
_REQUEST_HEAD_PATTERN = re.compile(
    rb"%s [^ \r\n\0]++ HTTP/1\.1(?:\r\n%s: [^\r\n\0]*+)*" % (_TOKEN_FORM, _TOKEN_FORM)
)
_LATE_ATTRIBUTES = frozenset({"method", "url", "headers", "extensions", "stream"})


class HttpOrigin(NamedTuple):
    """An origin: requests to the same scheme, host and port share connections."""

    scheme: str
    host: str
    port: int


def url_origin(url: httpx.URL) -> HttpOrigin:
    """Return the origin of a URL; ``UnsupportedProtocol`` if it is not http or https."""
    scheme = url.scheme
    if scheme not in DEFAULT_PORTS:
        message = "only http and https are spoken here"
        raise httpx.UnsupportedProtocol(message)
    return HttpOrigin(scheme, url.raw_host.decode("ascii"), url.port or DEFAULT_PORTS[scheme])


def serialise_request(request: httpx.Request, body: bytes) -> bytes:
    """Return the bytes of a request; raise on a header that would inject a line."""
    headers = request.headers.raw
    if "transfer-encoding" in request.headers:
        headers = [_replace_transfer_encoding(name, value, body) for name, value in headers]
    return head_bytes(request.method, request.url, headers) + b"\r\n\r\n" + body


def head_bytes(method: str, url: httpx.URL, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Return the request line and the header lines, without the empty line that ends them."""
    start = b"%s %s HTTP/1.1" % (method.encode(), url.raw_path)
    head = b"\r\n".join([start, *[b"%s: %s" % header for header in headers]])
    # A header with a line break can look like two valid headers, so count the lines too.
    if head.count(b"\n") != len(headers) or _REQUEST_HEAD_PATTERN.fullmatch(head) is None:
        message = "a method or a header that HTTP does not allow"
        raise httpx.LocalProtocolError(message)
    return head


def _replace_transfer_encoding(name: bytes, value: bytes, body: bytes) -> tuple[bytes, bytes]:
    # A streamed body is complete by now, so it has a length.
    if name.lower() == b"transfer-encoding":
        return b"Content-Length", b"%d" % len(body)
    return name, value


class RequestHead(NamedTuple):
    """A request without its body and the body's length, as parts and as bytes."""

    method: str
    url: httpx.URL
    headers: tuple[tuple[bytes, bytes], ...]
    origin: HttpOrigin
    site: str
    written: bytes

    def __repr__(self) -> str:
        """Show only the origin; any other part may hold a key."""
        return f"RequestHead({self.method}, {self.origin})"


def write_request_head(
    method: str, url: httpx.URL, headers: Sequence[tuple[str, str]]
) -> RequestHead:
    """Return the parts and bytes that do not depend on the body; raise httpx's exceptions."""
    lines = tuple((name.encode("ascii"), value.encode("ascii")) for name, value in headers)
    written = head_bytes(method, url, lines)
    site = f"{url.scheme}://{url.netloc.decode('ascii')}"
    return RequestHead(method, url, lines, url_origin(url), site, written)


class WrittenRequest(httpx.Request):
    """An ``httpx.Request`` whose bytes are ready; httpx's attributes are made on first access.

    Making it and its bytes takes 1.1 us of processor time, a plain request 50 to 61:
    ``python -m benchmarks.late_parts``, Python 3.11, 2026-11-15.
    """

    def __init__(self, head: RequestHead, body: bytes) -> None:
        """Join a head and a body."""
        self._head, self._body = head, body

    def __getattr__(self, name: str) -> object:
        if name not in _LATE_ATTRIBUTES:
            raise AttributeError(name)
        head, attributes = self._head, dict(vars(self))
        headers = [*head.headers, *self._length_headers()]
        stream = httpx.ByteStream(self._body)
        super().__init__(head.method, head.url, headers=headers, stream=stream)
        vars(self).update(attributes)
        return vars(self)[name]

    @property
    def site(self) -> str:
        """Scheme, host and port of the request."""
        return self._head.site

    def ready(self) -> tuple[bytes, HttpOrigin] | None:
        """Return the bytes and the origin; None once httpx's attributes exist."""
        if not _LATE_ATTRIBUTES.isdisjoint(vars(self)):
            return None
        head, body = self._head, self._body
        if not body and head.method == "GET":
            return head.written + b"\r\n\r\n", head.origin
        return b"%b\r\ncontent-length: %d\r\n\r\n%b" % (head.written, len(body), body), head.origin

    def _length_headers(self) -> list[tuple[bytes, bytes]]:
        if not self._body and self._head.method == "GET":
            return []
        return [(b"content-length", b"%d" % len(self._body))]
