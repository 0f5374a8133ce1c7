"""Pace requests to a host, and interpret a robots.txt that cannot be read."""

import re
from typing import Final, Literal, TypeAlias

from webseam.ports.errors import (
    BadRedirect,
    EmptyContent,
    HttpStatus,
    TooManyRedirects,
    UnsupportedContent,
    WebError,
)

from ...planner.retry import PAGE_RETRIES, RetryRules, retry_delay

JITTER_SHARE: Final = 0.2
_PRODUCT_PATTERN: Final = re.compile(
    r"(?:Mozilla/\S*\s*\(\s*compatible\s*;\s*)?([A-Za-z_-]+)", re.IGNORECASE
)
MAX_DELAY_SECONDS: Final = 60.0
MAX_REST_SECONDS: Final = 300.0
RobotsMeaning: TypeAlias = Literal["open", "closed"]
# No user waits here: a host that is busy for a minute does not delay the others.
_CRAWL_RETRIES: Final = RetryRules(
    first_delay=0.0, max_delay=0.0, max_named=MAX_DELAY_SECONDS, may_retry=PAGE_RETRIES.may_retry
)


def crawl_host_pause(delay: float, crawl_delay: float | None, chance: float) -> float:
    """Return the pause in seconds after an answer of a host; ``chance`` is from 0 to 1.

    It is the longer of our delay and the host's, and up to a fifth more: a steady rhythm looks
    like an attack, and falls in step with other crawlers.

    >>> crawl_host_pause(1.0, None, 0.0)
    1.0
    >>> crawl_host_pause(1.0, 5.0, 1.0)
    6.0
    """
    return max(delay, crawl_delay or 0.0) * (1.0 + JITTER_SHARE * chance)


def crawl_host_rest(retry_after: float | None) -> float:
    """Return how many seconds to rest an overloaded host: as it asks, or a default.

    >>> crawl_host_rest(None)
    10.0
    >>> crawl_host_rest(7.0)
    7.0
    >>> crawl_host_rest(1e9)
    300.0
    """
    return min(MAX_REST_SECONDS, 10.0 if retry_after is None else max(0.0, retry_after))


def next_crawl_attempt(error: WebError, attempt: int) -> float | None:
    """Return 0 if a page is requested again at its host's next turn, else None.

    >>> from webseam.ports.errors import RateLimited
    >>> next_crawl_attempt(RateLimited(status=429, retry_after=30.0), 1)
    0.0
    >>> next_crawl_attempt(RateLimited(status=429, retry_after=90.0), 1) is None
    True
    """
    return None if retry_delay(error, attempt, 0.0, _CRAWL_RETRIES) is None else 0.0


def robots_txt_meaning(error: WebError) -> RobotsMeaning:
    """Return the meaning of a robots.txt that could not be read (RFC 9309, 2.3.1, 2026-11-15).

    A missing one, or one that is no text, forbids nothing; an unreachable one forbids everything.
    429 asks for fewer requests, so it counts as unreachable.
    """
    missing = (HttpStatus, EmptyContent, UnsupportedContent, TooManyRedirects, BadRedirect)
    return "open" if isinstance(error, missing) else "closed"


def crawl_robot_name(user_agent: str) -> str:
    """Return the product token that robots.txt is matched with (RFC 9309, 2.2.1, 2026-11-16).

    >>> crawl_robot_name("webseam/0.1")
    'webseam'
    >>> crawl_robot_name("Mozilla/5.0 (compatible; MyBot/2.0; +https://x.example)")
    'MyBot'
    """
    product = _PRODUCT_PATTERN.match(user_agent.strip())
    return product[1] if product else user_agent.strip()
