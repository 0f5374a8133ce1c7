"""A page about a run, made from its manifest alone: one file, nothing loaded from elsewhere."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from html import escape
from pathlib import Path

from returns.result import Failure, Result, Success

from ....adapters.datasets.whole_files import atomic_file
from ....kernel.bulk.counts import LATENCY_BOUNDS, ShardEntry, sum_entries
from ....ports.errors import InvalidQuery, WebError
from ..inputs.folders import REPORT_HEAD
from ..inputs.plan import load_plan
from .manifest import load_entries

_MAX_BARS = 30
_WIDTH, _HEIGHT = 760, 180
_STYLE = (
    "body{font:15px/1.5 system-ui,sans-serif;max-width:800px;margin:2em auto;padding:0 1em;"
    "color:#222;background:#fff}table{border-collapse:collapse;width:100%}td{padding:.15em .8em "
    ".15em 0;overflow-wrap:anywhere}td.n{text-align:right;white-space:nowrap;width:1%}"
    "td.b{width:45%}i{display:inline-block;height:.8em;min-width:1px;background:#47a}svg{width:100%;height:auto}"
    "@media(prefers-color-scheme:dark){body{color:#ddd;background:#111}}"
)
_SCREEN = "<meta name=viewport content='width=device-width'>"


def write_report(folder: Path, target: Path) -> Result[None, WebError]:
    """Write the page, or return why it cannot be."""
    plan = load_plan(folder)
    if plan is None:
        return Failure(InvalidQuery(field="folder", reason=f"{folder} holds no run"))
    page = report_page(plan.rows, list(load_entries(folder).values()), plan.noun)
    try:
        with atomic_file(target) as stream:
            stream.write(page.encode())
    except OSError as error:
        reason = f"{target} cannot be written: {(error.strerror or 'no reason is given').lower()}"
        return Failure(InvalidQuery(field="report", reason=reason))
    return Success(None)


def report_page(inputs: int, entries: Sequence[ShardEntry], noun: str) -> str:
    """Return the page about shards, whose rows are a ``noun`` each or a failure."""
    summary = sum_entries(entries, inputs)
    hosts: Counter[str] = Counter()
    latencies = [0] * (len(LATENCY_BOUNDS) + 1)
    for entry in entries:
        hosts.update(entry.hosts)
        latencies = [one + other for one, other in zip(latencies, entry.latencies, strict=True)]
    bounds = [f"up to {bound:g} s" for bound in LATENCY_BOUNDS]
    bounds.append(f"over {LATENCY_BOUNDS[-1]:g} s")
    parts = [
        REPORT_HEAD,
        f"{_SCREEN}<style>{_STYLE}</style><h1>{summary.rows:,} of {inputs:,} rows</h1>",
        f"<p>{_counted(summary.ok, noun)}, {_counted(summary.failed, 'failure')},",
        f"{_counted(summary.bytes, 'byte')}; {_counted(summary.characters, 'character')} written,",
        f"{_counted(summary.shards, 'shard')}.",
        "<h2>Rows a second</h2>",
        _throughput(entries),
        "<h2>Time a row</h2>",
        _bars(zip(bounds, latencies, strict=True)),
        "<h2>Failures by kind</h2>",
        _bars(Counter(summary.errors).most_common(_MAX_BARS)),
        "<h2>Failures by host</h2>",
        _bars(hosts.most_common(_MAX_BARS)),
        "<h2>Languages</h2>",
        _bars(Counter(summary.languages).most_common(_MAX_BARS)),
    ]
    return "\n".join(parts) + "\n"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _bars(counts: Iterable[tuple[str, int]]) -> str:
    rows = list(counts)
    most = max((count for _, count in rows), default=0)
    if not most:
        return "<p>None."
    lines = (
        f"<tr><td>{escape(name) or '(none)'}<td class=n>{count:,}<td class=b>{_bar(count, most)}"
        for name, count in rows
    )
    return f"<table>{''.join(lines)}</table>"


def _bar(count: int, most: int) -> str:
    return f"<i style='width:{100 * count / most:.1f}%'></i>" if count else ""


def _throughput(entries: Sequence[ShardEntry]) -> str:
    """Draw the rows a second over the time of the run, each shard spread over its own."""
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
        for place in range(first, last + 1):
            rates[place] += entry.rows / (last - first + 1) / step
    top = max(rates) or 1.0
    points = " ".join(
        f"{place * _WIDTH / (steps - 1):.0f},{_HEIGHT - rate / top * (_HEIGHT - 2):.0f}"
        for place, rate in enumerate(rates)
    )
    # Down to nothing on both sides, so that the height of the line can be told.
    area = f"0,{_HEIGHT} {points} {_WIDTH},{_HEIGHT}"
    return (
        f"<p>{top:,.1f} rows a second at most, {length:,.0f} s in all."
        f"<svg viewBox='0 0 {_WIDTH} {_HEIGHT}' role=img><title>Rows a second</title>"
        f"<polygon points='{area}' fill='#47a' fill-opacity=.3 />"
        f"<polyline points='{points}' fill=none stroke='#47a' stroke-width=2 /></svg>"
    )
