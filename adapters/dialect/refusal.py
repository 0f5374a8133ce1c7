"""Why a call gets no answer, in the few kinds that every dialect has a status for."""

import math
from collections.abc import Mapping
from typing import Literal, TypeAlias, assert_never

import msgspec

from ...ports import errors as e
from .wire import Reply

# invalid: the call is wrong. unsupported: we do not have it. unauthorized: no good key. forbidden:
# the key may not. missing: there is no such thing. budget: spent. shared_budget: that of all. rate:
# too many calls. busy: no room here. denied, unreadable: this page. deadline: too slow.
# unavailable: not set up. backend: everybody behind us failed.
RefusalKind: TypeAlias = Literal[
    "invalid",
    "unsupported",
    "unauthorized",
    "forbidden",
    "missing",
    "conflict",
    "too_large",
    "budget",
    "shared_budget",
    "rate",
    "busy",
    "denied",
    "unreadable",
    "deadline",
    "unavailable",
    "backend",
]
# The status of each kind where a dialect has no other; what is not here is a failure of ours.
USUAL_STATUSES: Mapping[RefusalKind, int] = {
    "invalid": 400,
    "unsupported": 400,
    "conflict": 400,
    "unauthorized": 401,
    "budget": 402,
    "shared_budget": 402,
    "forbidden": 403,
    "denied": 403,
    "missing": 404,
    "too_large": 413,
    "rate": 429,
    "busy": 503,
    "unavailable": 503,
    "deadline": 504,
}
_OWN_BUDGET = "the budget of this key"
_USUAL_WAIT = 1
_READER = "pages"


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """Why there is no answer. ``params`` are the parts of the call that are to blame, in our words.

    ``error`` is the failure behind it, where there is one.
    """

    kind: RefusalKind
    message: str
    params: tuple[str, ...] = ()
    retry_after: float | None = None
    error: e.WebError | None = None


def invalid(message: str, *params: str) -> Refusal:
    """Refuse a call that is wrong."""
    return Refusal(kind="invalid", message=message, params=params)


def unsupported(param: str, reason: str = "this gateway does not have it") -> Refusal:
    """Refuse what a caller asked for by its name, and we do not have."""
    return Refusal(kind="unsupported", message=f"{param}: {reason}.", params=(param,))


def retry_headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """Return when to come back, in whole seconds, for what is worth another try.

    >>> retry_headers(Refusal(kind="rate", message="", retry_after=1.2))
    (('retry-after', '2'),)
    """
    if refusal.kind not in ("rate", "busy", "unavailable") and refusal.retry_after is None:
        return ()
    seconds = _USUAL_WAIT if refusal.retry_after is None else refusal.retry_after
    return (("retry-after", str(max(math.ceil(seconds), 1))),)


# A 401 says how to bring a key (RFC 9110, section 15.5.2).
_NO_KEY = 401
_ASKED = (("www-authenticate", "Bearer"),)


def refusal_reply(
    refusal: Refusal, statuses: Mapping[RefusalKind, int], body: object, usual: int = 500
) -> Reply:
    """Return a refusal with the status that a dialect has for its kind."""
    status = statuses.get(refusal.kind, usual)
    headers = (*retry_headers(refusal), *(_ASKED if status == _NO_KEY else ()))
    return Reply(status=status, body=msgspec.json.encode(body), headers=headers)


def refusal_of(error: e.WebError) -> Refusal:
    """Return the failure of a call as the kind of refusal that it is.

    What a page's own server did to our own reader is the page's, not ours.
    """
    kind = _kind(error)
    if error.backend == _READER and kind == "backend":
        kind = "unreadable"
    params: tuple[str, ...] = ()
    if isinstance(error, e.UnsupportedFilter):
        params = error.filters
    elif isinstance(error, e.InvalidQuery):
        params = (error.field,)
    return Refusal(
        kind=kind,
        message=_words(error),
        params=params,
        retry_after=_wait(error),
        error=error,
    )


def _words(error: e.WebError) -> str:
    # Its own words name options of the command line, which a caller of ours does not have.
    if isinstance(error, e.UnsupportedFilter):
        named = ", ".join(error.filters)
        return f"{error.who} cannot filter by {named}, and nothing is answered without it."
    return error.message


def _wait(error: e.WebError) -> float | None:
    if isinstance(error, e.NobodyAnswered):
        return error.again_in
    if isinstance(error, e.RateLimited | e.UpstreamUnavailable):
        return error.retry_after
    return None


def _kind(error: e.WebError) -> RefusalKind:  # noqa: C901, PLR0911, PLR0912  one case a kind
    match error:
        case (
            e.ContextTooLong()
            | e.InvalidQuery()
            | e.InvalidUrl()
            | e.ParameterRefused()
            | e.SourceUnreadable()
            | e.UnknownBackend()
            | e.UnknownProvider()
        ):
            return "invalid"
        case e.UnsupportedFilter() | e.UnsupportedCapability() | e.ModelNotFound():
            return "unsupported"
        case e.UrlDenied():
            return "denied"
        case e.CallRefused():
            return "forbidden"
        case e.BudgetExceeded():
            return "budget" if error.setting.startswith(_OWN_BUDGET) else "shared_budget"
        case e.RateLimited() | e.ModelOverloaded():
            return "rate"
        case e.NobodyAnswered():
            return _together(error)
        case e.WaitedTooLong() | e.StoreBusy():
            return "busy"
        case e.Timeout() | e.DeadlineExceeded():
            return "deadline"
        case e.NotConfigured() | e.InvalidSetting() | e.StoreAway() | e.StoreFailed():
            return "unavailable"
        case (
            e.BlockedByRemote()
            | e.EmptyContent()
            | e.NothingSupported()
            | e.ParseFailed()
            | e.TooManyRedirects()
            | e.UnsupportedContent()
            | e.DnsNotFound()
        ):
            return "unreadable"
        case (
            e.AuthFailed()
            | e.BackendCrashed()
            | e.BadEncoding()
            | e.BadPayload()
            | e.BadRedirect()
            | e.CompressorFailed()
            | e.ConnectFailed()
            | e.ConnectionLost()
            | e.ContentFiltered()
            | e.DnsUnavailable()
            | e.HttpStatus()
            | e.InvalidDocument()
            | e.InvalidRow()
            | e.MiddlewareFailed()
            | e.Missing()
            | e.ModelFailed()
            | e.PluginTimedOut()
            | e.ProtocolError()
            | e.QuotaExhausted()
            | e.ResponseTooLarge()
            | e.StructuredOutputInvalid()
            | e.TlsFailed()
            | e.UpstreamUnavailable()
        ):
            return "backend"
        case _:
            assert_never(error)


def _together(error: e.NobodyAnswered) -> RefusalKind:
    """Return what nobody's answer comes to: all of one kind is that kind."""
    outcomes = {attempt.outcome for attempt in error.attempts}
    if outcomes == {"rate_limited"}:
        return "rate"
    if outcomes and outcomes <= {"timeout", "deadline_exceeded"}:
        return "deadline"
    return "backend"
