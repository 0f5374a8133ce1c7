"""What a browser tells of a page, as far as we listen. Unknown fields are passed over."""

from collections.abc import Callable
from typing import TypeVar

import msgspec

from ...ports.errors import (
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

Event = TypeVar("Event")


class Header(msgspec.Struct, frozen=True):
    """One header of an answer."""

    name: str
    value: str


class Request(msgspec.Struct, frozen=True):
    """What a page asks for."""

    url: str = ""


class RequestPaused(msgspec.Struct, frozen=True, rename="camel"):
    """A request that waits for our word: before it is sent, or when its answer has come.

    ``session`` is who makes it: the page, or a frame or worker of it.
    """

    request_id: str
    session: str = ""
    request: Request = Request()
    frame_id: str = ""
    resource_type: str = ""
    response_status_code: int | None = None
    response_error_reason: str | None = None
    response_headers: tuple[Header, ...] = ()

    @property
    def answered(self) -> bool:
        """Whether the answer has come, or it is clear that none will."""
        return self.response_status_code is not None or self.response_error_reason is not None


class Challenge(msgspec.Struct, frozen=True):
    """Who wants a password."""

    source: str = "Server"


class AuthRequired(msgspec.Struct, frozen=True, rename="camel"):
    """A request that waits for a password."""

    request_id: str
    session: str = ""
    auth_challenge: Challenge = Challenge()


class Frame(msgspec.Struct, frozen=True, rename="camel"):
    """A frame and the document it shows."""

    id: str = ""
    loader_id: str = ""


class TargetAttached(msgspec.Struct, frozen=True, rename="camel"):
    """Something new that waits until it is looked after."""

    session_id: str
    waiting_for_debugger: bool = False


class RequestSent(msgspec.Struct, frozen=True):
    """A request that goes out without waiting for our word."""

    request: Request = Request()


class SocketCreated(msgspec.Struct, frozen=True):
    """A WebSocket that is about to connect."""

    url: str


class FrameNavigated(msgspec.Struct, frozen=True):
    """A frame shows another document."""

    frame: Frame = Frame()


class Lifecycle(msgspec.Struct, frozen=True, rename="camel"):
    """A document has come so far."""

    name: str = ""
    frame_id: str = ""
    loader_id: str = ""


def read_event(params: object, kind: type[Event]) -> Event | None:
    """Read an event's fields; None when they are not what they should be."""
    try:
        return msgspec.convert(params, kind)
    except msgspec.ValidationError:
        return None


# From a browser's words for a page that did not come to typed errors.

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
