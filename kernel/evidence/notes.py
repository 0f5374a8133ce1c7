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
from ..answers import crashed, open_answer
from ..boundary import attempt_port

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


class Notes:
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
            return Failure(crashed(answered.failure(), answerer.name, None))
        opened = open_answer(answered.unwrap(), answerer.name, None)
        if isinstance(opened, Failure):
            return opened
        answer = opened.unwrap()
        if not isinstance(answer, ModelText):
            detail = "no text came"
            return Failure(BadPayload(problem="shape", backend=answerer.name, detail=detail))
        self.usage = added(self.usage, answer.usage)
        return Success(answer)


def nothing(
    reason: NothingReason, *, unsupported: tuple[str, ...] = (), tried: tuple[str, ...] = ()
) -> Failure[WebError]:
    """Return the failure of an answer that nothing carries."""
    return Failure(NothingSupported(reason=reason, unsupported=unsupported, tried=tried))


def added(one: Usage | None, two: Usage | None) -> Usage | None:
    """Return what two calls used together; of one that nobody counted, the other alone."""
    if one is None or two is None:
        return one or two
    costs = [usage.cost for usage in (one, two) if usage.cost is not None]
    return Usage(
        input_tokens=one.input_tokens + two.input_tokens,
        output_tokens=one.output_tokens + two.output_tokens,
        total_tokens=one.total_tokens + two.total_tokens,
        cached_tokens=one.cached_tokens + two.cached_tokens,
        cache_write_tokens=one.cache_write_tokens + two.cache_write_tokens,
        reasoning_tokens=one.reasoning_tokens + two.reasoning_tokens,
        cost=sum(costs) if costs else None,
    )
