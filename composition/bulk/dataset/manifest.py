"""The manifest: a line for every shard that is whole, written by whoever drives the run."""

from __future__ import annotations

from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.datasets.parts import append_line, sweep, whole_file
from ....kernel.bulk.counts import ShardEntry, Summary, add_up, is_whole
from ....ports.errors import StoreFailed, WebError
from ..plan import Plan

MANIFEST, SUMMARY = "_manifest.jsonl", "_summary.json"
_ENTRY = msgspec.json.Decoder(ShardEntry)


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


def done_shards(folder: Path) -> set[int]:
    """Return the shards that need not be done: whole, there, and no row at the clock's mercy."""
    return {
        number
        for number, entry in load_entries(folder).items()
        if not entry.unsure and (folder / entry.name).is_file()
    }


def mend(folder: Path) -> None:
    """End a line that was torn, so that the next one stands alone; raises ``OSError``."""
    path = folder / MANIFEST
    if path.is_file() and not path.read_bytes().endswith(b"\n"):
        append_line(path, b"")


def record(folder: Path, entry: ShardEntry) -> None:
    """Add a shard; raises ``OSError``."""
    append_line(folder / MANIFEST, msgspec.json.encode(entry, order="sorted"))


def finish(folder: Path, plan: Plan) -> Result[Summary, WebError]:
    """Put the manifest in order, write the summary, and say whether it adds up."""
    sweep(folder)
    entries = [entry for _, entry in sorted(load_entries(folder).items())]
    with whole_file(folder / MANIFEST) as stream:
        for entry in entries:
            stream.write(msgspec.json.encode(entry, order="sorted") + b"\n")
    summary = add_up(entries, plan.rows)
    if not is_whole(summary):
        reason = f"{summary.rows:,} rows came of {summary.inputs:,} inputs"
        return Failure(StoreFailed(store="the run", reason=reason, problem="corrupt"))
    with whole_file(folder / SUMMARY) as stream:
        stream.write(msgspec.json.format(msgspec.json.encode(summary, order="sorted")) + b"\n")
    return Success(summary)


def load_summary(folder: Path) -> Summary | None:
    """Return the summary of a run that is over, None before."""
    try:
        return msgspec.json.decode((folder / SUMMARY).read_bytes(), type=Summary)
    except (OSError, msgspec.DecodeError):
        return None
