"""Run a bulk run on a cluster: fetch every page first, then read shards on any node."""

# ruff: noqa: PLC0415
# Imports inside of functions keep the start short.

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets.atomic_files import file_sha256
from webseam.adapters.features.bulk.datasets.parquet_tables import TableCursors
from webseam.adapters.features.bulk.ray_engine import connect_cluster
from webseam.composition.doors.client.results import unwrap
from webseam.kernel.features.bulk.counts import ShardEntry
from webseam.kernel.policy.policy_rules import Policy
from webseam.ports.bulk import Shard
from webseam.ports.errors import InvalidQuery, StoreFailed, WebError

from ..checks import bulk_user_agent, make_row_data, make_row_rules, read_signer, warc_notes
from ..conversion import RunWatch, WorkerConverter, usable_processors
from ..dataset_status import fetched_bytes
from ..items import shard_warc
from ..options import BulkOptions, maker_versions
from ..plan import RunPlan
from ..run_folder import run_folder_error
from ..shards import ShardDeps, run_shard
from ..source_watch import SourceWatch
from . import rounds
from .group_ownership import STOP_FILE
from .nodes import Nodes

# A node process reads many shards, so they share its worker, which exits when idle.
NODE_CONVERTER: Final = WorkerConverter(1)
NODE_CURSORS: Final = TableCursors()
NODE_WATCH: Final = SourceWatch()
_SHARDS_PER_PROCESSOR: Final = 2
# Fetching mostly waits for the network.
_FETCH_PROCESSORS: Final = 0.1
_POLL_SECONDS: Final = 0.2
_SHARE_HINT: Final = "every node must share that folder, under the same name"


def read_shard_on_node(order: rounds.ShardOrder) -> ShardEntry | WebError:
    """Write a shard and return its manifest entry, or an error that stops the run."""
    if (misfit := rounds.explain_misfit(order.run)) is not None:
        return misfit
    try:
        return asyncio.run(_read_shard(order))
    except OSError as error:
        return run_folder_error(error)


async def _read_shard(order: rounds.ShardOrder) -> ShardEntry:
    run, shard = order.run, order.shard
    if shard.kind == "urls" and not shard_warc(shard, run.folder).is_file():
        rounds.write_shard_pages(run.folder, shard, warc_notes(run.options))
    deps = ShardDeps(
        folder=run.folder,
        options=run.options,
        conversion=NODE_CONVERTER,
        rules=make_row_rules(run.options).unwrap(),
        row_data=make_row_data(run.options).unwrap(),
        base=Path(run.base),
        cursors=NODE_CURSORS,
        source_watch=NODE_WATCH,
    )
    return await run_shard(shard, deps)


@contextmanager
def open_cluster_executor(
    plan: RunPlan, options: BulkOptions, policy: Policy, watch: RunWatch, *, address: str
) -> Iterator[Result[ClusterExecutor, WebError]]:
    """Connect to the cluster, and disconnect at the end."""
    if watch.nodes is not None:
        yield Success(ClusterExecutor(watch.nodes, plan, options, policy, watch))
        return
    with connect_cluster(address, options.workers or usable_processors()) as cluster:
        yield cluster.map(lambda joined: ClusterExecutor(joined, plan, options, policy, watch))


class ClusterExecutor:
    """Runs shards on a cluster, after it has fetched their pages by groups of hosts."""

    def __init__(
        self, cluster: Nodes, plan: RunPlan, options: BulkOptions, policy: Policy, watch: RunWatch
    ) -> None:
        self._cluster, self._plan, self._policy, self._watch = cluster, plan, policy, watch
        self._folder = Path(options.folder).absolute()
        former = None if options.former is None else str(Path(options.former).absolute())
        # A node has settings of its own, and so another contact.
        options = msgspec.structs.replace(options, user_agent=bulk_user_agent(options))
        self._run = rounds.RunIdentity(
            options=msgspec.structs.replace(options, folder=str(self._folder), former=former),
            base=str(Path.cwd()),
            makers=maker_versions(),
        )

    def max_open_shards(self) -> int:
        """Return how many shards may be open at once."""
        return _SHARDS_PER_PROCESSOR * self._cluster.processors()

    async def prepare_shards(self, shards: Iterator[Shard], /) -> Result[bool, WebError]:
        """Fetch every page of the shards; raises ``OSError``."""
        (self._folder / STOP_FILE).unlink(missing_ok=True)
        if not self._plan.urls:
            return Success(True)  # noqa: FBT003  a result
        if unwrap(read_signer()) is not None:
            reason = "signed requests are sent by one machine, because the key stays on it"
            return Failure(InvalidQuery(field="--engine", reason=reason))
        from ..fetching import index_earlier_run  # a fifth of a second, for URLs alone

        index_earlier_run(self._run.options)
        async with self._relay_stop_to_nodes():
            first = rounds.load_round(self._folder, 0) or self._open_first_round(shards)
            current = first
            while any(current.counts):
                outcome = await self._run_round(current, first)
                if isinstance(outcome, Failure) or not outcome.unwrap():
                    return outcome
                onward = rounds.onward_fetch_tasks(self._folder, current)
                new_round = msgspec.structs.replace(current, number=current.number + 1)
                current = rounds.open_round(self._folder, new_round, onward, self._policy)
            return Success(True)  # noqa: FBT003  a result

    async def work_shard(self, shard: Shard, /) -> Result[ShardEntry | None, WebError]:
        """Have a node read a shard."""
        order = rounds.ShardOrder(run=self._run, shard=shard)
        if isinstance(outcome := await self._cluster.run(read_shard_on_node, order), Failure):
            return outcome
        if not isinstance(entry := outcome.unwrap(), ShardEntry):
            return Failure(entry)
        if not await asyncio.to_thread(self._has_shard_file, entry):
            reason = f"a node wrote {entry.name}, which this machine does not see: {_SHARE_HINT}"
            return Failure(StoreFailed(store="the run", reason=reason))
        self._watch.on_shard(entry)
        return Success(entry)

    def _has_shard_file(self, entry: ShardEntry) -> bool:
        try:
            return file_sha256(self._folder / entry.name) == entry.sha256
        except OSError:
            return False

    def _open_first_round(self, shards: Iterator[Shard]) -> rounds.Round:
        options = self._run.options
        spent = 0 if options.max_bytes is None else fetched_bytes(self._folder)
        budget = rounds.RoundBudget(most=options.max_bytes, spent=spent)
        groups = [0] * min(rounds.MAX_GROUPS, options.at_once)
        first = rounds.Round(number=0, counts=groups, budget=budget)
        tasks = rounds.first_fetch_tasks(self._folder, shards, has_room=budget.has_room())
        return rounds.open_round(self._folder, first, tasks, self._policy)

    async def _run_round(self, latest: rounds.Round, first: rounds.Round) -> Result[bool, WebError]:
        orders = [self._make_group_order(group, latest, first) for group in range(latest.groups)]
        busy_orders = [order for order in orders if latest.counts[order.group]]
        outcomes = await asyncio.gather(*map(self._fetch_group_remotely, busy_orders))
        failure = next((outcome for outcome in outcomes if isinstance(outcome, Failure)), None)
        return failure or Success(all(outcome.unwrap() for outcome in outcomes))

    def _make_group_order(
        self, group: int, current: rounds.Round, first: rounds.Round
    ) -> rounds.GroupOrder:
        return rounds.GroupOrder(
            run=self._run,
            policy=self._policy,
            round=current,
            group=group,
            max_bytes=first.budget.group_max_bytes(first.counts[group], sum(first.counts)),
        )

    async def _fetch_group_remotely(self, order: rounds.GroupOrder) -> Result[bool, WebError]:
        from .node_fetching import fetch_group  # likewise

        outcome = await self._cluster.run(fetch_group, order, processors=_FETCH_PROCESSORS)
        if isinstance(outcome, Failure):
            return outcome
        end = outcome.unwrap()
        return Success(end.is_complete) if isinstance(end, rounds.GroupEnd) else Failure(end)

    @asynccontextmanager
    async def _relay_stop_to_nodes(self) -> AsyncIterator[None]:
        """Tell the nodes to stop through a file when the run is to stop."""

        async def relay() -> None:
            # Poll: a signal handler sets the flag and wakes no loop.
            while not self._watch.is_stopping():  # noqa: ASYNC110  no event
                await asyncio.sleep(_POLL_SECONDS)
            (self._folder / STOP_FILE).touch()

        relay_task = asyncio.ensure_future(relay())
        try:
            yield
        finally:
            relay_task.cancel()
