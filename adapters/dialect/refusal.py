"""Why a call gets no answer, in the few kinds that every dialect has a status for."""

import math
from collections.abc import Mapping

import msgspec

from ...ports import errors as e
from ...ports.errors.facts import RefusalKind
from .http_messages import Reply

# The status of each kind where a dialect has no other; what is not here is a failure of ours.
DEFAULT_STATUSES: Mapping[RefusalKind, int] = {
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
_DEFAULT_WAIT_SECONDS = 1
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


def refuse_invalid(message: str, *params: str) -> Refusal:
    """Refuse a call that is wrong."""
    return Refusal(kind="invalid", message=message, params=params)


def refuse_unsupported(param: str, reason: str = "this gateway does not have it") -> Refusal:
    """Refuse what a caller asked for by its name, and we do not have."""
    return Refusal(kind="unsupported", message=f"{param}: {reason}.", params=(param,))


def retry_headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """Return when to come back, in whole seconds, for what is worth another try.

    >>> retry_headers(Refusal(kind="rate", message="", retry_after=1.2))
    (('retry-after', '2'),)
    """
    if refusal.kind not in ("rate", "busy", "unavailable") and refusal.retry_after is None:
        return ()
    seconds = _DEFAULT_WAIT_SECONDS if refusal.retry_after is None else refusal.retry_after
    return (("retry-after", str(max(math.ceil(seconds), 1))),)


# A 401 says how to bring a key (RFC 9110, section 15.5.2).
_NO_KEY = 401
_ASKED = (("www-authenticate", "Bearer"),)


def refusal_reply(
    refusal: Refusal, statuses: Mapping[RefusalKind, int], body: object, default_status: int = 500
) -> Reply:
    """Return a refusal with the status that a dialect has for its kind."""
    status = statuses.get(refusal.kind, default_status)
    headers = (*retry_headers(refusal), *(_ASKED if status == _NO_KEY else ()))
    return Reply(status=status, body=msgspec.json.encode(body), headers=headers)


def refusal_for_error(error: e.WebError) -> Refusal:
    """Return the failure of a call as the kind of refusal that it is.

    What a page's own server did to our own reader is the page's, not ours.
    """
    kind = error.facts.refusal
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
