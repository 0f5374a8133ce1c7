"""Perform the requests of the dialects with the client of one caller."""

import asyncio
import re
import secrets
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from itertools import islice
from typing import Any, cast, get_args
from urllib.parse import urlsplit

import msgspec
from returns.result import Failure, Result

from webseam.adapters.call_context import keep_page_html
from webseam.adapters.features.gateway import asks
from webseam.adapters.features.gateway.replies import (
    Refusal,
    Reply,
    refusal_for_error,
    refuse_invalid,
    refuse_unsupported,
)
from webseam.adapters.features.gateway.sealed_turns import open_turns, seal_turns
from webseam.kernel.envelopes import strip_hidden_outcome, strip_hidden_page
from webseam.kernel.features.models.small_work import (
    answer_from_sources,
    sources_text,
    write_about_text,
)
from webseam.kernel.relevance import embed, rerank
from webseam.kernel.urls.spelling import canonical_url
from webseam.ports.errors import InvalidQuery, NobodyAnswered, UnsupportedFilter, WebError
from webseam.ports.models import Message
from webseam.ports.receipts import ExtractReceipt, SearchReceipt, Usage
from webseam.ports.usage import UsagePurpose
from webseam.ports.web import Query, SearchOutcome, WebExtractResult

from ...doors.client.web import SearchOptions, Web
from ...planning.open_backends import close_after
from ...tools.batch import share_page
from ...tools.row_pages import read_pages_in_time
from ..models.relevance import open_embedder, open_reranker
from ..models.small_work_models import SmallWorker, open_small_work_model
from .callers import GatewayCaller
from .fair_queue import FairQueue
from .job_board import JobBoard
from .metrics import KeyMetrics
from .model_objects import (
    can_do_without_model,
    object_from_rows,
    refuse_schema,
    with_page_object,
)
from .receipt_headers import receipt_headers
from .requested_forms import in_turns, with_forms
from .shared_clients import SharedClients

ReadPage = Callable[[str], Awaitable[asks.Page]]
_MAX_CONCURRENT_CRAWL_PAGES = 4
_MAX_PATH_CHARS = 256
_MAX_CONCURRENT_PAGES = 8


def is_in_crawl_plan(link: str, plan: asks.CrawlPlan) -> bool:
    """Tell whether a link is on the site of a plan and on a path that the plan includes."""
    site_host, link_host = urlsplit(plan.url).hostname or "", urlsplit(link).hostname or ""
    site_host = site_host.removeprefix("www.")
    same_site = link_host.removeprefix("www.") == site_host or (
        plan.subdomains and link_host.endswith(f".{site_host}")
    )
    path = urlsplit(link).path or "/"
    folder = urlsplit(plan.url).path.rpartition("/")[0] + "/"
    if plan.below and not path.startswith(folder):
        return False
    is_included = not plan.include or any(_is_path_match(pattern, path) for pattern in plan.include)
    is_excluded = any(_is_path_match(pattern, path) for pattern in plan.exclude)
    return same_site and is_included and not is_excluded


def _is_path_match(pattern: str, path: str) -> bool:
    return re.search(pattern, path[:_MAX_PATH_CHARS]) is not None


async def crawl_site(
    plan: asks.CrawlPlan, reader: ReadPage, done: Callable[[asks.Page], None] = lambda _page: None
) -> list[asks.Page]:
    """Crawl breadth-first from a page up to the limit; call ``done`` with each page."""
    pages: list[asks.Page] = []
    visited = {canonical_url(plan.url)}
    level = [plan.url]
    for _ in range(plan.depth + 1):
        batch = level[: plan.limit - len(pages)]
        batch_pages = await read_all_pages(batch, reader, done)
        pages += batch_pages
        level = await in_turns(_new_links(batch_pages, plan, visited))
        if not level or len(pages) >= plan.limit:
            break
    return pages


def _new_links(
    pages: Sequence[asks.Page], plan: asks.CrawlPlan, visited: set[str]
) -> Iterator[str | None]:
    """Yield the links of pages that belong to the crawl and are new, and None for each other.

    New ones are marked as visited.
    """
    for link in _crawl_links(pages, plan):
        if link is None or (spelling := canonical_url(link)) in visited:
            yield None
        else:
            visited.add(spelling)
            yield link


def _crawl_links(pages: Sequence[asks.Page], plan: asks.CrawlPlan) -> Iterator[str | None]:
    """Yield the links of pages that belong to the crawl, and None for each other."""
    for page in pages:
        for link in page.link_targets:
            yield link if is_in_crawl_plan(link, plan) else None


async def _map_links(page: asks.Page, url: str, ask: asks.LinksRequest) -> list[str]:
    """Return the address of a page and its links that have the words of the request."""
    words = ask.words.lower().split()
    urls = dict.fromkeys([url, *await in_turns(_crawl_links([page], ask.plan))])
    matching = (link for link in urls if all(word in link.lower() for word in words))
    return list(islice(matching, ask.plan.limit))


def _with_links(options: asks.PageOptions) -> asks.PageOptions:
    """Return the options for the pages of a crawl, which follows their links."""
    forms: dict[asks.PageForm, None] = dict.fromkeys((*options.forms, "links"))
    return msgspec.structs.replace(options, forms=tuple(forms))


async def read_all_pages(
    urls: Sequence[str],
    reader: ReadPage,
    done: Callable[[asks.Page], None] = lambda _page: None,
    *,
    at_once: int = _MAX_CONCURRENT_CRAWL_PAGES,
) -> list[asks.Page]:
    """Read pages concurrently, each address once; return one outcome for each URL, in order."""
    gate = asyncio.Semaphore(at_once)

    async def read_page(url: str) -> asks.Page:
        async with gate:
            page = await reader(url)
        done(page)
        return page

    async with asyncio.TaskGroup() as group:
        tasks = {url: group.create_task(read_page(url)) for url in dict.fromkeys(urls)}
    pages: list[asks.Page] = []
    seen: set[str] = set()
    for url in urls:
        page = tasks[url].result()
        if url in seen:
            page = _shared_page(page)
            done(page)
        seen.add(url)
        pages.append(page)
    return pages


def _shared_page(page: asks.Page) -> asks.Page:
    """Return a page for a second use, which costs nothing."""
    if page.result is None:
        return page
    return msgspec.structs.replace(page, result=share_page(page.result, page.result.url))


def _without_links(page: asks.Page) -> asks.Page:
    forms = msgspec.structs.replace(page.forms, links=())
    return msgspec.structs.replace(page, forms=forms)


def _refused_fields(error: WebError) -> tuple[str, ...]:
    if isinstance(error, UnsupportedFilter | NobodyAnswered):
        return tuple(error.filters)
    return (error.field,) if isinstance(error, InvalidQuery) else ()


def _number_from_page(outcome: SearchOutcome, page: int) -> SearchOutcome:
    """Return the rows of a later page with their positions in the whole search, as vendors do."""
    before = (page - 1) * (outcome.receipt.max_results or 0)
    rows = [msgspec.structs.replace(row, position=before + row.position) for row in outcome.rows]
    return msgspec.structs.replace(outcome, rows=tuple(rows))


def _answer_without_rows(
    outcome: SearchOutcome, task: asks.WritingTask, name: str
) -> asks.WrittenAnswer:
    """Return the answer of a search model, if there is one and the task has no need of rows."""
    if outcome.answer is None or task.sourced or not task.nothing:
        return asks.WrittenAnswer(text=task.nothing, model=name)
    return asks.WrittenAnswer(text=outcome.answer.text, model=outcome.receipt.backend)


class PerformerDeps(msgspec.Struct, frozen=True, kw_only=True):
    """Collaborators that all calls share: clients, jobs, queue and metrics."""

    webs: SharedClients
    jobs: JobBoard
    queue: FairQueue
    figures: KeyMetrics


class RequestPerformer:
    """Performs one call."""

    def __init__(self, caller: GatewayCaller, web: Web, deps: PerformerDeps) -> None:
        self._caller, self._web, self._deps = caller, web, deps
        # Fields of the call that the answer does not keep to, by the names of the dialect.
        self.unused: list[str] = []
        self._age: float | None = None
        self._failed_pages = 0
        self._refused_uses: set[str] = set()
        self._receipts: list[SearchReceipt | ExtractReceipt] = []

    async def perform(self, ask: asks.GatewayRequest) -> Reply | Refusal:
        """Return the answer in the form of the dialect, or a refusal."""
        written = await self._perform_request(ask)
        while not isinstance(written, Reply | Refusal):
            written = await self._perform_request(written)
        return written

    async def _perform_request(self, ask: asks.GatewayRequest) -> asks.Written:
        self.unused += getattr(ask, "unread", ())
        if (refusal := await self._check_page_task(ask)) is not None:
            return refusal
        match ask:
            case asks.SearchRequest():
                if isinstance(results := await self._perform_search(ask), Refusal):
                    return results
                return ask.write(results)
            case asks.PagesRequest():
                reader = self._page_reader(self._web, ask.wish)
                pages = await read_all_pages(ask.urls, reader, at_once=_MAX_CONCURRENT_PAGES)
                return ask.write(pages)
            case asks.LinksRequest():
                return await self._perform_links(ask)
            case asks.CrawlRequest():
                reader = self._page_reader(self._web, _with_links(ask.plan.wish))
                pages = await crawl_site(ask.plan, reader)
                return ask.write(pages)
            case asks.RerankRequest() | asks.EmbedRequest():
                return await self._perform_relevance(ask)
            case asks.StartJobRequest() | asks.JobStatusRequest() | asks.ListJobsRequest():
                return await self._perform_job(ask)

    async def run_web_tool(
        self, ask: asks.SearchRequest | asks.PagesRequest
    ) -> asks.SearchSuccess | asks.Page | Refusal:
        """Return what a search or the first of the pages brings, for a model that asked."""
        if isinstance(ask, asks.SearchRequest):
            return await self._perform_search(ask)
        return await self._page_reader(self._web, ask.wish)(ask.urls[0])

    async def _perform_search(self, ask: asks.SearchRequest) -> asks.SearchSuccess | Refusal:
        started = time.monotonic()
        if ask.answer is None:
            return await self._search_with_pages(ask, started)
        if (refusal := refuse_schema(ask.answer)) is not None:
            return refusal
        if isinstance(task := self._with_earlier_turns(ask.answer), Refusal):
            return task
        if isinstance(worker := self._open_writer(task), Refusal):
            return worker
        if worker is None:
            return await self._search_with_pages(ask, started)
        return await close_after(worker, self._search_with_answer(ask, task, worker, started))

    def _with_earlier_turns(self, task: asks.WritingTask) -> asks.WritingTask | Refusal:
        """Return a task with the turns that were sealed for this caller; refuse another's."""
        if not task.earlier:
            return task
        if (turns := open_turns(task.earlier, self._caller.secret)) is None:
            reason = f"{task.earlier_field}: is no id of a response to this caller."
            return refuse_invalid(reason, task.earlier_field)
        rules = msgspec.structs.replace(task.rules, turns=(*turns, *task.rules.turns))
        return msgspec.structs.replace(task, rules=rules)

    def _open_writer(self, task: asks.WritingTask) -> SmallWorker | Refusal | None:
        """Return the model for small work; None if there is none and the task can do without."""
        opened = open_small_work_model("small_work", self._deps.webs.root)
        if not isinstance(opened, Failure):
            return opened.unwrap()
        if task.optional:
            self.unused.append(task.field)
            return None
        reason = refusal_for_error(opened.failure()).message
        return Refusal(kind="unsupported", message=f"{task.field}: {reason}", params=(task.field,))

    async def _search_with_answer(
        self, ask: asks.SearchRequest, task: asks.WritingTask, worker: SmallWorker, started: float
    ) -> asks.SearchSuccess | Refusal:
        if isinstance(results := await self._search_with_pages(ask, started), Refusal):
            return results
        if task.rules.output_schema is not None:
            written_object = await object_from_rows(task, results.outcome, worker)
            if isinstance(written_object, Failure):
                return refusal_for_error(written_object.failure())
            answer = self._seal(written_object.unwrap(), task)
            return msgspec.structs.replace(results, answer=answer)
        sources, name = sources_text(results.outcome), worker.name
        if not any(row.title or row.snippet for row in results.outcome.rows):
            answer = self._seal(_answer_without_rows(results.outcome, task, name), task)
            return msgspec.structs.replace(results, answer=answer)
        if task.sourced:
            from .sourced_answers import answer_from_results  # noqa: PLC0415  few calls need it

            sourced = await answer_from_results(task.prompt, results, worker)
            if isinstance(sourced, Failure) and not task.optional:
                return refusal_for_error(sourced.failure())
            answer = sourced.value_or(asks.WrittenAnswer(text="", model=name))
            answer = msgspec.structs.replace(answer, text=answer.text or task.nothing)
            return msgspec.structs.replace(results, answer=answer)
        mark = secrets.token_hex(8)
        text = await answer_from_sources(
            task.prompt, sources, worker.model, name, task.rules, mark=mark
        )
        if isinstance(text, Failure):
            return refusal_for_error(text.failure())
        written, usage = text.unwrap().text, text.unwrap().usage or Usage()
        answer = asks.WrittenAnswer(text=written, model=name, usage=usage)
        return msgspec.structs.replace(results, answer=self._seal(answer, task))

    def _seal(self, answer: asks.WrittenAnswer, task: asks.WritingTask) -> asks.WrittenAnswer:
        """Return an answer with the turns so far, if its caller may go on from them."""
        if not task.earlier_field:
            return answer
        turns: list[Message] = [
            *task.rules.turns,
            {"role": "user", "content": task.prompt},
            {"role": "assistant", "content": answer.text},
        ]
        return msgspec.structs.replace(answer, sealed=seal_turns(turns, self._caller.secret))

    async def _search_with_pages(
        self, ask: asks.SearchRequest, started: float
    ) -> asks.SearchSuccess | Refusal:
        if isinstance(outcome := await self._search_without_refused_hints(ask), Failure):
            return refusal_for_error(outcome.failure())
        self._count_served(outcome.unwrap())
        visible = strip_hidden_outcome(outcome.unwrap())
        if ask.page != 1:
            visible = _number_from_page(visible, ask.page)
        pages: Sequence[asks.Page] = ()
        if ask.pages is not None:
            urls = [row.url for row in visible.rows]
            pages = await self._read_row_pages(urls, ask.pages)
        seconds = time.monotonic() - started
        return asks.SearchSuccess(outcome=visible, pages=tuple(pages), seconds=seconds)

    async def _read_row_pages(
        self, urls: Sequence[str], options: asks.PageOptions
    ) -> list[asks.Page]:
        """Read the pages of rows; one that is late is refused by itself, and the others stay."""
        reader = self._page_reader(self._web, options)

        def read(done: Callable[[str, asks.Page], None]) -> Awaitable[list[asks.Page]]:
            def keep(page: asks.Page) -> None:
                done(page.url, page)

            return read_all_pages(urls, reader, keep, at_once=_MAX_CONCURRENT_PAGES)

        def miss(url: str, error: WebError) -> asks.Page:
            self._failed_pages += 1
            return asks.Page(url=url, refusal=refusal_for_error(error))

        return await read_pages_in_time(urls, read, miss, self._deps.webs.root.settings.deadline)

    async def _search_without_refused_hints(
        self, ask: asks.SearchRequest
    ) -> Result[SearchOutcome, WebError]:
        """Search; without the hints that no backend takes."""
        fields = dict(ask.fields)
        if ask.page != 1:
            fields["page"] = ask.page
        # A call without an option of its own takes the shorter way.
        options: SearchOptions = {} if ask.max_age is None else {"max_age": ask.max_age}
        while True:
            # The kernel validates the fields.
            outcome = await self._web.search(cast("Query", fields), **options)
            refused = _refused_fields(outcome.failure()) if isinstance(outcome, Failure) else ()
            named = (name for name in refused if name in ask.hints)
            if not (hints := [name for name in named if fields.get(name) not in (None, "strict")]):
                return outcome
            self.unused += hints
            fields = {name: value for name, value in fields.items() if name not in hints}

    def _page_reader(self, web: Web, options: asks.PageOptions) -> ReadPage:
        async def read(url: str) -> asks.Page:
            has_data = options.task is not None and options.task.data
            with keep_page_html(bool(options.html_field) or has_data or "links" in options.forms):
                page = await web.extract(
                    url, focus=options.focus, char_limit=options.char_limit, max_age=options.max_age
                )
            if isinstance(page, Failure):
                self._failed_pages += 1
                return asks.Page(url=url, refusal=refusal_for_error(page.failure()))
            self._count_served(page.unwrap())
            result, task = strip_hidden_page(page.unwrap()), options.task
            is_html = result.receipt.raw and "html" in str(result.metadata.get("content_type"))
            if options.html_field and not is_html:
                reason = f"{result.receipt.backend} returned no HTML of this page"
                return asks.Page(url=url, refusal=refuse_unsupported(options.html_field, reason))
            read_page = await with_forms(asks.Page(url=url, result=result), options)
            if task is None:
                return read_page
            written_page = await self._write_about_page(read_page, task)
            if options.html_field or written_page.result is None:
                return written_page
            # A job keeps its pages, and nobody asked for their HTML.
            bare = msgspec.structs.replace(written_page.result, raw_content="")
            return msgspec.structs.replace(written_page, result=bare)

        return read

    async def _write_about_page(self, page: asks.Page, task: asks.WritingTask) -> asks.Page:
        if page.result is None:
            return page
        worker = self._open_writer(task)
        if task.data:
            model = worker if isinstance(worker, SmallWorker) else None
            work = with_page_object(page, page.result, task, model)
            return await (work if model is None else close_after(model, work))
        if not isinstance(worker, SmallWorker):
            return page
        content, name = page.result.content, worker.name
        mark = secrets.token_hex(8)
        writing = write_about_text(content, task.prompt, worker.model, name, task.rules, mark=mark)
        if isinstance(text := await close_after(worker, writing), Failure):
            return asks.Page(url=page.url, refusal=refusal_for_error(text.failure()))
        return msgspec.structs.replace(page, written=text.unwrap().text)

    async def _check_page_task(self, ask: asks.GatewayRequest) -> Refusal | None:
        """Return a refusal if pages are to be written about and no model is set."""
        options = getattr(ask, "wish", None) or getattr(ask, "pages", None)
        if options is None or options.task is None:
            return None
        if (refusal := refuse_schema(options.task)) is not None:
            return refusal
        if isinstance(worker := self._open_writer(options.task), SmallWorker):
            await worker.aclose()
            return None
        return None if can_do_without_model(options.task) else worker

    async def _perform_links(self, ask: asks.LinksRequest) -> asks.Written:
        options = _with_links(asks.PageOptions())
        page = await self._page_reader(self._web, options)(ask.plan.url)
        if page.result is None:
            return page.refusal or Refusal(kind="backend", message="The page was not read.")
        url = page.result.final_url
        return ask.write(await _map_links(page, url, ask))

    async def _perform_relevance(self, ask: asks.RerankRequest | asks.EmbedRequest) -> asks.Written:
        root, is_rerank = self._deps.webs.root, isinstance(ask, asks.RerankRequest)
        opened: Result[Any, WebError] = (open_reranker if is_rerank else open_embedder)(root)
        if isinstance(opened, Failure):
            refusal = refusal_for_error(opened.failure())
            return msgspec.structs.replace(refusal, kind="unsupported")
        model = opened.unwrap()
        work: Awaitable[Result[Any, WebError]] = (
            rerank(ask.query, ask.documents, model)
            if isinstance(ask, asks.RerankRequest)
            else embed(ask.texts, model, ask.role)
        )
        found = await close_after(model, work)
        return (
            refusal_for_error(found.failure())
            if isinstance(found, Failure)
            else ask.write(found.unwrap())
        )

    async def _perform_job(
        self, ask: asks.StartJobRequest | asks.JobStatusRequest | asks.ListJobsRequest
    ) -> asks.Written:
        owner, jobs = self._caller.id, self._deps.jobs
        if isinstance(ask, asks.ListJobsRequest):
            return ask.write(await jobs.active_jobs(owner, ask.kind))
        if isinstance(ask, asks.JobStatusRequest):
            view = await (jobs.cancel_job if ask.cancel else jobs.find_job)(owner, ask.kind, ask.id)
        else:
            view = await jobs.start_job(owner, ask, lambda done: self._run_job(ask, done))
        if isinstance(view, Refusal):
            return view
        return ask.write(view)

    async def _run_job(self, ask: asks.StartJobRequest, done: Callable[[asks.Page], None]) -> None:
        async with self._deps.webs.lend_client(self._caller) as web:
            options = ask.wish if ask.plan is None else _with_links(ask.wish)
            reader = self._queued_page_reader(self._page_reader(web, options))
            if ask.plan is None:
                await read_all_pages(ask.urls, reader, done, at_once=_MAX_CONCURRENT_PAGES)
            elif "links" in ask.wish.forms:
                await crawl_site(ask.plan, reader, done)
            else:
                # The job keeps its pages, and nobody asked for their links.
                await crawl_site(ask.plan, reader, lambda page: done(_without_links(page)))

    def _queued_page_reader(self, reader: ReadPage) -> ReadPage:
        """Return a reader that waits in the queue for each page, as calls do."""
        queue, caller_id = self._deps.queue, self._caller.id

        async def read_in_turn(url: str) -> asks.Page:
            await queue.wait_without_limit(caller_id)
            try:
                return await reader(url)
            finally:
                queue.end_turn(caller_id)

        return read_in_turn

    @property
    def provenance_headers(self) -> tuple[tuple[str, str], ...]:
        """Headers for what the forms of vendors have no field for.

        The oldest age, the pages that were not read, uses refused, what was sent to the backend and
        verified on its rows, and the keys of its answer that nobody reads.
        """
        age = () if self._age is None else (("x-webseam-age", f"{self._age:.0f}"),)
        uses = ", ".join(f"{purpose}=no" for purpose in sorted(self._refused_uses))
        usage = (("x-webseam-usage", uses),) if uses else ()
        failed: tuple[tuple[str, str], ...] = ()
        if self._failed_pages:
            failed = (("x-webseam-failed-pages", str(self._failed_pages)),)
        return (*age, *failed, *usage, *receipt_headers(self._receipts))

    def _count_served(self, outcome: SearchOutcome | WebExtractResult) -> None:
        receipt = outcome.receipt
        # A crawl has thousands of pages, and nearly none has anything to say.
        if receipt.unread or isinstance(receipt, SearchReceipt):
            self._receipts.append(receipt)
        self._age = max(self._age or 0.0, receipt.age or 0.0)
        usage = outcome.metadata.get("usage") if isinstance(outcome, WebExtractResult) else None
        said = usage if isinstance(usage, dict) else {}
        self._refused_uses |= {use for use in get_args(UsagePurpose) if said.get(use) == "no"}
        self._deps.figures.count_source(cached=receipt.cached, attempts=receipt.attempts)
