"""Define rerankers, which order documents by how well they answer a question."""

from collections.abc import Sequence
from typing import Protocol

import msgspec
from returns.result import Result

from ..errors import WebError


class RankedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """The index of a document in the request, and its score; more is better."""

    index: int
    score: float


class Reranker(Protocol):
    """A function that orders documents by a question; the kernel does not trust it."""

    async def __call__(
        self, query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        """Return each document once, best first."""
        ...
