"""A run from its plan to its summary; the same call goes on with a run that was ended."""

from __future__ import annotations

import asyncio
import errno
import sys
from collections.abc import Callable
from pathlib import Path
from typing import BinaryIO

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.datasets.languages import language_of
from ...adapters.datasets.parts import sweep, whole_file
from ...adapters.engines.local import run_local
from ...kernel.bulk.counts import ShardEntry, Summary
from ...kernel.bulk.filters import make_filter
from ...kernel.bulk.quality import signals_of
from ...kernel.bulk.rows import RowRules
from ...kernel.policy.rules import Policy
from ...ports.bulk import BulkRow, Shard
from ...ports.errors import InvalidQuery, StoreFailed, WebError
from ...ports.errors.stores import StoreProblem
from .conversion import Conversion, Converter, processors
from .dataset.manifest import SUMMARY, done_shards, finish, load_entries, mend, record
from .fetching import Fetching
from .items import WARC_FOLDER
from .options import BulkOptions, missing_extra
from .plan import STDIN, Plan, difference, load_plan, new_plan, shards_of, write_plan
from .shards import Workshop, run_shard
from .sources import Source, recognise

SHARDS_AT_ONCE = 2
URL_SHARDS_AT_ONCE = 8


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended: ``summary`` is None when it was stopped before it was done."""

    plan: Plan
    summary: Summary | None


class Watch(msgspec.Struct, frozen=True, kw_only=True):
    """Who looks on, and who may stop a run; ``converter`` stands in for the workers.

    ``on_outcome`` is told the kind of error of each search, None when it worked.
    """

    on_plan: Callable[[Plan, int], None] = lambda _plan, _done: None
    on_row: Callable[[BulkRow], None] = lambda _row: None
    on_outcome: Callable[[str | None], None] = lambda _error: None
    is_stopping: Callable[[], bool] = lambda: False
    converter: Converter | None = None


def sources_of(options: BulkOptions) -> Result[tuple[Source, ...], WebError]:
    """Return what the inputs are, or which of them is nothing."""
    if not options.inputs:
        return Failure(InvalidQuery(field="input", reason="is missing"))
    sources = []
    for word in options.inputs:
        source = recognise(word)
        if isinstance(source, Failure):
            return source
        sources.append(source.unwrap())
    return Success(tuple(sources))


async def plan_run(
    options: BulkOptions, policy: Policy, stdin: BinaryIO | None = None
) -> Result[Plan, WebError]:
    """Return the plan of the folder, or make one; another run's folder is refused."""
    missing = missing_extra()
    if missing is not None:
        return Failure(missing)
    sources = sources_of(options)
    if isinstance(sources, Failure):
        return sources
    try:
        bare = _prepared(options, sources.unwrap(), stdin or sys.stdin.buffer)
        folder = Path(options.folder)
        earlier = load_plan(folder)
        if earlier is not None:
            differing = difference(earlier, bare)
            return Success(earlier) if differing is None else Failure(differing)
        expand = Fetching(msgspec.structs.replace(options, former=None), policy).expand
        return await write_plan(bare, sources.unwrap(), options, folder, expand)
    except OSError as error:
        return Failure(store_error(error))


def _prepared(options: BulkOptions, sources: tuple[Source, ...], stdin: BinaryIO) -> Plan:
    folder = Path(options.folder)
    folder.mkdir(parents=True, exist_ok=True)
    if any(source.kind == "stdin" for source in sources):
        _spool_stdin(stdin, folder)
    return new_plan(options, sources, folder)


async def extract(
    options: BulkOptions, policy: Policy, watch: Watch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Read every input into the folder, or go on with that."""
    rules = rules_of(options)
    if isinstance(rules, Failure):
        return rules
    planned = await plan_run(options, policy, stdin)
    if isinstance(planned, Failure):
        return planned
    try:
        return await _Job(planned.unwrap(), rules.unwrap(), options, watch).run(policy)
    except OSError as error:
        return Failure(store_error(error))


def rules_of(options: BulkOptions) -> Result[RowRules, WebError]:
    """Return what rows hold beside their page, unless the filter is none."""
    keep = None
    if options.where is not None:
        known = {*BulkRow.__struct_fields__, *signals_of("")} - {"kept"}
        condition = make_filter(options.where, frozenset(known))
        if isinstance(condition, Failure):
            return condition
        keep = condition.unwrap()
    wanted = options.quality or options.where is not None
    signals = signals_of if wanted else None
    return Success(RowRules(language=language_of, signals=signals, keep=keep))


class _Job:
    """A planned run."""

    def __init__(self, plan: Plan, rules: RowRules, options: BulkOptions, watch: Watch) -> None:
        self._plan, self._watch = plan, watch
        self._folder = Path(options.folder)
        self._options = options
        self._conversion = watch.converter or Conversion(options.workers or processors())
        self._shop = Workshop(
            folder=self._folder,
            options=options,
            conversion=self._conversion,
            rules=rules,
            on_row=watch.on_row,
        )

    async def run(self, policy: Policy) -> Result[RunEnd, WebError]:
        """Do the shards that are not done; raises ``OSError``."""
        for place in (self._folder, self._folder / WARC_FOLDER):
            sweep(place)
        mend(self._folder)
        entries = load_entries(self._folder)
        done = done_shards(self._folder)
        if len(done) < self._plan.shards:
            (self._folder / SUMMARY).unlink(missing_ok=True)
        self._watch.on_plan(self._plan, sum(entries[number].rows for number in done))
        fetching = Fetching(self._options, policy, is_stopping=self._watch.is_stopping)
        try:
            await self._work(done, fetching)
        finally:
            await asyncio.shield(self._conversion.aclose())
        if len(done) < self._plan.shards:
            return Success(RunEnd(plan=self._plan, summary=None))
        summary = finish(self._folder, self._plan)
        return summary.map(lambda whole: RunEnd(plan=self._plan, summary=whole))

    async def _work(self, done: set[int], fetching: Fetching) -> None:
        async def work(shard: Shard) -> ShardEntry | None:
            if shard.kind == "urls" and not await fetching.fetch_shard(shard, self._folder):
                return None
            return await run_shard(shard, self._shop)

        missing = (shard for shard in shards_of(self._folder) if shard.number not in done)
        at_once = URL_SHARDS_AT_ONCE if self._plan.urls else SHARDS_AT_ONCE
        stopping = self._watch.is_stopping
        async for entry in run_local(missing, work, at_once=at_once, is_stopping=stopping):
            if entry is not None:
                record(self._folder, entry)
                done.add(entry.shard)


def _spool_stdin(stdin: BinaryIO, folder: Path) -> None:
    with whole_file(folder / STDIN) as stream:
        while chunk := stdin.read(1 << 20):
            stream.write(chunk)


def store_error(error: OSError) -> WebError:
    """Return what stopped a run: all that is written so far is whole."""
    reason = (error.strerror or str(error) or "it cannot be written").rstrip(".")
    problem: StoreProblem = "full" if error.errno == errno.ENOSPC else "unreachable"
    words = f"{reason}; what is written so far is whole, and the same command goes on"
    return StoreFailed(store="the run", reason=words, problem=problem)
