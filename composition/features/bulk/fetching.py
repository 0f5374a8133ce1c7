"""Fetch shards of URLs politely and store them as WARC, the source of all rows."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from contextlib import asynccontextmanager, closing
from functools import partial
from pathlib import Path
from typing import Final

import httpx
import msgspec

from webseam.adapters.features.bulk.crawling import polite_fetcher
from webseam.adapters.features.bulk.crawling.group_results import (
    FetchResult,
    FetchTask,
    Spool,
    archive_to_spool,
    drop_unwanted_pieces,
    write_warc_records,
)
from webseam.adapters.features.bulk.crawling.hosts import HostTurns
from webseam.adapters.features.bulk.crawling.listings import MAX_LIST_BYTES
from webseam.adapters.features.bulk.crawling.recent_answers import (
    MAX_ANSWERS_BYTES as MOST_RECENT,
    RecentAnswers,
)
from webseam.adapters.features.bulk.crawling.repeats import RepeatedPages
from webseam.adapters.features.bulk.crawling.robots import FetchedTexts, FetchText, RobotsFiles
from webseam.adapters.features.bulk.crawling.warc_records import (
    read_warc_answer,
    refresh_stored_headers,
    unchanged_warc_records,
    visit_warc_records,
    warc_failure_record,
)
from webseam.adapters.features.bulk.datasets.warc import validated_warc_pages
from webseam.adapters.pages.fetch.connect import FetchDeps, FetchLimits, system_resolve
from webseam.adapters.pages.fetch.user_headers import Headers
from webseam.adapters.pages.fetch.visit import PageResponse
from webseam.kernel.features.bulk import pace
from webseam.kernel.features.bulk.bulk_rows import BUDGET_OPTION, is_over_bulk_byte_limit
from webseam.kernel.features.bulk.url_lists import ListEntry, crawl_page_url
from webseam.kernel.pages import markdown_twin
from webseam.kernel.pages.usage import judge_usage, usage_refusal
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import Shard
from webseam.ports.errors import CallRefused, WebError
from webseam.ports.targets import Target

from ...doors.client.results import unwrap
from ...wiring.pages import make_guard
from .checks import bulk_user_agent, read_pages_settings, read_signer, warc_notes
from .dataset_status import fetched_bytes
from .items import EARLIER_PAGES, SPOOLS, shard_spool, shard_warc, warc_folder
from .options import BulkOptions
from .plan import shard_entries
from .site_lists import SiteLists

# Lists are larger than pages, and often compressed.
_LIST_FETCH_LIMITS: Final = FetchLimits(
    wire_bytes=MAX_LIST_BYTES,
    decoded_bytes=MAX_LIST_BYTES,
    more_types=frozenset({"application/gzip", "application/x-gzip"}),
    deadline=120.0,
)


class EarlierPage(msgspec.Struct, frozen=True, kw_only=True):
    """A page of an earlier run: its validators for a conditional request, and its record."""

    validators: Headers
    record: bytes


def index_earlier_run(options: BulkOptions) -> None:
    """Index the pages of the earlier run of ``--since`` in SQLite; raises ``OSError``."""
    if options.former is None:
        return
    path = Path(options.folder) / EARLIER_PAGES
    path.unlink(missing_ok=True)
    try:
        former = Path(options.former)
        with closing(sqlite3.connect(path, isolation_level=None)) as table:
            table.execute("PRAGMA journal_mode = OFF")
            table.execute(
                "CREATE TABLE pages (page TEXT PRIMARY KEY, etag TEXT, modified TEXT,"
                " file TEXT, offset INTEGER, length INTEGER) WITHOUT ROWID"
            )
            table.execute("BEGIN")
            insert = "INSERT OR REPLACE INTO pages VALUES (?, ?, ?, ?, ?, ?)"
            table.executemany(insert, _earlier_page_rows(former))
            table.execute("COMMIT")
    except sqlite3.Error as error:
        raise OSError(None, str(error)) from error


def _earlier_page_rows(former: Path) -> Iterator[tuple[object, ...]]:
    for path in sorted(warc_folder(former).glob("*.warc.gz")):
        for page in validated_warc_pages(path):
            name = crawl_page_url(page.url)
            # Skip redirected pages: their validators belong to the other URL.
            if name == crawl_page_url(page.final_url):
                yield (name, page.etag, page.modified, path.name, page.offset, page.length)


class EarlierRun:
    """The pages of an earlier run, found by any spelling of their URLs."""

    def __init__(self, former: Path, folder: Path) -> None:
        """Open the index read-only, so several readers can share it; raises ``sqlite3.Error``."""
        self._folder = warc_folder(former)
        location = (folder / EARLIER_PAGES).absolute().as_uri()
        self._table = sqlite3.connect(f"{location}?mode=ro&immutable=1", uri=True)

    def find_page(self, url: str) -> EarlierPage | None:
        """Return the earlier page at a URL, or None without validators."""
        query = "SELECT etag, modified, file, offset, length FROM pages WHERE page = ?"
        if (row := self._table.execute(query, (crawl_page_url(url),)).fetchone()) is None:
            return None
        etag, modified, file, offset, length = row
        headers = (("If-None-Match", etag), ("If-Modified-Since", modified))
        with (self._folder / file).open("rb") as stream:
            stream.seek(offset)
            record = stream.read(length)
        return EarlierPage(validators=tuple(pair for pair in headers if pair[1]), record=record)


class HostShare(msgspec.Struct, frozen=True, kw_only=True):
    """The hosts of one fetcher, where several fetchers share a run.

    Another fetcher may have asked these hosts up to ``others_until``, by the loop's clock.
    ``spent`` bytes were fetched before; ``texts`` stores their robots.txt files and ``recent`` the
    latest answers. The run is split into ``parts``.
    """

    is_ours: Callable[[Target], bool]
    others_until: float | None = None
    spent: int = 0
    texts: Path | None = None
    recent: Path | None = None
    parts: int = 1


_ALL_HOSTS: Final = HostShare(is_ours=lambda _target: True)


class Fetching:
    """The network access of a run: one pace for each host, over all its shards."""

    def __init__(
        self,
        options: BulkOptions,
        policy: Policy,
        *,
        is_stopping: Callable[[], bool] = lambda: False,
        on_fetch: Callable[[], None] = lambda: None,
        share: HostShare = _ALL_HOSTS,
    ) -> None:
        """Send no request yet; index an earlier run before. ``on_fetch`` counts fetched pages."""
        self.robot = pace.crawl_robot_name(bulk_user_agent(options))
        self._notes = warc_notes(options)
        self._on_fetch = on_fetch
        deps = FetchDeps(
            guard=make_guard(policy),
            resolve=system_resolve,
            now=time.time,
            retry=pace.next_crawl_attempt,
            limits=FetchLimits(),
            user_agent=bulk_user_agent(options),
            proxy=policy.proxy,
            signer=unwrap(read_signer()),
            prefer=read_pages_settings().prefer,
        )
        turns = HostTurns(
            options.per_host,
            partial(pace.crawl_host_pause, options.delay),
            is_stopping,
            share.others_until,
        )
        self._has_second_look = partial(
            markdown_twin.is_sampled_page, share=read_pages_settings().second_look
        )
        fetch_manners = polite_fetcher.FetchManners(
            slots=options.at_once,
            rest=pace.crawl_host_rest,
            is_stopping=is_stopping,
            refusal=self._budget_refusal,
            usage_refusal=lambda said: usage_refusal(judge_usage(said), options.purpose),
            is_ours=share.is_ours,
            page_of=crawl_page_url,
            looks=self._has_second_look,
        )
        self._recent, self._recent_path = RecentAnswers(MOST_RECENT // share.parts), share.recent
        if share.recent is not None:
            self._recent.read_answers(share.recent)
        self.fetcher = polite_fetcher.PoliteFetcher(deps, turns, fetch_manners, self._recent)
        list_deps = msgspec.structs.replace(deps, limits=_LIST_FETCH_LIMITS)
        list_fetcher = polite_fetcher.PoliteFetcher(list_deps, turns, fetch_manners)
        self.lists = SiteLists(list_fetcher)
        self.robots = self._robots_files(share.texts, is_stopping) if options.robots else None
        self.fetcher.robots = list_fetcher.robots = self.robots
        folder = Path(options.folder)
        self._max_bytes, self._bytes = options.max_bytes, share.spent
        if share is _ALL_HOSTS and options.max_bytes is not None:
            self._bytes = fetched_bytes(folder)
        self._repeated = RepeatedPages(folder, folder / SPOOLS / "pages", is_over_bulk_byte_limit)
        former = options.former
        self._former = None if former is None else EarlierRun(Path(former), folder)

    def _robots_files(self, folder: Path | None, is_stopping: Callable[[], bool]) -> RobotsFiles:
        fetch_text: FetchText = self.fetcher.fetch_text
        if folder is not None:
            # Do not store the error of a stopped or over-budget run: the file was not fetched.

            def is_unwanted(error: WebError | None) -> bool:
                return is_stopping() or is_over_bulk_byte_limit(error)

            fetch_text = FetchedTexts(folder, fetch_text, time.time, is_unwanted).fetch
        return RobotsFiles(
            fetch_text,
            self.robot,
            lambda error: pace.robots_txt_meaning(error) == "closed",
            max_delay=pace.MAX_DELAY_SECONDS,
            now=time.time,
        )

    async def fetch_shard(self, shard: Shard, folder: Path) -> bool:
        """Write a shard's pages as WARC; False when stopped first; raises ``OSError``."""
        entries = list(shard_entries(folder, shard))
        path, spool_path = shard_warc(shard, folder), shard_spool(shard, folder)
        return await self._fetch_to_warc(path, spool_path, entries)

    async def fetch_url_list(self, urls: Sequence[str], path: Path, folder: Path) -> bool:
        """Write the pages of some URLs as WARC at ``path``; otherwise like ``fetch_shard``."""
        entries = [ListEntry(source="", offset=index, url=url) for index, url in enumerate(urls)]
        return await self._fetch_to_warc(path, folder / SPOOLS / path.name, entries)

    async def _fetch_to_warc(
        self, path: Path, spool_path: Path, entries: Sequence[ListEntry]
    ) -> bool:
        numbers = range(len(entries))
        has_room = self.may_fetch()
        if _has_warc_file(path) and not (
            has_room and archive_to_spool(path, spool_path, len(entries), is_over_bulk_byte_limit)
        ):
            return True
        with closing(Spool(spool_path)) as spool:
            if has_room:
                drop_unwanted_pieces(spool, numbers, is_over_bulk_byte_limit)
            async with fetch_task_group() as tasks:
                for number in (number for number in numbers if number not in spool):
                    tasks.create_task(self._fetch_into_spool(number, entries[number], spool))
            if not all(number in spool for number in numbers):
                return False
            write_warc_records(path, spool.read_pieces(numbers), self._notes)
            spool.remove_spool()
        return True

    async def _fetch_into_spool(self, number: int, entry: ListEntry, spool: Spool) -> None:
        url = entry.url or ""
        task = FetchTask(number=number, url=url, asked=url, error=entry.error)
        if (result := await self.run_fetch_task(task)) is not None:
            spool.add_piece(number, result.records)
            self._on_fetch()

    async def run_fetch_task(self, task: FetchTask) -> FetchResult | None:
        """Return the result of a fetch task; None when the run was stopped first."""
        if task.error is not None:
            return FetchResult(records=warc_failure_record(task.asked, task.error, time.time()))
        earlier_page = None
        # The validator of a page says nothing of its second look.
        if self._former is not None and not task.hops and not self._has_second_look(task.url):
            earlier_page = self._former.find_page(task.url)
        earlier = _earlier_page_answer(earlier_page)
        fetch = partial(self.fetcher.fetch_page, task.url, earlier, before=task.hops)
        if self._repeated.is_repeated(crawl_page_url(task.asked)):
            page = crawl_page_url(task.url)
            visited, is_new = await self._repeated.visit_repeated(page, earlier.validators, fetch)
        else:
            visited, is_new = await fetch(), True
        if visited is None:
            return None
        if earlier_page is not None and visited.unchanged:
            record = earlier_page.record
            return FetchResult(
                records=unchanged_warc_records(task.asked, visited, record, is_new=is_new)
            )
        size = visited.size if is_new else 0
        self._bytes += size
        return FetchResult(
            records=visit_warc_records(task.asked, visited, time.time(), is_copy=not size),
            onward=_onward_fetch_task(task, visited),
            size=size,
        )

    def may_fetch(self) -> bool:
        """Return whether the byte budget has room."""
        return self._budget_refusal() is None

    def save_recent_answers(self) -> None:
        """Store the latest answers for the next owner of these hosts; raises ``OSError``."""
        if self._recent_path is not None:
            self._recent.write_answers(self._recent_path)

    def _budget_refusal(self) -> WebError | None:
        if self._max_bytes is None or self._bytes < self._max_bytes:
            return None
        return CallRefused(by=BUDGET_OPTION, reason=f"{self._bytes:,} bytes were fetched before it")


@asynccontextmanager
async def fetch_task_group() -> AsyncIterator[asyncio.TaskGroup]:
    """Wait for all tasks; raise an ``OSError`` of one plainly, outside an exception group."""
    problem: OSError | None = None
    try:
        async with asyncio.TaskGroup() as tasks:
            yield tasks
    except* OSError as problems:
        problem = next(error for error in problems.exceptions if isinstance(error, OSError))
    if problem is not None:
        raise problem


def _has_warc_file(path: Path) -> bool:
    return path.is_file()


def _earlier_page_answer(former: EarlierPage | None) -> polite_fetcher.EarlierAnswer:
    if former is None:
        return polite_fetcher.NO_EARLIER_ANSWER
    return polite_fetcher.EarlierAnswer(former.validators, partial(_restore_page, former.record))


def _restore_page(record: bytes, fresh: Headers) -> PageResponse:
    status, headers, body = read_warc_answer(record)
    return PageResponse(status, httpx.Headers(list(refresh_stored_headers(headers, fresh))), body)


def _onward_fetch_task(task: FetchTask, visited: polite_fetcher.PageVisit) -> FetchTask | None:
    if visited.onward is None:
        return None
    return msgspec.structs.replace(task, url=visited.onward, hops=task.hops + len(visited.hops))
