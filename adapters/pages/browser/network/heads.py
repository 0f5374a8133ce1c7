"""Requests as a browser sends them to a proxy: read strictly, written anew. Pure."""

import re
from typing import NamedTuple

from .....ports.targets import Target

_REQUEST_LINE = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.[01]")
_AUTHORITY = re.compile(r"[^/?#@\\]+:[0-9]{1,5}")
_HEADER = re.compile(r"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([^\x00-\x08\x0a-\x1f\x7f]*)")
_LENGTH = re.compile(r"[0-9]{1,15}")
# Between the browser and us alone, or written anew.
_NOT_FORWARDED = frozenset(
    {
        "connection",
        "host",
        "keep-alive",
        "proxy-authorization",
        "proxy-connection",
        "te",
        "trailer",
        "transfer-encoding",
        "upgrade",
    }
)


class ProxyRequest(NamedTuple):
    """What the browser wants: a tunnel, or one request to a site without TLS.

    Header names are in lower case; ``length`` is how many bytes of body follow.
    """

    method: str
    url: str
    headers: tuple[tuple[str, str], ...]
    length: int

    @property
    def tunnel(self) -> bool:
        """Whether it asks for a connection rather than for an answer."""
        return self.method == "CONNECT"

    def header(self, name: str) -> str:
        """Return the first header of that name, blank when there is none."""
        return next((value for key, value in self.headers if key == name), "")


def read_request(head: bytes) -> ProxyRequest | None:
    r"""Read a head with its blank line; None when it is not exactly what a browser sends.

    >>> read_request(b"CONNECT example.com:443 HTTP/1.1\r\n\r\n").url
    'https://example.com:443/'
    """
    first, *rest = head.decode("latin-1").removesuffix("\r\n\r\n").split("\r\n")
    line = _REQUEST_LINE.fullmatch(first)
    headers = _read_headers(rest)
    if line is None or headers is None:
        return None
    url, length = _read_url(line[1], line[2]), _read_length(headers)
    if url is None or length is None:
        return None
    return ProxyRequest(line[1], url, headers, length)


def write_request(request: ProxyRequest, target: Target) -> bytes:
    """Write the head for the site itself. It is not told of the proxy, nor given its password."""
    forwarded = ((name, value) for name, value in request.headers if name not in _NOT_FORWARDED)
    lines = (
        f"{request.method} {target.path} HTTP/1.1",
        f"host: {target.authority}",
        *(f"{name}: {value}" for name, value in forwarded),
        "connection: close",
        "",
        "",
    )
    return "\r\n".join(lines).encode("latin-1")


def _read_headers(lines: list[str]) -> tuple[tuple[str, str], ...] | None:
    matches = [_HEADER.fullmatch(line) for line in lines]
    if None in matches:
        return None
    return tuple((match[1].lower(), match[2].rstrip()) for match in matches if match)


def _read_url(method: str, target: str) -> str | None:
    if method == "CONNECT":
        return f"https://{target}/" if _AUTHORITY.fullmatch(target) else None
    return target if target.startswith("http://") else None


def _read_length(headers: tuple[tuple[str, str], ...]) -> int | None:
    """Return the body's length; a browser never sends one of unknown length to a proxy."""
    if any(name == "transfer-encoding" for name, _ in headers):
        return None
    lengths = [value for name, value in headers if name == "content-length"]
    if not lengths:
        return 0
    known = len(lengths) == 1 and _LENGTH.fullmatch(lengths[0])
    return int(lengths[0]) if known else None
