"""A run from its plan to its summary; the same call goes on with a run that was ended."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import aclosing
from functools import partial
from pathlib import Path
from shutil import rmtree
from typing import BinaryIO

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.datasets.parts import keep_stream, sweep
from ...adapters.engines.window import run_window
from ...kernel.bulk.counts import ShardEntry, Summary
from ...kernel.policy.rules import Policy
from ...ports.bulk import Shard
from ...ports.errors import InvalidQuery, WebError
from .checks import LOCAL, refusal_of_engine, refusal_of_options
from .conversion import Conversion, Converter, processors, useful_workers
from .crews import Crew, open_crew
from .dataset.arrivals import fetched_bytes
from .dataset.manifest import (
    earlier_plan,
    finish,
    forget_ending,
    load_entries,
    mend,
    record,
    standing,
)
from .homes import home, made_folder
from .inputs.items import CRAWL, SPOOLS, warcs_in
from .inputs.losses import listed_plan
from .inputs.plan import STDIN, Around, Plan, new_plan, shards_of, write_plan
from .inputs.sources import Source, recognise, size_to_read
from .network import Network
from .options import BulkOptions, missing_extra
from .rules import rules_of
from .stops import holds_another, store_error
from .watch import Watch


class RunEnd(msgspec.Struct, frozen=True, kw_only=True):
    """How a run ended: ``summary`` is None when it was stopped before it was done.

    So many rows are ``left_out`` for the bytes that may be fetched.
    """

    plan: Plan
    summary: Summary | None
    left_out: int = 0


# Of a run that was stopped before it was known what there is to do.
_UNPLANNED = RunEnd(plan=Plan(inputs=[], settings={}, makers={}), summary=None)


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
    options: BulkOptions,
    policy: Policy,
    stdin: BinaryIO | None = None,
    *,
    warm: Callable[[Sequence[Source]], None] = lambda _sources: None,
    is_stopping: Callable[[], bool] = lambda: False,
) -> Result[Plan, WebError]:
    """Return the plan of the folder, or make one; another run's folder is refused.

    ``warm`` is called before the sources are looked into, which takes its time. When
    ``is_stopping``, no further input is looked at, and there is no plan.
    """
    missing = missing_extra()
    if missing is not None:
        return Failure(missing)
    sources = sources_of(options)
    if isinstance(sources, Failure):
        return sources
    folder = Path(options.folder)
    refusal = made_folder(folder)
    if refusal is not None:
        return Failure(refusal)
    try:
        warm(sources.unwrap())
        bare = _prepared(options, sources.unwrap(), stdin or sys.stdin.buffer)
        earlier = earlier_plan(folder, bare)
        if earlier is not None:
            return await listed_plan(earlier, sources.unwrap(), options, folder, is_stopping)
        fresh = msgspec.structs.replace(options, former=None)
        network = Network(fresh, policy, is_stopping=is_stopping)
        around = Around(network.expand, is_stopping)
        return await write_plan(bare, sources.unwrap(), options, folder, around)
    except OSError as error:
        return Failure(store_error(error))


def _prepared(options: BulkOptions, sources: tuple[Source, ...], stdin: BinaryIO) -> Plan:
    folder = Path(options.folder)
    if any(source.kind == "stdin" for source in sources):
        keep_stream(stdin, folder / STDIN)
    return new_plan(options, sources, folder)


async def extract(
    options: BulkOptions, policy: Policy, watch: Watch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Read every input into the folder, or go on with that; one process at a time."""
    folder = Path(options.folder)
    missing = missing_extra()
    if missing is not None:
        return Failure(missing)
    with home(folder) as refusal:
        if refusal is not None:
            return Failure(refusal)
        if (folder / CRAWL).is_file():
            return Failure(holds_another(folder, "a crawl"))
        return await extract_owned(options, policy, watch, stdin)


async def extract_owned(
    options: BulkOptions, policy: Policy, watch: Watch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Do so where the folder is ours."""
    refusal = refusal_of_options(options)
    if refusal is None and watch.nodes is None:
        refusal = refusal_of_engine(options.engine)
    if refusal is not None:
        return Failure(refusal)
    rules = rules_of(options)
    converter = watch.converter or Conversion(options.workers or processors())
    try:
        warm = partial(_warm, options, converter)
        planned = await plan_run(options, policy, stdin, warm=warm, is_stopping=watch.is_stopping)
        if isinstance(planned, Failure):
            return Success(_UNPLANNED) if watch.is_stopping() else planned
        plan = planned.unwrap()
        crews = open_crew(plan, rules.unwrap(), options, policy, watch=watch, converter=converter)
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

    def __init__(self, plan: Plan, options: BulkOptions, watch: Watch) -> None:
        self._plan, self._watch = plan, watch
        self._folder, self._options = Path(options.folder), options

    async def run(self, crew: Crew) -> Result[RunEnd, WebError]:
        """Have the shards done that are not done; raises ``OSError``."""
        for place in (self._folder, warcs_in(self._folder)):
            sweep(place)
        if (self._folder / SPOOLS).is_dir():
            from .cluster.remnants import settle_rounds  # noqa: PLC0415  seldom

            settle_rounds(self._folder, self._options)
        mend(self._folder)
        entries, done, lost = standing(self._folder, check=self._options.check)
        done -= self._gone_on_with(entries)
        if len(done) < self._plan.shards:
            forget_ending(self._folder)
        self._watch.on_lost(lost)
        self._watch.on_plan(self._plan, sum(entries[number].rows for number in done))
        problem = await self._work(done, crew)
        if problem is not None:
            return Failure(problem)
        if len(done) < self._plan.shards:
            return Success(RunEnd(plan=self._plan, summary=None))
        rmtree(self._folder / SPOOLS, ignore_errors=True)
        left_out = sum(entry.left_out for entry in load_entries(self._folder).values())
        return finish(self._folder, self._plan).map(
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
        is_kept = (warcs_in(self._folder) / f"{name}.warc.gz").is_file()
        return not is_kept and (self._folder / SPOOLS).is_dir()

    async def _work(self, done: set[int], crew: Crew) -> WebError | None:
        """Do what is missing, and return what stopped that, None when nothing did."""

        def missing() -> Iterator[Shard]:
            return (shard for shard in shards_of(self._folder) if shard.number not in done)

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
                    record(self._folder, entry)
                    done.add(entry.shard)
        return None
