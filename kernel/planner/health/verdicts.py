"""What each kind of failure means: try again here, ask the next, stop; and for how long to go away.

``here`` is only for when nobody else is left to ask. ``once`` is at once and one time, for a kept
connection that was closed under us. What ``blames`` counts towards the breaker, which opens after
``opens_after`` in a row. ``billed`` is what the money is settled with when nobody says better.
"""

from typing import Literal, TypeAlias, assert_never

import msgspec

from ....ports.errors import (
    AuthFailed,
    BackendCrashed,
    BadEncoding,
    BadPayload,
    BadRedirect,
    BlockedByRemote,
    BudgetExceeded,
    CallRefused,
    CompressorFailed,
    ConnectFailed,
    ConnectionLost,
    ContentFiltered,
    ContextTooLong,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    EmptyContent,
    HttpStatus,
    InvalidDocument,
    InvalidQuery,
    InvalidRow,
    InvalidSetting,
    InvalidUrl,
    MiddlewareFailed,
    Missing,
    ModelFailed,
    ModelNotFound,
    ModelOverloaded,
    NobodyAnswered,
    NotConfigured,
    NothingSupported,
    ParameterRefused,
    ParseFailed,
    PluginTimedOut,
    ProtocolError,
    QuotaExhausted,
    RateLimited,
    ResponseTooLarge,
    SourceUnreadable,
    StoreAway,
    StoreBusy,
    StoreFailed,
    StructuredOutputInvalid,
    Timeout,
    TlsFailed,
    TooManyRedirects,
    UnknownBackend,
    UnknownProvider,
    UnsupportedCapability,
    UnsupportedContent,
    UnsupportedFilter,
    UpstreamUnavailable,
    UrlDenied,
    WaitedTooLong,
    WebError,
)
from ..targets import CoolReason

Move: TypeAlias = Literal["here", "once", "next", "stop"]

# Longer than this it is no limit of a moment but a plan that is used up.
_LONGEST_LIMIT = 3600.0


class Verdict(msgspec.Struct, frozen=True, kw_only=True):
    """What to do about one failure. ``cools`` says why the target, or its key, is left alone.

    ``wait`` is what the service itself asked for. A ``slow`` failure took its whole time; one that
    was ``unreached`` may be the fault of the caller's own network.
    """

    move: Move = "next"
    cools: CoolReason = ""
    wait: float | None = None
    blames: bool = False
    opens_after: int | None = None
    slow: bool = False
    unreached: bool = False
    billed: bool = False


_STOP = Verdict(move="stop")
_NEXT = Verdict()
_PAGE = Verdict(billed=True)
_WRONG = Verdict(blames=True, billed=True)
_SLOW = Verdict(blames=True, billed=True, slow=True)
_UNREACHED = Verdict(blames=True, unreached=True)
_GONE = Verdict(blames=True, unreached=True, opens_after=2)
_FORBIDDEN, _FIRST_SERVER_ERROR = 403, 500
# Too early, or too slow to send: what an idle connection gets.
_AGAIN = frozenset({408, 425})


def judge(error: WebError) -> Verdict:
    """Return what a failure means for the call and for its target. Total over the union."""
    match error:
        case (
            InvalidQuery() | InvalidUrl() | UrlDenied() | CallRefused() | MiddlewareFailed()
            | PluginTimedOut() | InvalidSetting() | UnknownBackend() | UnknownProvider()
            | NotConfigured() | BudgetExceeded() | NobodyAnswered() | WaitedTooLong()
            | UnsupportedCapability() | UnsupportedFilter() | StoreBusy() | StoreFailed()
            | StoreAway() | SourceUnreadable() | ContextTooLong() | ContentFiltered()
            | TooManyRedirects() | NothingSupported()
        ):  # fmt: skip
            return _of_the_caller(error)
        case (
            RateLimited() | ModelOverloaded() | QuotaExhausted() | AuthFailed() | HttpStatus()
            | UpstreamUnavailable() | BadRedirect() | ModelNotFound() | ParameterRefused()
        ):  # fmt: skip
            return _of_the_status(error)
        case (
            ConnectFailed() | ConnectionLost() | DnsNotFound() | DnsUnavailable() | TlsFailed()
            | Timeout() | DeadlineExceeded()
        ):  # fmt: skip
            return _of_the_way(error)
        case (
            ProtocolError() | BadEncoding() | ResponseTooLarge() | BadPayload() | InvalidRow()
            | InvalidDocument() | BackendCrashed() | StructuredOutputInvalid() | ModelFailed()
            | Missing() | BlockedByRemote() | EmptyContent() | ParseFailed() | UnsupportedContent()
            | CompressorFailed()
        ):  # fmt: skip
            return _of_the_answer(error)
        case _:
            assert_never(error)


_Caller: TypeAlias = (
    InvalidQuery | InvalidUrl | UrlDenied | CallRefused | MiddlewareFailed | PluginTimedOut
    | InvalidSetting
    | UnknownBackend | UnknownProvider | NotConfigured | BudgetExceeded | NobodyAnswered
    | WaitedTooLong | UnsupportedCapability | UnsupportedFilter | StoreBusy | StoreFailed
    | StoreAway | SourceUnreadable | ContextTooLong | ContentFiltered | TooManyRedirects
    | NothingSupported
)  # fmt: skip
_Status: TypeAlias = (
    RateLimited | ModelOverloaded | QuotaExhausted | AuthFailed | HttpStatus | UpstreamUnavailable
    | BadRedirect | ModelNotFound | ParameterRefused
)  # fmt: skip
_Way: TypeAlias = (
    ConnectFailed | ConnectionLost | DnsNotFound | DnsUnavailable | TlsFailed | Timeout
    | DeadlineExceeded
)  # fmt: skip
_Answer: TypeAlias = (
    ProtocolError | BadEncoding | ResponseTooLarge | BadPayload | InvalidRow | InvalidDocument
    | BackendCrashed | StructuredOutputInvalid | ModelFailed | Missing | BlockedByRemote
    | EmptyContent | ParseFailed | UnsupportedContent | CompressorFailed
)  # fmt: skip


def _of_the_caller(error: _Caller) -> Verdict:
    """Judge what is the caller's, the policy's or this machine's: the next would meet the same.

    Not so a backend that lacks an ability, a key, money, a larger window or a whole file.
    """
    another_may = (
        BudgetExceeded, ContextTooLong, NotConfigured, StoreAway, StoreBusy, StoreFailed,
        UnsupportedCapability, UnsupportedFilter,
    )  # fmt: skip
    if isinstance(error, UrlDenied) and error.rule == "credentials":
        # Only third parties are not told of such a URL.
        return _NEXT
    return _NEXT if isinstance(error, another_may) else _STOP


def _of_the_status(error: _Status) -> Verdict:
    match error:
        case RateLimited():
            return _limited(error.retry_after, "limit")
        case ModelOverloaded():
            return _limited(error.retry_after, "load")
        case QuotaExhausted():
            return Verdict(cools="quota")
        case AuthFailed():
            # 401 is the key; 403 is as often a firewall or a region.
            return Verdict(cools="forbidden" if error.status == _FORBIDDEN else "key")
        case _:
            return _of_the_server(error)


def _of_the_server(
    error: HttpStatus | UpstreamUnavailable | BadRedirect | ModelNotFound | ParameterRefused,
) -> Verdict:
    if isinstance(error, BadRedirect):
        return Verdict(blames=True, opens_after=2)
    if isinstance(error, ModelNotFound | ParameterRefused):
        return Verdict(cools="model")
    if isinstance(error, HttpStatus):
        # Maybe only this query: the others of the four hundreds say nothing about the server.
        return Verdict(blames=error.status >= _FIRST_SERVER_ERROR)
    move: Move = "once" if error.status in _AGAIN else "here"
    wait = error.retry_after
    return Verdict(move=move, blames=True, wait=wait, cools="load" if wait is not None else "")


def _limited(wait: float | None, why: CoolReason) -> Verdict:
    long = wait is not None and wait > _LONGEST_LIMIT
    return Verdict(move="here", cools="quota" if long else why, wait=wait)


def _of_the_way(error: _Way) -> Verdict:
    match error:
        case ConnectFailed() | DnsUnavailable():
            return Verdict(move="here", blames=True, unreached=True)
        case DnsNotFound() | TlsFailed():
            return _GONE
        case ConnectionLost():
            return Verdict(move="once", blames=True, billed=True)
        case Timeout():
            return _UNREACHED if error.phase == "connect" else _SLOW
        case _:
            return _SLOW


def _of_the_answer(error: _Answer) -> Verdict:
    match error:
        case ModelFailed():
            return Verdict(move="once", blames=True, billed=True)
        case EmptyContent() if error.reason in ("soft_404", "no_body"):
            # It is not there for anybody.
            return Verdict(move="stop", billed=True)
        case Missing() | BlockedByRemote() | EmptyContent() | ParseFailed() | UnsupportedContent():
            # The page's own nature: another reader may manage it.
            return _PAGE
        case CompressorFailed():
            return Verdict(move="stop", billed=True)
        case _:
            return _WRONG
