"""What a fetch is given: the policy as functions, the name server, the clock, the limits."""

import ssl
from collections.abc import Callable, Sequence

import msgspec
from returns.result import Result

from ....ports.errors import BadRedirect, InvalidUrl, UrlDenied, WebError
from ....ports.targets import Target
from .name_resolution import Resolve

MEBIBYTE = 1024 * 1024


class FetchLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How long each step may take, in seconds, and how much may come.

    ``deadline`` is over everything: names, redirects, the body. ``wire_bytes`` is before and
    ``decoded_bytes`` after decompression. ``more_types`` are let through beside what holds text.
    With ``start_bytes`` whatever comes is taken, and only so much of it is read.
    """

    dns: float = 5.0
    connect: float = 10.0
    head: float = 15.0
    idle: float = 10.0
    deadline: float = 30.0
    redirects: int = 5
    addresses: int = 8
    wire_bytes: int = 10 * MEBIBYTE
    decoded_bytes: int = 20 * MEBIBYTE
    more_types: frozenset[str] = frozenset()
    start_bytes: int | None = None


class Guard(msgspec.Struct, frozen=True, kw_only=True):
    """The policy. Each function is pure, and each is asked on every hop."""

    judge_url: Callable[[object], Result[Target, InvalidUrl | UrlDenied]]
    judge_addresses: Callable[[Target, Sequence[str]], Result[tuple[str, ...], UrlDenied]]
    judge_connection: Callable[[Target, str, tuple[str, str]], UrlDenied | None]
    judge_redirect: Callable[[Target, int, str], Result[Target, BadRedirect | UrlDenied]]
    redact_url: Callable[[str], str]


def never_retry(error: WebError, attempt: int) -> float | None:  # noqa: ARG001  it is always no
    """Never try again."""
    return None


class FetchDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Everything around a fetch. ``context`` is the TLS one; None is the process's own.

    With a ``proxy``, no name but the proxy's own is looked up here, and nothing else is dialled.
    """

    guard: Guard
    resolve: Resolve
    now: Callable[[], float]
    retry: Callable[[WebError, int], float | None] = never_retry
    limits: FetchLimits = FetchLimits()
    context: ssl.SSLContext | None = None
    user_agent: str = "webseam"
    proxy: Target | None = None
