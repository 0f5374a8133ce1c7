"""What makes long pages shorter."""

from __future__ import annotations

from typing import Protocol, TypeAlias

import msgspec
from returns.result import Result

from ..attempts import BackendAttempt
from ..errors import WebError
from ..receipts import Usage


class Compressed(msgspec.Struct, frozen=True, kw_only=True):
    """A shorter text, what a model used to make it, where one did, and who was asked for it."""

    text: str
    usage: Usage | None = None
    attempts: tuple[BackendAttempt, ...] = ()


CompressionResult: TypeAlias = Result[str, WebError] | Result[Compressed, WebError]


class Compressor(Protocol):
    """Something that shortens a page, usually a model. Its output is not trusted either."""

    async def __call__(self, text: str, instruction: str, /) -> CompressionResult:
        """Return a shorter text that keeps what ``instruction`` asks for.

        As ``Compressed`` it may say what that took, which goes into the receipt.
        """
        ...


class Condenser(Protocol):
    """A pure function that keeps the passages of a text that matter to a question."""

    def __call__(self, text: str, question: str, most: int, /) -> str:
        """Return at most ``most`` characters of ``text``, in their order."""
        ...
