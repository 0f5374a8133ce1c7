"""The lines that bulk commands print: the plan, the progress, the outcome."""

from collections.abc import Sequence

from webseam.adapters.features.bulk.datasets.warc import SKIPPED_RECORD_TYPES
from webseam.kernel.features.bulk.counts import Summary
from webseam.kernel.text.display import one_line

from ...terminal.counts import byte_size_text, count_with_noun
from ...terminal.progress import time_left_text
from .dataset_status import RunStatus
from .options import BulkOptions
from .plan import CLOSED_FOLDER, RunPlan

_RESPONSE_SECONDS = 0.5
_MAX_LISTED_FILES = 5
_LEFT_OUT_REASONS = {
    "links": "links that lead out of their folder",
    "special": "no regular files",
    "secrets": "they look like secrets",
    "kinds": "of a kind that is read only when it is named",
    CLOSED_FOLDER: "cannot be opened",
    "revisit": "they repeat an earlier record, whose text is read if it is among the inputs",
    "conversion": "texts made from pages, which are read from responses",
}
_LEFT_OUT_NOUNS = {CLOSED_FOLDER: "folder", **dict.fromkeys(SKIPPED_RECORD_TYPES, "record")}


def least_seconds(plan: RunPlan, options: BulkOptions) -> float:
    """Return the least seconds that the URLs of the largest host take; 0 without any."""
    count = plan.hosts[0][1] if plan.hosts else 0
    return count * (options.delay + _RESPONSE_SECONDS) / options.per_host


def run_plan_lines(plan: RunPlan, options: BulkOptions, workers: int) -> list[str]:
    """Return the lines of a plan whose run has not begun."""
    size = f"{count_with_noun(plan.rows, 'row')} in {count_with_noun(plan.shards, 'shard')}"
    lines = [
        f"{size}, as {options.form}, to {options.folder}",
        f"{count_with_noun(workers, 'worker')} for the conversion of pages",
    ]
    if plan.urls:
        rules = "within robots.txt" if options.robots else "without robots.txt"
        lines.append(
            f"{count_with_noun(plan.urls, 'URL')} to fetch {rules}, {options.at_once} at once, "
            f"{options.per_host} a host, {options.delay:g} s apart"
        )
        host, count = plan.hosts[0]
        seconds = least_seconds(plan, options)
        name = one_line(host, 100) or "(no host)"
        lines.append(f"The largest host, {name}, has {count:,}: {seconds:,.0f} s at least")
    lines += [f"  {' '.join(map(str, source[:2]))}" for source in plan.inputs]
    return lines + left_out_lines(plan)


def planned_run_data(plan: RunPlan, options: BulkOptions) -> dict[str, object]:
    """Return a plan whose run has not begun, for JSON; ``seconds`` is the least time it takes."""
    return {
        "folder": options.folder,
        "rows": plan.rows,
        "shards": plan.shards,
        "urls": plan.urls,
        "hosts": plan.hosts,
        "seconds": least_seconds(plan, options),
        "left_out": plan.left_out,
    }


def left_out_lines(plan: RunPlan) -> list[str]:
    """Return a line for each reason why files or records were left out."""
    return [
        f"{count_with_noun(count, _LEFT_OUT_NOUNS.get(reason, 'file'))} left out: "
        f"{_LEFT_OUT_REASONS.get(reason, reason)}"
        for reason, count in plan.left_out.items()
    ]


def over_budget_lines(count: int) -> list[str]:
    """Return how to get the rows that ``--max-bytes`` left out."""
    rows = count_with_noun(count, "row")
    return [f"{rows} left out for --max-bytes; a larger value fetches them"] if count else []


def run_status_lines(status: RunStatus) -> list[str]:
    """Return the progress of a run."""
    if not status.planned_shards and not status.over:
        text = f"Looking for pages: {count_with_noun(status.fetched, 'page')} fetched so far"
        return [f"{text}{_idle_run_note(status)}"]
    counts = status.so_far
    share = counts.rows / status.planned_rows if status.planned_rows else 1.0
    rows = f"{counts.rows:,} of {count_with_noun(status.planned_rows, 'row')} ({share:.0%})"
    shards = f"{counts.shards:,} of {count_with_noun(status.planned_shards, 'shard')}"
    lines = [f"{rows}, {shards}{', done' if status.over else _idle_run_note(status)}"]
    if not status.over and status.running is not False and status.rate and status.left is not None:
        lines.append(f"{status.rate:,.1f} rows a second, {time_left_text(status.left)}")
    if status.fetched:
        lines.append(f"{count_with_noun(status.fetched, 'page')} fetched, to be read")
    if status.lost:
        lines.append(lost_files_line(status.lost, "not counted"))
    return lines + _row_outcome_lines(counts, status.noun)


def lost_files_line(names: Sequence[str], fate: str) -> str:
    """Return which files of a run are lost, and what happens to them."""
    verb = "is" if len(names) == 1 else "are"
    text = ", ".join(names[:_MAX_LISTED_FILES]) + (
        ", ..." if len(names) > _MAX_LISTED_FILES else ""
    )
    return f"{count_with_noun(len(names), 'file')} {verb} missing or damaged, and {fate}: {text}"


def _idle_run_note(status: RunStatus) -> str:
    note = "; no process works on it, so run the same command to continue"
    return note if status.running is False else ""


def run_summary_lines(summary: Summary, noun: str = "page") -> list[str]:
    """Return the result of a run whose good rows are each a ``noun``."""
    rows = f"{count_with_noun(summary.rows, 'row')} in {count_with_noun(summary.shards, 'file')}"
    return [rows, *_row_outcome_lines(summary, noun)]


def _row_outcome_lines(summary: Summary, noun: str = "page") -> list[str]:
    size = f", {byte_size_text(summary.bytes)}" if noun == "page" else ""
    lines = [
        f"{count_with_noun(summary.ok, noun)}, {count_with_noun(summary.failed, 'failure')}{size}"
    ]
    lines += [f"  {count:>9,}  {kind}" for kind, count in summary.errors.items()]
    if summary.kept != summary.rows:
        lines.append(f"{count_with_noun(summary.kept, 'row')} marked as kept")
    return lines
