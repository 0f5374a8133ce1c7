"""Does what a dialect asks for, with the tools of one caller."""

import asyncio
import re
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import cast
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure

from ....adapters.gateway.gateway_requests import (
    AnswerRequest,
    CrawlPlan,
    CrawlRequest,
    GatewayRequest,
    JobStatusRequest,
    LinksRequest,
    ListJobsRequest,
    Page,
    PageOptions,
    PagesRequest,
    RerankRequest,
    SearchRequest,
    SearchSuccess,
    StartJobRequest,
    Written,
    WrittenAnswer,
)
from ....adapters.gateway.refusal import Refusal, refusal_for_error
from ....adapters.page_forms import page_links
from ....kernel.envelopes import visible_outcome, visible_page
from ....kernel.models.auxiliary import answer_from, sources_text
from ....kernel.relevance import rerank
from ....kernel.urls.spelling import canonical_url
from ....ports.web import Query, SearchOutcome, WebExtractResult
from ...calls.open_backends import close_after
from ...client.web import Web
from ...models.relevance import open_reranker
from ...models.small_work_models import open_auxiliary
from ..admission import FairQueue
from ..callers import GatewayCaller
from ..metrics import GatewayMetrics
from .board import JobBoard
from .shared_clients import SharedClients

ReadPage = Callable[[str], Awaitable[Page]]
_CRAWLING_MAX_CONCURRENT_PAGES = 4
_MAX_PATH_CHARS = 256


def is_in_plan(link: str, plan: CrawlPlan) -> bool:
    """Tell whether a link is of the site that a plan begins with, on a path that it wants."""
    own, other = urlsplit(plan.url).hostname or "", urlsplit(link).hostname or ""
    own = own.removeprefix("www.")
    here = other.removeprefix("www.") == own or (plan.subdomains and other.endswith(f".{own}"))
    path = urlsplit(link).path or "/"
    folder = urlsplit(plan.url).path.rpartition("/")[0] + "/"
    if plan.below and not path.startswith(folder):
        return False
    wanted = not plan.include or any(_matches(each, path) for each in plan.include)
    return here and wanted and not any(_matches(each, path) for each in plan.exclude)


def _matches(pattern: str, path: str) -> bool:
    return re.search(pattern, path[:_MAX_PATH_CHARS]) is not None


async def crawl_site(
    plan: CrawlPlan, reader: ReadPage, done: Callable[[Page], None] = lambda _page: None
) -> list[Page]:
    """Read from a page on, nearest first, until the limit; ``done`` is told of each page."""
    pages: list[Page] = []
    known = {canonical_url(plan.url)}
    level = [plan.url]
    for _ in range(plan.depth + 1):
        batch = level[: plan.limit - len(pages)]
        found = await read_pages(batch, reader, done)
        pages += found
        level = []
        links = (
            link for page in found if page.result is not None for link in page_links(page.result)
        )
        for link in (link for link in links if is_in_plan(link, plan)):
            spelling = canonical_url(link)
            if spelling not in known:
                known.add(spelling)
                level.append(link)
        if not level or len(pages) >= plan.limit:
            break
    return pages


async def read_pages(
    urls: Sequence[str],
    reader: ReadPage,
    done: Callable[[Page], None] = lambda _page: None,
    *,
    at_once: int = _CRAWLING_MAX_CONCURRENT_PAGES,
) -> list[Page]:
    """Read pages, some at once; one outcome for each, in their order."""
    gate = asyncio.Semaphore(at_once)

    async def one(url: str) -> Page:
        async with gate:
            page = await reader(url)
        done(page)
        return page

    async with asyncio.TaskGroup() as group:
        tasks = [group.create_task(one(url)) for url in urls]
    return [task.result() for task in tasks]


# Does what a dialect asks for, with the tools of one caller.

_MAX_CONCURRENT_PAGES = 8


class PerformerDeps(msgspec.Struct, frozen=True, kw_only=True):
    """What all calls share: clients for jobs, the jobs themselves, the queue and the figures."""

    webs: SharedClients
    jobs: JobBoard
    queue: FairQueue
    figures: GatewayMetrics


class AskPerformer:
    """The gateway's hands, for one call."""

    def __init__(self, caller: GatewayCaller, web: Web, place: PerformerDeps) -> None:
        """Ask with ``web``, for ``caller``."""
        self._caller = caller
        self._web = web
        self._place = place

    async def perform(self, ask: GatewayRequest) -> Written:  # noqa: C901, PLR0911  one case an ask
        """Return the dialect's own answer, or why there is none."""
        match ask:
            case SearchRequest():
                results = await self._search(ask)
                return results if isinstance(results, Refusal) else ask.write(results)
            case PagesRequest():
                reader = self._reader(self._web, ask.wish)
                return ask.write(await read_pages(ask.urls, reader, at_once=_MAX_CONCURRENT_PAGES))
            case LinksRequest():
                return await self._links(ask)
            case CrawlRequest():
                return ask.write(await crawl_site(ask.plan, self._reader(self._web, ask.plan.wish)))
            case RerankRequest():
                return await self._rerank(ask)
            case AnswerRequest():
                return await self._answer(ask)
            case StartJobRequest() | JobStatusRequest() | ListJobsRequest():
                return await self._job(ask)

    async def _search(self, ask: SearchRequest | AnswerRequest) -> SearchSuccess | Refusal:
        started = time.monotonic()
        # The kernel checks the fields, whatever they are.
        outcome = await self._web.search(cast("Query", dict(ask.fields)))
        if isinstance(outcome, Failure):
            return refusal_for_error(outcome.failure())
        self._count(outcome.unwrap())
        pages: Sequence[Page] = ()
        wish = ask.pages if isinstance(ask, SearchRequest) else None
        if wish is not None:
            urls = [row.url for row in outcome.unwrap().rows]
            pages = await read_pages(
                urls, self._reader(self._web, wish), at_once=_MAX_CONCURRENT_PAGES
            )
        seconds = time.monotonic() - started
        found = visible_outcome(outcome.unwrap())
        return SearchSuccess(outcome=found, pages=tuple(pages), seconds=seconds)

    def _reader(self, web: Web, wish: PageOptions) -> ReadPage:
        async def read(url: str) -> Page:
            page = await web.extract(url, focus=wish.focus, char_limit=wish.char_limit)
            if isinstance(page, Failure):
                return Page(url=url, refusal=refusal_for_error(page.failure()))
            self._count(page.unwrap())
            return Page(url=url, result=visible_page(page.unwrap()))

        return read

    async def _links(self, ask: LinksRequest) -> Written:
        page = await self._reader(self._web, PageOptions())(ask.plan.url)
        if page.result is None:
            return page.refusal or Refusal(kind="backend", message="The page was not read.")
        links = [link for link in page_links(page.result) if is_in_plan(link, ask.plan)]
        words = ask.words.lower().split()
        every = dict.fromkeys([page.result.final_url, *links])
        matching = [link for link in every if all(word in link.lower() for word in words)]
        return ask.write(matching[: ask.plan.limit])

    async def _rerank(self, ask: RerankRequest) -> Written:
        root = self._place.webs.root
        opened = open_reranker(root.settings, transport=root.transport)
        if isinstance(opened, Failure):
            # Nobody said who ranks: that is nothing we have.
            refusal = refusal_for_error(opened.failure())
            return msgspec.structs.replace(refusal, kind="unsupported")
        reranker = opened.unwrap()
        ranked = await close_after(reranker, rerank(ask.query, ask.documents, reranker))
        if isinstance(ranked, Failure):
            return refusal_for_error(ranked.failure())
        return ask.write(ranked.unwrap()[: ask.top])

    async def _answer(self, ask: AnswerRequest) -> Written:
        root = self._place.webs.root
        opened = open_auxiliary(root.settings, root.session, transport=root.transport)
        if isinstance(opened, Failure):
            # Nobody said which model writes: that is nothing we have.
            refusal = refusal_for_error(opened.failure())
            return msgspec.structs.replace(refusal, kind="unsupported")
        worker = opened.unwrap()
        results = await self._search(ask)
        if isinstance(results, Refusal):
            await worker.aclose()
            return results
        sources = sources_text(results.outcome)
        text = await close_after(
            worker, answer_from(ask.question, sources, worker.model, worker.name)
        )
        if isinstance(text, Failure):
            return refusal_for_error(text.failure())
        return ask.write(WrittenAnswer(found=results, text=text.unwrap(), model=worker.name))

    async def _job(self, ask: StartJobRequest | JobStatusRequest | ListJobsRequest) -> Written:
        owner, jobs = self._caller.id, self._place.jobs
        if isinstance(ask, ListJobsRequest):
            return ask.write(await jobs.active(owner, ask.kind))
        if isinstance(ask, JobStatusRequest):
            view = await (jobs.cancel if ask.cancel else jobs.look)(owner, ask.kind, ask.id)
        else:
            view = await jobs.start(owner, ask, lambda done: self._work(ask, done))
        return view if isinstance(view, Refusal) else ask.write(view)

    async def _work(self, ask: StartJobRequest, done: Callable[[Page], None]) -> None:
        async with self._place.webs.using(self._caller) as web:
            reader = self._patient(self._reader(web, ask.wish))
            if ask.plan is None:
                await read_pages(ask.urls, reader, done, at_once=_MAX_CONCURRENT_PAGES)
            else:
                await crawl_site(ask.plan, reader, done)

    def _patient(self, reader: ReadPage) -> ReadPage:
        """Let each page of a job wait for its turn, as every call does."""
        queue, who = self._place.queue, self._caller.id

        async def waited(url: str) -> Page:
            await queue.wait(who)
            try:
                return await reader(url)
            finally:
                queue.leave(who)

        return waited

    def _count(self, outcome: SearchOutcome | WebExtractResult) -> None:
        receipt = outcome.receipt
        self._place.figures.served(cached=receipt.cached, attempts=receipt.attempts)
