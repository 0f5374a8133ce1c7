"""How soon a host may be asked again, and what its robots.txt means when it cannot be read."""

import re
from typing import Final, Literal, TypeAlias

from ...ports.errors import (
    BadRedirect,
    EmptyContent,
    HttpStatus,
    TooManyRedirects,
    UnsupportedContent,
    WebError,
)
from ..planner.health.retry import PAGE_RETRIES, RetryRules, retry_delay

JITTER: Final = 0.2
_PRODUCT: Final = re.compile(
    r"(?:Mozilla/\S*\s*\(\s*compatible\s*;\s*)?([A-Za-z_-]+)", re.IGNORECASE
)
MAX_DELAY_SECONDS: Final = 60.0
MAX_REST_SECONDS: Final = 300.0
RobotsMeaning: TypeAlias = Literal["open", "closed"]
# Nobody looks on: a host that is busy for a minute costs the others nothing.
_GUEST: Final = RetryRules(
    first_delay=0.0,
    max_delay=0.0,
    max_named=MAX_DELAY_SECONDS,
    may_retry=PAGE_RETRIES.may_retry,
)


def host_pause(delay: float, crawl_delay: float | None, chance: float) -> float:
    """Return how long a host is left alone after an answer; ``chance`` is from 0 to 1.

    The longer of ours and the host's own, and up to a fifth more: a steady beat looks like an
    attack, and meets others in step.

    >>> host_pause(1.0, None, 0.0), host_pause(1.0, 5.0, 1.0)
    (1.0, 6.0)
    """
    return max(delay, crawl_delay or 0.0) * (1.0 + JITTER * chance)


def overload_rest(retry_after: float | None) -> float:
    """Return how long a host that is overloaded is left alone, by its own word or for a while.

    >>> overload_rest(None), overload_rest(7.0), overload_rest(1e9)
    (10.0, 7.0, 300.0)
    """
    return min(MAX_REST_SECONDS, 10.0 if retry_after is None else max(0.0, retry_after))


def next_attempt(error: WebError, attempt: int) -> float | None:
    """Return whether a page is asked for again: after no time, as its host's turn waits, or None.

    >>> from webseam.ports.errors import RateLimited
    >>> next_attempt(RateLimited(status=429, retry_after=30.0), 1)
    0.0
    >>> next_attempt(RateLimited(status=429, retry_after=90.0), 1) is None
    True
    """
    return None if retry_delay(error, attempt, 0.0, _GUEST) is None else 0.0


def robots_meaning(error: WebError) -> RobotsMeaning:
    """Return what it means that a robots.txt could not be had (RFC 9309, 2.3.1, 2026-11-15).

    One that is not there, or is no text, forbids nothing; one that nobody can reach forbids all.
    429 is a host that asks for less, so it counts as one that cannot be reached.
    """
    missing = (HttpStatus, EmptyContent, UnsupportedContent, TooManyRedirects, BadRedirect)
    return "open" if isinstance(error, missing) else "closed"


def robot_name(user_agent: str) -> str:
    """Return by which name robots.txt is read: the product token (RFC 9309, 2.2.1, 2026-11-16).

    >>> robot_name("webseam/0.1"), robot_name("Mozilla/5.0 (compatible; MyBot/2.0; +https://x.example)")
    ('webseam', 'MyBot')
    """
    product = _PRODUCT.match(user_agent.strip())
    return product[1] if product else user_agent.strip()
