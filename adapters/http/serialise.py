"""Requests as HTTP/1.1 bytes."""

import re

import httpx

# RFC 9110, 5.6.2: what methods and header names are made of.
_TOKEN = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_BREAKS = re.compile(rb"[\r\n\0]")


def serialise(request: httpx.Request, body: bytes) -> bytes:
    """Write a request and its whole body; what would break out of its line is refused."""
    method = _token(request.method.encode())
    lines = [b"%s %s HTTP/1.1" % (method, request.url.raw_path)]
    for name, value in request.headers.raw:
        if name.lower() == b"transfer-encoding":
            # The body was streamed to us. It is whole now, and has a length.
            lines.append(b"Content-Length: %d" % len(body))
        elif _BREAKS.search(value):
            message = "a header has a line break"
            raise httpx.LocalProtocolError(message)
        else:
            lines.append(b"%s: %s" % (_token(name), value))
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


def _token(word: bytes) -> bytes:
    if _TOKEN.fullmatch(word) is None:
        message = "a method or a header name that HTTP does not allow"
        raise httpx.LocalProtocolError(message)
    return word
