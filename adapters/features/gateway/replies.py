"""Calls, replies and refusals of the gateway; every dialect has a status for each refusal kind."""

import math
import re
from collections.abc import Mapping
from datetime import date

import msgspec

from webseam.ports import errors as e
from webseam.ports.errors.error_fields import MAX_PAUSE_SECONDS, RefusalKind

# Status of each kind unless a dialect has another; other kinds are server errors.
DEFAULT_STATUSES: Mapping[RefusalKind, int] = {
    "invalid": 400, "unsupported": 400, "conflict": 400, "unauthorized": 401, "budget": 402,
    "shared_budget": 402, "forbidden": 403, "denied": 403, "missing": 404, "too_large": 413,
    "rate": 429, "busy": 503, "unavailable": 503, "deadline": 504,
}  # fmt: skip
_DEFAULT_WAIT_SECONDS = 1
_PAGES_BACKEND = "pages"
# A 401 names the authentication scheme (RFC 9110, section 15.5.2).
_UNAUTHORIZED_STATUS = 401
_BEARER_HEADERS = (("www-authenticate", "Bearer"),)
# OpenAI has no other status for an exhausted budget; LiteLLM does not handle 402.
_OPENAI_STATUSES = {**DEFAULT_STATUSES, "budget": 429, "shared_budget": 429}
_OPENAI_ERROR_TYPES = {
    "invalid": "invalid_request_error",
    "unsupported": "invalid_request_error",
    # LiteLLM reads invalid_request_error as a bad request here (read 2026-11-15).
    "unauthorized": "authentication_error",
    "forbidden": "permission_error",
    "missing": "invalid_request_error",
    "budget": "insufficient_quota",
    "shared_budget": "insufficient_quota",
    "rate": "rate_limit_error",
}
_OPENAI_ERROR_CODES = {
    "unauthorized": "invalid_api_key", "budget": "insufficient_quota",
    "shared_budget": "insufficient_quota", "rate": "rate_limit_exceeded",
}  # fmt: skip


class Call(msgspec.Struct, frozen=True, kw_only=True):
    """One request. ``path`` is percent-encoded, without the dialect's prefix.

    Header names are lower-case. ``base`` is the URL that the caller used, with the prefix. ``rest``
    is what the star in an endpoint's path matched. ``unread`` marks a query that could not be
    parsed; ``search`` is the raw query.
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
        """Return a query parameter; empty if it is absent."""
        return next((value for key, value in self.query if key == name), "")

    def header(self, name: str) -> str:
        """Return a header; empty if it is absent."""
        return self.headers.get(name, "")


class Reply(msgspec.Struct, frozen=True, kw_only=True):
    """A response to send."""

    status: int = 200
    body: bytes = b""
    media_type: str = "application/json"
    headers: tuple[tuple[str, str], ...] = ()


def json_reply(value: object, status: int = 200) -> Reply:
    """Return a reply with a value as JSON."""
    return Reply(status=status, body=msgspec.json.encode(value))


def text_reply(text: str, media_type: str = "text/plain; charset=utf-8") -> Reply:
    """Return a reply with text."""
    return Reply(body=text.encode(), media_type=media_type)


class Refusal(msgspec.Struct, frozen=True, kw_only=True):
    """The reason why there is no answer. ``params`` names the parts of the call at fault.

    ``error`` is the underlying failure, if there is one.
    """

    kind: RefusalKind
    message: str
    params: tuple[str, ...] = ()
    retry_after: float | None = None
    error: e.WebError | None = None

    def rename_fields(self, names: Mapping[str, str]) -> "Refusal":
        """Return the refusal with a dialect's names of the search fields."""
        words = re.sub(r"\w+", lambda word: names.get(word[0], word[0]), self.message)
        params = tuple(names.get(name, name) for name in self.params)
        return msgspec.structs.replace(self, message=words, params=params)


def refuse_invalid(message: str, *params: str) -> Refusal:
    """Return a refusal of an invalid call."""
    return Refusal(kind="invalid", message=message, params=params)


def refuse_unsupported(param: str, reason: str = "this gateway does not have it") -> Refusal:
    """Return a refusal of an option that the gateway does not have."""
    return Refusal(kind="unsupported", message=f"{param}: {reason}.", params=(param,))


def retry_headers(refusal: Refusal) -> tuple[tuple[str, str], ...]:
    """Return a Retry-After header in whole seconds for a refusal that is worth a retry.

    >>> retry_headers(Refusal(kind="rate", message="", retry_after=1.2))
    (('retry-after', '2'),)
    """
    if refusal.kind not in ("rate", "busy", "unavailable") and refusal.retry_after is None:
        return ()
    seconds = _DEFAULT_WAIT_SECONDS if refusal.retry_after is None else refusal.retry_after
    return (("retry-after", str(max(math.ceil(seconds), 1))),)


def refusal_reply(
    refusal: Refusal, statuses: Mapping[RefusalKind, int], body: object, default_status: int = 500
) -> Reply:
    """Return a refusal with the dialect's status for its kind."""
    status = statuses.get(refusal.kind, default_status)
    headers = (
        *retry_headers(refusal),
        *(_BEARER_HEADERS if status == _UNAUTHORIZED_STATUS else ()),
    )
    return Reply(status=status, body=msgspec.json.encode(body), headers=headers)


def refusal_for_error(error: e.WebError) -> Refusal:
    """Return the refusal for a failed call.

    A failure of the page's own server in our page reader counts against the page, not the gateway.
    """
    kind = error.facts.refusal
    if error.backend == _PAGES_BACKEND and kind == "backend":
        kind = "unreadable"
    params: tuple[str, ...] = ()
    if isinstance(error, e.UnsupportedFilter):
        params = error.filters
    elif isinstance(error, e.InvalidQuery):
        params = (error.field,)
    return Refusal(
        kind=kind,
        message=f"{error.message_to('http')} {error.remedy_for('http')}".rstrip(),
        params=params,
        retry_after=_retry_after(error),
        error=error,
    )


def _retry_after(error: e.WebError) -> float | None:
    if isinstance(error, e.NobodyAnswered):
        return error.again_in
    if isinstance(error, e.RateLimited | e.UpstreamUnavailable):
        seconds = error.retry_after
        return None if seconds is None else min(seconds, MAX_PAUSE_SECONDS)
    return None


def openai_refusal_reply(refusal: Refusal, _call: Call) -> Reply:
    """Return a refusal in OpenAI's form, which other vendors adopted."""
    error = {
        "message": refusal.message,
        "type": _OPENAI_ERROR_TYPES.get(refusal.kind, "server_error"),
        "param": refusal.params[0] if refusal.params else None,
        "code": _OPENAI_ERROR_CODES.get(refusal.kind),
    }
    return refusal_reply(refusal, _OPENAI_STATUSES, {"error": error}, default_status=503)
