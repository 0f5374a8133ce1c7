"""What was done for an answer so far, and the model that is asked on the way."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...ports.errors import BadPayload, NothingSupported, WebError
from ...ports.errors.evidence import NothingReason
from ...ports.evidence import (
    Answerer,
    AskStep,
    AskStepName,
    Claim,
    Hear,
    ModelText,
    SupportChecker,
)
from ...ports.models.rerank import Reranker
from ...ports.receipts import Usage
from ...ports.web import SearchOutcome, WebExtractResult, WebSearchQuery
from ..boundary import attempt_port
from ..port_answers import crash_error, open_answer

Searches: TypeAlias = Sequence[Result[SearchOutcome, WebError]]
Pages: TypeAlias = Sequence[Result[WebExtractResult, WebError]]
Tell: TypeAlias = Callable[[AskStep], None]


class AskDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What an answer is made with.

    ``search`` answers several queries and ``read`` reads several pages, each side by side and in
    their order, within the time there is. ``read_on`` is today. Without an ``answerer`` the answer
    is extractive; a ``planner`` thinks of queries in its place. Without a ``checker`` words alone
    judge. ``tell`` hears of each step, and of a claim as soon as it stands its check; without it
    the model is asked for its answer in one piece.
    """

    search: Callable[[Sequence[WebSearchQuery]], Awaitable[Searches]]
    read: Callable[[Sequence[str]], Awaitable[Pages]]
    read_on: str
    answerer: Answerer | None = None
    planner: Answerer | None = None
    reranker: Reranker | None = None
    checker: SupportChecker | None = None
    tell: Tell | None = None


class AskNotes:
    """Warnings and usage on the way to one answer, and who hears of its steps."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self.usage: Usage | None = None
        self.warnings: list[str] = []

    @property
    def told(self) -> bool:
        """Whether anybody listens."""
        return self._tell is not None

    def step(self, name: AskStepName, detail: str = "", claim: Claim | None = None) -> None:
        """Tell of a step."""
        if self._tell is not None:
            self._tell(AskStep(step=name, detail=detail, claim=claim))

    async def ask(
        self,
        answerer: Answerer,
        prompt: str,
        schema: Mapping[str, object],
        hear: Hear | None = None,
    ) -> Result[ModelText, WebError]:
        """Return what a model writes, and count what it took."""
        answered = await attempt_port(lambda: answerer(prompt, schema, hear=hear))
        if isinstance(answered, Failure):
            return Failure(crash_error(answered.failure(), answerer.name, None))
        opened = open_answer(answered.unwrap(), answerer.name, None)
        if isinstance(opened, Failure):
            return opened
        answer = opened.unwrap()
        if not isinstance(answer, ModelText):
            detail = "no text came"
            return Failure(BadPayload(problem="shape", backend=answerer.name, detail=detail))
        self.usage = add_usage(self.usage, answer.usage)
        return Success(answer)


def nothing_supported(
    reason: NothingReason, *, unsupported: tuple[str, ...] = (), tried: tuple[str, ...] = ()
) -> Failure[WebError]:
    """Return the failure of an answer that nothing carries."""
    return Failure(NothingSupported(reason=reason, unsupported=unsupported, tried=tried))


def add_usage(first: Usage | None, second: Usage | None) -> Usage | None:
    """Return what two calls used together; of one that nobody counted, the other alone."""
    if first is None or second is None:
        return first or second
    costs = [usage.cost for usage in (first, second) if usage.cost is not None]
    return Usage(
        input_tokens=first.input_tokens + second.input_tokens,
        output_tokens=first.output_tokens + second.output_tokens,
        total_tokens=first.total_tokens + second.total_tokens,
        cached_tokens=first.cached_tokens + second.cached_tokens,
        cache_write_tokens=first.cache_write_tokens + second.cache_write_tokens,
        reasoning_tokens=first.reasoning_tokens + second.reasoning_tokens,
        cost=sum(costs) if costs else None,
    )
