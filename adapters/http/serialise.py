"""Requests as HTTP/1.1 bytes."""

import re
from collections.abc import Sequence

import httpx

# RFC 9110, 5.6.2: what methods and header names are made of. Values keep to their line.
_TOKEN = rb"[!#$%&'*+.^_`|~0-9A-Za-z-]++"
_HEAD = re.compile(rb"%s [^ \r\n\0]++ HTTP/1\.1(?:\r\n%s: [^\r\n\0]*+)*" % (_TOKEN, _TOKEN))


def serialise(request: httpx.Request, body: bytes) -> bytes:
    """Write a request and its whole body; what would break out of its line is refused."""
    headers = request.headers.raw
    if "transfer-encoding" in request.headers:
        headers = [_with_length(name, value, body) for name, value in headers]
    return head_bytes(request.method, request.url, headers) + b"\r\n\r\n" + body


def head_bytes(method: str, url: httpx.URL, headers: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Write the first line and the header lines, still without the empty line that ends them."""
    start = b"%s %s HTTP/1.1" % (method.encode(), url.raw_path)
    head = b"\r\n".join([start, *[b"%s: %s" % header for header in headers]])
    # A header that brings a line of its own can look like two; the count gives it away.
    if head.count(b"\n") != len(headers) or _HEAD.fullmatch(head) is None:
        message = "a method or a header that HTTP does not allow"
        raise httpx.LocalProtocolError(message)
    return head


def _with_length(name: bytes, value: bytes, body: bytes) -> tuple[bytes, bytes]:
    # The body was streamed to us. It is whole now, and has a length.
    if name.lower() == b"transfer-encoding":
        return b"Content-Length", b"%d" % len(body)
    return name, value
