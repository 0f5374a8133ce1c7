"""One part of the house and how it is: search, pages, models, X, the index, plugins."""

from typing import Literal, TypeAlias

import msgspec

from ...ports.errors import (
    AuthFailed,
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    NotConfigured,
    QuotaExhausted,
    RateLimited,
    Timeout,
    TlsFailed,
    WebError,
)

# Good works, care is worth a look, bad is set up and does not work, off is not set up.
State: TypeAlias = Literal["good", "care", "bad", "off"]
UNREACHED = (
    ConnectFailed,
    ConnectionLost,
    DeadlineExceeded,
    DnsNotFound,
    DnsUnavailable,
    Timeout,
    TlsFailed,
)


class HealthPart(msgspec.Struct, frozen=True, kw_only=True):
    """How one part is: in a word, in detail, and what mends it.

    ``clause`` is what the verdict says of it, empty where it need not be mentioned; ``subject`` is
    whom that speaks of, ``about`` the backend behind it.
    """

    name: str
    state: State
    word: str
    detail: str = ""
    fix: str = ""
    clause: str = ""
    subject: str = ""
    about: str = ""


class BackendProblem(msgspec.Struct, frozen=True, kw_only=True):
    """What is wrong with a backend: in a word, as the end of a sentence, and what mends it."""

    word: str
    reason: str
    fix: str


def backend_problem(error: WebError, name: str) -> BackendProblem:
    """Return what is wrong, from the failure of a call."""
    return BackendProblem(
        word=state_word(error), reason=short_reason(error), fix=fix_command(error, name)
    )


def short_reason(error: WebError) -> str:
    """Return why something failed, as the end of a sentence.

    >>> short_reason(AuthFailed(status=401, backend="brave"))
    'its key was refused'
    """
    if isinstance(error, AuthFailed):
        return "its key was refused"
    if isinstance(error, QuotaExhausted):
        return "its plan is used up"
    if isinstance(error, RateLimited):
        return "it asks to slow down"
    if isinstance(error, UNREACHED):
        return "it was not reached"
    return error.message.rstrip(".")


def state_word(error: WebError) -> str:
    """Return the state of what failed, in a word or two.

    >>> state_word(AuthFailed(status=401, backend="brave"))
    'key refused'
    """
    if isinstance(error, AuthFailed):
        return "key refused"
    if isinstance(error, QuotaExhausted):
        return "used up"
    if isinstance(error, RateLimited):
        return "too busy"
    if isinstance(error, NotConfigured):
        return "not whole"
    return "not reached" if isinstance(error, UNREACHED) else "failed"


def fix_command(error: WebError, name: str) -> str:
    """Return the command that mends a failure, or tells more about it."""
    if isinstance(error, AuthFailed | NotConfigured):
        return f"webseam setup {name}"
    return f"webseam doctor {name} --live"
