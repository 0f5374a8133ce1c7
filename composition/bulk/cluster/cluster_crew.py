"""A cluster at work on a run: first every page is fetched, then shards are read wherever."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.bulk.datasets.parquet_tables import TableCursors
from ....adapters.bulk.datasets.whole_files import file_digest
from ....adapters.bulk.engines.ray import connect_cluster
from ....kernel.bulk.counts import ShardEntry
from ....kernel.policy.policy_rules import Policy
from ....ports.bulk import Shard
from ....ports.errors import StoreFailed, WebError
from ..checks import make_row_rules
from ..conversion import Conversion, RunWatch, usable_processors
from ..dataset.status import fetched_bytes
from ..inputs.items import shard_warc
from ..inputs.plan import RunPlan
from ..inputs.source_watch import SourceWatch
from ..options import BulkOptions, maker_versions, warc_notes
from ..run_folder import store_error
from ..shards import ShardDeps, run_shard
from .group_ownership import STOP_FILE
from .nodes import Nodes
from .rounds import (
    MAX_GROUPS,
    GroupEnd,
    GroupOrder,
    Round,
    RoundBudget,
    RunIdentity,
    ShardOrder,
    explain_misfit,
    first_tasks,
    keep_pages,
    load_round,
    onward_tasks,
    open_round,
)

# A process of a node reads one shard after the other: its worker stays, and leaves when idle.
NODE_CONVERSION: Final = Conversion(1)
NODE_CURSORS: Final = TableCursors()
NODE_WATCH: Final = SourceWatch()


def read_shard(order: ShardOrder) -> ShardEntry | WebError:
    """Write a shard and return its line for the manifest, or what stops the run."""
    unfit = explain_misfit(order.place)
    if unfit is not None:
        return unfit
    try:
        return asyncio.run(_read(order))
    except OSError as error:
        return store_error(error)


async def _read(order: ShardOrder) -> ShardEntry:
    place, shard = order.place, order.shard
    if shard.kind == "urls" and not shard_warc(shard, place.folder).is_file():
        keep_pages(place.folder, shard, warc_notes(place.options))
    shop = ShardDeps(
        folder=place.folder,
        options=place.options,
        conversion=NODE_CONVERSION,
        rules=make_row_rules(place.options).unwrap(),
        base=Path(place.base),
        cursors=NODE_CURSORS,
        vigil=NODE_WATCH,
    )
    return await run_shard(shard, shop)


# A cluster at work on a run: first every page is fetched, then shards are read wherever.

_SHARDS_PER_PROCESSOR: Final = 2
# Those who fetch mostly wait.
_FETCH_PROCESSORS: Final = 0.1
_POLL_SECONDS: Final = 0.2
_SHARE: Final = "every node must share that folder, under the same name"


@contextmanager
def open_cluster_executor(
    plan: RunPlan, options: BulkOptions, policy: Policy, watch: RunWatch, *, address: str
) -> Iterator[Result[ClusterExecutor, WebError]]:
    """Connect to the cluster, and leave it again."""
    if watch.nodes is not None:
        yield Success(ClusterExecutor(watch.nodes, plan, options, policy, watch))
        return
    with connect_cluster(address, options.workers or usable_processors()) as cluster:
        yield cluster.map(lambda joined: ClusterExecutor(joined, plan, options, policy, watch))


class ClusterExecutor:
    """A cluster that does shards, and before them the fetching, by groups of hosts."""

    def __init__(
        self, cluster: Nodes, plan: RunPlan, options: BulkOptions, policy: Policy, watch: RunWatch
    ) -> None:
        """Order nothing yet."""
        self._cluster, self._plan, self._policy, self._watch = cluster, plan, policy, watch
        self._folder = Path(options.folder).absolute()
        former = None if options.former is None else str(Path(options.former).absolute())
        self._place = RunIdentity(
            options=msgspec.structs.replace(options, folder=str(self._folder), former=former),
            base=str(Path.cwd()),
            makers=maker_versions(),
        )

    def at_once(self) -> int:
        """Return how many shards to hand out before one is done."""
        return _SHARDS_PER_PROCESSOR * self._cluster.processors()

    async def begin(self, shards: Iterator[Shard], /) -> Result[bool, WebError]:
        """Fetch every page that shards want; raises ``OSError``."""
        (self._folder / STOP_FILE).unlink(missing_ok=True)
        if not self._plan.urls:
            return Success(True)  # noqa: FBT003  a result
        from ..fetching import index_former_run  # noqa: PLC0415  a fifth of a second, for URLs alone

        index_former_run(self._place.options)
        async with self._stoppable():
            return await self._fetch(shards)

    async def work(self, shard: Shard, /) -> Result[ShardEntry | None, WebError]:
        """Have a shard read."""
        outcome = await self._cluster.run(read_shard, ShardOrder(place=self._place, shard=shard))
        if isinstance(outcome, Failure):
            return outcome
        entry = outcome.unwrap()
        if not isinstance(entry, ShardEntry):
            return Failure(entry)
        if not await asyncio.to_thread(self._sees, entry):
            reason = f"a node wrote {entry.name}, which is not to be seen here: {_SHARE}"
            return Failure(StoreFailed(store="the run", reason=reason))
        self._watch.on_shard(entry)
        return Success(entry)

    def _sees(self, entry: ShardEntry) -> bool:
        try:
            return file_digest(self._folder / entry.name) == entry.sha256
        except OSError:
            return False

    async def _fetch(self, shards: Iterator[Shard]) -> Result[bool, WebError]:
        first = current = load_round(self._folder, 0) or self._first_round(shards)
        while any(current.counts):
            ended = await self._round(current, first)
            if isinstance(ended, Failure) or not ended.unwrap():
                return ended
            onward = onward_tasks(self._folder, current)
            wanted = msgspec.structs.replace(current, number=current.number + 1)
            current = open_round(self._folder, wanted, onward, self._policy)
        return Success(True)  # noqa: FBT003  a result

    def _first_round(self, shards: Iterator[Shard]) -> Round:
        options = self._place.options
        spent = 0 if options.max_bytes is None else fetched_bytes(self._folder)
        budget = RoundBudget(most=options.max_bytes, spent=spent)
        groups = [0] * min(MAX_GROUPS, options.at_once)
        return open_round(
            self._folder,
            Round(number=0, counts=groups, budget=budget),
            first_tasks(self._folder, shards, has_room=budget.has_room()),
            self._policy,
        )

    async def _round(self, current: Round, first: Round) -> Result[bool, WebError]:
        orders = [self._order(group, current, first) for group in range(current.groups)]
        wanted = [order for order in orders if current.counts[order.group]]
        outcomes = await asyncio.gather(*map(self._group, wanted))
        failed = next((outcome for outcome in outcomes if isinstance(outcome, Failure)), None)
        return failed or Success(all(outcome.unwrap() for outcome in outcomes))

    def _order(self, group: int, current: Round, first: Round) -> GroupOrder:
        return GroupOrder(
            place=self._place,
            policy=self._policy,
            round=current,
            group=group,
            max_bytes=first.budget.share(first.counts[group], sum(first.counts)),
        )

    async def _group(self, order: GroupOrder) -> Result[bool, WebError]:
        from .node_fetching import fetch_group  # noqa: PLC0415  likewise

        outcome = await self._cluster.run(fetch_group, order, processors=_FETCH_PROCESSORS)
        if isinstance(outcome, Failure):
            return outcome
        end = outcome.unwrap()
        return Success(end.whole) if isinstance(end, GroupEnd) else Failure(end)

    @asynccontextmanager
    async def _stoppable(self) -> AsyncIterator[None]:
        """Let the nodes know, by a file, when the run is to stop."""

        async def watch() -> None:
            # A signal handler sets it, which wakes no loop.
            while not self._watch.is_stopping():  # noqa: ASYNC110
                await asyncio.sleep(_POLL_SECONDS)
            (self._folder / STOP_FILE).touch()

        watching = asyncio.ensure_future(watch())
        try:
            yield
        finally:
            watching.cancel()
