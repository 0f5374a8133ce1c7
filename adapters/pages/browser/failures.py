"""From a browser's words for a page that did not come to typed errors."""

from collections.abc import Callable

from ....ports.errors import (
    BadEncoding,
    BadRedirect,
    ConnectFailed,
    ConnectionLost,
    ProtocolError,
    Timeout,
    TlsFailed,
    TooManyRedirects,
    WebError,
)

_PREFIX = "net::ERR_"
# What a browser follows by itself: net/url_request/url_request.cc, kMaxRedirects.
_REDIRECTS = 20
_FOUND = 302


def net_error(text: str) -> WebError:
    """Return the error that one of Chromium's stands for.

    >>> net_error("net::ERR_CERT_DATE_INVALID").message
    'No secure connection to the backend: cert date invalid.'
    """
    name = text.removeprefix(_PREFIX)
    for start, make in _ERRORS:
        if name.startswith(start):
            return make(name)
    return ConnectionLost()


def _insecure(name: str) -> WebError:
    return TlsFailed(reason=name.lower().replace("_", " "))


def _astray(name: str) -> WebError:
    return BadRedirect(status=_FOUND, reason=name.lower().replace("_", " "))


_ERRORS: tuple[tuple[str, Callable[[str], WebError]], ...] = (
    ("CERT_", _insecure),
    ("SSL_", _insecure),
    ("BAD_SSL_", _insecure),
    ("TOO_MANY_REDIRECTS", lambda _: TooManyRedirects(hops=_REDIRECTS)),
    ("INVALID_REDIRECT", _astray),
    ("UNSAFE_REDIRECT", _astray),
    ("UNKNOWN_URL_SCHEME", _astray),
    ("CONTENT_DECODING_", lambda name: BadEncoding(reason=name.lower().replace("_", " "))),
    ("TIMED_OUT", lambda _: Timeout(phase="headers")),
    ("TUNNEL_CONNECTION_FAILED", lambda _: ConnectFailed()),
    ("INVALID_", lambda _: ProtocolError()),
    ("RESPONSE_HEADERS_", lambda _: ProtocolError()),
)
