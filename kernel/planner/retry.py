"""Decide when to retry: transient errors only, soon, with jitter, and a bounded number of times."""

from collections.abc import Callable

import msgspec

from webseam.ports.errors import (
    ConnectFailed,
    ConnectionLost,
    DnsUnavailable,
    ModelOverloaded,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)

# Transient errors. Timeout is missing on purpose: it has used up its time already.
_TRANSIENT_ERRORS = (
    ConnectFailed,
    ConnectionLost,
    DnsUnavailable,
    RateLimited,
    UpstreamUnavailable,
)

# Errors that may state after how many seconds to retry.
_PAUSE_ERRORS = (RateLimited, UpstreamUnavailable, ModelOverloaded)
# The statuses and network errors after which a search of X is retried.
_X_RETRY_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
_X_RETRY_ERRORS = (ConnectFailed, ConnectionLost, DnsUnavailable, Timeout)


class RetryRules(msgspec.Struct, frozen=True, kw_only=True):
    """How often and how long to retry; all times are in seconds.

    The delay is random, from half of a bound up to all of it. The bound starts at ``first_delay``
    and grows by the factor ``growth`` up to ``max_delay``: with two retries, it has to reach a
    second for a server that restarts. A delay that the server names is obeyed up to ``max_named``.
    """

    attempts: int = 3
    first_delay: float
    growth: int = 2
    max_delay: float
    max_named: float
    may_retry: Callable[[WebError], bool]


def retry_delay(
    error: WebError, attempt: int, chance: float, retry_rules: RetryRules | None = None
) -> float | None:
    """Return how many seconds to wait before a retry; None when a retry is not worth it.

    ``attempt`` counts from 1. ``chance`` is drawn from [0, 1) so that callers do not come back
    together. The default rules are those of a page.

    >>> import pytest
    >>> delays = [retry_delay(ConnectionLost(), attempt, 0.5) for attempt in (1, 2, 3)]
    >>> delays
    [0.30000000000000004, 1.5, None]
    """
    rules = retry_rules or PAGE_RETRIES
    if attempt >= rules.attempts or not rules.may_retry(error):
        return None
    server_delay = error.retry_after if isinstance(error, _PAUSE_ERRORS) else None
    if server_delay is not None:
        return server_delay if server_delay <= rules.max_named else None
    bound = min(rules.first_delay * float(rules.growth) ** (attempt - 1), rules.max_delay)
    return bound * (1 + chance) / 2


def x_retry_rules(retries: int, max_seconds: float) -> RetryRules:
    """Return the retry rules of an X search, with the counts that the settings give."""
    return msgspec.structs.replace(
        MODEL_RETRIES,
        attempts=retries + 1,
        growth=2,
        max_named=max_seconds,
        may_retry=_may_retry_x_search,
    )


def _may_retry_x_search(error: WebError) -> bool:
    if isinstance(error, _PAUSE_ERRORS):
        return error.status in _X_RETRY_STATUSES
    return isinstance(error, _X_RETRY_ERRORS)


PAGE_RETRIES = RetryRules(
    first_delay=0.4,
    growth=5,
    max_delay=2.0,
    max_named=2.0,
    may_retry=lambda error: isinstance(error, _TRANSIENT_ERRORS),
)
# A model is slower and worth a longer wait, so every retryable error is retried, timeouts too.
MODEL_RETRIES = RetryRules(
    first_delay=0.5,
    growth=4,
    max_delay=8.0,
    max_named=60.0,
    may_retry=lambda error: error.retryable,
)
