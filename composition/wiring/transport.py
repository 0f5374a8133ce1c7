"""A transport that belongs to the caller: used by everything that is opened, closed by nobody."""

import httpx


class BorrowedTransport(httpx.AsyncBaseTransport):
    """Hands requests on; its owner closes what is behind it."""

    def __init__(self, transport: httpx.AsyncBaseTransport) -> None:
        """Hand requests on to ``transport``."""
        self._transport = transport

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Send a request through what was lent."""
        return await self._transport.handle_async_request(request)
