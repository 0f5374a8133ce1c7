"""Exit codes: which failure ends with which number."""

from typing import assert_never

from ...ports.errors import (
    AuthFailed,
    BackendCrashed,
    BadEncoding,
    BadPayload,
    BadRedirect,
    CompressorFailed,
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    HttpStatus,
    InvalidDocument,
    InvalidQuery,
    InvalidRow,
    InvalidUrl,
    NotConfigured,
    ProtocolError,
    QuotaExhausted,
    RateLimited,
    ResponseTooLarge,
    Timeout,
    TlsFailed,
    UnsupportedCapability,
    UpstreamUnavailable,
    WebError,
)

DONE = 0
BAD_INPUT = 2
NOT_CONFIGURED = 3
BACKEND_FAILED = 4
BUG = 70
INTERRUPTED = 130


def exit_code(error: WebError) -> int:
    """Return the exit code for a failure."""
    match error:
        case InvalidQuery() | InvalidUrl():
            return BAD_INPUT
        case NotConfigured() | AuthFailed() | UnsupportedCapability():
            return NOT_CONFIGURED
        case BackendCrashed():
            return BUG
        case (
            BadEncoding()
            | BadPayload()
            | BadRedirect()
            | CompressorFailed()
            | ConnectFailed()
            | ConnectionLost()
            | DeadlineExceeded()
            | DnsNotFound()
            | DnsUnavailable()
            | HttpStatus()
            | InvalidDocument()
            | InvalidRow()
            | ProtocolError()
            | QuotaExhausted()
            | RateLimited()
            | ResponseTooLarge()
            | Timeout()
            | TlsFailed()
            | UpstreamUnavailable()
        ):
            return BACKEND_FAILED
        case _:
            assert_never(error)
