"""Limit wrong keys per address, against guessing in bulk.

A key of ``webseam keys`` has 256 random bits, so it always works.
A person chose the token, so an address without guesses left cannot use it.
"""

from __future__ import annotations

import ipaddress
import time
from collections import OrderedDict
from collections.abc import Callable

TOO_MANY_GUESSES = (
    "Too many wrong keys came from this address. The token is not looked at until later; keys of "
    "`webseam keys` go on working."
)
_MAX_GUESSES = 20.0
_GUESSES_A_MINUTE = 10.0
_MINUTE_SECONDS = 60.0
_MAX_ADDRESSES = 4_096
# A customer gets at least a /64 of IPv6 (RFC 6177), so count it as one address.
_IPV6_PREFIX_BITS = 64


class GuessLimiter:
    """Counts the guesses that each address has left; they refill with time."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Count by the clock ``now``."""
        self._now = now
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float | None:
        """Return the seconds until an address may guess again; None if it may now."""
        level = self._guesses_left(_guess_net(address))
        return None if level >= 1.0 else (1.0 - level) * _MINUTE_SECONDS / _GUESSES_A_MINUTE

    def count(self, address: str, keys: int = 1) -> None:
        """Count wrong keys."""
        network = _guess_net(address)
        self._levels[network] = (max(self._guesses_left(network) - keys, 0.0), self._now())
        self._levels.move_to_end(network)
        while len(self._levels) > _MAX_ADDRESSES:
            self._levels.popitem(last=False)

    def _guesses_left(self, network: str) -> float:
        level, then = self._levels.get(network, (_MAX_GUESSES, 0.0))
        return min(_MAX_GUESSES, level + (self._now() - then) * _GUESSES_A_MINUTE / _MINUTE_SECONDS)


def _guess_net(address: str) -> str:
    """Return the network that shares the limit of an address.

    >>> _guess_net("2001:db8::1"), _guess_net("192.0.2.1"), _guess_net("::ffff:192.0.2.1")
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
