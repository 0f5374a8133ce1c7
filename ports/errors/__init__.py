"""Every way a call can fail, as one closed union of values.

``match`` on a ``WebError`` and end in ``assert_never``; never look at its text. Each kind has a
fixed ``retryable``, and ``message`` is a sentence made from the typed fields. Nothing here holds a
secret or a vendor's object.
"""

from typing import TypeAlias

from .answers import (
    BadEncoding,
    BadPayload,
    InvalidDocument,
    InvalidRow,
    Missing,
    ResponseTooLarge,
    StructuredOutputInvalid,
)
from .crashes import BackendCrashed, CompressorFailed
from .evidence import NothingSupported
from .models import (
    ContentFiltered,
    ContextTooLong,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    ParameterRefused,
)
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
from .pages import (
    BlockedByRemote,
    DenialRule,
    DenialStage,
    EmptyContent,
    ParseFailed,
    TooManyRedirects,
    UnsupportedContent,
    UrlDenied,
)
from .planner import BudgetExceeded, NobodyAnswered, WaitedTooLong
from .plugins import CallRefused, MiddlewareFailed, PluginTimedOut
from .requests import (
    InvalidQuery,
    InvalidSetting,
    InvalidUrl,
    NotConfigured,
    UnknownBackend,
    UnknownProvider,
    UnsupportedCapability,
    UnsupportedFilter,
)
from .statuses import (
    AuthFailed,
    BadRedirect,
    HttpStatus,
    QuotaExhausted,
    RateLimited,
    UpstreamUnavailable,
)
from .stores import SourceUnreadable, StoreAway, StoreBusy, StoreFailed

WebError: TypeAlias = (
    AuthFailed
    | BackendCrashed
    | BadEncoding
    | BadPayload
    | BadRedirect
    | BlockedByRemote
    | BudgetExceeded
    | CallRefused
    | CompressorFailed
    | ConnectFailed
    | ConnectionLost
    | ContentFiltered
    | ContextTooLong
    | DeadlineExceeded
    | DnsNotFound
    | DnsUnavailable
    | EmptyContent
    | HttpStatus
    | InvalidDocument
    | InvalidQuery
    | InvalidRow
    | InvalidSetting
    | InvalidUrl
    | Missing
    | ModelFailed
    | ModelNotFound
    | ModelOverloaded
    | MiddlewareFailed
    | NobodyAnswered
    | NotConfigured
    | NothingSupported
    | ParameterRefused
    | ParseFailed
    | PluginTimedOut
    | ProtocolError
    | QuotaExhausted
    | RateLimited
    | ResponseTooLarge
    | SourceUnreadable
    | StoreAway
    | StoreBusy
    | StoreFailed
    | StructuredOutputInvalid
    | Timeout
    | TlsFailed
    | TooManyRedirects
    | UnknownBackend
    | UnknownProvider
    | UnsupportedCapability
    | UnsupportedContent
    | UnsupportedFilter
    | UpstreamUnavailable
    | UrlDenied
    | WaitedTooLong
)

__all__ = [
    "AuthFailed",
    "BackendCrashed",
    "BadEncoding",
    "BadPayload",
    "BadRedirect",
    "BlockedByRemote",
    "BudgetExceeded",
    "CallRefused",
    "CompressorFailed",
    "ConnectFailed",
    "ConnectionLost",
    "ContentFiltered",
    "ContextTooLong",
    "DeadlineExceeded",
    "DenialRule",
    "DenialStage",
    "DnsNotFound",
    "DnsUnavailable",
    "EmptyContent",
    "HttpStatus",
    "InvalidDocument",
    "InvalidQuery",
    "InvalidRow",
    "InvalidSetting",
    "InvalidUrl",
    "MiddlewareFailed",
    "Missing",
    "ModelFailed",
    "ModelNotFound",
    "ModelOverloaded",
    "NobodyAnswered",
    "NotConfigured",
    "NothingSupported",
    "ParameterRefused",
    "ParseFailed",
    "PluginTimedOut",
    "ProtocolError",
    "QuotaExhausted",
    "RateLimited",
    "ResponseTooLarge",
    "SourceUnreadable",
    "StoreAway",
    "StoreBusy",
    "StoreFailed",
    "StructuredOutputInvalid",
    "Timeout",
    "TlsFailed",
    "TooManyRedirects",
    "UnknownBackend",
    "UnknownProvider",
    "UnsupportedCapability",
    "UnsupportedContent",
    "UnsupportedFilter",
    "UpstreamUnavailable",
    "UrlDenied",
    "WaitedTooLong",
    "WebError",
]
