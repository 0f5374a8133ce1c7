"""Read the inputs of a shard in order, from any kind of source."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from pathlib import Path
from typing import Final

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets import warc
from webseam.adapters.features.bulk.datasets.file_names import decode_file_name
from webseam.adapters.features.bulk.datasets.parquet_tables import TableCursors
from webseam.adapters.folder_files import open_regular_file
from webseam.kernel.features.bulk.url_lists import ListEntry
from webseam.ports.bulk import BulkItem, Shard
from webseam.ports.errors import InvalidQuery, ResponseTooLarge, SourceUnreadable, WebError

from .options import BulkOptions
from .plan import SHARDS, PlanDeps, RunPlan, read_shards, shard_entries, unchanged_plan, write_plan
from .plan_draft import ENTRIES
from .sources import Source

# The underscore hides it from tools that read the folder as one dataset.
_WARC_FOLDER: Final = "_warc"
# The name until 2026-11-17.
_OLD_WARC_FOLDER: Final = "warc"
SPOOLS: Final = "_fetching"
CRAWL: Final = "_crawl.json"
EARLIER_PAGES: Final = "_former.sqlite"
# Not the mimetypes of the machine, which differ between machines.
_CONTENT_TYPES: Final = {
    "htm": "text/html", "html": "text/html", "ipynb": "application/x-ipynb+json",
    "markdown": "text/markdown", "md": "text/markdown", "mdx": "text/markdown",
    "pdf": "application/pdf", "rst": "text/plain", "text": "text/plain", "txt": "text/plain",
    "xhtml": "application/xhtml+xml",
}  # fmt: skip
_OLD_ENTRIES_FILE: Final = "_inputs.before.jsonl"
_ENTRY_DECODER: Final = msgspec.json.Decoder(ListEntry)
_READ_ERRORS: Final = (OSError, msgspec.DecodeError, ValueError)


def warc_folder(folder: Path) -> Path:
    """Return the WARC folder of a run; a run with the older name keeps it."""
    current, older = folder / _WARC_FOLDER, folder / _OLD_WARC_FOLDER
    if current.is_dir():
        return current
    is_of_run = any(any(older.glob(f"{name}-*.warc.gz")) for name in ("part", "round"))
    return older if is_of_run else current


def shard_warc(shard: Shard, folder: Path) -> Path:
    """Return the WARC file of a shard of URLs."""
    return warc_folder(folder) / f"{shard.name}.warc.gz"


def shard_spool(shard: Shard, folder: Path) -> Path:
    """Return the spool file of a shard of URLs, which holds its pages while it is fetched."""
    return folder / SPOOLS / shard.name


def shard_items(
    shard: Shard, folder: Path, options: BulkOptions, base: Path, cursors: TableCursors
) -> Iterator[BulkItem]:
    """Yield the inputs of a shard; source names are relative to ``base``. Raises ``OSError``."""
    match shard.kind:
        case "warc":
            path = base / shard.source
            return islice(warc.read_warc_inputs(path, shard.offset, path.name), shard.rows)
        case "urls":
            path = shard_warc(shard, folder)
            return warc.read_warc_inputs(path, 0, path.name)
        case "files":
            return (_read_file_item(entry, base) for entry in shard_entries(folder, shard))
        case "parquet":
            columns = (options.content_column or "", options.column)
            rows = range(shard.offset, shard.offset + shard.rows)
            return cursors.read_pages(base / shard.source, columns, rows, shard.source)


def _read_file_item(entry: ListEntry, base: Path) -> BulkItem:
    path = base / decode_file_name(entry.path or "")
    content_type = _CONTENT_TYPES.get(path.name.rpartition(".")[2].lower(), "")
    try:
        with open_regular_file(path) as stream:
            body = stream.read(warc.MAX_BODY_BYTES + 1)
    except OSError as error:
        unreadable = SourceUnreadable(reason=(error.strerror or "it cannot be opened").lower())
        return BulkItem(source=entry.source, offset=entry.offset, error=unreadable)
    if len(body) > warc.MAX_BODY_BYTES:
        large = ResponseTooLarge(what="body", limit=warc.MAX_BODY_BYTES)
        return BulkItem(source=entry.source, offset=entry.offset, error=large)
    return BulkItem(source=entry.source, offset=entry.offset, content_type=content_type, body=body)


def has_plan_lists(folder: Path, plan: RunPlan) -> bool:
    """Return whether the files list all shards and entries of a plan."""
    rows = count = 0
    last: Shard | None = None
    try:
        for shard in read_shards(folder):
            rows, count = rows + shard.rows, count + 1
            last = shard if shard.source == ENTRIES else last
        if last is not None:
            deque(shard_entries(folder, last), maxlen=0)
    except _READ_ERRORS:
        return False
    return (rows, count) == (plan.rows, plan.shards)


async def restore_plan_lists(
    earlier: Result[RunPlan, WebError],
    sources: Sequence[Source],
    options: BulkOptions,
    folder: Path,
    is_stopping: Callable[[], bool],
) -> Result[RunPlan, WebError]:
    """Return the plan of a folder, and rebuild its lists where they are gone.

    Refuse it where its files have changed. A sitemap or feed may list other pages by now, so its
    entries come from the old list. Raises ``OSError``.
    """
    checked = earlier.bind(lambda plan: unchanged_plan(plan, sources, folder))
    if isinstance(checked, Failure) or has_plan_lists(folder, checked.unwrap()):
        return checked
    plan = checked.unwrap()
    old_entries, entries = folder / _OLD_ENTRIES_FILE, folder / ENTRIES
    if entries.is_file() and not old_entries.is_file():
        entries.replace(old_entries)

    async def expand(source: Source) -> Result[list[ListEntry], WebError]:
        listed = _earlier_list_entries(old_entries, source)
        return Success(listed) if listed else Failure(_inputs_changed_error(folder))

    def check_counts(rows: int, shards: int) -> WebError | None:
        return None if (rows, shards) == (plan.rows, plan.shards) else _inputs_changed_error(folder)

    deps = PlanDeps(expand, is_stopping, check_counts)
    if isinstance(outcome := await write_plan(plan, sources, options, folder, deps), Failure):
        (folder / SHARDS).unlink(missing_ok=True)
        return outcome
    old_entries.unlink(missing_ok=True)
    return outcome


def _earlier_list_entries(path: Path, source: Source) -> list[ListEntry]:
    try:
        with path.open("rb") as lines:
            entries = map(_ENTRY_DECODER.decode, lines)
            return [entry for entry in entries if entry.source == source.name]
    except _READ_ERRORS:
        return []


def _inputs_changed_error(folder: Path) -> InvalidQuery:
    reason = (
        f"{folder} holds a run whose list of shards is gone, and its inputs have changed; take "
        f"another folder; pages that were fetched are in {warc_folder(folder)}"
    )
    return InvalidQuery(field="-o", reason=reason)
