"""A run from its plan to its summary; the same call goes on with a run that was ended."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cached_property, partial
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, BinaryIO, Final, Protocol

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.bulk.datasets.whole_files import remove_temporary_files, write_stream_to_file
from ...adapters.bulk.datasets.writers import load_row_writer
from ...adapters.bulk.engines.window import run_window
from ...adapters.threads import run_to_end
from ...kernel.bulk.bulk_rows import RowRules
from ...kernel.bulk.counts import ShardEntry, Summary
from ...kernel.bulk.url_lists import ListEntry
from ...kernel.policy.policy_rules import Policy
from ...ports.bulk import Shard
from ...ports.errors import InvalidQuery, WebError
from .checks import LOCAL, RAY, check_engine, check_options, make_row_rules
from .conversion import Conversion, Converter, RunWatch, usable_processors, useful_workers
from .dataset.manifest import (
    delete_summary,
    earlier_plan,
    finish_manifest,
    load_entries,
    read_standing,
    record_shard,
    repair_manifest,
)
from .dataset.status import fetched_bytes
from .inputs.items import CRAWL, SPOOLS, restore_plan_lists, warc_folder
from .inputs.plan import STDIN, PlanDeps, RunPlan, new_plan, read_shards, write_plan
from .inputs.sources import Source, recognise_source, size_to_read
from .options import BulkOptions, missing_bulk_extra
from .run_folder import folder_kind_error, make_run_folder, own_run_folder, store_error
from .shards import ShardDeps, run_shard

if TYPE_CHECKING:
    from .fetching import Fetching


class RunNetwork:
    """One ``Fetching`` for a whole run; ``on_fetch`` is called for each page that has come."""

    def __init__(
        self,
        options: BulkOptions,
        policy: Policy,
        *,
        is_stopping: Callable[[], bool] = lambda: False,
        on_fetch: Callable[[], None] = lambda: None,
    ) -> None:
        """Load nothing yet."""
        self._options, self._policy = options, policy
        self._is_stopping, self._on_fetch = is_stopping, on_fetch

    async def fetch_shard(self, shard: Shard, folder: Path) -> bool:
        """Have the pages of a shard as WARC; False when the run was stopped before that.

        Raises ``OSError``.
        """
        return await self._fetching.fetch_shard(shard, folder)

    async def expand(self, source: Source) -> Result[list[ListEntry], WebError]:
        """Return the pages that a sitemap or feed lists, and those of the sitemaps in it."""
        return await self._fetching.lists.expand(source)

    @cached_property
    def _fetching(self) -> Fetching:
        from .fetching import Fetching, index_former_run  # noqa: PLC0415  a fifth of a second

        index_former_run(self._options)
        fetching = Fetching(self._options, self._policy, is_stopping=self._is_stopping)
        fetching.on_fetch = self._on_fetch
        return fetching


# Who does the shards of a run: this machine, or a cluster.

_MAX_CONCURRENT_SHARDS: Final = 2
_MAX_CONCURRENT_URL_SHARDS: Final = 8


class ShardExecutor(Protocol):
    """Whoever does shards, so many at once."""

    def at_once(self) -> int:
        """Return how many shards to hand out before one is done."""
        ...

    async def begin(self, shards: Iterator[Shard], /) -> Result[bool, WebError]:
        """Do what comes before the first shard; False when the run was stopped before that."""
        ...

    async def work(self, shard: Shard, /) -> Result[ShardEntry | None, WebError]:
        """Do a shard; None when the run was stopped before that. Raises ``OSError``."""
        ...


class LocalExecutor:
    """One machine: workers for all shards together, and one pace for each host."""

    def __init__(self, plan: RunPlan, shop: ShardDeps, network: RunNetwork) -> None:
        """Start nothing yet."""
        self._shop, self._network = shop, network
        self._loading: asyncio.Future[None] | None = None
        self._at_once = _MAX_CONCURRENT_URL_SHARDS if plan.urls else _MAX_CONCURRENT_SHARDS

    def at_once(self) -> int:
        """Return how many shards to hand out before one is done."""
        return self._at_once

    async def begin(self, _shards: Iterator[Shard], /) -> Result[bool, WebError]:
        """Begin at once; what writes is loaded while the first pages are read."""
        self._loading = asyncio.ensure_future(
            run_to_end(partial(load_row_writer, self._shop.options.form))
        )
        return Success(True)  # noqa: FBT003  a result

    async def work(self, shard: Shard, /) -> Result[ShardEntry | None, WebError]:
        """Fetch a shard where it is of URLs, and read it."""
        is_fetched = shard.kind != "urls" or await self._network.fetch_shard(
            shard, self._shop.folder
        )
        return Success(await run_shard(shard, self._shop) if is_fetched else None)


@asynccontextmanager
async def open_executor(  # noqa: PLR0913  all that a run is made of
    plan: RunPlan,
    rules: RowRules,
    options: BulkOptions,
    policy: Policy,
    *,
    watch: RunWatch,
    converter: Converter,
) -> AsyncIterator[Result[ShardExecutor, WebError]]:
    """Have those at hand whom the options name; raises ``OSError``.

    ``converter`` is for a run on this machine, and the caller's to close.
    """
    name, _, address = options.engine.partition(":")
    if name == RAY:
        from .cluster.cluster_crew import open_cluster_executor  # noqa: PLC0415  not for a run on one machine

        with open_cluster_executor(plan, options, policy, watch, address=address) as cluster:
            yield cluster.map(_crew)
        return
    shop = ShardDeps(
        folder=Path(options.folder),
        options=options,
        conversion=converter,
        rules=rules,
        on_row=watch.on_row,
    )
    network = RunNetwork(options, policy, is_stopping=watch.is_stopping, on_fetch=watch.on_fetch)
    yield Success(LocalExecutor(plan, shop, network))


def _crew(crew: ShardExecutor) -> ShardExecutor:
    return crew


# A run from its plan to its summary; the same call goes on with a run that was ended.


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended: ``summary`` is None when it was stopped before it was done.

    So many rows are ``left_out`` for the bytes that may be fetched.
    """

    plan: RunPlan
    summary: Summary | None
    left_out: int = 0


# Of a run that was stopped before it was known what there is to do.
_UNPLANNED = RunEnd(plan=RunPlan(inputs=[], settings={}, makers={}), summary=None)


def read_input_sources(options: BulkOptions) -> Result[tuple[Source, ...], WebError]:
    """Return what the inputs are, or which of them is nothing."""
    if not options.inputs:
        return Failure(InvalidQuery(field="input", reason="is missing"))
    sources = []
    for word in options.inputs:
        source = recognise_source(word)
        if isinstance(source, Failure):
            return source
        sources.append(source.unwrap())
    return Success(tuple(sources))


async def plan_run(
    options: BulkOptions,
    policy: Policy,
    stdin: BinaryIO | None = None,
    *,
    warm: Callable[[Sequence[Source]], None] = lambda _sources: None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> Result[RunPlan, WebError]:
    """Return the plan of the folder, or make one; another run's folder is refused.

    ``warm`` is called before the sources are looked into, which takes its time. When
    ``is_stopping``, no further input is looked at, and there is no plan.
    """
    missing = missing_bulk_extra()
    if missing is not None:
        return Failure(missing)
    sources = read_input_sources(options)
    if isinstance(sources, Failure):
        return sources
    folder = Path(options.folder)
    refusal = make_run_folder(folder)
    if refusal is not None:
        return Failure(refusal)
    try:
        warm(sources.unwrap())
        bare = _prepared(options, sources.unwrap(), stdin or sys.stdin.buffer)
        earlier = earlier_plan(folder, bare)
        if earlier is not None:
            return await restore_plan_lists(earlier, sources.unwrap(), options, folder, is_stopping)
        fresh = msgspec.structs.replace(options, former=None)
        network = RunNetwork(fresh, policy, is_stopping=is_stopping)
        around = PlanDeps(network.expand, is_stopping)
        return await write_plan(bare, sources.unwrap(), options, folder, around)
    except OSError as error:
        return Failure(store_error(error))


def _prepared(options: BulkOptions, sources: tuple[Source, ...], stdin: BinaryIO) -> RunPlan:
    folder = Path(options.folder)
    if any(source.kind == "stdin" for source in sources):
        write_stream_to_file(stdin, folder / STDIN)
    return new_plan(options, sources, folder)


async def run_extract(
    options: BulkOptions, policy: Policy, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Read every input into the folder, or go on with that; one process at a time."""
    folder = Path(options.folder)
    missing = missing_bulk_extra()
    if missing is not None:
        return Failure(missing)
    with own_run_folder(folder) as refusal:
        if refusal is not None:
            return Failure(refusal)
        if (folder / CRAWL).is_file():
            return Failure(folder_kind_error(folder, "a crawl"))
        return await run_owned_extract(options, policy, watch, stdin)


async def run_owned_extract(
    options: BulkOptions, policy: Policy, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Do so where the folder is ours."""
    refusal = check_options(options)
    if refusal is None and watch.nodes is None:
        refusal = check_engine(options.engine)
    if refusal is not None:
        return Failure(refusal)
    rules = make_row_rules(options)
    converter = watch.converter or Conversion(options.workers or usable_processors())
    try:
        warm = partial(_warm, options, converter)
        planned = await plan_run(options, policy, stdin, warm=warm, is_stopping=watch.is_stopping)
        if isinstance(planned, Failure):
            return Success(_UNPLANNED) if watch.is_stopping() else planned
        plan = planned.unwrap()
        crews = open_executor(
            plan, rules.unwrap(), options, policy, watch=watch, converter=converter
        )
        async with crews as crew:
            if isinstance(crew, Failure):
                return crew
            return await _Job(plan, options, watch).run(crew.unwrap())
    except OSError as error:
        return Failure(store_error(error))
    finally:
        await asyncio.shield(converter.aclose())


def _warm(options: BulkOptions, converter: Converter, sources: Sequence[Source]) -> None:
    if options.engine == LOCAL:
        converter.warm(useful_workers(size_to_read(sources), converter.count))


class _Job:
    """A planned run."""

    def __init__(self, plan: RunPlan, options: BulkOptions, watch: RunWatch) -> None:
        self._plan, self._watch = plan, watch
        self._folder, self._options = Path(options.folder), options

    async def run(self, crew: ShardExecutor) -> Result[RunEnd, WebError]:
        """Have the shards done that are not done; raises ``OSError``."""
        for place in (self._folder, warc_folder(self._folder)):
            remove_temporary_files(place)
        if (self._folder / SPOOLS).is_dir():
            from .cluster.abandoned_rounds import collect_abandoned_rounds  # noqa: PLC0415  seldom

            collect_abandoned_rounds(self._folder, self._options)
        repair_manifest(self._folder)
        entries, done, lost = read_standing(self._folder, check=self._options.check)
        done -= self._gone_on_with(entries)
        if len(done) < self._plan.shards:
            delete_summary(self._folder)
        self._watch.on_lost(lost)
        self._watch.on_plan(self._plan, sum(entries[number].rows for number in done))
        problem = await self._work(done, crew)
        if problem is not None:
            return Failure(problem)
        if len(done) < self._plan.shards:
            return Success(RunEnd(plan=self._plan, summary=None))
        rmtree(self._folder / SPOOLS, ignore_errors=True)
        left_out = sum(entry.left_out for entry in load_entries(self._folder).values())
        return finish_manifest(self._folder, self._plan).map(
            lambda whole: RunEnd(plan=self._plan, summary=whole, left_out=left_out)
        )

    def _gone_on_with(self, entries: Mapping[int, ShardEntry]) -> set[int]:
        """Return the shards of which more may be fetched now; raises ``OSError``.

        Those are among them whose pages were taken apart for that, and not put together again.
        """
        some = {number: entry.name for number, entry in entries.items() if entry.left_out}
        most = self._options.max_bytes
        if some and (most is None or fetched_bytes(self._folder) < most):
            return set(some)
        return {number for number, name in some.items() if self._is_apart(Path(name).stem)}

    def _is_apart(self, name: str) -> bool:
        is_kept = (warc_folder(self._folder) / f"{name}.warc.gz").is_file()
        return not is_kept and (self._folder / SPOOLS).is_dir()

    async def _work(self, done: set[int], crew: ShardExecutor) -> WebError | None:
        """Do what is missing, and return what stopped that, None when nothing did."""

        def missing() -> Iterator[Shard]:
            return (shard for shard in read_shards(self._folder) if shard.number not in done)

        begun = await crew.begin(missing())
        if isinstance(begun, Failure) or not begun.unwrap():
            return begun.failure() if isinstance(begun, Failure) else None
        ended = run_window(
            missing(), crew.work, at_once=crew.at_once, is_stopping=self._watch.is_stopping
        )
        async with aclosing(ended):
            async for outcome in ended:
                if isinstance(outcome, Failure):
                    problem: WebError = outcome.failure()
                    return problem
                entry = outcome.unwrap()
                if entry is not None:
                    record_shard(self._folder, entry)
                    done.add(entry.shard)
        return None
