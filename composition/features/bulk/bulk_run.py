"""A bulk run from its plan to its summary; the same call resumes an interrupted run."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from functools import cache, partial
from pathlib import Path
from shutil import rmtree
from typing import TYPE_CHECKING, BinaryIO, Final, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets.atomic_files import (
    remove_temporary_files,
    write_stream_to_file,
)
from webseam.adapters.features.bulk.datasets.writers import load_row_writer
from webseam.adapters.features.bulk.window_engine import run_shard_window
from webseam.adapters.threads import run_thread_to_end
from webseam.kernel.features.bulk.bulk_rows import RowRules
from webseam.kernel.features.bulk.counts import ShardEntry, Summary
from webseam.kernel.features.bulk.url_lists import ListEntry
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import Shard
from webseam.ports.errors import InvalidQuery, WebError

from . import manifest
from .checks import (
    LOCAL_ENGINE,
    RAY_ENGINE,
    check_bulk_engine,
    check_bulk_options,
    make_row_data,
    make_row_rules,
)
from .conversion import Converter, RunWatch, WorkerConverter, usable_processors, useful_workers
from .dataset_status import fetched_bytes
from .items import CRAWL, SPOOLS, restore_plan_lists, warc_folder
from .options import BulkOptions, missing_bulk_extra
from .plan import STDIN, PlanDeps, RunPlan, new_run_plan, read_shards, write_plan
from .run_folder import folder_kind_error, make_run_folder, own_run_folder, run_folder_error
from .shards import ShardDeps, ShardStoppedError, run_shard
from .sources import Source, recognise_source, source_bytes_to_read

if TYPE_CHECKING:
    from .cluster.executor import ClusterExecutor
    from .fetching import Fetching

    ShardExecutor: TypeAlias = "LocalExecutor | ClusterExecutor"

_MAX_CONCURRENT_SHARDS: Final = 2
_MAX_CONCURRENT_URL_SHARDS: Final = 8


def load_fetching(options: BulkOptions, policy: Policy, watch: RunWatch) -> Fetching:
    """Return the network access of a run; raises ``OSError``."""
    from .fetching import Fetching, index_earlier_run  # a fifth of a second

    index_earlier_run(options)
    return Fetching(options, policy, is_stopping=watch.is_stopping, on_fetch=watch.on_fetch)


class LocalExecutor:
    """Runs shards on this machine; a cluster's executor has the same methods."""

    def __init__(self, plan: RunPlan, deps: ShardDeps, network: Callable[[], Fetching]) -> None:
        self._shard_deps, self._network = deps, network
        self._loading: asyncio.Future[None] | None = None
        self._max_open_shards = _MAX_CONCURRENT_URL_SHARDS if plan.urls else _MAX_CONCURRENT_SHARDS

    def max_open_shards(self) -> int:
        """Return how many shards may be open at once."""
        return self._max_open_shards

    async def prepare_shards(self, _shards: Iterator[Shard], /) -> Result[bool, WebError]:
        """Begin at once, and load the writer while the first pages are read."""
        load = partial(load_row_writer, self._shard_deps.options.form)
        self._loading = asyncio.ensure_future(run_thread_to_end(load))
        return Success(True)  # noqa: FBT003  a result

    async def work_shard(self, shard: Shard, /) -> Result[ShardEntry | None, WebError]:
        """Fetch the pages if it is a shard of URLs, then read them; None when stopped first."""
        deps = self._shard_deps
        if shard.kind == "urls" and not await self._network().fetch_shard(shard, deps.folder):
            return Success(None)
        try:
            return Success(await run_shard(shard, deps))
        except ShardStoppedError:
            return Success(None)


@asynccontextmanager
async def open_executor(
    plan: RunPlan,
    rules: RowRules,
    options: BulkOptions,
    policy: Policy,
    *,
    watch: RunWatch,
    converter: Converter,
) -> AsyncIterator[Result[ShardExecutor, WebError]]:
    """Open the executor that the options name; the caller closes it. Raises ``OSError``."""
    name, _, address = options.engine.partition(":")
    if name == RAY_ENGINE:
        from .cluster.executor import open_cluster_executor  # not for a run on one machine

        with open_cluster_executor(plan, options, policy, watch, address=address) as cluster:
            yield cluster
        return
    shard_deps = ShardDeps(
        folder=Path(options.folder),
        options=options,
        conversion=converter,
        rules=rules,
        row_data=make_row_data(options).unwrap(),
        on_row=watch.on_row,
        is_stopping=watch.is_stopping,
    )
    network = cache(partial(load_fetching, options, policy, watch))
    yield Success(LocalExecutor(plan, shard_deps, network))


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended: stopped without a summary; ``left_out`` rows were over ``max_bytes``."""

    plan: RunPlan
    summary: Summary | None
    left_out: int = 0


# The end of a run that was stopped before it had a plan.
_END_WITHOUT_PLAN = RunEnd(plan=RunPlan(inputs=[], settings={}, makers={}), summary=None)


def read_input_sources(options: BulkOptions) -> Result[tuple[Source, ...], WebError]:
    """Return the source of each input, or an error for the first unrecognised one."""
    if not options.inputs:
        return Failure(InvalidQuery(field="input", reason="is missing"))
    sources = []
    for text in options.inputs:
        if isinstance(source := recognise_source(text), Failure):
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
    """Return the plan of the folder, or make one; refuse the folder of another run.

    ``warm`` is called before the slow scan of the sources. When ``is_stopping``, the scan ends
    and there is no plan.
    """
    if (missing := missing_bulk_extra()) is not None:
        return Failure(missing)
    if isinstance(sources := read_input_sources(options), Failure):
        return sources
    folder = Path(options.folder)
    if (refusal := make_run_folder(folder)) is not None:
        return Failure(refusal)
    try:
        warm(sources.unwrap())
        bare_plan = _begin_plan(options, sources.unwrap(), stdin or sys.stdin.buffer)
        if (earlier := manifest.earlier_run_plan(folder, bare_plan)) is not None:
            return await restore_plan_lists(earlier, sources.unwrap(), options, folder, is_stopping)
        planning_options = msgspec.structs.replace(options, former=None)
        watch = RunWatch(is_stopping=is_stopping)
        network = cache(partial(load_fetching, planning_options, policy, watch))
        deps = PlanDeps(partial(_expand_list_source, network), is_stopping)
        return await write_plan(bare_plan, sources.unwrap(), options, folder, deps)
    except OSError as error:
        return Failure(run_folder_error(error))


async def _expand_list_source(
    network: Callable[[], Fetching], source: Source
) -> Result[list[ListEntry], WebError]:
    return await network().lists.expand_list_source(source)


def _begin_plan(options: BulkOptions, sources: tuple[Source, ...], stdin: BinaryIO) -> RunPlan:
    folder = Path(options.folder)
    if any(source.kind == "stdin" for source in sources):
        write_stream_to_file(stdin, folder / STDIN)
    return new_run_plan(options, sources, folder)


async def run_extract(
    options: BulkOptions, policy: Policy, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Read every input into the folder, or resume; one process at a time."""
    folder = Path(options.folder)
    if (missing := missing_bulk_extra()) is not None:
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
    """Read every input into a folder that this process already owns."""
    if (refusal := check_bulk_options(options)) is None and watch.nodes is None:
        refusal = check_bulk_engine(options.engine)
    if refusal is not None:
        return Failure(refusal)
    rules = make_row_rules(options)
    converter = watch.converter or WorkerConverter(options.workers or usable_processors())
    try:
        warm = partial(_warm_converter, options, converter)
        planned = await plan_run(options, policy, stdin, warm=warm, is_stopping=watch.is_stopping)
        if isinstance(planned, Failure):
            return Success(_END_WITHOUT_PLAN) if watch.is_stopping() else planned
        plan = planned.unwrap()
        executors = open_executor(
            plan, rules.unwrap(), options, policy, watch=watch, converter=converter
        )
        async with executors as executor:
            if isinstance(executor, Failure):
                return executor
            return await _PlannedRun(plan, options, watch).run(executor.unwrap())
    except OSError as error:
        return Failure(run_folder_error(error))
    finally:
        await asyncio.shield(converter.aclose())


def _warm_converter(options: BulkOptions, converter: Converter, sources: Sequence[Source]) -> None:
    if options.engine == LOCAL_ENGINE:
        converter.warm(useful_workers(source_bytes_to_read(sources), converter.count))


class _PlannedRun:
    def __init__(self, plan: RunPlan, options: BulkOptions, watch: RunWatch) -> None:
        self._plan, self._watch = plan, watch
        self._folder, self._options = Path(options.folder), options

    async def run(self, executor: ShardExecutor) -> Result[RunEnd, WebError]:
        """Run the shards that are not done yet; raises ``OSError``."""
        for path in (self._folder, warc_folder(self._folder)):
            remove_temporary_files(path)
        if (self._folder / SPOOLS).is_dir():
            from .cluster.abandoned_rounds import collect_abandoned_rounds  # seldom

            collect_abandoned_rounds(self._folder, self._options)
        manifest.repair_manifest(self._folder)
        entries, done, lost = manifest.read_written_shards(self._folder, check=self._options.check)
        done -= self._resumable_shards(entries)
        if len(done) < self._plan.shards:
            manifest.delete_run_summary(self._folder)
        self._watch.on_lost(lost)
        self._watch.on_plan(self._plan, sum(entries[number].rows for number in done))
        if (problem := await self._run_missing_shards(done, executor)) is not None:
            return Failure(problem)
        if len(done) < self._plan.shards:
            return Success(RunEnd(plan=self._plan, summary=None))
        rmtree(self._folder / SPOOLS, ignore_errors=True)
        left_out = sum(part.left_out for part in manifest.load_shard_entries(self._folder).values())
        return manifest.finish_manifest(self._folder, self._plan).map(
            lambda summary: RunEnd(plan=self._plan, summary=summary, left_out=left_out)
        )

    def _resumable_shards(self, entries: Mapping[int, ShardEntry]) -> set[int]:
        """Return the shards that a larger byte budget can continue; raises ``OSError``.

        This includes shards whose WARC file was unpacked for that and not packed again.
        """
        names = {number: entry.name for number, entry in entries.items() if entry.left_out}
        max_bytes = self._options.max_bytes
        if names and (max_bytes is None or fetched_bytes(self._folder) < max_bytes):
            return set(names)
        if not (self._folder / SPOOLS).is_dir():
            return set()
        archives = warc_folder(self._folder)
        paths = {number: archives / f"{Path(name).stem}.warc.gz" for number, name in names.items()}
        return {number for number, path in paths.items() if not path.is_file()}

    async def _run_missing_shards(self, done: set[int], executor: ShardExecutor) -> WebError | None:
        def missing_shards() -> Iterator[Shard]:
            return (shard for shard in read_shards(self._folder) if shard.number not in done)

        started = await executor.prepare_shards(missing_shards())
        if isinstance(started, Failure) or not started.unwrap():
            return started.failure() if isinstance(started, Failure) else None
        outcomes = run_shard_window(
            missing_shards(),
            executor.work_shard,
            at_once=executor.max_open_shards,
            is_stopping=self._watch.is_stopping,
        )
        async with aclosing(outcomes):
            async for outcome in outcomes:
                if isinstance(outcome, Failure):
                    problem: WebError = outcome.failure()
                    return problem
                if (entry := outcome.unwrap()) is not None:
                    manifest.record_shard(self._folder, entry)
                    done.add(entry.shard)
        return None
