"""Backends that hold something open, and how they let go of it."""

from collections.abc import Awaitable
from typing import Protocol, TypeVar

from ..ports.web import WebBackend

Value = TypeVar("Value")


class Closeable(Protocol):
    """Something that keeps connections, files or processes until it is told to let go."""

    async def aclose(self) -> None:
        """Let go of them."""
        ...


class OpenBackend(WebBackend, Closeable, Protocol):
    """A backend that keeps something for the next call."""


async def closing(backend: Closeable, work: Awaitable[Value]) -> Value:
    """Await ``work``, then close what ``backend`` keeps open."""
    try:
        return await work
    finally:
        await backend.aclose()
