"""From statuses and exceptions to typed errors: each mapping once, by type and number only."""

import re
from collections.abc import Callable, Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Literal

import httpx

from ...ports.errors import (
    AuthFailed,
    BadEncoding,
    BadRedirect,
    ConnectFailed,
    ConnectionLost,
    DnsNotFound,
    DnsUnavailable,
    HttpStatus,
    ProtocolError,
    QuotaExhausted,
    RateLimited,
    ResponseTooLarge,
    Timeout,
    TlsFailed,
    UpstreamUnavailable,
    WebError,
)

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


# From statuses and exceptions to typed errors: each mapping once, by type and number only.

_ORIGIN = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(?::\d{1,5})?(?![^/?#])")
_TRY_LATER = frozenset({408, 425})  # RFC 9110, 15.5.9 and RFC 8470, 5.2: the same again may do
_REFUSED_KEY = frozenset({401, 403})
_PAYMENT_REQUIRED = 402
_TOO_MANY_REQUESTS = 429


def status_error(
    status: int, headers: Mapping[str, str], detail: str, now: float
) -> WebError | None:
    """Return the error that a status stands for; None for a success."""
    if httpx.codes.is_success(status):
        return None
    if status == _TOO_MANY_REQUESTS:
        return RateLimited(retry_after=retry_after(headers, now), detail=detail)
    if httpx.codes.is_server_error(status) or status in _TRY_LATER:
        wait = retry_after(headers, now)
        return UpstreamUnavailable(status=status, retry_after=wait, detail=detail)
    if httpx.codes.is_redirect(status) and status != httpx.codes.NOT_MODIFIED:
        return BadRedirect(status=status, reason=_elsewhere(headers.get("location", "")))
    return _refusal(status, detail)


def _elsewhere(location: str) -> str:
    """Say that a redirect was not followed, and where it leads: the address may have changed.

    >>> _elsewhere("https://www.a.example/search?key=secret")
    "a service's redirects are not followed; this one leads to https://www.a.example"
    """
    place = _ORIGIN.match(location)
    leads = f"; this one leads to {place[0]}" if place is not None else ""
    return f"a service's redirects are not followed{leads}"


def _refusal(status: int, detail: str) -> WebError:
    if status in _REFUSED_KEY:
        return AuthFailed(status=status, detail=detail)
    if status == _PAYMENT_REQUIRED:
        return QuotaExhausted(status=status, detail=detail)
    return HttpStatus(status=status, detail=detail)


def retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return how many seconds the server asks us to wait, in seconds or as a date.

    RFC 9110, 10.2.3; a date in the past means no wait.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:12])
    try:
        when = parsedate_to_datetime(value)
    # A year or an hour with too many digits is an OverflowError.
    except (ValueError, OverflowError):
        return None
    return max(0.0, when.replace(tzinfo=when.tzinfo or UTC).timestamp() - now)


def network_error(error: httpx.HTTPError, host: str) -> WebError:
    """Return the typed error for whatever a transport or the body reader raised."""
    for raised, make in _NETWORK:
        if isinstance(error, raised):
            return make(error, host)
    return ConnectFailed()


def _too_large(error: httpx.HTTPError, _host: str) -> WebError:
    if isinstance(error, BodyTooLarge):
        return ResponseTooLarge(what=error.what, limit=error.limit)
    return ResponseTooLarge(what="headers", limit=MAX_HEAD_BYTES)


def _refused_dial(error: httpx.HTTPError, _host: str) -> WebError:
    return error.error if isinstance(error, DialRefused) else ConnectFailed()


# The first match counts, so the special stands before the general.
_NETWORK: tuple[tuple[type[httpx.HTTPError], Callable[[httpx.HTTPError, str], WebError]], ...] = (
    (BodyTooLarge, _too_large),
    (HeadTooLarge, _too_large),
    (httpx.DecodingError, lambda error, _: BadEncoding(reason=str(error))),
    (DialRefused, _refused_dial),
    (NameNotFound, lambda _, host: DnsNotFound(host=host)),
    (NameServerFailed, lambda _, host: DnsUnavailable(host=host)),
    (SecureConnectionFailed, lambda error, _: TlsFailed(reason=str(error))),
    (ProxyRefused, lambda error, _: ConnectFailed(reason=str(error))),
    (httpx.ConnectTimeout, lambda *_: Timeout(phase="connect")),
    (httpx.PoolTimeout, lambda *_: Timeout(phase="connect")),
    (httpx.WriteTimeout, lambda *_: Timeout(phase="write")),
    (BodyStalled, lambda *_: Timeout(phase="body")),
    (httpx.TimeoutException, lambda *_: Timeout(phase="headers")),
    (httpx.ConnectError, lambda *_: ConnectFailed()),
    (httpx.NetworkError, lambda *_: ConnectionLost()),
    (httpx.ProtocolError, lambda *_: ProtocolError()),
    (httpx.UnsupportedProtocol, lambda *_: ProtocolError()),
)
