"""Limit wrong keys per address, against guessing in bulk.

A key of ``webseam keys`` has 256 random bits, so it always works.
A person chose the token, so an address without guesses left cannot use it.
"""

from __future__ import annotations

import ipaddress
import time
from collections.abc import Callable

from webseam.adapters.caches import RecentValues
from webseam.kernel.planner.pacing import book_rate_slots, next_rate_slot

TOO_MANY_GUESSES_MESSAGE = (
    "Too many wrong keys came from this address. The token is not looked at until later; keys of "
    "`webseam keys` go on working."
)
_MAX_GUESSES = 20.0
_GUESSES_PER_SECOND = 10 / 60
_MAX_ADDRESSES = 4_096
# A customer gets at least a /64 of IPv6 (RFC 6177), so count it as one address.
_IPV6_PREFIX_BITS = 64


class GuessLimiter:
    """Counts the guesses that each address has left; they refill with time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._due: RecentValues[str, float] = RecentValues(_MAX_ADDRESSES)

    def guess_delay(self, address: str) -> float | None:
        """Return the seconds until an address may guess again; None if it may now."""
        due = self._due.get(_limit_network(address)) or 0.0
        seconds = next_rate_slot(due, _GUESSES_PER_SECOND, _MAX_GUESSES) - self._now()
        return seconds if seconds > 0 else None

    def count_guess(self, address: str, keys: int = 1) -> None:
        """Count wrong keys."""
        network, now = _limit_network(address), self._now()
        due = book_rate_slots(self._due.get(network) or 0.0, _GUESSES_PER_SECOND, now, keys)
        # An address waits for one guess at most, however many it made.
        self._due.put(network, min(due, now + _MAX_GUESSES / _GUESSES_PER_SECOND))


def _limit_network(address: str) -> str:
    """Return the network that shares the limit of an address.

    >>> _limit_network("2001:db8::1"), _limit_network("192.0.2.1"), _limit_network("::ffff:192.0.2.1")
    ('2001:db8::/64', '192.0.2.1', '192.0.2.1')
    """
    try:
        parsed = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, _IPV6_PREFIX_BITS), strict=False))
