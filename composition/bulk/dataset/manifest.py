"""The manifest: a line for every shard that is whole, written by whoever drives the run."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.datasets.whole_files import (
    append_line,
    atomic_file,
    file_digest,
    remove_leftovers,
)
from ....adapters.datasets.writers import OutputFormat
from ....kernel.bulk.counts import ShardEntry, Summary, is_complete, sum_entries
from ....ports.errors import InvalidQuery, StoreFailed, WebError
from ..inputs.items import warc_folder
from ..inputs.plan import RunPlan, load_plan, plan_difference

MANIFEST, SUMMARY = "_manifest.jsonl", "_summary.json"
# Not beside the parts by its name: who reads the folder as one dataset would read it too.
DUPLICATES = "_duplicates"
_ENTRY = msgspec.json.Decoder(ShardEntry)


def earlier_plan(folder: Path, new_plan: RunPlan) -> Result[RunPlan, WebError] | None:
    """Return the plan that a folder has, or why that is none to go on with; None of a new one."""
    earlier = load_plan(folder)
    if earlier is not None:
        differing = plan_difference(earlier, new_plan)
        return Success(earlier) if differing is None else Failure(differing)
    # A plan is written before all else, but for what a crawl fetches.
    if (folder / MANIFEST).exists() or any(warc_folder(folder).glob("part-*")):
        reason = f"{folder} holds a run, and its plan is gone; take another folder"
        return Failure(InvalidQuery(field="-o", reason=reason))
    return None


def load_entries(folder: Path) -> dict[int, ShardEntry]:
    """Return the shards that are done, by number; a line torn by a crash is as if not there."""
    try:
        lines = (folder / MANIFEST).read_bytes().splitlines()
    except OSError:
        return {}
    entries = {}
    for line in lines:
        try:
            entry = _ENTRY.decode(line)
        except (msgspec.DecodeError, ValueError):
            continue
        entries[entry.shard] = entry
    return entries


class FolderStanding(NamedTuple):
    """The shards of a folder by number: all that were written, done ones, files that are lost."""

    entries: dict[int, ShardEntry]
    done: set[int]
    lost: list[str]


def read_standing(folder: Path, *, check: bool = False) -> FolderStanding:
    """Return what need not be done: whole, as it was written, no row at the clock's mercy.

    A file of another size is no part of the run any more; with ``check`` every byte is looked at.
    """
    entries = load_entries(folder)
    lost = {
        number for number, entry in entries.items() if not _is_there(folder, entry, check=check)
    }
    done = {number for number, entry in entries.items() if not entry.unsure} - lost
    return FolderStanding(entries, done, [entries[number].name for number in sorted(lost)])


def _is_there(folder: Path, entry: ShardEntry, *, check: bool) -> bool:
    path = folder / entry.name
    try:
        size = path.stat().st_size
        if entry.size is not None and size != entry.size:
            return False
        return not check or file_digest(path) == entry.sha256
    except OSError:
        return False


def repair_manifest(folder: Path) -> None:
    """End a line that was torn, so that the next one stands alone; raises ``OSError``."""
    path = folder / MANIFEST
    if path.is_file() and not path.read_bytes().endswith(b"\n"):
        append_line(path, b"")


def record_shard(folder: Path, entry: ShardEntry) -> None:
    """Add a shard; raises ``OSError``."""
    append_line(folder / MANIFEST, msgspec.json.encode(entry, order="sorted"))


def finish_manifest(folder: Path, plan: RunPlan) -> Result[Summary, WebError]:
    """Put the manifest in order, write the summary, and say whether it adds up."""
    remove_leftovers(folder)
    entries = [entry for _, entry in sorted(load_entries(folder).items())]
    with atomic_file(folder / MANIFEST) as stream:
        for entry in entries:
            stream.write(msgspec.json.encode(entry, order="sorted") + b"\n")
    summary = sum_entries(entries, plan.rows)
    if not is_complete(summary):
        reason = f"{summary.rows:,} rows came of {summary.inputs:,} inputs"
        return Failure(StoreFailed(store="the run", reason=reason, problem="corrupt"))
    with atomic_file(folder / SUMMARY) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(summary, order="sorted")) + b"\n")
    return Success(summary)


def delete_summary(folder: Path) -> None:
    """Drop what is said about a run that is over: its rows may change; raises ``OSError``."""
    for name in (SUMMARY, *(f"{DUPLICATES}.{form}" for form in get_args(OutputFormat))):
        (folder / name).unlink(missing_ok=True)


def load_summary(folder: Path) -> Summary | None:
    """Return the summary of a run that is over, None before."""
    try:
        return msgspec.json.decode((folder / SUMMARY).read_bytes(), type=Summary)
    except (OSError, msgspec.DecodeError):
        return None
