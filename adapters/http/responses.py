"""The body of an answer, over a connection that goes back when it is read; and its header lines."""

from collections.abc import AsyncIterator, Callable
from typing import TypeAlias

import httpx

from .exchange import Exchange

# The header lines of a response, names in lower case.
Lines: TypeAlias = list[tuple[bytes, bytes]]


class WireBody(httpx.AsyncByteStream):
    """The body of one answer; closing it gives the connection back or ends it."""

    def __init__(self, exchange: Exchange, give_back: Callable[[], None]) -> None:
        """Read from ``exchange``; ``give_back`` is called once, when the body is closed."""
        self._exchange = exchange
        self._give_back = give_back
        self._open = True

    # An iterator and no generator: the loop keeps book of every asynchronous generator.
    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        chunk = await self._exchange.next_chunk() if self._open else None
        if chunk is None:
            raise StopAsyncIteration
        return chunk

    def take_rest(self) -> bytes | None:
        """Return what is left of the body, if all of it is here already."""
        return self._exchange.take_rest() if self._open else None

    def close(self) -> None:
        """Give the connection back, once."""
        if self._open:
            self._open = False
            self._give_back()

    async def aclose(self) -> None:
        """Do the same, as httpx asks for it."""
        self.close()


def header_lines(response: httpx.Response) -> Lines:
    """Return the header lines of a response, whoever made it; the names are in lower case."""
    return [(name.lower(), value) for name, value in response.headers.raw]
