"""Collect warnings and usage while an answer is made, and call the model for it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.ports.attempts import BackendAttempt
from webseam.ports.errors import BadPayload, NothingSupported, WebError
from webseam.ports.errors.evidence import NothingReason
from webseam.ports.evidence import (
    Answerer,
    AskStep,
    AskStepName,
    Claim,
    HearText,
    ModelText,
)
from webseam.ports.models import Reranker
from webseam.ports.receipts import Usage, add_usage
from webseam.ports.web import SearchOutcome, WebExtractResult, WebSearchQuery

from ...boundary import attempt_port
from ...port_answers import open_port_answer, port_crash

Searches: TypeAlias = Sequence[Result[SearchOutcome, WebError]]
Pages: TypeAlias = Sequence[Result[WebExtractResult, WebError]]
Tell: TypeAlias = Callable[[AskStep], None]


class AskDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The collaborators that make an answer.

    ``search`` answers several queries and ``read`` reads several pages, concurrently and in order,
    within their time limits. ``read_on`` is today. Without an ``answerer`` the answer is
    extractive; a ``planner`` replaces the answerer for queries. ``tell`` receives each step, and
    each claim as soon as it is made; without it the model is not streamed. ``new_mark`` returns
    random letters for each prompt: they stand around its passages, and no page can hold them.
    ``summary`` asks the model for its own summary, too.
    """

    search: Callable[[Sequence[WebSearchQuery]], Awaitable[Searches]]
    read: Callable[[Sequence[str]], Awaitable[Pages]]
    read_on: str
    new_mark: Callable[[], str]
    answerer: Answerer | None = None
    planner: Answerer | None = None
    reranker: Reranker | None = None
    tell: Tell | None = None
    summary: bool = False


class AskNotes:
    """Warnings, usage and attempts of one answer, and the callback for its steps."""

    def __init__(self, tell: Tell | None) -> None:
        self._tell = tell
        self.usage: Usage | None = None
        self.warnings: list[str] = []
        self.attempts: list[BackendAttempt] = []

    @property
    def is_observed(self) -> bool:
        """Whether a callback receives the steps."""
        return self._tell is not None

    def report_step(self, name: AskStepName, detail: str = "", claim: Claim | None = None) -> None:
        """Report a step to the callback, if there is one."""
        if self._tell is not None:
            self._tell(AskStep(step=name, detail=detail, claim=claim))

    async def ask_model(
        self,
        answerer: Answerer,
        prompt: str,
        schema: Mapping[str, object],
        hear: HearText | None = None,
    ) -> Result[ModelText, WebError]:
        """Return the text that a model writes, and add its usage and its attempts."""
        answered = await attempt_port(lambda: answerer(prompt, schema, hear=hear))
        if isinstance(answered, Failure):
            return Failure(port_crash(answered.failure(), answerer.name, None))
        opened = open_port_answer(answered.unwrap(), answerer.name, None)
        if isinstance(opened, Failure):
            self.attempts += opened.failure().attempts
            return opened
        answer = opened.unwrap()
        if not isinstance(answer, ModelText):
            detail = "no text came"
            return Failure(BadPayload(problem="shape", backend=answerer.name, detail=detail))
        self.usage = add_usage(self.usage, answer.usage)
        self.attempts += answer.attempts
        return Success(answer)

    def add_attempts(self, results: Searches | Pages) -> None:
        """Add the attempts of searches or of pages, also of those that failed."""
        for result in results:
            if isinstance(result, Failure):
                self.attempts += result.failure().attempts
            else:
                self.attempts += result.unwrap().receipt.attempts


def nothing_supported(
    reason: NothingReason, *, unsupported: tuple[str, ...] = (), tried: tuple[str, ...] = ()
) -> Failure[WebError]:
    """Return the failure of an answer without supported claims."""
    return Failure(NothingSupported(reason=reason, unsupported=unsupported, tried=tried))
