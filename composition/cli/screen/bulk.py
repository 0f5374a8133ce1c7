"""What ``webseam bulk`` tells: the plan, how far it is, and what came of it."""

from ....kernel.bulk.counts import Summary
from ....kernel.text.display import one_line
from ...bulk.dataset.status import RunStatus
from ...bulk.options import BulkOptions
from ...bulk.plan import Plan
from .progress import left_text

_SERVICE_SECONDS = 0.5


def plan_lines(plan: Plan, options: BulkOptions, workers: int) -> list[str]:
    """Return the plan of a run that has not begun."""
    lines = [
        f"{plan.rows:,} rows in {plan.shards:,} shards, as {options.form}, to {options.folder}",
        f"{workers} workers convert pages",
    ]
    if plan.urls:
        rules = "after robots.txt" if options.robots else "without robots.txt"
        lines.append(
            f"{plan.urls:,} URLs are fetched {rules}, {options.at_once} at once, "
            f"{options.per_host} a host, {options.delay:g} s apart"
        )
        host, count = plan.hosts[0]
        longest = count * (options.delay + _SERVICE_SECONDS) / options.per_host
        name = one_line(host, 100) or "(no host)"
        lines.append(f"The largest host, {name}, has {count:,}: {longest:,.0f} s at least")
    lines += [f"  {' '.join(map(str, source[:2]))}" for source in plan.inputs]
    return lines


def status_lines(status: RunStatus) -> list[str]:
    """Return how far a run is."""
    done = status.so_far
    share = done.rows / status.planned_rows if status.planned_rows else 1.0
    rows = f"{done.rows:,} of {status.planned_rows:,} rows ({share:.0%})"
    shards = f"{done.shards:,} of {status.planned_shards:,} shards"
    lines = [f"{rows}, {shards}{', done' if status.over else ''}"]
    if not status.over and status.rate and status.left is not None:
        lines.append(f"{status.rate:,.1f} rows a second, {left_text(status.left)}")
    return lines + _counts(done)


def summary_lines(summary: Summary) -> list[str]:
    """Return what came of a run."""
    return [f"{summary.rows:,} rows in {summary.shards:,} files", *_counts(summary)]


def _counts(summary: Summary) -> list[str]:
    lines = [f"{summary.ok:,} pages, {summary.failed:,} failures, {summary.bytes / 1e6:,.1f} MB"]
    lines += [f"  {count:>9,}  {kind}" for kind, count in summary.errors.items()]
    if summary.kept != summary.rows:
        lines.append(f"{summary.kept:,} rows are marked as kept")
    return lines
