"""The port to machines that run our functions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeVar

from returns.result import Result

from webseam.ports.errors import WebError

Order = TypeVar("Order")
Answer = TypeVar("Answer")


class Nodes(Protocol):
    """Runs functions on other machines, and runs lost ones again."""

    def processors(self) -> int:
        """Return the current number of processors."""

    async def run(
        self, work: Callable[[Order], Answer], order: Order, *, processors: float = 1.0
    ) -> Result[Answer, WebError]:
        """Run ``work`` on some node and return its answer."""
