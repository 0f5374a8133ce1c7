"""Who looks on while a run goes on, and who may stop it."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import msgspec

from ...kernel.bulk.counts import ShardEntry
from ...ports.bulk import BulkRow
from .cluster.nodes import Nodes
from .conversion import Converter
from .inputs.plan import RunPlan


class RunWatch(msgspec.Struct, frozen=True, kw_only=True):
    """Who looks on, and who may stop a run; ``converter`` and ``nodes`` stand in for real ones.

    ``on_lost`` is told which files of an earlier run are made again. ``on_fetch`` is called for
    each page that this process has fetched; ``on_row`` is told each row that is made in it,
    ``on_shard`` each shard that was made in another one; ``on_outcome`` the kind of error of each
    search, None when it worked.
    """

    on_plan: Callable[[RunPlan, int], None] = lambda _plan, _done: None
    on_lost: Callable[[Sequence[str]], None] = lambda _names: None
    on_fetch: Callable[[], None] = lambda: None
    on_row: Callable[[BulkRow], None] = lambda _row: None
    on_shard: Callable[[ShardEntry], None] = lambda _entry: None
    on_outcome: Callable[[str | None], None] = lambda _error: None
    is_stopping: Callable[[], bool] = lambda: False
    converter: Converter | None = None
    nodes: Nodes | None = None
