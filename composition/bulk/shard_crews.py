"""Who does the shards of a run: this machine, or a cluster."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Final, Protocol

from returns.result import Result, Success

from ...adapters.datasets.writers import load_writer
from ...adapters.threads import run_to_end
from ...kernel.bulk.bulk_rows import RowRules
from ...kernel.bulk.counts import ShardEntry
from ...kernel.policy.policy_rules import Policy
from ...ports.bulk import Shard
from ...ports.errors import WebError
from .checks import RAY
from .conversion import Converter
from .inputs.plan import RunPlan
from .network import RunNetwork
from .options import BulkOptions
from .shards import ShardDeps, run_shard
from .watch import RunWatch

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
            run_to_end(partial(load_writer, self._shop.options.form))
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
