"""The manifest of a run, one line per finished shard, and its HTML report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path
from typing import NamedTuple, get_args

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets import atomic_files
from webseam.adapters.features.bulk.datasets.writers import OutputFormat
from webseam.kernel.features.bulk.counts import (
    LATENCY_BOUNDS,
    ShardEntry,
    Summary,
    is_count_complete,
    sum_shards,
)
from webseam.ports.errors import InvalidQuery, StoreFailed, WebError

from .items import warc_folder
from .plan import RunPlan, load_run_plan, run_plan_difference
from .sources import REPORT_HEAD

MANIFEST, SUMMARY = "_manifest.jsonl", "_summary.json"
# The underscore hides it from tools that read the folder as one dataset.
DUPLICATES = "_duplicates"
_SHARD_ENTRY_DECODER = msgspec.json.Decoder(ShardEntry)
_MAX_TABLE_ROWS = 30
_SVG_WIDTH, _SVG_HEIGHT = 760, 180
_REPORT_CSS = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2em auto;padding:0 1em;"
    "color:#222;background:#fff}table{border-collapse:collapse;width:100%}td{padding:.15em .8em "
    ".15em 0;overflow-wrap:anywhere}td.n{text-align:right;white-space:nowrap;width:1%}"
    "td.b{width:45%}i{display:inline-block;height:.8em;min-width:1px;background:#47a}svg{width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}}"
)
_VIEWPORT_TAG = "<meta name=viewport content='width=device-width'>"


def earlier_run_plan(folder: Path, new_plan: RunPlan) -> Result[RunPlan, WebError] | None:
    """Return the plan of a folder or why it cannot be resumed; None for a new folder."""
    if (earlier := load_run_plan(folder)) is not None:
        differing = run_plan_difference(earlier, new_plan)
        return Success(earlier) if differing is None else Failure(differing)
    # Only the pages of a crawl are written before the plan.
    if (folder / MANIFEST).exists() or any(warc_folder(folder).glob("part-*")):
        reason = f"{folder} holds a run, and its plan is gone; take another folder"
        return Failure(InvalidQuery(field="-o", reason=reason))
    return None


def load_shard_entries(folder: Path) -> dict[int, ShardEntry]:
    """Return the finished shards by number; ignore a line that a crash has torn."""
    try:
        lines = (folder / MANIFEST).read_bytes().splitlines()
    except OSError:
        return {}
    entries = {}
    for line in lines:
        try:
            entry = _SHARD_ENTRY_DECODER.decode(line)
        except (msgspec.DecodeError, ValueError):
            continue
        entries[entry.shard] = entry
    return entries


class WrittenShards(NamedTuple):
    """The shards of a folder: all written ones, the done ones, and the lost files."""

    entries: dict[int, ShardEntry]
    done: set[int]
    lost: list[str]


def read_written_shards(folder: Path, *, check: bool = False) -> WrittenShards:
    """Return the shards that need no work; ``check`` compares every byte, not only the size."""
    entries = load_shard_entries(folder)
    all_entries = entries.items()
    lost = {n for n, entry in all_entries if not _has_shard_part(folder, entry, check=check)}
    done = {number for number, entry in all_entries if not entry.unsure} - lost
    return WrittenShards(entries, done, [entries[number].name for number in sorted(lost)])


def _has_shard_part(folder: Path, entry: ShardEntry, *, check: bool) -> bool:
    path = folder / entry.name
    try:
        size = path.stat().st_size
        if entry.size is not None and size != entry.size:
            return False
        return not check or atomic_files.file_sha256(path) == entry.sha256
    except OSError:
        return False


def repair_manifest(folder: Path) -> None:
    """End a torn last line, so that the next line stands alone; raises ``OSError``."""
    path = folder / MANIFEST
    if path.is_file() and not path.read_bytes().endswith(b"\n"):
        atomic_files.append_synced_line(path, b"")


def record_shard(folder: Path, entry: ShardEntry) -> None:
    """Append a shard; raises ``OSError``."""
    atomic_files.append_synced_line(folder / MANIFEST, msgspec.json.encode(entry, order="sorted"))


def finish_manifest(folder: Path, plan: RunPlan) -> Result[Summary, WebError]:
    """Sort the manifest and write the summary; fail when the counts do not add up."""
    atomic_files.remove_temporary_files(folder)
    entries = [entry for _, entry in sorted(load_shard_entries(folder).items())]
    lines = (msgspec.json.encode(entry, order="sorted") + b"\n" for entry in entries)
    atomic_files.write_whole_file(folder / MANIFEST, b"".join(lines))
    summary = sum_shards(entries, plan.rows)
    if not is_count_complete(summary):
        reason = f"{summary.rows:,} rows came of {summary.inputs:,} inputs"
        return Failure(StoreFailed(store="the run", reason=reason, problem="corrupt"))
    content = msgspec.json.format(msgspec.json.encode(summary, order="sorted"))
    atomic_files.write_whole_file(folder / SUMMARY, content + b"\n")
    return Success(summary)


def delete_run_summary(folder: Path) -> None:
    """Delete the summary and duplicates of a run whose rows may change; raises ``OSError``."""
    for name in (SUMMARY, *(f"{DUPLICATES}.{form}" for form in get_args(OutputFormat))):
        (folder / name).unlink(missing_ok=True)


def load_run_summary(folder: Path) -> Summary | None:
    """Return the summary of a finished run, or None."""
    try:
        return msgspec.json.decode((folder / SUMMARY).read_bytes(), type=Summary)
    except (OSError, msgspec.DecodeError):
        return None


def write_run_report(folder: Path, target: Path) -> Result[None, WebError]:
    """Write the report, or return an error: one HTML file without external resources."""
    if (plan := load_run_plan(folder)) is None:
        return Failure(InvalidQuery(field="folder", reason=f"{folder} holds no run"))
    page = bulk_report_page(plan.rows, list(load_shard_entries(folder).values()), plan.noun)
    try:
        atomic_files.write_whole_file(target, page.encode())
    except OSError as error:
        reason = f"{target} cannot be written: {(error.strerror or 'no reason is given').lower()}"
        return Failure(InvalidQuery(field="report", reason=reason))
    return Success(None)


def bulk_report_page(inputs: int, entries: Sequence[ShardEntry], noun: str) -> str:
    """Return the HTML report of shards; a row that worked is a ``noun``."""
    summary = sum_shards(entries, inputs)
    hosts: Counter[str] = Counter()
    latencies = [0] * (len(LATENCY_BOUNDS) + 1)
    for entry in entries:
        hosts.update(entry.hosts)
        latencies = [total + count for total, count in zip(latencies, entry.latencies, strict=True)]
    bounds = [f"up to {bound:g} s" for bound in LATENCY_BOUNDS]
    bounds.append(f"over {LATENCY_BOUNDS[-1]:g} s")
    parts = [
        REPORT_HEAD,
        f"{_VIEWPORT_TAG}<style>{_REPORT_CSS}</style><h1>{summary.rows:,} of {inputs:,} rows</h1>",
        f"<p>{_count_text(summary.ok, noun)}, {_count_text(summary.failed, 'failure')},",
        f"{_count_text(summary.bytes, 'byte')};",
        f"{_count_text(summary.characters, 'character')} written,",
        f"{_count_text(summary.shards, 'shard')}.",
        "<h2>Rows a second</h2>",
        _throughput_svg(entries),
        "<h2>Time a row</h2>",
        _report_bar_table(zip(bounds, latencies, strict=True)),
        "<h2>Failures by kind</h2>",
        _report_bar_table(Counter(summary.errors).most_common(_MAX_TABLE_ROWS)),
        "<h2>Failures by host</h2>",
        _report_bar_table(hosts.most_common(_MAX_TABLE_ROWS)),
        "<h2>Languages</h2>",
        _report_bar_table(Counter(summary.languages).most_common(_MAX_TABLE_ROWS)),
    ]
    return "\n".join(parts) + "\n"


def _count_text(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _report_bar_table(counts: Iterable[tuple[str, int]]) -> str:
    rows = list(counts)
    if not (most := max((count for _, count in rows), default=0)):
        return "<p>None."
    lines = (
        f"<tr><td>{escape(name) or '(none)'}<td class=n>{count:,}"
        f"<td class=b>{_report_bar(count, most)}"
        for name, count in rows
    )
    return f"<table>{''.join(lines)}</table>"


def _report_bar(count: int, most: int) -> str:
    return f"<i style='width:{100 * count / most:.1f}%'></i>" if count else ""


def _throughput_svg(entries: Sequence[ShardEntry]) -> str:
    """Draw the rows per second over time; each shard is spread over its duration."""
    if not entries:
        return "<p>None."
    start = min(entry.began for entry in entries)
    length = max(entry.began + entry.seconds for entry in entries) - start
    steps = 60
    step = max(length / steps, 0.001)
    rates = [0.0] * steps
    for entry in entries:
        first = min(int((entry.began - start) / step), steps - 1)
        last = min(int((entry.began + entry.seconds - start) / step), steps - 1)
        for index in range(first, last + 1):
            rates[index] += entry.rows / (last - first + 1) / step
    top = max(rates) or 1.0
    points = " ".join(
        f"{index * _SVG_WIDTH / (steps - 1):.0f},{_SVG_HEIGHT - rate / top * (_SVG_HEIGHT - 2):.0f}"
        for index, rate in enumerate(rates)
    )
    # Close the area at zero on both sides, so that the baseline shows.
    area = f"0,{_SVG_HEIGHT} {points} {_SVG_WIDTH},{_SVG_HEIGHT}"
    return (
        f"<p>{top:,.1f} rows a second at most, {length:,.0f} s in all."
        f"<svg viewBox='0 0 {_SVG_WIDTH} {_SVG_HEIGHT}' role=img><title>Rows a second</title>"
        f"<polygon points='{area}' fill='#47a' fill-opacity=.3 />"
        f"<polyline points='{points}' fill=none stroke='#47a' stroke-width=2 /></svg>"
    )
