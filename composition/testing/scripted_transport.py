"""A transport that reads its answers from a script, instead of a network."""

from collections.abc import Callable, Iterable, Iterator
from typing import TypeAlias

import httpx

Line: TypeAlias = httpx.Response | BaseException
Script: TypeAlias = Iterable[Line] | Callable[[httpx.Request], Line]


class ScriptRanOut(BaseException):
    """More was asked than the script answers: the test is wrong, so nothing may catch this."""


class ScriptedTransport(httpx.AsyncBaseTransport):
    """Answers each request with the next line of the script: a response, or an exception to raise.

    A script may also be a function of the request. ``requests`` holds what was asked, in order.

    >>> transport = ScriptedTransport([httpx.Response(200, json={"results": []})])
    >>> transport.requests
    []
    """

    def __init__(self, script: Script = ()) -> None:
        """Begin at the first line."""
        self.requests: list[httpx.Request] = []
        self.closed = False
        self._answer = script if callable(script) else _reader(iter(tuple(script)))

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        """Give or raise the next line, with the request's body read."""
        await request.aread()
        self.requests.append(request)
        line = self._answer(request)
        if not isinstance(line, httpx.Response):
            raise line
        line.request = request
        return line

    async def aclose(self) -> None:
        """Remember that it was closed."""
        self.closed = True


def _reader(lines: Iterator[Line]) -> Callable[[httpx.Request], Line]:
    def read(request: httpx.Request) -> Line:
        line = next(lines, None)
        if line is None:
            message = f"no answer is left for {request.method} {request.url}"
            raise ScriptRanOut(message)
        return line

    return read
