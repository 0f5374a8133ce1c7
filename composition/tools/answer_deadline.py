"""The time for one answer: a part that is late ends before all of it, so that the rest counts."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias, TypeVar

from returns.result import Failure, Result

from ...adapters.timer import asyncio_timer
from ...ports.errors import DeadlineExceeded, WebError
from ...ports.evidence import Answerer, Hear, ModelText, SupportChecker, SupportQuestion

# Of the time for an answer, when planning and reading end; the rest is for models and checks.
_PLANNING = 0.25
_READING = 0.5
# What reading has of the rest, where planning and searching took long.
_MIN_READING_SHARE = 0.5
# What is kept for the checks at the end: a share, and no more than these seconds.
_CHECKING, _MOST_CHECKING = 0.05, 1.0

Value = TypeVar("Value")
Written: TypeAlias = Result[ModelText, WebError]
InTime: TypeAlias = Callable[[Awaitable[Written]], Awaitable[Written]]


class AnswerClock:
    """The time for one answer: when planning ends, when reading does, and when models do."""

    def __init__(self, seconds: float, provider: str | None = None) -> None:
        """Give ``seconds`` to all of it, whose models are behind ``provider``."""
        began = time.monotonic()
        self._seconds = seconds
        self._provider = provider
        self._models_end = began + seconds - min(seconds * _CHECKING, _MOST_CHECKING)
        self._planning_ends = began + seconds * _PLANNING
        self._reading_ends = began + seconds * _READING

    def for_reading(self) -> float:
        """Return how many seconds are left to read pages."""
        now = time.monotonic()
        return max(self._reading_ends - now, (self._models_end - now) * _MIN_READING_SHARE)

    async def in_time(self, work: Awaitable[Result[Value, WebError]]) -> Result[Value, WebError]:
        """Return what the work gives, or that it did not end in time."""
        return await self._until(self._models_end, self._seconds, work)

    async def in_time_to_plan(
        self, work: Awaitable[Result[Value, WebError]]
    ) -> Result[Value, WebError]:
        """Return what the work gives, or that it did not end while pages could still be read."""
        return await self._until(self._planning_ends, self._seconds * _PLANNING, work)

    async def _until(
        self, end: float, seconds: float, work: Awaitable[Result[Value, WebError]]
    ) -> Result[Value, WebError]:
        ended = await asyncio_timer(work, max(0.0, end - time.monotonic()))
        if isinstance(ended, Failure):
            return Failure(DeadlineExceeded(deadline=seconds, backend=self._provider))
        return ended.unwrap()


class TimedAnswerer:
    """An answerer that fails before the time for all is over, so that what it told still counts."""

    def __init__(self, answerer: Answerer, in_time: InTime) -> None:
        self._answerer = answerer
        self._in_time = in_time

    @property
    def name(self) -> str:
        """The answerer's."""
        return self._answerer.name

    async def __call__(
        self, prompt: str, schema: Mapping[str, object], /, *, hear: Hear | None = None
    ) -> Result[ModelText, WebError]:
        """Return what the model wrote in time."""
        return await self._in_time(self._answerer(prompt, schema, hear=hear))


class TimedChecker:
    """A judge that fails before the time for all is over: then words alone judge."""

    def __init__(self, checker: SupportChecker, clock: AnswerClock) -> None:
        self._checker = checker
        self._clock = clock

    @property
    def name(self) -> str:
        """The judge's."""
        return self._checker.name

    async def __call__(
        self, questions: Sequence[SupportQuestion], /
    ) -> Result[Sequence[float], WebError]:
        """Return the scores that came in time."""
        return await self._clock.in_time(self._checker(questions))
