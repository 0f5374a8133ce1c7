"""Wrong keys counted by the address that they come from, so that nobody can try them out in bulk.

A key of ``webseam keys`` has 256 random bits and is compared however many wrong ones there were:
whoever shares an address with somebody who guesses keeps working. The token is of a person's
making; from an address that has spent its guesses it is not even compared.
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
# One customer's share of IPv6 (RFC 6177): who has one address of it has them all.
_PREFIX = 64


class GuessLimiter:
    """How many wrong keys each address may still send: some at once, then as minutes pass."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        """Count by the clock ``now``."""
        self._now = now
        self._levels: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def wait(self, address: str) -> float | None:
        """Return in how many seconds an address may guess again; None when it may now."""
        level = self._level(_network(address))
        return None if level >= 1.0 else (1.0 - level) * _MINUTE_SECONDS / _GUESSES_A_MINUTE

    def count(self, address: str, keys: int = 1) -> None:
        """Count wrong keys."""
        network = _network(address)
        self._levels[network] = (max(self._level(network) - keys, 0.0), self._now())
        self._levels.move_to_end(network)
        while len(self._levels) > _MAX_ADDRESSES:
            self._levels.popitem(last=False)

    def _level(self, network: str) -> float:
        level, then = self._levels.get(network, (_MAX_GUESSES, 0.0))
        return min(_MAX_GUESSES, level + (self._now() - then) * _GUESSES_A_MINUTE / _MINUTE_SECONDS)


def _network(address: str) -> str:
    """Return what stands for everybody who has an address.

    >>> _network("2001:db8::1"), _network("192.0.2.1"), _network("::ffff:192.0.2.1")
    ('2001:db8::/64', '192.0.2.1', '192.0.2.1')
    """
    try:
        known = ipaddress.ip_address(address)
    except ValueError:
        return address
    if isinstance(known, ipaddress.IPv4Address):
        return str(known)
    if known.ipv4_mapped is not None:
        return str(known.ipv4_mapped)
    return str(ipaddress.ip_network((known, _PREFIX), strict=False))
