"""Backends and models with open connections, and how to close them."""

from collections.abc import AsyncGenerator, Awaitable
from typing import Protocol, TypeVar

from returns.result import Result

from webseam.ports.backends import Closeable, WebBackend
from webseam.ports.errors import WebError
from webseam.ports.models import ChatRequest, NormalizedResponse, StreamItem

Value = TypeVar("Value")


class OpenBackend(WebBackend, Closeable, Protocol):
    """A backend that keeps connections for the next call."""


class OpenModel(Closeable, Protocol):
    """A ``ChatModel`` with a name that keeps connections for the next call."""

    @property
    def name(self) -> str:
        """The provider's name."""

    async def complete(self, request: ChatRequest, /) -> Result[NormalizedResponse, WebError]:
        """Return the complete answer, or an error."""

    def stream(self, request: ChatRequest, /) -> AsyncGenerator[StreamItem]:
        """Yield the answer in pieces, then the result once."""


async def close_after(backend: Closeable, work: Awaitable[Value]) -> Value:
    """Await ``work``, then close ``backend``."""
    try:
        return await work
    finally:
        await backend.aclose()
