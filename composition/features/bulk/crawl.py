"""Crawl a site breadth first, by its sitemaps and links, in rounds.

Each round depends only on the rounds before it, which are stored as WARC. So the same command
resumes an interrupted crawl and makes its rows from the stored pages.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from msgspec.structs import replace
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.crawling.links import CONVERTER
from webseam.adapters.features.bulk.crawling.warc_records import mark_warc_records
from webseam.adapters.features.bulk.datasets.atomic_files import (
    remove_temporary_files,
    write_whole_file,
)
from webseam.adapters.features.bulk.datasets.warc import SAME_PAGE_FIELD, read_warc_inputs
from webseam.adapters.pages.workers.pool import Workers
from webseam.adapters.reader.page_links import MAX_LINKS
from webseam.kernel.features.bulk.bulk_rows import bulk_item_refusal, is_over_bulk_byte_limit
from webseam.kernel.features.bulk.frontier import CrawlRules, Frontier, check_crawl_patterns
from webseam.kernel.pages.robots_directives import robots_forbid_links
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import BulkItem
from webseam.ports.errors import InvalidQuery, InvalidUrl, WebError

from .bulk_run import RunEnd, run_owned_extract
from .checks import check_bulk_options
from .conversion import BULK_WORKER_LIMITS, RunWatch, usable_processors
from .fetching import Fetching, index_earlier_run
from .items import CRAWL, SPOOLS, warc_folder
from .manifest import MANIFEST, delete_run_summary
from .options import BulkOptions, missing_bulk_extra, missing_map_extra
from .plan_draft import RUN_STOPPED
from .run_folder import folder_kind_error, make_run_folder, own_run_folder, run_folder_error
from .sources import PLAN


def drop_rounds_after_gap(folder: Path) -> None:
    """Drop the rounds after the first one with left-out pages; raises ``OSError``."""
    rounds = sorted(warc_folder(folder).glob("round-*.warc.gz"))
    first = next((n for n, path in enumerate(rounds) if _has_left_out_pages(path)), None)
    if first is None:
        return
    delete_run_summary(folder)
    # Delete the manifest first: a manifest without its plan blocks the folder.
    for name in (MANIFEST, PLAN):
        (folder / name).unlink(missing_ok=True)
    for path in folder.glob("part-*"):
        path.unlink()
    for path in reversed(rounds[first + 1 :]):
        path.unlink()
        (folder / SPOOLS / path.name).unlink(missing_ok=True)


def _has_left_out_pages(path: Path) -> bool:
    return any(is_over_bulk_byte_limit(item.error) for item in read_warc_inputs(path, 0, path.name))


class CrawlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """How far a crawl goes; depth 0 is the first page. ``ahead`` only lists the last round."""

    rules: CrawlRules
    depth: int = 2
    pages: int = 100
    sitemaps: bool = True
    ahead: bool = False


class CrawlState(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl began with; the same command recognises its crawl by it.

    ``unlisted`` counts the pages of sitemaps that were too many to keep. ``left_out`` counts the
    links that were not fetched, by reason.
    """

    options: CrawlOptions
    sitemap: list[str]
    unlisted: int = 0
    left_out: dict[str, int] = {}


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """The URLs of a crawl in order, its files, and whether it is complete.

    ``problem`` is why the first page gave no links; ``left_out`` counts the pages that
    ``max_bytes`` left no room for.
    """

    urls: list[str]
    files: list[str]
    is_complete: bool
    problem: WebError | None = None
    left_out: int = 0


_STOPPED_DISCOVERY = Discovery(urls=[], files=[], is_complete=False)


async def run_crawl(
    options: CrawlOptions, run: BulkOptions, policy: Policy, watch: RunWatch
) -> Result[RunEnd | None, WebError]:
    """Fetch a site and read it into rows; return None when the run was stopped first."""
    problem = missing_bulk_extra() or _check_options(options, run)
    if problem is not None:
        return Failure(problem)
    with own_run_folder(Path(run.folder)) as refusal:
        if refusal is not None:
            return Failure(refusal)
        folder = Path(run.folder)
        if (folder / PLAN).is_file() and not (folder / CRAWL).is_file():
            return Failure(folder_kind_error(folder, "a run that is no crawl"))
        if isinstance(discovered := await discover_pages(options, run, policy, watch), Failure):
            return discovered
        if not discovered.unwrap().is_complete:
            return Success(None)
        extract_options = replace(run, inputs=tuple(discovered.unwrap().files))
        left_out = discovered.unwrap().left_out
        ended = await run_owned_extract(extract_options, policy, watch)
        return ended.map(lambda end: replace(end, left_out=left_out))


async def discover_pages(
    options: CrawlOptions, run: BulkOptions, policy: Policy, watch: RunWatch
) -> Result[Discovery, WebError]:
    """Fetch the rounds of a crawl, or resume them."""
    folder = Path(run.folder)
    refusal = missing_map_extra() or _check_options(options, run) or make_run_folder(folder)
    if refusal is not None:
        return Failure(refusal)
    try:
        warc_folder(folder).mkdir(parents=True, exist_ok=True)
        remove_temporary_files(warc_folder(folder))
        index_earlier_run(run)
        fetching = Fetching(run, policy, is_stopping=watch.is_stopping, on_fetch=watch.on_fetch)
        if isinstance(state := await _open_state(options, folder, fetching, watch), Failure):
            return Success(_STOPPED_DISCOVERY) if state.failure() is RUN_STOPPED else state
        if fetching.may_fetch():
            drop_rounds_after_gap(folder)
        count = run.workers or usable_processors()
        async with Workers(count, BULK_WORKER_LIMITS, converter=CONVERTER) as workers:
            rounds = _CrawlRounds(state.unwrap(), folder, fetching, workers)
            return Success(await rounds.fetch())
    except OSError as error:
        return Failure(run_folder_error(error))


def _check_options(options: CrawlOptions, run: BulkOptions) -> WebError | None:
    if (problem := check_bulk_options(run)) is not None:
        return problem
    for name in ("include", "exclude"):
        checked = check_crawl_patterns(getattr(options.rules, name), f"--{name}")
        if isinstance(checked, Failure):
            error: WebError = checked.failure()
            return error
    if not Frontier(replace(options.rules, include=(), exclude=())).admit_link(options.rules.start):
        return InvalidUrl(reason="a crawl cannot begin at this address")
    return None


async def _open_state(
    options: CrawlOptions, folder: Path, fetching: Fetching, watch: RunWatch
) -> Result[CrawlState, WebError]:
    """Return the stored state of a crawl, or begin one; refuse the folder of another crawl."""
    path = folder / CRAWL
    if path.is_file():
        try:
            earlier = msgspec.json.decode(path.read_bytes(), type=CrawlState)
        except (msgspec.DecodeError, ValueError):
            # The stored rounds depend on this file, so a new state would not fit them.
            reason = f"{path} is damaged; take another folder"
            return Failure(InvalidQuery(field="-o", reason=reason))
        if earlier.options == options:
            return Success(earlier)
        names = ", ".join(_differing_options(earlier.options, options))
        reason = (
            f"the folder holds another crawl ({names}); "
            "take another folder, or the command that began it"
        )
        return Failure(InvalidQuery(field="-o", reason=reason))
    listed = await fetching.lists.list_site_pages(options.rules.start) if options.sitemaps else []
    if watch.is_stopping():
        # The sitemaps may be incomplete.
        return Failure(RUN_STOPPED)
    sitemap = listed[: options.pages * 10]
    state = CrawlState(options=options, sitemap=sitemap, unlisted=len(listed) - len(sitemap))
    _write_state(folder, state)
    return Success(state)


def _differing_options(earlier: CrawlOptions, requested: CrawlOptions) -> list[str]:
    pairs = {
        "URL": (earlier.rules.start, requested.rules.start),
        "--include": (earlier.rules.include, requested.rules.include),
        "--exclude": (earlier.rules.exclude, requested.rules.exclude),
        "--same-host": (earlier.rules.same_host, requested.rules.same_host),
        "--depth": (earlier.depth, requested.depth),
        "--pages": (earlier.pages, requested.pages),
        "--no-sitemap": (earlier.sitemaps, requested.sitemaps),
    }
    return [name for name, (before, now) in pairs.items() if before != now]


def _write_state(folder: Path, state: CrawlState) -> None:
    content = msgspec.json.format(msgspec.json.encode(state, order="sorted"))
    write_whole_file(folder / CRAWL, content)


class _CrawlRounds:
    """Fetches one round after the other, until nothing is new or the page limit is reached."""

    def __init__(self, state: CrawlState, folder: Path, fetching: Fetching, pool: Workers) -> None:
        self._state, self._folder = state, folder
        self._fetching, self._workers = fetching, pool
        self._frontier = Frontier(state.options.rules)
        self._urls: list[str] = []
        self._warc_files: list[str] = []
        self._problem: WebError | None = None
        self._left_out = 0

    async def fetch(self) -> Discovery:
        options = self._state.options
        level = [options.rules.start]
        self._frontier.mark_visited(options.rules.start)
        for number in range(options.depth + 1):
            self._urls += level
            if options.ahead and number == options.depth:
                break
            path = warc_folder(self._folder) / f"round-{number:03}.warc.gz"
            if not await self._fetching.fetch_url_list(level, path, self._folder):
                return self._make_discovery(is_complete=False)
            self._warc_files.append(str(path))
            if not (level := await self._next_level(path, number)):
                break
        self._frontier.left_out["pages"] += self._state.unlisted
        counts = self._frontier.count_left_out()
        _write_state(self._folder, replace(self._state, left_out=counts))
        return self._make_discovery(is_complete=True)

    async def _next_level(self, path: Path, number: int) -> list[str]:
        """Return the pages of the next round: sitemap pages first, then linked pages."""
        options = self._state.options
        links = await self._read_round_links(path)
        if number == options.depth:
            self._frontier.left_out["depth"] += sum(map(self._frontier.admit_link, links))
            return []
        listed = self._state.sitemap if number == 0 else []
        level = [url for url in listed if self._frontier.admit_link(url, listed=True)]
        level += [url for url in links if self._frontier.admit_link(url)]
        following = level[: options.pages - len(self._urls)]
        self._frontier.left_out["pages"] += len(level) - len(following)
        return following

    def _make_discovery(self, *, is_complete: bool) -> Discovery:
        return Discovery(
            urls=self._urls,
            files=self._warc_files,
            is_complete=is_complete,
            problem=self._problem,
            left_out=self._left_out,
        )

    async def _read_round_links(self, path: Path) -> list[str]:
        """Return all links of a round, and mark records whose page came before."""
        links: list[str] = []
        marks: dict[int, str] = {}
        for item in read_warc_inputs(path, 0, path.name):
            refusal = bulk_item_refusal(item)
            self._left_out += is_over_bulk_byte_limit(refusal)
            if len(self._urls) == 1:
                self._frontier.adopt_host(item.final_url or "")
            if refusal is None:
                links += await self._read_page_links(item, marks)
            elif len(self._urls) == 1:
                self._problem = refusal
        if marks:
            mark_warc_records(path, SAME_PAGE_FIELD, marks)
        return links

    async def _read_page_links(self, item: BulkItem, marks: dict[int, str]) -> list[str]:
        url = item.final_url or ""
        converted = await self._workers.convert(item.body, item.content_type, url)
        if isinstance(converted, Failure):
            return []
        page = converted.unwrap()
        # The canonical URL is not visited: nobody has read what is there.
        self._frontier.mark_visited(url)
        first_url = self._frontier.find_same_page(item.url or "", url, page.canonical_url or "")
        if first_url is not None and item.same_page is None:
            marks[item.offset] = first_url
        links = page.content.split("\n") if page.content else []
        self._frontier.mark_unfollowed(page.notes)
        self._frontier.left_out["links"] += max(0, page.links - MAX_LINKS)
        if robots_forbid_links((*item.robots, *page.robots), self._fetching.robot):
            self._frontier.mark_unfollowed(links)
            return []
        return links
