"""An answer of our transport: httpx's Response, over a connection that goes back when it is read.

httpx's headers are made when somebody looks at them; we read the lines as they came.
"""

from collections.abc import AsyncIterator, Iterator, Mapping

import httpx

from .connection import Connection
from .dial import HostPort
from .exchange import Head
from .pool import Pool


class WireBody(httpx.AsyncByteStream):
    """The body of one answer; closing it gives the connection back or ends it."""

    def __init__(self, wire: Connection, pool: Pool, origin: HostPort, keep: float) -> None:
        """Read from ``wire``, which is of ``pool`` and may rest there for ``keep`` seconds."""
        self._wire = wire
        self._pool = pool
        self._origin = origin
        self._keep = keep
        self._open = True

    # An iterator and no generator: the loop keeps book of every asynchronous generator.
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        exchange = self._wire.exchange
        chunk = None if exchange is None else await exchange.next_chunk()
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    def take_rest(self) -> bytes | None:
        """Return what is left of the body, if all of it is here already."""
        exchange = self._wire.exchange
        return None if exchange is None or not self._open else exchange.take_rest()

    def close(self) -> None:
        """Give the connection back, once."""
        if self._open:
            self._open = False
            self._pool.leave()
            self._pool.give_back(self._origin, self._wire, self._keep)

    async def aclose(self) -> None:
        """Do the same, as httpx asks for it."""
        self.close()


class WireResponse(httpx.Response):
    """A response that keeps the lines of its head as they came."""

    def __init__(self, head: Head, body: WireBody, request: httpx.Request) -> None:
        """Make a response of a head and a body that is still to be read."""
        super().__init__(head.status, stream=body, request=request)
        self.lines = head.headers
        del self.headers

    def __getattr__(self, name: str) -> httpx.Headers:
        if name != "headers":
            raise AttributeError(name)
        self.headers = httpx.Headers(self.lines)
        return self.headers


def lines_of(response: httpx.Response) -> list[tuple[bytes, bytes]]:
    """Return the header lines of a response, whoever made it; the names are in lower case."""
    if isinstance(response, WireResponse):
        return response.lines
    return [(name.lower(), value) for name, value in response.headers.raw]


class HeaderView(Mapping[str, str]):
    """A response's headers, read from it when they are asked for."""

    __slots__ = ("_response",)

    def __init__(self, response: httpx.Response) -> None:
        """Look at nothing yet."""
        self._response = response

    def __getitem__(self, name: str) -> str:
        return self._response.headers[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._response.headers)

    def __len__(self) -> int:
        return len(self._response.headers)
