"""A URL taken apart once, so that what is checked is what is asked for."""

import re
from typing import Final, Literal, TypeAlias

import msgspec

MAX_URL_CHARS = 8192
# Where files stand in results: each has an http URL, because every row must have one, on a host
# that never leaves the machine (RFC 6761, section 6.3).
FILE_HOST = "file.localhost"
# Steps in a path: they are taken before anybody judges it or asks for it.
_STEP: Final = re.compile(r"/(?:\.|%2e){1,2}(?:/|$)", re.IGNORECASE)
_HERE: Final = frozenset({".", "%2e"})
_UP: Final = frozenset({"..", ".%2e", "%2e.", "%2e%2e"})

Scheme: TypeAlias = Literal["http", "https"]


class Target(msgspec.Struct, frozen=True, kw_only=True):
    """Where one request goes. ``host`` is ASCII, in lower case, without brackets or a last dot.

    ``literal`` tells an address from a name; ``path`` is path and query as they go on the wire.
    ``asked`` is the text that it was read from: what a backend is told of, and a result is for.
    """

    scheme: Scheme
    host: str
    port: int
    path: str
    literal: bool
    asked: str

    @property
    def authority(self) -> str:
        """Host and port as a Host header has them: the usual port is left out."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == DEFAULT_PORTS[self.scheme] else f"{host}:{self.port}"

    @property
    def url(self) -> str:
        """The URL in the one spelling we use."""
        return f"{self.scheme}://{self.authority}{self.path}"


DEFAULT_PORTS: dict[Scheme, int] = {"http": 80, "https": 443}


def remove_dot_segments(path: str) -> str:
    """Return a path without ``.`` and ``..``, also where they are percent-encoded.

    RFC 3986, 5.2.4, and https://url.spec.whatwg.org/#path-state (read 2026-11-17).

    >>> (remove_dot_segments("/a/./b/%2E%2e/c/.."), remove_dot_segments("/../x"),
    ...  remove_dot_segments("/a/.../b"))
    ('/a/', '/x', '/a/.../b')
    """
    return _stepped(path) if _STEP.search(path) else path


def _stepped(path: str) -> str:
    kept: list[str] = []
    steps = path.lower().split("/")[1:]
    for step, segment in zip(steps, path.split("/")[1:], strict=True):
        if step in _UP:
            del kept[-1:]
        elif step not in _HERE:
            kept.append(segment)
    if steps[-1] in _HERE | _UP:
        kept.append("")
    return "/" + "/".join(kept)
