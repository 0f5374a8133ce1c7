"""A site, page by page: breadth first, by its sitemaps and its links, in rounds.

A round is a function of the rounds before it, which are kept as WARC: so a crawl that was ended
goes on with the same command, and its rows are made from what was fetched.
"""

from __future__ import annotations

from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.bulk.crawling.links import CONVERTER
from ...adapters.bulk.crawling.warc_records import mark_records
from ...adapters.bulk.datasets import warc
from ...adapters.bulk.datasets.warc import SAME_PAGE
from ...adapters.bulk.datasets.whole_files import atomic_file, remove_temporary_files
from ...adapters.pages.workers.pool import Workers
from ...kernel.bulk.bulk_rows import conversion_refusal, is_over_byte_limit
from ...kernel.bulk.frontier import CrawlRules, Frontier, check_crawl_patterns
from ...kernel.bulk.robots_directives import forbids_links
from ...kernel.policy.policy_rules import Policy
from ...ports.bulk import BulkItem
from ...ports.errors import InvalidQuery, InvalidUrl, WebError
from .bulk_run import RunEnd, run_owned_extract
from .checks import check_options
from .conversion import BULK_WORKER_LIMITS, RunWatch, usable_processors
from .dataset.manifest import MANIFEST, delete_summary
from .fetching import Fetching, index_former_run
from .inputs.items import CRAWL, SPOOLS, warc_folder
from .inputs.plan_draft import STOPPED
from .inputs.sources import PLAN
from .options import BulkOptions, missing_bulk_extra
from .run_folder import folder_kind_error, make_run_folder, own_run_folder, store_error


def reopen_rounds(folder: Path) -> None:
    """Drop what follows the first round in which something was left out; raises ``OSError``.

    Nothing was fetched after it. Rows are made anew, from what is kept.
    """
    rounds = sorted(warc_folder(folder).glob("round-*.warc.gz"))
    first = next((number for number, path in enumerate(rounds) if _is_cut(path)), None)
    if first is None:
        return
    delete_summary(folder)
    # A manifest without its plan is of nobody, so that it goes first.
    for name in (MANIFEST, PLAN):
        (folder / name).unlink(missing_ok=True)
    for path in folder.glob("part-*"):
        path.unlink()
    for path in reversed(rounds[first + 1 :]):
        path.unlink()
        (folder / SPOOLS / path.name).unlink(missing_ok=True)


def _is_cut(path: Path) -> bool:
    return any(is_over_byte_limit(item.error) for item in warc.read_inputs(path, 0, path.name))


# A site, page by page: breadth first, by its sitemaps and its links, in rounds.


class CrawlOptions(msgspec.Struct, frozen=True, kw_only=True):
    """Where a crawl begins, and how far it goes; ``depth`` 0 is the first page alone.

    With ``ahead`` the last round is listed and not fetched.
    """

    rules: CrawlRules
    depth: int = 2
    pages: int = 100
    sitemaps: bool = True
    ahead: bool = False


class CrawlState(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl began with, to be known again."""

    options: CrawlOptions
    sitemap: list[str]
    left_out: dict[str, int] = {}


class Discovery(msgspec.Struct, frozen=True, kw_only=True):
    """What a crawl found: every URL in its order, the files, and whether it came to its end.

    ``problem`` is why the page that it began with gave no links; ``left_out`` counts what is over
    the bytes that may be fetched.
    """

    urls: list[str]
    files: list[str]
    whole: bool
    problem: WebError | None = None
    left_out: int = 0


_STOPPED = Discovery(urls=[], files=[], whole=False)


async def run_crawl(
    options: CrawlOptions, run: BulkOptions, policy: Policy, watch: RunWatch
) -> Result[RunEnd | None, WebError]:
    """Fetch a site into the folder and read it into rows; None when it was stopped before that."""
    folder = Path(run.folder)
    unfit = missing_bulk_extra() or _refusal(options, run)
    if unfit is not None:
        return Failure(unfit)
    with own_run_folder(folder) as refusal:
        if refusal is not None:
            return Failure(refusal)
        return await _crawl(options, run, policy, watch)


async def _crawl(
    options: CrawlOptions, run: BulkOptions, policy: Policy, watch: RunWatch
) -> Result[RunEnd | None, WebError]:
    folder = Path(run.folder)
    if (folder / PLAN).is_file() and not (folder / CRAWL).is_file():
        return Failure(folder_kind_error(folder, "a run that is no crawl"))
    discovered = await discover_pages(options, run, policy, watch)
    if isinstance(discovered, Failure):
        return discovered
    if not discovered.unwrap().whole:
        return Success(None)
    rows = msgspec.structs.replace(run, inputs=tuple(discovered.unwrap().files))
    left_out = discovered.unwrap().left_out
    return (await run_owned_extract(rows, policy, watch)).map(
        lambda end: msgspec.structs.replace(end, left_out=left_out)
    )


async def discover_pages(
    options: CrawlOptions, run: BulkOptions, policy: Policy, watch: RunWatch
) -> Result[Discovery, WebError]:
    """Fetch the rounds of a crawl, or go on with them."""
    folder = Path(run.folder)
    refusal = missing_bulk_extra() or _refusal(options, run) or make_run_folder(folder)
    if refusal is not None:
        return Failure(refusal)
    try:
        warc_folder(folder).mkdir(parents=True, exist_ok=True)
        remove_temporary_files(warc_folder(folder))
        index_former_run(run)
        fetching = Fetching(run, policy, is_stopping=watch.is_stopping)
        fetching.on_fetch = watch.on_fetch
        state = await _state(options, folder, fetching, watch)
        if isinstance(state, Failure):
            return Success(_STOPPED) if state.failure() is STOPPED else state
        if fetching.may_fetch():
            reopen_rounds(folder)
        count = run.workers or usable_processors()
        async with Workers(count, BULK_WORKER_LIMITS, converter=CONVERTER) as workers:
            return Success(await _Rounds(state.unwrap(), folder, fetching, workers).run())
    except OSError as error:
        return Failure(store_error(error))


def _refusal(options: CrawlOptions, run: BulkOptions) -> WebError | None:
    unfit = check_options(run)
    if unfit is not None:
        return unfit
    for name in ("include", "exclude"):
        checked = check_crawl_patterns(getattr(options.rules, name), f"--{name}")
        if isinstance(checked, Failure):
            error: WebError = checked.failure()
            return error
    if not Frontier(msgspec.structs.replace(options.rules, include=(), exclude=())).admit_link(
        options.rules.start
    ):
        return InvalidUrl(reason="it is no address to begin with")
    return None


async def _state(
    options: CrawlOptions, folder: Path, fetching: Fetching, watch: RunWatch
) -> Result[CrawlState, WebError]:
    """Return what the crawl of a folder began with, or begin one; another crawl's is refused."""
    path = folder / CRAWL
    if path.is_file():
        return _earlier(path, options)
    listed = await fetching.lists.of_site(options.rules.start) if options.sitemaps else []
    if watch.is_stopping():
        # Some of it may be missing.
        return Failure(STOPPED)
    state = CrawlState(options=options, sitemap=listed[: options.pages * 10])
    _write(folder, state)
    return Success(state)


def _earlier(path: Path, options: CrawlOptions) -> Result[CrawlState, WebError]:
    try:
        earlier = msgspec.json.decode(path.read_bytes(), type=CrawlState)
    except (msgspec.DecodeError, ValueError):
        # Rounds are made of it: another beginning would not fit those that are there.
        reason = f"{path} is damaged; take another folder"
        return Failure(InvalidQuery(field="-o", reason=reason))
    if earlier.options == options:
        return Success(earlier)
    reason = (
        f"the folder holds another crawl ({', '.join(_differing(earlier.options, options))}); "
        "take another folder, or the command that began it"
    )
    return Failure(InvalidQuery(field="-o", reason=reason))


def _differing(one: CrawlOptions, other: CrawlOptions) -> list[str]:
    """Return by which options two crawls differ, as they are typed."""
    named = {
        "URL": (one.rules.start, other.rules.start),
        "--include": (one.rules.include, other.rules.include),
        "--exclude": (one.rules.exclude, other.rules.exclude),
        "--same-host": (one.rules.same_host, other.rules.same_host),
        "--depth": (one.depth, other.depth),
        "--pages": (one.pages, other.pages),
        "--no-sitemap": (one.sitemaps, other.sitemaps),
    }
    return [name for name, (before, now) in named.items() if before != now]


def _write(folder: Path, state: CrawlState) -> None:
    with atomic_file(folder / CRAWL) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(state, order="sorted")))


class _Rounds:
    """One round after the other, until there is nothing new or enough."""

    def __init__(
        self, state: CrawlState, folder: Path, fetching: Fetching, workers: Workers
    ) -> None:
        self._state, self._folder = state, folder
        self._fetching, self._workers = fetching, workers
        self._frontier = Frontier(state.options.rules)
        self._urls: list[str] = []
        self._files: list[str] = []
        self._problem: WebError | None = None
        self._left_out = 0

    async def run(self) -> Discovery:
        options = self._state.options
        level = [options.rules.start]
        self._frontier.mark_visited(options.rules.start)
        for number in range(options.depth + 1):
            self._urls += level
            if options.ahead and number == options.depth:
                break
            path = warc_folder(self._folder) / f"round-{number:03}.warc.gz"
            if not await self._fetching.fetch_all(level, path, self._folder):
                return self._discovery(whole=False)
            self._files.append(str(path))
            level = await self._next(path, number)
            if not level:
                break
        counts = {str(reason): count for reason, count in self._frontier.left_out.items()}
        _write(self._folder, msgspec.structs.replace(self._state, left_out=counts))
        return self._discovery(whole=True)

    async def _next(self, path: Path, number: int) -> list[str]:
        """Return the pages of the next round: those of the sitemaps, then those linked to."""
        options = self._state.options
        links = await self._links(path)
        if number == options.depth:
            return []
        listed = self._state.sitemap if number == 0 else []
        level = [url for url in listed if self._frontier.admit_link(url, listed=True)]
        level += [url for url in links if self._frontier.admit_link(url)]
        return level[: options.pages - len(self._urls)]

    def _discovery(self, *, whole: bool) -> Discovery:
        return Discovery(
            urls=self._urls,
            files=self._files,
            whole=whole,
            problem=self._problem,
            left_out=self._left_out,
        )

    async def _links(self, path: Path) -> list[str]:
        """Return all links of a round, whose pages are marked that came before."""
        links: list[str] = []
        marks: dict[int, str] = {}
        for item in warc.read_inputs(path, 0, path.name):
            refusal = conversion_refusal(item)
            self._left_out += is_over_byte_limit(refusal)
            if len(self._urls) == 1:
                self._frontier.adopt_host(item.final_url or "")
            if refusal is None:
                links += await self._links_of(item, marks)
            elif len(self._urls) == 1:
                self._problem = refusal
        if marks:
            mark_records(path, SAME_PAGE, marks)
        return links

    async def _links_of(self, item: BulkItem, marks: dict[int, str]) -> list[str]:
        url = item.final_url or ""
        converted = await self._workers.convert(item.body, item.content_type, url)
        if isinstance(converted, Failure):
            return []
        page = converted.unwrap()
        names = (url, page.canonical_url or "")
        for own in names:
            self._frontier.mark_visited(own)
        same = self._frontier.find_same_page(item.url or "", *names)
        if same is not None and item.same_page is None:
            marks[item.offset] = same
        if not page.content or forbids_links((*item.robots, *page.robots), self._fetching.robot):
            return []
        return page.content.split("\n")
