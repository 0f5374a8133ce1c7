"""The lists of a plan, where somebody took them away: made again from its inputs."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from ....kernel.bulk.url_lists import ListEntry
from ....ports.bulk import Shard
from ....ports.errors import InvalidQuery, WebError
from ..options import BulkOptions
from .draft import ENTRIES
from .items import warc_folder
from .plan import SHARDS, PlanDeps, RunPlan, read_shards, shard_entries, unchanged_plan, write_plan
from .sources import Source

_BEFORE: Final = "_inputs.before.jsonl"
_ENTRY: Final = msgspec.json.Decoder(ListEntry)
_DAMAGES: Final = (OSError, msgspec.DecodeError, ValueError)


def is_listed(folder: Path, plan: RunPlan) -> bool:
    """Tell whether the shards of a plan, and what they are of, stand in their files."""
    rows = count = 0
    last: Shard | None = None
    try:
        for shard in read_shards(folder):
            rows, count = rows + shard.rows, count + 1
            last = shard if shard.source == ENTRIES else last
        if last is not None:
            deque(shard_entries(folder, last), maxlen=0)
    except _DAMAGES:
        return False
    return (rows, count) == (plan.rows, plan.shards)


async def restore_plan_lists(
    earlier: Result[RunPlan, WebError],
    sources: Sequence[Source],
    options: BulkOptions,
    folder: Path,
    is_stopping: Callable[[], bool],
) -> Result[RunPlan, WebError]:
    """Return the plan of a folder, whose lists are made again as they were where they are gone.

    It is refused where files that it is of have changed. A sitemap or a feed may list other pages
    now: what it listed then is among the entries. Raises ``OSError``.
    """
    held = earlier.bind(lambda plan: unchanged_plan(plan, sources, folder))
    if isinstance(held, Failure) or is_listed(folder, held.unwrap()):
        return held
    plan = held.unwrap()
    before, entries = folder / _BEFORE, folder / ENTRIES
    if entries.is_file() and not before.is_file():
        entries.replace(before)

    async def expand(source: Source) -> Result[list[ListEntry], WebError]:
        listed = _listed(before, source)
        return Success(listed) if listed else Failure(_changed(folder))

    def unfit(rows: int, shards: int) -> WebError | None:
        return None if (rows, shards) == (plan.rows, plan.shards) else _changed(folder)

    around = PlanDeps(expand, is_stopping, unfit)
    made = await write_plan(plan, sources, options, folder, around)
    if isinstance(made, Failure):
        (folder / SHARDS).unlink(missing_ok=True)
        return made
    before.unlink(missing_ok=True)
    return made


def _listed(path: Path, source: Source) -> list[ListEntry]:
    try:
        with path.open("rb") as lines:
            entries = map(_ENTRY.decode, lines)
            return [entry for entry in entries if entry.source == source.name]
    except _DAMAGES:
        return []


def _changed(folder: Path) -> InvalidQuery:
    reason = (
        f"{folder} holds a run whose list of shards is gone, and its inputs are others now; take "
        f"another folder; pages that were fetched are in {warc_folder(folder)}"
    )
    return InvalidQuery(field="-o", reason=reason)
