"""Define compressors, which shorten long pages."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import msgspec
from returns.result import Result

from ..attempts import BackendAttempt
from ..errors import WebError
from ..receipts import Usage


class Compressed(msgspec.Struct, frozen=True, kw_only=True):
    """A shorter text, the usage of the model that made it, if any, and the attempts."""

    text: str
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()


CompressionResult: TypeAlias = Result[str, WebError] | Result[Compressed, WebError]


class Compressor(Protocol):
    """A function that shortens a page, usually with a model. Its output is not trusted."""

    async def __call__(self, text: str, instruction: str, /) -> CompressionResult:
        """Return a shorter text that keeps what ``instruction`` asks for.

        A ``Compressed`` adds usage and attempts for the receipt.
        """
        ...


class Condenser(Protocol):
    """A pure function that keeps the passages of a text that are relevant to a question."""

    def __call__(self, text: str, question: str, most: int, /) -> str:
        """Return at most ``most`` characters of ``text``, in their order."""
        ...
