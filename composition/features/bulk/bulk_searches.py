"""Many searches into a dataset: one row for every query, its results or a typed error."""

from __future__ import annotations

import asyncio
import sys
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO, TypeAlias

import msgspec
from returns.result import Failure, Result, Success

from webseam.adapters.features.bulk.datasets import atomic_files
from webseam.adapters.features.bulk.datasets.text_lists import open_text_lines
from webseam.adapters.features.bulk.datasets.writers import OutputFormat, make_row_writer
from webseam.adapters.features.bulk.window_engine import run_shard_window
from webseam.kernel.features.bulk.counts import LATENCY_BOUNDS, ShardEntry, shard_latency_bucket
from webseam.kernel.features.bulk.url_lists import (
    ListEntry,
    ListForm,
    read_url_list,
    sniff_url_list,
)
from webseam.ports.bulk import Shard
from webseam.ports.errors import InvalidQuery, InvalidUrl, NotConfigured, UnknownBackend, WebError
from webseam.ports.web import SearchOutcome

from . import manifest
from .bulk_run import RunEnd
from .conversion import RunWatch
from .items import has_plan_lists
from .options import missing_bulk_extra
from .plan import QUERIES_KIND, STDIN, RunPlan, read_shards, shard_entries, write_list_plan
from .run_folder import own_run_folder, run_folder_error
from .sources import PLAN

QUERIES_PER_SHARD = 100
_DEFAULT_QUERY_COLUMN = "query"
_STDIN_ARGUMENT = "-"
_LIST_FORMS_BY_ENDING: dict[str, ListForm] = {
    ".csv": "csv", ".tsv": "tsv", ".jsonl": "jsonl", ".ndjson": "jsonl", ".txt": "text",
}  # fmt: skip
_SETUP_ERRORS = (NotConfigured, UnknownBackend)
Search: TypeAlias = Callable[[str], Awaitable[Result[SearchOutcome, WebError]]]


class SearchOptions(msgspec.Struct, frozen=True, kw_only=True):
    """The queries of a bulk search, the backend to ask, and the folder to write to."""

    queries: tuple[str, ...]
    folder: str
    form: OutputFormat = "parquet"
    column: str | None = None
    max_results: int | None = None
    backend: str | None = None
    at_once: int = 4


class SearchRow(msgspec.Struct, frozen=True, kw_only=True):
    """One query and its answer; ``results``, ``rejected`` and ``receipt`` are JSON.

    ``answer`` is the prose of a search model.
    """

    row: int
    source: str
    offset: int
    query: str
    count: int = 0
    results: str = "[]"
    answer: str | None = None
    rejected: str = "[]"
    receipt: str | None = None
    error: str | None = None
    error_json: str | None = None


async def run_queries(
    options: SearchOptions, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Ask every query, or resume; through the settings' route or through ``backend``."""
    from ...doors.client import web  # noqa: PLC0415  a run that reads pages need not load it

    async with web.open(backend=options.backend) as client:

        def ask(query: str) -> Awaitable[Result[SearchOutcome, WebError]]:
            if options.max_results is None:
                return client.search(query)
            return client.search(query, max_results=options.max_results)

        return await run_queries_with(ask, options, watch, stdin)


async def run_queries_with(
    ask: Search, options: SearchOptions, watch: RunWatch, stdin: BinaryIO | None = None
) -> Result[RunEnd, WebError]:
    """Ask every query through ``ask``, or resume."""
    if (missing := missing_bulk_extra()) is not None:
        return Failure(missing)
    with own_run_folder(Path(options.folder)) as refusal:
        if refusal is not None:
            return Failure(refusal)
        try:
            if isinstance(planned := _plan_searches(options, stdin or sys.stdin.buffer), Failure):
                return planned
            return await _SearchRun(ask, planned.unwrap(), options, watch).run()
        except OSError as error:
            return Failure(run_folder_error(error))


def _plan_searches(options: SearchOptions, stdin: BinaryIO) -> Result[RunPlan, WebError]:
    """Return the plan of the folder, or make one; refuse the folder of another run."""
    folder = Path(options.folder)
    if _STDIN_ARGUMENT in options.queries:
        atomic_files.write_stream_to_file(stdin, folder / STDIN)
    entries: list[ListEntry] = []
    for text in options.queries:
        if isinstance(listed := _read_queries(text, options.column, folder), Failure):
            return listed
        entries += listed.unwrap()
    names = ("form", "column", "max_results", "backend")
    settings = {name: getattr(options, name) for name in names}
    inputs = [_query_source_identity(text, folder) for text in options.queries]
    bare_plan = RunPlan(inputs=inputs, settings=settings, makers={})
    earlier = manifest.earlier_run_plan(folder, bare_plan)
    if isinstance(earlier, Failure) or (earlier and has_plan_lists(folder, earlier.unwrap())):
        return earlier
    return Success(write_list_plan(bare_plan, entries, QUERIES_PER_SHARD, folder))


def _query_source_identity(text: str, folder: Path) -> list[object]:
    path = folder / STDIN if text == _STDIN_ARGUMENT else Path(text)
    is_file = _query_list_form(path) is not None and path.is_file()
    return [QUERIES_KIND, text, atomic_files.file_sha256(path)] if is_file else [QUERIES_KIND, text]


def _read_queries(text: str, column: str | None, folder: Path) -> Result[list[ListEntry], WebError]:
    """Return the queries of a file, or ``text`` itself as a query; raises ``OSError``."""
    path = folder / STDIN if text == _STDIN_ARGUMENT else Path(text)
    if (form := _query_list_form(path)) is None:
        return Success([ListEntry(source="command line", offset=0, url=text)])
    if not path.is_file():
        return Failure(InvalidQuery(field="query", reason=f"there is no file {text!r}"))
    with open_text_lines(path) as lines:
        all_lines = lines
        if text == _STDIN_ARGUMENT:
            form, all_lines = sniff_url_list(lines, has_column=column is not None)
        listed = read_url_list(all_lines, form, text, column or _DEFAULT_QUERY_COLUMN)
        return listed.map(lambda entries: [_as_query_entry(entry, column) for entry in entries])


def _query_list_form(path: Path) -> ListForm | None:
    return _LIST_FORMS_BY_ENDING.get(Path(path.name.lower().removesuffix(".gz")).suffix)


def _as_query_entry(entry: ListEntry, column: str | None) -> ListEntry:
    """Report a bad entry as an invalid query, because a list of queries has no URLs."""
    if not isinstance(entry.error, InvalidUrl):
        return entry
    error = InvalidQuery(field=column or _DEFAULT_QUERY_COLUMN, reason=entry.error.reason)
    return msgspec.structs.replace(entry, error=error)


class _SearchRun:
    def __init__(self, ask: Search, plan: RunPlan, options: SearchOptions, watch: RunWatch) -> None:
        self._ask, self._plan, self._watch = ask, plan, watch
        self._folder, self._form = Path(options.folder), options.form
        self._search_slots = asyncio.Semaphore(max(1, options.at_once))
        # A configuration error that hits every query: it stops the run and becomes no row.
        self._setup_error: WebError | None = None

    async def run(self) -> Result[RunEnd, WebError]:
        atomic_files.remove_temporary_files(self._folder)
        manifest.repair_manifest(self._folder)
        entries, done, lost = manifest.read_written_shards(self._folder)
        if len(done) < self._plan.shards:
            manifest.delete_run_summary(self._folder)
        self._watch.on_lost(lost)
        self._watch.on_plan(self._plan, sum(entries[number].rows for number in done))
        missing = (shard for shard in read_shards(self._folder) if shard.number not in done)
        search, is_stopping = self._search_shard, self._watch.is_stopping
        async for entry in run_shard_window(
            missing, search, at_once=lambda: 1, is_stopping=is_stopping
        ):
            if entry is None:
                break
            manifest.record_shard(self._folder, entry)
            done.add(entry.shard)
        if self._setup_error is not None:
            return self._abandon(self._setup_error, is_begun=bool(done))
        if len(done) < self._plan.shards:
            return Success(RunEnd(plan=self._plan, summary=None))
        summary = manifest.finish_manifest(self._folder, self._plan)
        return summary.map(lambda counts: RunEnd(plan=self._plan, summary=counts))

    def _abandon(self, error: WebError, *, is_begun: bool) -> Failure[WebError]:
        if not is_begun:
            # Nothing was asked yet, so a corrected command may name another backend.
            (self._folder / PLAN).unlink(missing_ok=True)
        return Failure(error)

    async def _search_shard(self, shard: Shard) -> ShardEntry | None:
        began, start = time.time(), time.monotonic()
        numbered = enumerate(shard_entries(self._folder, shard), shard.first)
        timed_rows = await asyncio.gather(*(self._ask_query(*entry) for entry in numbered))
        if self._setup_error is not None:
            return None
        rows = [row for row, _ in timed_rows]
        path = self._folder / f"{shard.name}.{self._form}"
        with (
            atomic_files.open_atomic_file(path) as stream,
            make_row_writer(self._form, stream, SearchRow) as writer,
        ):
            writer.write(rows)
        latencies = [0] * (len(LATENCY_BOUNDS) + 1)
        for _, seconds in timed_rows:
            latencies[shard_latency_bucket(seconds)] += 1
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
            sha256=atomic_files.file_sha256(path),
            unsure=0,
            began=began,
            seconds=time.monotonic() - start,
            latencies=latencies,
            size=path.stat().st_size,
        )

    async def _ask_query(self, number: int, entry: ListEntry) -> tuple[SearchRow, float]:
        async with self._search_slots:
            start = time.monotonic()
            refusal = entry.error or self._setup_error
            outcome: Result[SearchOutcome, WebError] = (
                await self._ask(entry.url or "") if refusal is None else Failure(refusal)
            )
            if isinstance(outcome, Failure):
                error: WebError = outcome.failure()
                self._setup_error = error if isinstance(error, _SETUP_ERRORS) else self._setup_error
            row = _make_search_row(number, entry, outcome)
            self._watch.on_outcome(row.error)
            return row, time.monotonic() - start


def _make_search_row(
    number: int, entry: ListEntry, outcome: Result[SearchOutcome, WebError]
) -> SearchRow:
    make_row = partial(
        SearchRow, row=number, source=entry.source, offset=entry.offset, query=entry.url or ""
    )
    if isinstance(outcome, Failure):
        error: WebError = outcome.failure()
        return make_row(error=error.kind, error_json=_json_text(error))
    results = outcome.unwrap()
    return make_row(
        count=len(results.rows),
        results=_json_text(results.rows),
        answer=None if results.answer is None else results.answer.text,
        rejected=_json_text(results.rejected),
        receipt=_json_text(results.receipt),
    )


def _json_text(value: object) -> str:
    return msgspec.json.encode(value, order="sorted").decode()
