"""Exit codes: which failure ends with which number.

Every kind of the union is named: the type checker refuses a new one until it stands here.
"""

from typing import assert_never

from ...ports import errors
from ...ports.errors import WebError
from .codes import (
    BACKEND_FAILED,
    BAD_INPUT,
    BUG,
    DONE,
    INTERRUPTED,
    NOT_CONFIGURED,
    REFUSED,
    UNHEALTHY,
)

__all__ = [
    "BACKEND_FAILED",
    "BAD_INPUT",
    "BUG",
    "DONE",
    "INTERRUPTED",
    "NOT_CONFIGURED",
    "REFUSED",
    "UNHEALTHY",
    "exit_code",
]


def exit_code(error: WebError) -> int:  # noqa: C901, PLR0911  one case a code
    """Return the exit code for a failure."""
    match error:
        case errors.UnknownBackend(place=place) | errors.UnsupportedCapability(place=place) if (
            place
        ):
            # It stands in the settings, and not on the command line.
            return NOT_CONFIGURED
        case (
            errors.ContextTooLong()
            | errors.InvalidQuery()
            | errors.InvalidUrl()
            | errors.ModelNotFound()
            | errors.ParameterRefused()
            | errors.SourceUnreadable()
            | errors.UnknownBackend()
            | errors.UnknownProvider()
            | errors.UnsupportedCapability()
            | errors.UnsupportedFilter()
        ):
            return BAD_INPUT
        case errors.NotConfigured() | errors.InvalidSetting() | errors.AuthFailed():
            return NOT_CONFIGURED
        case errors.StoreFailed(problem="missing"):
            return NOT_CONFIGURED
        case errors.UrlDenied() | errors.CallRefused() | errors.BudgetExceeded():
            return REFUSED
        case errors.BackendCrashed():
            return BUG
        case (
            errors.BadEncoding()
            | errors.BadPayload()
            | errors.BadRedirect()
            | errors.BlockedByRemote()
            | errors.CompressorFailed()
            | errors.ConnectFailed()
            | errors.ConnectionLost()
            | errors.ContentFiltered()
            | errors.DeadlineExceeded()
            | errors.DnsNotFound()
            | errors.DnsUnavailable()
            | errors.EmptyContent()
            | errors.HttpStatus()
            | errors.NobodyAnswered()
            | errors.NothingSupported()
            | errors.WaitedTooLong()
            | errors.InvalidDocument()
            | errors.InvalidRow()
            | errors.MiddlewareFailed()
            | errors.PluginTimedOut()
            | errors.Missing()
            | errors.ModelFailed()
            | errors.ModelOverloaded()
            | errors.ParseFailed()
            | errors.ProtocolError()
            | errors.QuotaExhausted()
            | errors.RateLimited()
            | errors.ResponseTooLarge()
            | errors.StoreAway()
            | errors.StoreBusy()
            | errors.StoreFailed()
            | errors.StructuredOutputInvalid()
            | errors.Timeout()
            | errors.TlsFailed()
            | errors.TooManyRedirects()
            | errors.UnsupportedContent()
            | errors.UpstreamUnavailable()
        ):
            return BACKEND_FAILED
        case _:
            assert_never(error)
