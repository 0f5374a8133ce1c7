"""``webseam bulk``: many pages into a dataset."""

import argparse
import asyncio
import shlex
import signal
import sys
import tempfile
import threading
from collections.abc import Sequence
from pathlib import Path
from types import FrameType, TracebackType
from typing import Self

import msgspec
from returns.result import Failure, Result

from ....kernel.policy.rules import Policy
from ....ports.bulk import BulkRow
from ....ports.errors import WebError
from ...bulk.conversion import processors
from ...bulk.job import RunEnd, Watch, extract, plan_run
from ...bulk.options import PER_SHARD, BulkOptions
from ...bulk.plan import Plan
from ...bulk.report import write_report
from ...bulk.status import read_status
from ...settings.checks import policy_of
from ...settings.loader import load_settings
from ..arguments.parser import Parser
from ..codes import BACKEND_FAILED, DONE, INTERRUPTED
from ..output import fail
from ..screen.bulk import plan_lines, status_lines, summary_lines
from ..screen.progress import Progress


def run(arguments: Sequence[str]) -> int:
    """Do what the first word says, and return the exit code."""
    options = command_line().parse_args(arguments)
    deed = {"status": _status, "report": _report, "extract": _extract}[options.deed]
    options.command = shlex.join(("webseam", "bulk", *arguments))
    return deed(options)


def _status(options: argparse.Namespace) -> int:
    status = read_status(Path(options.folder))
    if isinstance(status, Failure):
        return fail(status.failure(), as_json=options.json)
    if options.json:
        print(msgspec.json.encode(status.unwrap()).decode())
    else:
        print("\n".join(status_lines(status.unwrap())))
    return DONE


def _report(options: argparse.Namespace) -> int:
    written = write_report(Path(options.folder), Path(options.file))
    if isinstance(written, Failure):
        return fail(written.failure(), as_json=False)
    print(options.file)
    return DONE


def _extract(options: argparse.Namespace) -> int:
    policy = _policy()
    if isinstance(policy, Failure):
        return fail(policy.failure(), as_json=False)
    wanted = _options(options)
    if options.dry_run:
        return _dry_run(wanted, policy.unwrap())
    with _Screen() as screen, _Stop(options.command) as stop:
        watch = Watch(on_plan=screen.begin, on_row=screen.count, is_stopping=stop.event.is_set)
        ended = asyncio.run(extract(wanted, policy.unwrap(), watch))
    if isinstance(ended, Failure):
        return fail(ended.failure(), as_json=False)
    if options.report:
        write_report(Path(wanted.folder), Path(options.report))
    return _tell(ended.unwrap(), options.command)


def _policy() -> Result[Policy, WebError]:
    settings = load_settings()
    if isinstance(settings, Failure):
        return settings
    return policy_of(settings.unwrap()).alt(lambda error: error)


def _tell(end: RunEnd, command: str) -> int:
    if end.summary is None:
        print(f"webseam: stopped; go on with: {command}", file=sys.stderr)
        return INTERRUPTED
    print("\n".join(summary_lines(end.summary)))
    return DONE if end.summary.ok or not end.summary.rows else BACKEND_FAILED


def _dry_run(wanted: BulkOptions, policy: Policy) -> int:
    """Print the plan; nothing is written where the run would write, and no page is fetched."""
    with tempfile.TemporaryDirectory(prefix="webseam-plan-") as folder:
        elsewhere = msgspec.structs.replace(wanted, folder=folder, former=None)
        planned = asyncio.run(plan_run(elsewhere, policy))
    if isinstance(planned, Failure):
        return fail(planned.failure(), as_json=False)
    workers = wanted.workers or processors()
    print("\n".join(plan_lines(planned.unwrap(), wanted, workers)))
    return DONE


class _Stop:
    """Ctrl-C: the first one lets what is under way end, the second ends at once."""

    def __init__(self, command: str) -> None:
        self.event = threading.Event()
        self._command = command

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, self._interrupt)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _interrupt(self, number: int, frame: FrameType | None) -> None:
        if self.event.is_set():
            signal.default_int_handler(number, frame)
        self.event.set()
        print(
            "\nwebseam: finishing what is under way; Ctrl-C again ends at once, and "
            f"loses nothing that is written. Go on with: {self._command}",
            file=sys.stderr,
        )


class _Screen:
    """The progress line, which begins when it is known how much there is."""

    def __init__(self) -> None:
        self._progress: Progress | None = None
        self._bytes = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.end()

    def begin(self, plan: Plan, rows_done: int) -> None:
        """Start drawing."""
        self._progress = Progress("Reading", plan.rows - rows_done).__enter__()

    def count(self, row: BulkRow) -> None:
        """Count one more row."""
        self._bytes += row.body_bytes
        if self._progress is not None:
            self._progress.step(f"{self._bytes / 1e6:,.1f} MB", row.error or "")


_FIELDS = (
    "form", "column", "content_column", "per_shard", "quality", "where", "max_per_host", "former",
    "workers", "at_once", "delay", "per_host", "max_bytes", "user_agent",
)  # fmt: skip


def _options(options: argparse.Namespace) -> BulkOptions:
    fields = {name: getattr(options, name) for name in _FIELDS}
    return BulkOptions(inputs=tuple(options.input), folder=options.output, **fields)


def command_line() -> Parser:
    """Return what the command takes."""
    parser = Parser(
        prog="webseam bulk",
        description="Read many pages into a dataset: one row for every input, the same twice.",
        epilog="docs/bulk.md tells what the rows hold. It needs: pip install 'webseam[bulk]'",
    )
    deeds = parser.add_subparsers(dest="deed", required=True, metavar="DEED")
    _add_extract(deeds.add_parser("extract", help="read pages into a folder of files"))
    status = deeds.add_parser("status", help="how far the run in a folder is")
    status.add_argument("folder", help="the folder of a run")
    status.add_argument("--json", action="store_true", help="print JSON for programs")
    report = deeds.add_parser("report", help="write an HTML page about the run in a folder")
    report.add_argument("folder", help="the folder of a run")
    report.add_argument("file", help="the page to write")
    return parser


def _add_extract(parser: argparse.ArgumentParser) -> None:
    parser.description = (
        "Read every input into a folder of Parquet or JSONL files. A run that was ended goes on "
        "with the same command. WARC files and folders give the same bytes twice."
    )
    parser.add_argument(
        "input",
        nargs="+",
        metavar="INPUT",
        help="a .warc or .warc.gz file, a folder of pages, a page, a list of URLs (.txt, .csv, "
        ".tsv, .jsonl, - for stdin), a .parquet file, a URL, a sitemap or feed (.xml, .rss, .atom, "
        "or sitemap:URL)",
    )
    parser.add_argument("-o", "--output", required=True, metavar="FOLDER", help="where to write")
    parser.add_argument(
        "--format", dest="form", choices=("parquet", "jsonl"), default="parquet", help="of the rows"
    )
    parser.add_argument("--dry-run", action="store_true", help="print the plan, and read no page")
    parser.add_argument("--report", metavar="FILE", help="write an HTML page about the run")
    parser.add_argument("--column", help="the column with the URLs; url")
    parser.add_argument(
        "--content-column", metavar="COLUMN", help="pages stand in this column of Parquet files"
    )
    parser.add_argument(
        "--per-shard", type=_count, default=PER_SHARD, help=f"rows a file, {PER_SHARD:,}"
    )
    parser.add_argument("--workers", type=_count, help="processes that convert; one a processor")
    parser.add_argument("--quality", action="store_true", help="add signals of quality")
    parser.add_argument(
        "--where", metavar="EXPRESSION", help="mark rows as kept, e.g. 'language == \"en\"'"
    )
    _add_manners(parser)


def _add_manners(parser: argparse.ArgumentParser) -> None:
    manners = parser.add_argument_group("how URLs are fetched, always within robots.txt")
    manners.add_argument("--delay", type=_seconds, default=1.0, help="seconds between pages; 1")
    manners.add_argument("--per-host", type=_count, default=1, help="pages at once a host; 1")
    manners.add_argument("--at-once", type=_count, default=32, help="pages at once in all; 32")
    manners.add_argument("--max-per-host", type=_count, metavar="N", help="URLs a host, at most")
    manners.add_argument(
        "--max-bytes", type=_count, metavar="N", help="fetch no page more after so many bytes"
    )
    manners.add_argument(
        "--since", dest="former", metavar="FOLDER", help="an earlier run: take what is unchanged"
    )
    manners.add_argument("--user-agent", metavar="TEXT", help="as whom to ask; webseam and version")


def _count(text: str) -> int:
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def _seconds(text: str) -> float:
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError
    return number
