"""What the transport raises beside httpx's own: each a kind of one of those."""

from typing import Literal

import httpx

from ...ports.errors import WebError

MAX_HEAD_BYTES = 64 * 1024


class BodyTooLarge(httpx.RequestError):
    """The body passed the limit; ``what`` says before or after decompression."""

    def __init__(self, limit: int, what: Literal["body", "decoded"] = "body") -> None:
        """Remember which limit it was."""
        super().__init__(f"larger than {limit} bytes")
        self.what: Literal["body", "decoded"] = what
        self.limit = limit


class NameNotFound(httpx.ConnectError):
    """The name has no address."""


class NameServerFailed(httpx.ConnectError):
    """The name server did not answer."""


class SecureConnectionFailed(httpx.ConnectError):
    """The certificate or the handshake was not acceptable."""


class ProxyRefused(httpx.ProxyError):
    """The proxy does not connect us; ``status`` is what it answered, if it did."""

    def __init__(self, message: str, status: int | None = None) -> None:
        """Remember the status."""
        super().__init__(message)
        self.status = status


class DialRefused(httpx.ConnectError):
    """We do not connect there, or not in that way; ``error`` says why."""

    def __init__(self, error: WebError) -> None:
        """Carry the typed error."""
        super().__init__(error.message)
        self.error = error


class HeadTooLarge(httpx.RemoteProtocolError):
    """The status line, headers, chunk extensions or trailers exceed what we hold in memory."""


class BodyStalled(httpx.ReadTimeout):
    """The head came in time; then the body stopped coming."""
