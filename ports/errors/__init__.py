"""Every way a call can fail, as one closed union of values.

``match`` on a ``WebError`` and end in ``assert_never``; never look at its text. Each kind has a
fixed ``retryable``, and ``message`` is a sentence made from the typed fields. Nothing here holds a
secret or a vendor's object.
"""

from typing import TypeAlias

from .answer import (
    BadEncoding,
    BadPayload,
    InvalidDocument,
    InvalidRow,
    ResponseTooLarge,
)
from .inside import BackendCrashed, CompressorFailed
from .network import (
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    ProtocolError,
    Timeout,
    TlsFailed,
)
from .request import InvalidQuery, InvalidUrl, NotConfigured, UnsupportedCapability
from .status import (
    AuthFailed,
    BadRedirect,
    HttpStatus,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
)

WebError: TypeAlias = (
    AuthFailed
    | BackendCrashed
    | BadEncoding
    | BadPayload
    | BadRedirect
    | CompressorFailed
    | ConnectFailed
    | ConnectionLost
    | DeadlineExceeded
    | DnsNotFound
    | DnsUnavailable
    | HttpStatus
    | InvalidDocument
    | InvalidQuery
    | InvalidRow
    | InvalidUrl
    | NotConfigured
    | ProtocolError
    | QuotaExhausted
    | RateLimited
    | ResponseTooLarge
    | Timeout
    | TlsFailed
    | UnsupportedCapability
    | UpstreamUnavailable
)

__all__ = [
    "AuthFailed",
    "BackendCrashed",
    "BadEncoding",
    "BadPayload",
    "BadRedirect",
    "CompressorFailed",
    "ConnectFailed",
    "ConnectionLost",
    "DeadlineExceeded",
    "DnsNotFound",
    "DnsUnavailable",
    "HttpStatus",
    "InvalidDocument",
    "InvalidQuery",
    "InvalidRow",
    "InvalidUrl",
    "NotConfigured",
    "ProtocolError",
    "QuotaExhausted",
    "RateLimited",
    "ResponseTooLarge",
    "Timeout",
    "TlsFailed",
    "UnsupportedCapability",
    "UpstreamUnavailable",
    "WebError",
]
