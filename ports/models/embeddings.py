"""Define embeddings of texts, which measure similarity of meaning."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from ..errors import WebError

# Some models embed a question differently from a document.
TextRole: TypeAlias = Literal["query", "document"]


class Embeddings(msgspec.Struct, frozen=True, kw_only=True):
    """One vector for each text, in order. ``tokens`` is the provider's count, 0 if unknown."""

    vectors: tuple[tuple[float, ...], ...]
    model: str
    tokens: int = 0


class Embedder(Protocol):
    """A function from texts to vectors; the kernel does not trust it."""

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, in order."""
        ...
