"""Requests that are written before they are sent, since most of their bytes are always the same."""

from collections.abc import Sequence
from typing import NamedTuple

import httpx

from .dial import Origin, origin_of
from .serialise import head_bytes

_PARTS = frozenset({"method", "url", "headers", "extensions", "stream"})


class Letterhead(NamedTuple):
    """All of a request but its body and the body's length: as parts, and as the bytes they make."""

    method: str
    url: httpx.URL
    headers: tuple[tuple[bytes, bytes], ...]
    origin: Origin
    site: str
    written: bytes

    def __repr__(self) -> str:
        """Say where to; a key may be in anything else."""
        return f"Letterhead({self.method}, {self.origin})"


def letterhead(method: str, url: httpx.URL, headers: Sequence[tuple[str, str]]) -> Letterhead:
    """Write everything that does not depend on the body. Raises what httpx raises."""
    lines = tuple((name.encode("ascii"), value.encode("ascii")) for name, value in headers)
    written = head_bytes(method, url, lines)
    site = f"{url.scheme}://{url.netloc.decode('ascii')}"
    return Letterhead(method, url, lines, origin_of(url), site, written)


class WrittenRequest(httpx.Request):
    """A request whose bytes are ready. For everybody who looks at it, it is httpx's own."""

    def __init__(self, head: Letterhead, body: bytes) -> None:
        """Put a body under a letterhead; httpx's parts are made when they are looked at."""
        self._head = head
        self._body = body

    def __getattr__(self, name: str) -> object:
        if name not in _PARTS:
            raise AttributeError(name)
        head, given = self._head, dict(vars(self))
        headers = [*head.headers, *self._length()]
        stream = httpx.ByteStream(self._body)
        super().__init__(head.method, head.url, headers=headers, stream=stream)
        vars(self).update(given)
        return vars(self)[name]

    @property
    def site(self) -> str:
        """Where it goes: scheme, host and port."""
        return self._head.site

    def ready(self) -> tuple[bytes, Origin] | None:
        """Return what to send and where to; None once somebody saw the parts: they may differ."""
        if not _PARTS.isdisjoint(vars(self)):
            return None
        head, body = self._head, self._body
        if not body and head.method == "GET":
            return head.written + b"\r\n\r\n", head.origin
        return b"%b\r\ncontent-length: %d\r\n\r\n%b" % (head.written, len(body), body), head.origin

    def _length(self) -> list[tuple[bytes, bytes]]:
        if not self._body and self._head.method == "GET":
            return []
        return [(b"content-length", b"%d" % len(self._body))]
