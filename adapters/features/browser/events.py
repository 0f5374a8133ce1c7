"""The events of a browser that the renderer reads. Unknown fields are ignored."""

from collections.abc import Callable
from typing import TypeAlias

import msgspec

from webseam.ports import errors

from .devtools import Message

# The redirects that Chromium follows: net/url_request/url_request.cc, kMaxRedirects.
_MAX_REDIRECTS = 20
_FOUND_STATUS = 302


class Header(msgspec.Struct, frozen=True):
    """One header of an answer."""

    name: str
    value: str


class Request(msgspec.Struct, frozen=True):
    """A request of a page."""

    url: str = ""


class RequestPaused(msgspec.Struct, frozen=True, rename="camel"):
    """A paused request: before it is sent, or after its answer has come.

    ``session`` is the source: the page, or one of its frames or workers.
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
    def is_answered(self) -> bool:
        """Whether the answer has come or the request has failed."""
        return self.response_status_code is not None or self.response_error_reason is not None


class Challenge(msgspec.Struct, frozen=True):
    """The source of a password request."""

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
    """A new target, which may wait until it is released."""

    session_id: str
    waiting_for_debugger: bool = False


class RequestSent(msgspec.Struct, frozen=True):
    """A request that is sent without a pause."""

    request: Request = Request()


class SocketCreated(msgspec.Struct, frozen=True):
    """A WebSocket that is about to connect."""

    url: str


class FrameNavigated(msgspec.Struct, frozen=True):
    """A frame shows another document."""

    frame: Frame = Frame()


class Lifecycle(msgspec.Struct, frozen=True, rename="camel"):
    """A document has reached a stage of loading."""

    name: str = ""
    frame_id: str = ""
    loader_id: str = ""


BrowserEvent: TypeAlias = (
    AuthRequired
    | FrameNavigated
    | Lifecycle
    | RequestPaused
    | RequestSent
    | SocketCreated
    | TargetAttached
)
_EVENT_TYPES: dict[str, type[BrowserEvent]] = {
    "Fetch.authRequired": AuthRequired, "Fetch.requestPaused": RequestPaused,
    "Network.requestWillBeSent": RequestSent, "Network.webSocketCreated": SocketCreated,
    "Page.frameNavigated": FrameNavigated, "Page.lifecycleEvent": Lifecycle,
    "Target.attachedToTarget": TargetAttached,
}  # fmt: skip


def read_event(message: Message) -> BrowserEvent | None:
    """Read the event in a message; None for other events and for fields of another type."""
    if message.method not in _EVENT_TYPES:
        return None
    fields = message.params | {"session": message.session}
    try:
        return msgspec.convert(fields, _EVENT_TYPES[message.method])
    except msgspec.ValidationError:
        return None


def chromium_net_error(text: str) -> errors.WebError:
    """Return the typed error for one of Chromium's network errors.

    >>> chromium_net_error("net::ERR_CERT_DATE_INVALID").message
    'No secure connection to the backend: “cert date invalid”.'
    """
    name = text.removeprefix("net::ERR_")
    for start, make in _NET_ERRORS:
        if name.startswith(start):
            return make(name)
    return errors.ConnectionLost()


def _tls_net_error(name: str) -> errors.WebError:
    return errors.TlsFailed(reason=name.lower().replace("_", " "))


def _redirect_net_error(name: str) -> errors.WebError:
    return errors.BadRedirect(status=_FOUND_STATUS, reason=name.lower().replace("_", " "))


_NET_ERRORS: tuple[tuple[str, Callable[[str], errors.WebError]], ...] = (
    ("CERT_", _tls_net_error),
    ("SSL_", _tls_net_error),
    ("BAD_SSL_", _tls_net_error),
    ("TOO_MANY_REDIRECTS", lambda _: errors.TooManyRedirects(hops=_MAX_REDIRECTS)),
    ("INVALID_REDIRECT", _redirect_net_error),
    ("UNSAFE_REDIRECT", _redirect_net_error),
    ("UNKNOWN_URL_SCHEME", _redirect_net_error),
    ("CONTENT_DECODING_", lambda name: errors.BadEncoding(reason=name.lower().replace("_", " "))),
    ("TIMED_OUT", lambda _: errors.Timeout(phase="headers")),
    ("TUNNEL_CONNECTION_FAILED", lambda _: errors.ConnectFailed()),
    ("INVALID_", lambda _: errors.ProtocolError()),
    ("RESPONSE_HEADERS_", lambda _: errors.ProtocolError()),
)
