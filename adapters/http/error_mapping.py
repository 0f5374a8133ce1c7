"""Mapping of HTTP statuses and transport exceptions to typed errors, by type and number only."""

import re
from collections.abc import Callable, Mapping
from typing import Literal

import httpx

from webseam.ports import errors

from ..values.dates import http_date_seconds
from .payment_terms import read_payment_terms

MAX_HEAD_BYTES = 64 * 1024
_ORIGIN_PATTERN = re.compile(r"https?://[A-Za-z0-9.-]{1,253}(?::\d{1,5})?(?![^/?#])")
_RETRY_STATUSES = frozenset({408, 425})  # RFC 9110, 15.5.9 and RFC 8470, 5.2: a retry may work
_AUTH_STATUSES = frozenset({401, 403})
PAYMENT_REQUIRED, _TOO_MANY_REQUESTS = 402, 429


class BodyTooLarge(httpx.RequestError):
    """The body exceeds the limit; ``what`` says before or after decompression."""

    def __init__(self, limit: int, what: Literal["body", "decoded"] = "body") -> None:
        """Store the limit."""
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
    """The proxy refuses to connect; ``status`` is its answer, if there is one."""

    def __init__(self, message: str, status: int | None = None) -> None:
        """Store the status."""
        super().__init__(message)
        self.status = status


class DialRefused(httpx.ConnectError):
    """Our rules forbid this connection; ``error`` says why."""

    def __init__(self, error: errors.WebError) -> None:
        """Store the typed error."""
        super().__init__(error.message)
        self.error = error


class HeadTooLarge(httpx.RemoteProtocolError):
    """The status line, headers, chunk extensions or trailers exceed the limit."""


class BodyStalled(httpx.ReadTimeout):
    """The head arrived in time; then the body stopped."""


def status_error(
    status: int, headers: Mapping[str, str], detail: str, now: float
) -> errors.WebError | None:
    """Return the error for a status; None for a success."""
    if httpx.codes.is_success(status):
        return None
    if status == _TOO_MANY_REQUESTS:
        return errors.RateLimited(retry_after=parse_retry_after(headers, now), detail=detail)
    if httpx.codes.is_server_error(status) or status in _RETRY_STATUSES:
        wait = parse_retry_after(headers, now)
        return errors.UpstreamUnavailable(status=status, retry_after=wait, detail=detail)
    if httpx.codes.is_redirect(status) and status != httpx.codes.NOT_MODIFIED:
        reason = _redirect_reason(headers.get("location", ""))
        return errors.BadRedirect(status=status, reason=reason)
    return _client_status_error(status, headers, detail)


def _redirect_reason(location: str) -> str:
    """Return a reason with the target's origin: the service's address may have changed.

    >>> _redirect_reason("https://www.a.example/search?key=secret")
    "a service's redirects are not followed; this one leads to https://www.a.example"
    """
    origin = _ORIGIN_PATTERN.match(location)
    target = f"; this one leads to {origin[0]}" if origin is not None else ""
    return f"a service's redirects are not followed{target}"


def _client_status_error(status: int, headers: Mapping[str, str], detail: str) -> errors.WebError:
    if status in _AUTH_STATUSES:
        return errors.AuthFailed(status=status, detail=detail)
    if status == PAYMENT_REQUIRED:
        # Without a price, a service means that the credits of the plan are used up.
        priced = read_payment_terms(headers)
        return priced or errors.QuotaExhausted(status=status, detail=detail)
    return errors.HttpStatus(status=status, detail=detail)


def parse_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds of a Retry-After header, which may be a date; None without one.

    RFC 9110, 10.2.3; a date in the past means no wait.
    """
    value = headers.get("retry-after", "").strip()
    if value.isascii() and value.isdecimal():
        return float(value[:12])
    when = http_date_seconds(value)
    return None if when is None else max(0.0, when - now)


def network_error(error: httpx.HTTPError, host: str) -> errors.WebError:
    """Return the typed error for an exception of a transport or the body reader."""
    for exception_type, make_error in _NETWORK_ERRORS:
        if isinstance(error, exception_type):
            return make_error(error, host)
    return errors.ConnectFailed()


def _too_large_error(error: httpx.HTTPError, _host: str) -> errors.WebError:
    if isinstance(error, BodyTooLarge):
        return errors.ResponseTooLarge(what=error.what, limit=error.limit)
    return errors.ResponseTooLarge(what="headers", limit=MAX_HEAD_BYTES)


def _dial_refused_error(error: httpx.HTTPError, _host: str) -> errors.WebError:
    return error.error if isinstance(error, DialRefused) else errors.ConnectFailed()


# The first match counts, so subclasses stand before their bases.
_NETWORK_ERRORS: tuple[
    tuple[type[httpx.HTTPError], Callable[[httpx.HTTPError, str], errors.WebError]], ...
] = (
    (BodyTooLarge, _too_large_error),
    (HeadTooLarge, _too_large_error),
    (httpx.DecodingError, lambda error, _: errors.BadEncoding(reason=str(error))),
    (DialRefused, _dial_refused_error),
    (NameNotFound, lambda _, host: errors.DnsNotFound(host=host)),
    (NameServerFailed, lambda _, host: errors.DnsUnavailable(host=host)),
    (SecureConnectionFailed, lambda error, _: errors.TlsFailed(reason=str(error))),
    (ProxyRefused, lambda error, _: errors.ConnectFailed(reason=str(error))),
    (httpx.ConnectTimeout, lambda *_: errors.Timeout(phase="connect")),
    (httpx.PoolTimeout, lambda *_: errors.Timeout(phase="connect")),
    (httpx.WriteTimeout, lambda *_: errors.Timeout(phase="write")),
    (BodyStalled, lambda *_: errors.Timeout(phase="body")),
    (httpx.TimeoutException, lambda *_: errors.Timeout(phase="headers")),
    (httpx.ConnectError, lambda *_: errors.ConnectFailed()),
    (httpx.NetworkError, lambda *_: errors.ConnectionLost()),
    (httpx.ProtocolError, lambda *_: errors.ProtocolError()),
    (httpx.UnsupportedProtocol, lambda *_: errors.ProtocolError()),
)
