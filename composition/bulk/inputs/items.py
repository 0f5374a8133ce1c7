"""The inputs of a shard, one after the other, whatever they lie in."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.bulk.datasets import warc
from ....adapters.bulk.datasets.file_names import decode_file_name
from ....adapters.bulk.datasets.parquet_tables import TableCursors
from ....adapters.folder_files import open_file
from ....kernel.bulk.url_lists import ListEntry
from ....ports.bulk import BulkItem, Shard
from ....ports.errors import InvalidQuery, ResponseTooLarge, SourceUnreadable, WebError
from ..options import BulkOptions
from .plan import SHARDS, PlanDeps, RunPlan, read_shards, shard_entries, unchanged_plan, write_plan
from .plan_draft import ENTRIES
from .sources import Source

# As other files that differ from run to run, it is none of the dataset for who reads the folder.
_WARC_FOLDER: Final = "_warc"
# What it was called until 2026-11-17.
_WARC_BEFORE: Final = "warc"
SPOOLS: Final = "_fetching"
CRAWL: Final = "_crawl.json"
FORMER: Final = "_former.sqlite"
# Not those of the machine, which differ from one to the next.
_TYPES: Final = {
    "htm": "text/html",
    "html": "text/html",
    "ipynb": "application/x-ipynb+json",
    "markdown": "text/markdown",
    "md": "text/markdown",
    "mdx": "text/markdown",
    "pdf": "application/pdf",
    "rst": "text/plain",
    "text": "text/plain",
    "txt": "text/plain",
    "xhtml": "application/xhtml+xml",
}


def warc_folder(folder: Path) -> Path:
    """Return where a run keeps what it fetched; one that began under the name of before stays."""
    own, before = folder / _WARC_FOLDER, folder / _WARC_BEFORE
    if own.is_dir():
        return own
    is_of_run = any(any(before.glob(f"{name}-*.warc.gz")) for name in ("part", "round"))
    return before if is_of_run else own


def shard_warc(shard: Shard, folder: Path) -> Path:
    """Return the file that the pages of a shard of URLs are kept in."""
    return warc_folder(folder) / f"{shard.name}.warc.gz"


def shard_spool(shard: Shard, folder: Path) -> Path:
    """Return the file that the pages of a shard of URLs are in while they come."""
    return folder / SPOOLS / shard.name


def shard_items(
    shard: Shard, folder: Path, options: BulkOptions, base: Path, cursors: TableCursors
) -> Iterator[BulkItem]:
    """Yield the inputs of a shard; raises ``OSError`` where a source is gone.

    Names of files begin at ``base``, and stand in rows as they were typed.
    """
    match shard.kind:
        case "warc":
            path = base / shard.source
            return islice(warc.read_inputs(path, shard.offset, path.name), shard.rows)
        case "urls":
            path = shard_warc(shard, folder)
            return warc.read_inputs(path, 0, path.name)
        case "files":
            return (_file(entry, base) for entry in shard_entries(folder, shard))
        case "parquet":
            columns = (options.content_column or "", options.column)
            rows = range(shard.offset, shard.offset + shard.rows)
            return cursors.pages(base / shard.source, columns, rows, shard.source)


def _file(entry: ListEntry, base: Path) -> BulkItem:
    path = base / decode_file_name(entry.path or "")
    kind = _TYPES.get(path.name.rpartition(".")[2].lower(), "")
    try:
        with open_file(path) as stream:
            body = stream.read(warc.MAX_BODY_BYTES + 1)
    except OSError as error:
        unreadable = SourceUnreadable(reason=(error.strerror or "it cannot be opened").lower())
        return BulkItem(source=entry.source, offset=entry.offset, error=unreadable)
    if len(body) > warc.MAX_BODY_BYTES:
        large = ResponseTooLarge(what="body", limit=warc.MAX_BODY_BYTES)
        return BulkItem(source=entry.source, offset=entry.offset, error=large)
    return BulkItem(source=entry.source, offset=entry.offset, content_type=kind, body=body)


# The lists of a plan, where somebody took them away: made again from its inputs.

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
