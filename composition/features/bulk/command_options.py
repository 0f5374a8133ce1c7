"""Options, progress and signals that ``bulk``, ``crawl`` and ``map`` share."""

import argparse
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Self, get_args

import msgspec
from returns.result import Failure

from webseam.kernel.envelopes import failure_envelope
from webseam.kernel.features.bulk.counts import ShardEntry
from webseam.kernel.features.bulk.frontier import CrawlRules
from webseam.kernel.urls.spelling import complete_web_url
from webseam.ports.bulk import BulkRow
from webseam.ports.errors import CheckFailed, WebError
from webseam.ports.usage import UsagePurpose

from ...terminal.exit_codes import failure_exit_code
from ...terminal.exit_numbers import BACKEND_FAILED, DONE, INTERRUPTED
from ...terminal.output import print_error, print_json, print_verdict
from ...terminal.progress import Progress
from ...terminal.styled_lines import print_wrapped_lines
from .bulk_run import RunEnd
from .conversion import RunWatch
from .dataset_duplicates import first_row_error
from .manifest import write_run_report
from .options import DEFAULT_ROWS_PER_SHARD, BulkOptions
from .plan import RunPlan
from .report_lines import left_out_lines, lost_files_line, over_budget_lines, run_summary_lines

_MAX_SCHEMA_BYTES = 1_000_000
_STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM)
# What to type in the place of options that only Python has.
ROW_HINTS = dict.fromkeys(
    ("--compress", "--instruction"), "in Python, webseam.bulk takes compress= and instruction="
)
MAP_HINTS = dict.fromkeys(
    ("--per-host", "--at-once", "--purpose", "--max-bytes"),
    "webseam crawl takes it; --pages bounds a map",
)


def print_run_end(
    end: RunEnd | None, folder: str, options: argparse.Namespace, noun: str = "page"
) -> int:
    """Print the result of a run, or the command that resumes it; return the exit code."""
    if end is None or end.summary is None:
        print(f"webseam: stopped; continue with: {options.command}", file=sys.stderr)
        if options.json:
            problem = CheckFailed(problem="The run was stopped before its end.")
            print_verdict({"folder": folder}, problem, [options.command])
        return INTERRUPTED
    is_success = bool(end.summary.ok) or not end.summary.rows
    # When no row worked, the first error helps more than a count.
    failure = None if is_success else first_row_error(Path(folder))
    if options.json:
        _print_run_json(end, folder, failure, is_success=is_success)
    else:
        lines = (*run_summary_lines(end.summary, noun), *left_out_lines(end.plan))
        print_wrapped_lines((*lines, *over_budget_lines(end.left_out)))
        if failure is not None:
            print_error(failure, as_json=False)
    if is_success:
        return DONE
    if failure is None or len(end.summary.errors) != 1:
        return BACKEND_FAILED
    return failure_exit_code(failure)


def _print_run_json(
    end: RunEnd, folder: str, failure: WebError | None, *, is_success: bool
) -> None:
    """Print the counts of a run as JSON, and the first error if no row worked."""
    counts = msgspec.to_builtins(end.summary)
    data = {"folder": folder, **counts, "left_out": end.plan.left_out, "over_budget": end.left_out}
    if is_success:
        print_json({"success": True, "data": data})
        return
    error = failure or CheckFailed(problem="No row worked.")
    print_json({**failure_envelope(error), "data": data}, error)


def print_end_and_write_report(end: RunEnd | None, folder: str, options: argparse.Namespace) -> int:
    """Print the result of a run, write its report if requested; return the exit code."""
    code = print_run_end(end, folder, options)
    if end is None or options.report is None:
        return code
    written = write_run_report(Path(folder), Path(options.report))
    return print_error(written.failure(), as_json=False) if isinstance(written, Failure) else code


class StopSignals:
    """Ctrl-C or SIGTERM: the first lets open requests finish, the second ends at once."""

    def __init__(self, command: str) -> None:
        self.event = threading.Event()
        self._command = command

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _STOP_SIGNALS:
                signal.signal(number, self._handle_signal)
        return self

    def __exit__(self, *raised: object) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.default_int_handler)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)

    def _handle_signal(self, number: int, frame: FrameType | None) -> None:
        if self.event.is_set():
            signal.default_int_handler(number, frame)
        self.event.set()
        print(
            "\nwebseam: stopping after the open requests; Ctrl-C again ends at once. No written "
            f"file is lost. Continue with: {self._command}",
            file=sys.stderr,
        )


class RunProgress:
    """Progress of a run: the number of fetched pages or of rows, whichever is larger.

    All pages of a shard are fetched before the first is read; pages that an earlier run
    fetched are not fetched again.

    >>> advance = RunProgress().advance
    >>> advance(fetched=2), advance(rows=1), advance(rows=2)
    (True, False, True)
    """

    def __init__(self) -> None:
        self._fetched = self._rows = 0

    def advance(self, *, fetched: int = 0, rows: int = 0) -> bool:
        """Add to the counts; return whether the progress grew."""
        before = max(self._fetched, self._rows)
        self._fetched += fetched
        self._rows += rows
        return max(self._fetched, self._rows) > before


class RunScreen:
    """The progress line of a run; it starts with the plan or with the first fetched page."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._run_progress = RunProgress()
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._progress is not None:
            self._progress.clear_lines()

    def begin_run(self, plan: RunPlan, rows_done: int) -> None:
        """Start the progress line, from the rows that an earlier run made."""
        if self._progress is not None:
            self._progress.clear_lines()
        self._run_progress = RunProgress()
        self._progress = Progress("Reading", plan.rows, done=rows_done).__enter__()

    def print_lost_files(self, names: Sequence[str]) -> None:
        """Print which files of an earlier run are written again."""
        if names:
            print(f"webseam: {lost_files_line(names, 'written again')}", file=sys.stderr)

    def count_fetch(self) -> None:
        """Count a fetched page; a crawl fetches pages before it has a plan."""
        if self._progress is None:
            self._progress = Progress("Looking for pages").__enter__()
        self._draw("", is_farther=self._run_progress.advance(fetched=1))

    def count_row(self, row: BulkRow) -> None:
        """Count one more row."""
        self._bytes += row.body_bytes
        self.count_outcome(row.error)

    def count_shard(self, entry: ShardEntry) -> None:
        """Count the rows of a shard that another machine made."""
        self._bytes += entry.bytes
        outcomes = [kind for kind, count in entry.errors.items() for _ in range(count)]
        for index in range(entry.rows):
            self.count_outcome(outcomes[index] if index < len(outcomes) else None)

    def count_outcome(self, error: str | None) -> None:
        """Count one more row or search by the kind of its error."""
        self._draw(error or "", is_farther=self._run_progress.advance(rows=1))

    def _draw(self, outcome: str, *, is_farther: bool) -> None:
        if self._progress is None:
            return
        name = f"{self._bytes / 1e6:,.1f} MB" if self._bytes else ""
        (self._progress.count_step if is_farther else self._progress.show_step)(name, outcome)


@contextmanager
def watch_run(command: str) -> Iterator[RunWatch]:
    """Draw the progress of a run in the block, and stop it at a signal."""
    with RunScreen() as screen, StopSignals(command) as stop:
        yield RunWatch(
            on_lost=screen.print_lost_files,
            on_plan=screen.begin_run,
            on_fetch=screen.count_fetch,
            on_row=screen.count_row,
            on_shard=screen.count_shard,
            on_outcome=screen.count_outcome,
            is_stopping=stop.event.is_set,
        )


def bulk_options(options: argparse.Namespace, inputs: tuple[str, ...], folder: str) -> BulkOptions:
    """Return the options of a run; options that the command lacks keep their defaults."""
    names = BulkOptions.__struct_fields__
    fields = {name: getattr(options, name) for name in names if hasattr(options, name)}
    return BulkOptions(inputs=inputs, folder=folder, **fields)


def _read_schema_file(name: str) -> str:
    try:
        with Path(name).open("rb") as file:
            schema = msgspec.json.decode(file.read(_MAX_SCHEMA_BYTES))
    except OSError as error:
        message = f"{name} cannot be read"
        raise argparse.ArgumentTypeError(message) from error
    except (ValueError, RecursionError) as error:
        message = f"{name} is no JSON of at most {_MAX_SCHEMA_BYTES:,} bytes"
        raise argparse.ArgumentTypeError(message) from error
    # Blanks do not make it another run.
    return msgspec.json.encode(schema).decode()


def add_row_options(parser: argparse.ArgumentParser) -> None:
    """Add the options about rows."""
    add = parser.add_argument_group("how rows are written").add_argument
    add(
        "--format", dest="form", choices=("parquet", "jsonl"), default="parquet", help="of the rows"
    )
    add("--report", metavar="FILE", help="write an HTML page about the run")
    add(
        "--per-shard",
        type=count_option,
        default=DEFAULT_ROWS_PER_SHARD,
        help=f"rows a file, {DEFAULT_ROWS_PER_SHARD:,}",
    )
    add("--workers", type=count_option, help="processes that convert; one a processor")
    add("--quality", action="store_true", help="add signals of quality")
    add("--where", metavar="EXPRESSION", help="mark rows as kept, e.g. 'language == \"en\"'")
    add(
        "--schema",
        type=_read_schema_file,
        metavar="FILE",
        help="a JSON Schema: add a column with the values of it that each page proves",
    )
    add("--check", action="store_true", help="verify every byte of existing files")


def add_since_option(parser: argparse.ArgumentParser) -> None:
    """Add ``--since``, which reuses unchanged pages of an earlier run."""
    parser.add_argument(
        "--since",
        dest="former",
        metavar="FOLDER",
        help="an earlier run whose unchanged pages are reused",
    )


def add_pace_options(parser: argparse.ArgumentParser) -> "argparse._ArgumentGroup":
    """Add how fast pages are fetched and under which name; return the group."""
    group = parser.add_argument_group("how URLs are fetched, always within robots.txt")
    group.add_argument("--delay", type=seconds_option, default=1.0, help="seconds between pages; 1")
    agent_help = "the User-Agent header; webseam and its version"
    group.add_argument("--user-agent", metavar="TEXT", help=agent_help)
    return group


def add_fetch_options(parser: argparse.ArgumentParser) -> None:
    """Add the options about fetching."""
    add = add_pace_options(parser).add_argument
    add("--per-host", type=count_option, default=1, help="pages at once a host; 1")
    add("--at-once", type=count_option, default=32, help="pages at once in all; 32")
    add(
        "--purpose",
        choices=get_args(UsagePurpose),
        help="leave out pages whose publisher says no to this use",
    )
    add(
        "--max-bytes",
        type=count_option,
        metavar="N",
        help="stop fetching after this many bytes",
    )


def count_option(text: str) -> int:
    """Parse a count of 1 or more; raises ``ArgumentTypeError`` otherwise."""
    return whole_number_option(text, 1)


def whole_number_option(text: str, minimum: int) -> int:
    """Parse a whole number of at least ``minimum``; raises ``ArgumentTypeError`` otherwise."""
    try:
        number = int(text)
    except ValueError:
        number = minimum - 1
    if number < minimum:
        msg = f"{text!r} is no whole number of {minimum} or more"
        raise argparse.ArgumentTypeError(msg)
    return number


def seconds_option(text: str) -> float:
    """Parse a finite number of seconds; raises ``ArgumentTypeError`` otherwise."""
    try:
        number = float(text)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        msg = f"{text!r} is no number of seconds"
        raise argparse.ArgumentTypeError(msg)
    return number


def add_site_options(parser: argparse.ArgumentParser, *, depth: int, pages: int) -> None:
    """Add the options of ``crawl`` and ``map``: where to begin and how far to go."""
    add = parser.add_argument
    add("url", metavar="URL", help="where to begin")
    add(
        "--depth",
        type=partial(whole_number_option, minimum=0),
        default=depth,
        help=f"steps from there at most; {depth}",
    )
    add("--pages", type=count_option, default=pages, help=f"pages at most; {pages:,}")
    add("--include", action="append", default=[], metavar="REGEX", help="only URLs that match")
    add("--exclude", action="append", default=[], metavar="REGEX", help="no URLs that match")
    add("--same-host", action="store_true", help="this host alone, without its subdomains")
    add("--no-sitemap", action="store_true", help="go by links alone")


def crawl_site_rules(options: argparse.Namespace) -> CrawlRules:
    """Return the crawl rules of a parsed command line."""
    return CrawlRules(
        start=complete_web_url(options.url),
        same_host=options.same_host,
        include=tuple(options.include),
        exclude=tuple(options.exclude),
    )
