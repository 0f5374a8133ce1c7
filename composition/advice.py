"""What to do about a failure, in words."""

from ..ports.errors import (
    AuthFailed,
    BadPayload,
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    HttpStatus,
    QuotaExhausted,
    RateLimited,
    Timeout,
    TlsFailed,
    WebError,
)
from .table import Row

_UNREACHED = (
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    Timeout,
    TlsFailed,
)
# About what only the service itself can explain.
_PECULIAR = (AuthFailed, BadPayload, HttpStatus)


def advise(error: WebError, row: Row) -> str:
    """Return what to do about ``error``, which the backend of ``row`` gave."""
    note = row.service.note if row.service is not None and isinstance(error, _PECULIAR) else ""
    return f"{_general(error, row)} {note}".strip()


def _general(error: WebError, row: Row) -> str:
    if isinstance(error, AuthFailed):
        return f"Check the key{_key_names(row)}, or run webseam setup."
    if isinstance(error, QuotaExhausted):
        return "The plan is used up: wait for the next period, or top it up at the service."
    if isinstance(error, RateLimited):
        return "Too many requests from this key or address: wait, or use a key of your own."
    if isinstance(error, _UNREACHED):
        address = row.told.accesses[0].base_url if row.told is not None else "It"
        return f"{address} was not reached: check the address and the network."
    return "" if isinstance(error, _PECULIAR) else "Try again later."


def _key_names(row: Row) -> str:
    options = row.service.options if row.service is not None else ()
    names = ", ".join(option.env[0] for option in options if option.secret and option.env)
    return f" ({names})" if names else ""
