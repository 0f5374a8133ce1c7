"""Documents put in the order of how well they answer a question."""

from collections.abc import Sequence
from typing import Protocol

import msgspec
from returns.result import Result

from ..errors import WebError


class RankedDocument(msgspec.Struct, frozen=True, kw_only=True):
    """Where a document stood among those that were sent, and how well it fits; more is better."""

    index: int
    score: float


class Reranker(Protocol):
    """Something that orders documents by a question, and that the kernel does not trust."""

    async def __call__(
        self, query: str, documents: Sequence[str], /
    ) -> Result[Sequence[RankedDocument], WebError]:
        """Return each document once, best first."""
        ...
