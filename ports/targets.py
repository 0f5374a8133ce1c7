"""A URL taken apart once, so that what is checked is what is asked for."""

from typing import Literal, TypeAlias

import msgspec

MAX_URL_CHARACTERS = 8192
# Where files stand in results: each has an http URL, because every row must have one, on a host
# that never leaves the machine (RFC 6761, section 6.3).
FILE_HOST = "file.localhost"

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
