"""Why a call gets no answer, in the few kinds that every dialect has a status for."""

import math
from collections.abc import Mapping
from datetime import date

import msgspec

from ...ports import errors as e
from ...ports.errors.error_fields import RefusalKind


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request. ``path`` is percent-encoded, and without the dialect's own prefix.

    Header names are lower-case. ``base`` is the address by which the caller came, with the prefix.
    ``rest`` is what stands in the place of the star in an endpoint's path. A query that is
    ``unread`` could not be taken apart; ``search`` is the whole of it as it came.
    """

    method: str
    path: str
    query: tuple[tuple[str, str], ...] = ()
    unread: bool = False
    search: str = ""
    headers: Mapping[str, str] = {}
    body: bytes = b""
    base: str = ""
    rest: str = ""
    today: date
    now: int = 0
    id: str = ""

    def parameter(self, name: str) -> str:
        """Return the value of a parameter in the query; empty when it is not there."""
        return next((value for key, value in self.query if key == name), "")

    def header(self, name: str) -> str:
        """Return a header; empty when it is not there."""
        return self.headers.get(name, "")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """What is sent back."""

    status: int = 200
    body: bytes = b""
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


def json_reply(value: object, status: int = 200) -> Reply:
    """Return a value as JSON."""
    return Reply(status=status, body=msgspec.json.encode(value))


def text_reply(text: str, media_type: str = "text/plain; charset=utf-8") -> Reply:
    """Return text."""
    return Reply(body=text.encode(), media_type=media_type)


# Why a call gets no answer, in the few kinds that every dialect has a status for.

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


# How OpenAI says no, and those who took over its words.

_STATUSES: dict[RefusalKind, int] = {
    "invalid": 400,
    "unsupported": 400,
    "conflict": 400,
    "unauthorized": 401,
    "forbidden": 403,
    "denied": 403,
    "missing": 404,
    "too_large": 413,
    # Its only word for money that is gone; LiteLLM takes a 402 for nothing special.
    "budget": 429,
    "shared_budget": 429,
    "rate": 429,
    "busy": 503,
    "unavailable": 503,
    "deadline": 504,
}
_TYPES = {
    "invalid": "invalid_request_error",
    "unsupported": "invalid_request_error",
    # LiteLLM takes invalid_request_error for a bad request here (read 2026-11-15).
    "unauthorized": "authentication_error",
    "forbidden": "permission_error",
    "missing": "invalid_request_error",
    "budget": "insufficient_quota",
    "shared_budget": "insufficient_quota",
    "rate": "rate_limit_error",
}
_CODES = {
    "unauthorized": "invalid_api_key",
    "budget": "insufficient_quota",
    "shared_budget": "insufficient_quota",
    "rate": "rate_limit_exceeded",
}


def openai_refusal(refusal: Refusal, _call: Call) -> Reply:
    """Return a refusal as OpenAI words it."""
    error = {
        "message": refusal.message,
        "type": _TYPES.get(refusal.kind, "server_error"),
        "param": refusal.params[0] if refusal.params else None,
        "code": _CODES.get(refusal.kind),
    }
    return refusal_reply(refusal, _STATUSES, {"error": error}, default_status=503)
