"""Nodes of a cluster that are threads here, and lose their work as it pleases the test."""

import asyncio
from collections.abc import Callable
from typing import TypeVar

from returns.result import Result, Success

from webseam.ports.errors import WebError

Order = TypeVar("Order")
Answer = TypeVar("Answer")


class FakeNodes:
    """Runs every piece of work ``times`` times, as a cluster does that lost the first answers."""

    def __init__(self, processors: int = 2, times: int = 1) -> None:
        self._processors, self._times = processors, times
        self.orders: list[object] = []

    def processors(self) -> int:
        return self._processors

    async def run(
        self, work: Callable[[Order], Answer], order: Order, *, processors: float = 1.0
    ) -> Result[Answer, WebError]:
        self.orders.append((work.__name__, processors))
        answers = [await asyncio.to_thread(work, order) for _ in range(self._times)]
        return Success(answers[-1])
