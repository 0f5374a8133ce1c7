"""When to try again: only what can pass, soon, a little at random, and not for long."""

from ...ports.errors import (
    ConnectFailed,
    ConnectionLost,
    DnsUnavailable,
    ModelOverloaded,
    RateLimited,
    Timeout,
    UpstreamUnavailable,
    WebError,
)

ATTEMPTS = 3
FIRST_SECONDS = 0.2
MOST_SECONDS = 1.0

# What may be over in a moment. A timeout is not here: it has had its time already.
_PASSING = (ConnectFailed, ConnectionLost, DnsUnavailable, RateLimited, UpstreamUnavailable)

MODEL_FIRST_SECONDS = 0.5
MODEL_MOST_SECONDS = 8.0
MODEL_LONGEST_WAIT = 60.0

# A search of X is tried again after these statuses, a timeout, a connection that failed.
_X_STATUSES = frozenset({408, 425, 429, 500, 502, 503, 504})
_X_NETWORK = (ConnectFailed, ConnectionLost, DnsUnavailable, Timeout)


def retry_delay(error: WebError, attempt: int, chance: float) -> float | None:
    """Return how many seconds to wait before trying again; None when that is not worth it.

    ``attempt`` counts from 1, ``chance`` is drawn from [0, 1): the wait is anywhere up to a bound
    that doubles, so that many callers do not come back at once. A server that names a longer time
    is not waited for.

    >>> retry_delay(ConnectionLost(), 1, 0.5), retry_delay(ConnectionLost(), 3, 0.5)
    (0.1, None)
    """
    if attempt >= ATTEMPTS or not isinstance(error, _PASSING):
        return None
    asked: float | None = getattr(error, "retry_after", None)
    if asked is not None:
        return asked if asked <= MOST_SECONDS else None
    return chance * min(FIRST_SECONDS * (1 << (attempt - 1)), MOST_SECONDS)


def model_retry_delay(error: WebError, attempt: int, chance: float) -> float | None:
    """Return the same for a call of a model, which is slower and worth a longer wait.

    Whatever may pass is tried again, timeouts too. A provider that names a time is waited for up to
    a minute.

    >>> model_retry_delay(ConnectionLost(), 2, 0.5), model_retry_delay(RateLimited(), 3, 0.5)
    (0.5, None)
    """
    if attempt >= ATTEMPTS or not error.retryable:
        return None
    asked: float | None = getattr(error, "retry_after", None)
    if asked is not None:
        return asked if asked <= MODEL_LONGEST_WAIT else None
    return chance * min(MODEL_FIRST_SECONDS * (1 << (attempt - 1)), MODEL_MOST_SECONDS)


def x_retry_delay(
    error: WebError, attempt: int, chance: float, *, retries: int, longest: float
) -> float | None:
    """Return the same for a search of X, where the settings say how often to try again.

    A server that names a time is waited for up to ``longest`` seconds.

    >>> x_retry_delay(ConnectionLost(), 2, 0.5, retries=2, longest=180.0)
    0.5
    """
    if attempt > retries or not _may_pass(error):
        return None
    asked: float | None = getattr(error, "retry_after", None)
    if asked is not None:
        return asked if asked <= longest else None
    return chance * min(MODEL_FIRST_SECONDS * (1 << (attempt - 1)), MODEL_MOST_SECONDS)


def _may_pass(error: WebError) -> bool:
    if isinstance(error, RateLimited | UpstreamUnavailable | ModelOverloaded):
        return error.status in _X_STATUSES
    return isinstance(error, _X_NETWORK)
