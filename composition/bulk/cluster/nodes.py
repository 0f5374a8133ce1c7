"""Machines that run functions of ours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from returns.result import Result

from ....ports.errors import WebError

Order = TypeVar("Order")
Answer = TypeVar("Answer")


class Nodes(Protocol):
    """Whoever runs functions of ours elsewhere, and runs them again when they were lost."""

    def processors(self) -> int:
        """Return how many processors there are now."""
        ...

    async def run(
        self, work: Callable[[Order], Answer], order: Order, *, processors: float = 1.0
    ) -> Result[Answer, WebError]:
        """Have ``work`` done somewhere, and return its answer."""
        ...
