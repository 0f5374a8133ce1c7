"""The tool that answers a question with quotes from pages it read."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, TypeAlias, TypeVar

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.timer import asyncio_timer
from webseam.kernel.deps import WebDeps
from webseam.kernel.envelopes import Replaced
from webseam.kernel.search import web_search
from webseam.ports import evidence
from webseam.ports.errors import DeadlineExceeded, WebError
from webseam.ports.web import WebSearchQuery

from ...session import Session, current_inner_callbacks
from ...settings.schema import Settings
from ...tools.ask_context import AskContext, current_ask_context
from ...tools.batch import Documents, ExtractResult, extract_tool_pages
from ...tools.descriptions import ASK_FIELDS, ASK_WORDS
from ...tools.feature_tools import ToolParts, ToolSource
from ...tools.web_tools import (
    Arguments,
    PluginEnvelope,
    Tool,
    ToolAnswer,
    Trace,
    add_trace,
    tool_error_or_none,
)
from .ask_models import AskModels, open_ask_models
from .settings import AskSettings

if TYPE_CHECKING:
    from webseam.kernel.features.evidence.notes import AskDeps, Pages, Searches

    from ...doors.client.web import Web


# The shares of the time at which planning and reading end.
_PLANNING_END_SHARE = 0.25
_READING_END_SHARE = 0.5
# The minimum share of the remaining time for reading.
_MIN_READING_SHARE = 0.5
_WHOLE_PAGE_CHARS = 10**9
_MAX_KNOWN_PAGES = 100
# The time for the final checks: a share, limited in seconds.
_CHECKING_SHARE, _MAX_CHECKING_SECONDS = 0.05, 1.0
Value = TypeVar("Value")
Outcome: TypeAlias = Result[Value, WebError]
Written: TypeAlias = Result[evidence.ModelText, WebError]
InTime: TypeAlias = Callable[[Awaitable[Written]], Awaitable[Written]]


class AnswerClock:
    """The time for one answer: the ends of planning, of reading and of model calls."""

    def __init__(self, seconds: float, provider: str | None = None) -> None:
        """Start the clock; errors name ``provider``."""
        began = time.monotonic()
        self._seconds, self._provider = seconds, provider
        self._models_end = began + seconds - min(seconds * _CHECKING_SHARE, _MAX_CHECKING_SECONDS)
        self._planning_ends = began + seconds * _PLANNING_END_SHARE
        self._reading_ends = began + seconds * _READING_END_SHARE

    def reading_seconds(self) -> float:
        """Return how many seconds are left to read pages."""
        now = time.monotonic()
        return max(self._reading_ends - now, (self._models_end - now) * _MIN_READING_SHARE)

    async def run_in_time(self, work: Awaitable[Outcome[Value]]) -> Outcome[Value]:
        """Return the result of the work, or an error at the end of model calls."""
        return await self._run_until(self._models_end, self._seconds, work)

    async def run_planning(self, work: Awaitable[Outcome[Value]]) -> Outcome[Value]:
        """Return the result of the work, or an error at the end of planning."""
        return await self._run_until(self._planning_ends, self._seconds * _PLANNING_END_SHARE, work)

    async def _run_until(
        self, end: float, seconds: float, work: Awaitable[Outcome[Value]]
    ) -> Outcome[Value]:
        ended = await asyncio_timer(work, max(0.0, end - time.monotonic()))
        if isinstance(ended, Failure):
            return Failure(DeadlineExceeded(deadline=seconds, backend=self._provider))
        return ended.unwrap()


class TimedAnswerer:
    """An answerer that fails before the deadline, so that its partial text still counts."""

    def __init__(self, answerer: evidence.Answerer, in_time: InTime) -> None:
        self._answerer, self._in_time = answerer, in_time

    @property
    def name(self) -> str:
        """The name of the answerer."""
        return self._answerer.name

    async def __call__(
        self, prompt: str, schema: Mapping[str, object], /, *, hear: evidence.HearText | None = None
    ) -> Result[evidence.ModelText, WebError]:
        """Return what the model wrote in time."""
        return await self._in_time(self._answerer(prompt, schema, hear=hear))


class AskToolDeps(msgspec.Struct, frozen=True, kw_only=True):
    """The dependencies of the tool; ``documents`` reads addresses of the index."""

    search: WebDeps
    pages: WebDeps
    models: AskModels
    seconds: float
    documents: Documents | None = None
    summary: bool = False


def ask_tool(kit: Result[AskToolDeps, WebError], *, offered: bool = True) -> Tool:
    """Return ``web_ask``; a call returns the error of ``kit``, if any."""
    # A plugin may return an answer that the tool gave before.
    pages: dict[str, evidence.SourcePage] = {}

    async def run(args: Arguments, trace: Trace) -> Result[ToolAnswer, WebError]:
        from webseam.kernel.features.evidence.rendering import ask_envelope  # on first use

        answered = await answer_question_in_time(args, kit.unwrap())
        if isinstance(answered, Success):
            pages.update((page.sha256, page) for page in answered.unwrap().pages)
            while len(pages) > _MAX_KNOWN_PAGES:
                del pages[next(iter(pages))]
        outcome = answered.map(lambda it: add_trace(it, trace))
        return outcome.map(
            lambda it: ToolAnswer(write_envelope=lambda: ask_envelope(Success(it)), outcome=it)
        )

    return Tool(
        name="web_ask",
        description=ASK_WORDS,
        arguments=evidence.AskArguments,
        explained=ASK_FIELDS,
        aliases={"query": "question"},
        judge=_judge_ask_arguments,
        run=run,
        check=lambda written, args: _check_replaced_ask(written, args, tuple(pages.values())),
        unavailable=tool_error_or_none(kit),
        offered=offered,
    )


def _check_replaced_ask(
    written: PluginEnvelope, args: Arguments, pages: Sequence[evidence.SourcePage]
) -> Result[Replaced, WebError]:
    from webseam.kernel.features.evidence.replaced_answers import (
        check_replaced_answer,
    )  # only with plugins

    question = str(args.get("question", ""))
    return check_replaced_answer(written.fields, question, pages, written.originals)


def _judge_ask_arguments(args: Arguments) -> WebError | None:
    from webseam.kernel.features.evidence.web_ask import check_ask  # on first use

    return tool_error_or_none(check_ask(args))


async def answer_question_in_time(
    args: Arguments, kit: AskToolDeps
) -> Result[evidence.AskOutcome, WebError]:
    """Answer within the time that the kit gives to all of it."""
    from webseam.kernel.features.evidence.web_ask import answer_from_pages, web_ask  # on first use

    context = current_ask_context()
    deps = _make_ask_deps(kit, context)
    if context.pages:
        work = answer_from_pages(str(args.get("question", "")), context.pages, deps)
    else:
        work = web_ask(args, deps)
    ended = await asyncio_timer(work, kit.seconds)
    return ended.unwrap() if isinstance(ended, Success) else Failure(ended.failure())


def _make_ask_deps(kit: AskToolDeps, context: AskContext) -> AskDeps:
    from webseam.kernel.features.evidence.notes import AskDeps  # on first use

    models = kit.models
    clock = AnswerClock(kit.seconds, models.provider)
    web = _open_inner_client(kit)

    async def search(queries: Sequence[WebSearchQuery]) -> Searches:
        asked = [web_search(it, kit.search) if web is None else web.search(it) for it in queries]
        return await asyncio.gather(*asked)

    async def read(urls: Sequence[str]) -> Pages:
        return await read_evidence_in_time(
            urls, kit.pages, clock.reading_seconds(), context.tell, documents=kit.documents, web=web
        )

    def timed(in_time: InTime) -> evidence.Answerer | None:
        return None if models.answerer is None else TimedAnswerer(models.answerer, in_time)

    return AskDeps(
        search=search,
        read=read,
        read_on=datetime.now(UTC).date().isoformat(),
        answerer=timed(clock.run_in_time),
        planner=timed(clock.run_planning),
        reranker=models.reranker,
        tell=context.tell,
        new_mark=lambda: secrets.token_hex(8),
        summary=kit.summary,
    )


def _open_inner_client(kit: AskToolDeps) -> Web | None:
    """Return a client for the searches and pages of an answer, if callbacks stand around them."""
    if (callbacks := current_inner_callbacks()) is None:
        return None
    from ...doors.client.web import Web  # few calls need it
    from ...tools.dispatch import Tools  # as above
    from ...tools.toolbox import ToolboxOverrides  # as above
    from ...tools.web_tools import extract_tool, search_tool  # as above

    tools = (search_tool(Success(kit.search)), extract_tool(Success(kit.pages), kit.documents))
    return Web(ToolboxOverrides(), tools=Tools(tools, Session(callbacks=callbacks)))


async def read_evidence_in_time(
    urls: Sequence[str],
    deps: WebDeps,
    seconds: float,
    tell: Callable[[evidence.AskStep], None] | None = None,
    *,
    documents: Documents | None = None,
    web: Web | None = None,
) -> list[ExtractResult]:
    """Read pages in parallel, through ``web`` if there is one; a late page is a failure."""
    late = Failure(DeadlineExceeded(deadline=max(seconds, 0.0)))
    pages: dict[str, ExtractResult] = {}

    def done(url: str, page: ExtractResult) -> None:
        pages[url] = page
        if tell is not None and isinstance(page, Success):
            tell(evidence.AskStep(step="read", detail=url))

    async def read_through(client: Web, url: str) -> None:
        # The limit tells these whole pages from those that are recorded in part.
        done(url, await client.extract(url, char_limit=_WHOLE_PAGE_CHARS))

    reading: Awaitable[object] = (
        extract_tool_pages(urls, deps, done=done, documents=documents)
        if web is None
        else asyncio.gather(*(read_through(web, url) for url in urls))
    )
    await asyncio_timer(reading, max(seconds, 0.0))
    return [pages.get(url, late) for url in urls]


async def _offers_answers(settings: Settings) -> bool:
    block = settings.of(AskSettings)
    return block.provider is not None or block.offer


def _open_ask_tool(parts: ToolParts) -> Tool:
    root, settings = parts.root, parts.root.settings.of(AskSettings)
    models = open_ask_models(root)
    parts.opened.extend([models.unwrap()] if isinstance(models, Success) else [])
    deps = parts.search.bind(
        lambda search: parts.pages.bind(
            lambda pages: models.map(
                lambda opened: AskToolDeps(
                    search=search,
                    # Claims are made of whole pages.
                    pages=msgspec.structs.replace(pages, compressor=None, budget=None),
                    models=opened,
                    seconds=settings.seconds,
                    documents=parts.documents,
                    summary=settings.summary,
                )
            )
        )
    )
    return ask_tool(deps, offered=settings.provider is not None or settings.offer)


TOOL = ToolSource(name="web_ask", is_ready=_offers_answers, open=_open_ask_tool)
