"""What goes into a search or an extract, and what comes out."""

from __future__ import annotations

from typing import Protocol

from returns.result import Result

from .errors import WebError


class Compressor(Protocol):
    """Something that shortens a page, usually a model. Its output is not trusted either."""

    async def __call__(self, text: str, instruction: str, /) -> Result[str, WebError]:
        """Return a shorter text that keeps what ``instruction`` asks for."""
        ...


class Condenser(Protocol):
    """A pure function that keeps the passages of a text that matter to a question."""

    def __call__(self, text: str, question: str, most: int, /) -> str:
        """Return at most ``most`` characters of ``text``, in their order."""
        ...
