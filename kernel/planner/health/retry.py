"""When to try again: only what can pass, soon, a little at random, and not for long."""

from collections.abc import Callable

import msgspec

from ....ports.errors import (
    ConnectFailed,
    ConnectionLost,
    DnsUnavailable,
    ModelOverloaded,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)

# What may be over in a moment. A timeout is not here: it has had its time already.
_PASSING = (ConnectFailed, ConnectionLost, DnsUnavailable, RateLimited, UpstreamUnavailable)

# A search of X is tried again after these statuses, a timeout, a connection that failed.
_X_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
_X_NETWORK = (ConnectFailed, ConnectionLost, DnsUnavailable, Timeout)


class RetryRules(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how long something is tried; all times are in seconds.

    The wait is anywhere up to a bound that starts at ``first`` and doubles up to ``most``. A server
    that names a time of its own is waited for up to ``longest``.
    """

    attempts: int = 3
    first: float
    most: float
    longest: float
    may_pass: Callable[[WebError], bool]


def retry_delay(
    error: WebError, attempt: int, chance: float, patience: RetryRules | None = None
) -> float | None:
    """Return how many seconds to wait before trying again; None when that is not worth it.

    ``attempt`` counts from 1, ``chance`` is drawn from [0, 1), so that many callers do not come
    back at once. The patience is that of a page, if nothing else is said.

    >>> retry_delay(ConnectionLost(), 1, 0.5), retry_delay(ConnectionLost(), 3, 0.5)
    (0.1, None)
    """
    rule = patience or PAGE_RETRIES
    if attempt >= rule.attempts or not rule.may_pass(error):
        return None
    named = _named_by_server(error)
    if named is not None:
        return named if named <= rule.longest else None
    return chance * min(rule.first * (1 << (attempt - 1)), rule.most)


def x_retry_rules(retries: int, max_seconds: float) -> RetryRules:
    """Return the patience with a search of X, where the settings say how often to try again."""
    return msgspec.structs.replace(
        MODEL_RETRIES, attempts=retries + 1, longest=max_seconds, may_pass=_may_pass_on_x
    )


def _named_by_server(error: WebError) -> float | None:
    if isinstance(error, RateLimited | UpstreamUnavailable | ModelOverloaded):
        return error.retry_after
    return None


def _may_pass_on_x(error: WebError) -> bool:
    if isinstance(error, RateLimited | UpstreamUnavailable | ModelOverloaded):
        return error.status in _X_STATUSES
    return isinstance(error, _X_NETWORK)


PAGE_RETRIES = RetryRules(
    first=0.2, most=1.0, longest=1.0, may_pass=lambda error: isinstance(error, _PASSING)
)
# A model is slower and worth a longer wait: whatever may pass is tried again, timeouts too.
MODEL_RETRIES = RetryRules(
    first=0.5, most=8.0, longest=60.0, may_pass=lambda error: error.retryable
)
