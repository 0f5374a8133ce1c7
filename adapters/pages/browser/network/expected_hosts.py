"""The places that pages' own requests name. The proxy lets nobody through to any other.

A browser has business of its own (accounts, updates, guesses at what a page will want), more with
each version, and some of it knows the proxy's password. So it is not told by flags what to leave:
whatever no request of a page has named is refused, and its name is never looked up.
"""

import asyncio
from urllib.parse import urlsplit

_PORTS = {"http": 80, "https": 443, "ws": 80, "wss": 443}
# A WebSocket cannot be held until we have heard of it: its event and its connection race.
_EVENT_TIMEOUT_SECONDS = 1.0


class ExpectedHosts:
    """Hosts and ports, as requests are heard of. Their paths are the browser's affair."""

    def __init__(self) -> None:
        """Expect nothing yet."""
        self._places: set[tuple[str, int]] = set()
        self._changed = asyncio.Event()

    def add(self, url: str) -> None:
        """Expect a connection to where ``url`` is."""
        place = url_host_port(url)
        if place is not None:
            self._places.add(place)
            self._changed.set()
            self._changed = asyncio.Event()

    async def holds(self, url: str) -> bool:
        """Tell whether ``url`` is at an expected place, or becomes so within a moment."""
        place = url_host_port(url)
        try:
            async with asyncio.timeout(_EVENT_TIMEOUT_SECONDS):
                while place is not None and place not in self._places:
                    await self._changed.wait()
        except TimeoutError:
            return False
        return place is not None


def url_host_port(url: str) -> tuple[str, int] | None:
    """Return the host and port of a URL; None when it has none.

    >>> (url_host_port("wss://A.example"), url_host_port("https://u@[::1]:8443/x"),
    ...  url_host_port("data:,x"))
    (('a.example', 443), ('::1', 8443), None)
    """
    try:
        parts = urlsplit(url)
        host, port = parts.hostname, parts.port or _PORTS.get(parts.scheme)
    except ValueError:
        return None
    return None if not host or port is None else (host, port)
