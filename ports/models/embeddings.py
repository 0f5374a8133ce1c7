"""Texts as vectors, so that likeness of meaning can be measured."""

from collections.abc import Sequence
from typing import Literal, Protocol, TypeAlias

import msgspec
from returns.result import Result

from ..errors import WebError

# What a text is: some models embed a question otherwise than what may answer it.
TextRole: TypeAlias = Literal["query", "document"]


class Embeddings(msgspec.Struct, frozen=True, kw_only=True):
    """One vector for each text, in their order. ``tokens`` is what was counted, 0 if unknown."""

    vectors: tuple[tuple[float, ...], ...]
    model: str
    tokens: int = 0


class Embedder(Protocol):
    """Something that turns texts into vectors, and that the kernel does not trust."""

    async def __call__(
        self, texts: Sequence[str], role: TextRole, /
    ) -> Result[Embeddings, WebError]:
        """Return one vector for each text, in their order."""
        ...
