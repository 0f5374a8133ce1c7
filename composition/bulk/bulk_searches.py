"""Many searches into a dataset: one row for every query, its results or a typed error."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import BinaryIO, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from ...adapters.bulk.datasets.text_lists import open_text_lines
from ...adapters.bulk.datasets.whole_files import (
    atomic_file,
    file_digest,
    remove_temporary_files,
    write_stream_to_file,
)
from ...adapters.bulk.datasets.writers import OutputFormat, make_row_writer
from ...adapters.bulk.engines.window import run_window
from ...kernel.bulk.counts import LATENCY_BOUNDS, ShardEntry, latency_bucket
from ...kernel.bulk.url_lists import ListEntry, ListForm, read_entries, sniff_list
from ...ports.bulk import Shard
from ...ports.errors import InvalidQuery, InvalidUrl, NotConfigured, UnknownBackend, WebError
from ...ports.web import SearchOutcome
from .bulk_run import RunEnd
from .conversion import RunWatch
from .dataset.manifest import (
    delete_summary,
    earlier_plan,
    finish_manifest,
    read_standing,
    record_shard,
    repair_manifest,
)
from .inputs.items import is_listed
from .inputs.plan import QUERIES, STDIN, RunPlan, read_shards, shard_entries, write_entries
from .inputs.sources import PLAN
from .options import missing_bulk_extra
from .run_folder import own_run_folder, store_error

QUERIES_PER_SHARD = 100
_COLUMN = "query"
_STDIN = "-"
_ENDINGS: dict[str, ListForm] = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".txt": "text",
}
_OBSTACLES = (NotConfigured, UnknownBackend)
Search: TypeAlias = Callable[[str], Awaitable[Result[SearchOutcome, WebError]]]


class SearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What to ask, whom, and where to write it."""

    queries: tuple[str, ...]
    folder: str
    form: OutputFormat = "parquet"
    column: str | None = None
    max_results: int | None = None
    backend: str | None = None
    at_once: int = 4


class SearchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One query: ``results`` and ``receipt`` are JSON."""

    row: int
    source: str
    offset: int
    query: str
    count: int
    results: str
    receipt: str | None
    error: str | None
    error_json: str | None


async def run_searches(
    options: SearchOptions, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Ask every query, or go on with that, as the settings say or as ``backend`` does."""
    from ..client import web  # noqa: PLC0415  a run that reads pages need not load it

    async with web.open(backend=options.backend) as client:

        def ask(query: str) -> Awaitable[Result[SearchOutcome, WebError]]:
            if options.max_results is None:
                return client.search(query)
            return client.search(query, max_results=options.max_results)

        return await run_searches_with(ask, options, watch, stdin)


async def run_searches_with(
    ask: Search, options: SearchOptions, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Ask every query of ``ask``."""
    missing = missing_bulk_extra()
    if missing is not None:
        return Failure(missing)
    with own_run_folder(Path(options.folder)) as refusal:
        if refusal is not None:
            return Failure(refusal)
        try:
            planned = _plan(options, stdin or sys.stdin.buffer)
            if isinstance(planned, Failure):
                return planned
            return await _Searches(ask, planned.unwrap(), options, watch).run()
        except OSError as error:
            return Failure(store_error(error))


def _plan(options: SearchOptions, stdin: BinaryIO) -> Result[RunPlan, WebError]:
    """Return the plan of the folder, or make one; another run's folder is refused."""
    folder = Path(options.folder)
    if _STDIN in options.queries:
        write_stream_to_file(stdin, folder / STDIN)
    entries: list[ListEntry] = []
    for word in options.queries:
        listed = _queries(word, options.column, folder)
        if isinstance(listed, Failure):
            return listed
        entries += listed.unwrap()
    settings = {
        name: getattr(options, name) for name in ("form", "column", "max_results", "backend")
    }
    inputs = [_identity(word, folder) for word in options.queries]
    bare = RunPlan(inputs=inputs, settings=settings, makers={})
    earlier = earlier_plan(folder, bare)
    if isinstance(earlier, Failure) or (earlier and is_listed(folder, earlier.unwrap())):
        return earlier
    return Success(write_entries(bare, entries, QUERIES_PER_SHARD, folder))


def _identity(word: str, folder: Path) -> list[object]:
    path = folder / STDIN if word == _STDIN else Path(word)
    is_file = _form(path) is not None and path.is_file()
    return [QUERIES, word, file_digest(path)] if is_file else [QUERIES, word]


def _queries(word: str, column: str | None, folder: Path) -> Result[list[ListEntry], WebError]:
    """Return the queries of a file, or the word itself as one; raises ``OSError``."""
    path = folder / STDIN if word == _STDIN else Path(word)
    form = _form(path)
    if form is None:
        return Success([ListEntry(source="command line", offset=0, url=word)])
    if not path.is_file():
        return Failure(InvalidQuery(field="query", reason=f"there is no file {word!r}"))
    with open_text_lines(path) as lines:
        all_lines = lines
        if word == _STDIN:
            form, all_lines = sniff_list(lines, has_column=column is not None)
        listed = read_entries(all_lines, form, word, column or _COLUMN)
        return listed.map(lambda entries: [_as_query(entry, column) for entry in entries])


def _form(path: Path) -> ListForm | None:
    """Return what sort of list a file is by its ending, which may say that it is packed too."""
    return _ENDINGS.get(Path(path.name.lower().removesuffix(".gz")).suffix)


def _as_query(entry: ListEntry, column: str | None) -> ListEntry:
    """Return what stands in a list of queries, where nothing is an address."""
    if not isinstance(entry.error, InvalidUrl):
        return entry
    error = InvalidQuery(field=column or _COLUMN, reason=entry.error.reason)
    return msgspec.structs.replace(entry, error=error)


class _Searches:
    """A planned run."""

    def __init__(self, ask: Search, plan: RunPlan, options: SearchOptions, watch: RunWatch) -> None:
        self._ask, self._plan, self._watch = ask, plan, watch
        self._folder, self._form = Path(options.folder), options.form
        self._gate = asyncio.Semaphore(max(1, options.at_once))
        # What no query can be asked with: the run stops, and no row says so.
        self._obstacle: WebError | None = None

    async def run(self) -> Result[RunEnd, WebError]:
        remove_temporary_files(self._folder)
        repair_manifest(self._folder)
        entries, done, lost = read_standing(self._folder)
        if len(done) < self._plan.shards:
            delete_summary(self._folder)
        self._watch.on_lost(lost)
        self._watch.on_plan(self._plan, sum(entries[number].rows for number in done))
        missing = (shard for shard in read_shards(self._folder) if shard.number not in done)
        stopping = self._watch.is_stopping
        async for entry in run_window(
            missing, self._shard, at_once=lambda: 1, is_stopping=stopping
        ):
            if entry is None:
                break
            record_shard(self._folder, entry)
            done.add(entry.shard)
        if self._obstacle is not None:
            return self._give_up(self._obstacle, is_begun=bool(done))
        if len(done) < self._plan.shards:
            return Success(RunEnd(plan=self._plan, summary=None))
        summary = finish_manifest(self._folder, self._plan)
        return summary.map(lambda whole: RunEnd(plan=self._plan, summary=whole))

    def _give_up(self, obstacle: WebError, *, is_begun: bool) -> Failure[WebError]:
        if not is_begun:
            # Whoever puts it right may ask another one, and has no run to go on with.
            (self._folder / PLAN).unlink(missing_ok=True)
        return Failure(obstacle)

    async def _shard(self, shard: Shard) -> ShardEntry | None:
        began, start = time.time(), time.monotonic()
        entries = shard_entries(self._folder, shard)
        numbered = enumerate(entries, shard.first)
        searches = [self._row(number, entry) for number, entry in numbered]
        answered = await asyncio.gather(*searches)
        if self._obstacle is not None:
            return None
        rows = [row for row, _ in answered]
        path = self._folder / f"{shard.name}.{self._form}"
        with atomic_file(path) as stream, make_row_writer(self._form, stream, SearchRow) as writer:
            writer.write(rows)
        latencies = [0] * (len(LATENCY_BOUNDS) + 1)
        for _, seconds in answered:
            latencies[latency_bucket(seconds)] += 1
        errors = Counter(row.error for row in rows if row.error is not None)
        return ShardEntry(
            shard=shard.number,
            name=path.name,
            rows=len(rows),
            ok=len(rows) - errors.total(),
            kept=len(rows),
            errors=dict(errors),
            hosts={},
            languages={},
            bytes=0,
            characters=sum(len(row.results) for row in rows),
            sha256=file_digest(path),
            unsure=0,
            began=began,
            seconds=time.monotonic() - start,
            latencies=latencies,
            size=path.stat().st_size,
        )

    async def _row(self, number: int, entry: ListEntry) -> tuple[SearchRow, float]:
        async with self._gate:
            start = time.monotonic()
            refusal = entry.error or self._obstacle
            outcome: Result[SearchOutcome, WebError] = (
                await self._ask(entry.url or "") if refusal is None else Failure(refusal)
            )
            if isinstance(outcome, Failure):
                problem: WebError = outcome.failure()
                self._obstacle = problem if isinstance(problem, _OBSTACLES) else self._obstacle
            row = _row(number, entry, outcome)
            self._watch.on_outcome(row.error)
            return row, time.monotonic() - start


def _row(number: int, entry: ListEntry, outcome: Result[SearchOutcome, WebError]) -> SearchRow:
    bare = SearchRow(
        row=number,
        source=entry.source,
        offset=entry.offset,
        query=entry.url or "",
        count=0,
        results="[]",
        receipt=None,
        error=None,
        error_json=None,
    )
    if isinstance(outcome, Failure):
        error: WebError = outcome.failure()
        return msgspec.structs.replace(bare, error=error.kind, error_json=_json(error))
    results = outcome.unwrap()
    return msgspec.structs.replace(
        bare,
        count=len(results.rows),
        results=_json(results.rows),
        receipt=_json(results.receipt),
    )


def _json(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
