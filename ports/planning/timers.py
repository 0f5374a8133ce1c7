"""Time limits, for those who may not look at a clock."""

from collections.abc import Awaitable
from typing import Protocol, TypeVar

from returns.result import Result

from ..errors import DeadlineExceeded

Value = TypeVar("Value")


class Timer(Protocol):
    """Something that waits for work, and not forever."""

    async def __call__(
        self, work: Awaitable[Value], seconds: float, /
    ) -> Result[Value, DeadlineExceeded]:
        """Return what ``work`` gives; when the time is up, cancel it and say so.

        What the work raises is raised here, and so is a cancellation from outside.
        """
        ...
