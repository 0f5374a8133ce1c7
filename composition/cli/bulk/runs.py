"""What ``bulk`` and ``crawl`` share: options, a progress line, Ctrl-C, and how a run is told."""

import argparse
import signal
import sys
import threading
from types import FrameType, TracebackType
from typing import Self

from returns.result import Failure, Result

from ....kernel.bulk.counts import ShardEntry
from ....kernel.policy.rules import Policy
from ....ports.bulk import BulkRow
from ....ports.errors import WebError
from ...bulk.job import RunEnd
from ...bulk.options import PER_SHARD, BulkOptions
from ...bulk.plan import Plan
from ...settings.checks import policy_of
from ...settings.loader import load_settings
from ..codes import BACKEND_FAILED, DONE, INTERRUPTED
from ..screen.bulk import summary_lines
from ..screen.progress import Progress


def read_policy() -> Result[Policy, WebError]:
    """Return where requests may go, by the settings."""
    settings = load_settings()
    if isinstance(settings, Failure):
        return settings
    return policy_of(settings.unwrap()).alt(lambda error: error)


def tell(end: RunEnd | None, command: str, noun: str = "page") -> int:
    """Say what came of a run of ``noun``, or how to go on with it; return the exit code."""
    if end is None or end.summary is None:
        print(f"webseam: stopped; go on with: {command}", file=sys.stderr)
        return INTERRUPTED
    print("\n".join(summary_lines(end.summary, noun)))
    return DONE if end.summary.ok or not end.summary.rows else BACKEND_FAILED


class Stop:
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


class Screen:
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
        """Count one more page."""
        self._bytes += row.body_bytes
        if self._progress is not None:
            self._progress.step(f"{self._bytes / 1e6:,.1f} MB", row.error or "")

    def count_shard(self, entry: ShardEntry) -> None:
        """Count the pages of a shard that was made elsewhere."""
        self._bytes += entry.bytes
        outcomes = [kind for kind, count in entry.errors.items() for _ in range(count)]
        for place in range(entry.rows):
            outcome = outcomes[place] if place < len(outcomes) else ""
            if self._progress is not None:
                self._progress.step(f"{self._bytes / 1e6:,.1f} MB", outcome)

    def count_search(self, error: str | None) -> None:
        """Count one more search."""
        if self._progress is not None:
            self._progress.step("", error or "")


_FIELDS = (
    "form", "column", "content_column", "per_shard", "quality", "where", "compress", "instruction",
    "max_per_host", "former", "workers", "engine", "at_once", "delay", "per_host", "max_bytes",
    "user_agent",
)  # fmt: skip


def bulk_options(options: argparse.Namespace, inputs: tuple[str, ...], folder: str) -> BulkOptions:
    """Return the options of a run, as far as the command has them."""
    fields = {name: getattr(options, name) for name in _FIELDS if hasattr(options, name)}
    return BulkOptions(inputs=inputs, folder=folder, **fields)


def add_rows(parser: argparse.ArgumentParser) -> None:
    """Add what is said about rows."""
    parser.add_argument(
        "--format", dest="form", choices=("parquet", "jsonl"), default="parquet", help="of the rows"
    )
    parser.add_argument("--report", metavar="FILE", help="write an HTML page about the run")
    parser.add_argument(
        "--per-shard", type=count, default=PER_SHARD, help=f"rows a file, {PER_SHARD:,}"
    )
    parser.add_argument("--workers", type=count, help="processes that convert; one a processor")
    parser.add_argument("--quality", action="store_true", help="add signals of quality")
    parser.add_argument(
        "--where", metavar="EXPRESSION", help="mark rows as kept, e.g. 'language == \"en\"'"
    )
    parser.add_argument(
        "--compress",
        type=count,
        metavar="N",
        help="add a column with at most N characters of each page, chosen offline and by rule",
    )
    parser.add_argument("--instruction", metavar="TEXT", help="what those should answer")


def add_manners(parser: argparse.ArgumentParser) -> None:
    """Add what is said about fetching."""
    manners = parser.add_argument_group("how URLs are fetched, always within robots.txt")
    manners.add_argument("--delay", type=seconds, default=1.0, help="seconds between pages; 1")
    manners.add_argument("--per-host", type=count, default=1, help="pages at once a host; 1")
    manners.add_argument("--at-once", type=count, default=32, help="pages at once in all; 32")
    manners.add_argument(
        "--max-bytes", type=count, metavar="N", help="fetch no page more after so many bytes"
    )
    manners.add_argument("--user-agent", metavar="TEXT", help="as whom to ask; webseam and version")


def count(text: str) -> int:
    """Read a number of things; raises ``ValueError`` for what is none."""
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def seconds(text: str) -> float:
    """Read a time; raises ``ValueError`` for what is none."""
    number = float(text)
    if not 0 <= number < float("inf"):
        raise ValueError
    return number
