"""Exit codes: which failure ends with which number."""

from ...ports.errors import (
    AuthFailed,
    BackendCrashed,
    CallRefused,
    ContextTooLong,
    InvalidQuery,
    InvalidSetting,
    InvalidUrl,
    ModelNotFound,
    NotConfigured,
    ParameterRefused,
    SourceUnreadable,
    UnknownBackend,
    UnknownProvider,
    UnsupportedCapability,
    UnsupportedFilter,
    UrlDenied,
    WebError,
)

DONE = 0
BAD_INPUT = 2
NOT_CONFIGURED = 3
BACKEND_FAILED = 4
REFUSED = 5
BUG = 70
INTERRUPTED = 130


def exit_code(error: WebError) -> int:
    """Return the exit code for a failure; what has no code of its own is the backend's."""
    match error:
        case (
            ContextTooLong()
            | InvalidQuery()
            | InvalidUrl()
            | ModelNotFound()
            | ParameterRefused()
            | SourceUnreadable()
            | UnknownBackend()
            | UnknownProvider()
            | UnsupportedCapability()
            | UnsupportedFilter()
        ):
            return BAD_INPUT
        case NotConfigured() | InvalidSetting() | AuthFailed():
            return NOT_CONFIGURED
        case UrlDenied() | CallRefused():
            return REFUSED
        case BackendCrashed():
            return BUG
        case _:
            return BACKEND_FAILED
