"""Bulk work from Python, as ``webseam.bulk`` offers it; failures raise ``WebseamError``."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Coroutine, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from os import PathLike
from pathlib import Path
from typing import Any, TypedDict, TypeVar, Unpack

import msgspec
from msgspec.structs import replace
from returns.result import Result

from webseam.adapters.features.bulk.datasets.writers import OutputFormat
from webseam.kernel.features.bulk.counts import ShardEntry, Summary
from webseam.kernel.features.bulk.frontier import CrawlRules
from webseam.kernel.policy.policy_rules import Policy
from webseam.kernel.urls.spelling import complete_web_url
from webseam.ports.bulk import BulkRow
from webseam.ports.errors import StoreFailed, WebError
from webseam.ports.usage import UsagePurpose

from ...doors.client.loop_thread import wait_for_loop_outcome
from ...doors.client.results import WebseamError, unwrap
from . import bulk_run, bulk_searches, dataset_duplicates as duplicates, manifest as reports
from .bulk_searches import SearchOptions
from .checks import read_policy
from .conversion import RunWatch
from .dataset_status import RunStatus, read_run_status
from .options import BulkOptions

Value = TypeVar("Value")
_NO_CALLBACKS = RunWatch()


def run_bulk_blocking(work: Callable[[Callable[[], bool]], Coroutine[Any, Any, Value]]) -> Value:
    """Run ``work`` to its end and return its value; ``work`` gets a stop predicate.

    Inside a running loop a thread runs it, and an interrupt lets open work finish.
    """
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return asyncio.run(work(lambda: False))
    stop = threading.Event()
    with ThreadPoolExecutor(1) as threads:
        try:
            return wait_for_loop_outcome(threads.submit(lambda: asyncio.run(work(stop.is_set))))
        except KeyboardInterrupt:
            stop.set()
            raise


class RunFields(TypedDict, total=False):
    """The optional arguments of a run; docs/bulk.md explains each."""

    form: OutputFormat
    column: str | None
    content_column: str | None
    per_shard: int
    quality: bool
    where: str | None
    compress: int | None
    instruction: str | None
    schema: Mapping[str, Any] | None
    max_per_host: int | None
    former: str | None
    workers: int | None
    at_once: int
    delay: float
    per_host: int
    max_bytes: int | None
    purpose: UsagePurpose | None
    user_agent: str | None
    engine: str
    check: bool


class SearchFields(TypedDict, total=False):
    """The optional arguments of bulk searches; docs/bulk.md explains each."""

    form: OutputFormat
    column: str | None
    max_results: int | None
    backend: str | None
    at_once: int


def extract(
    inputs: str | PathLike[str] | Iterable[str | PathLike[str]],
    folder: str | PathLike[str],
    *,
    policy: Policy | None = None,
    on_row: Callable[[BulkRow], None] | None = None,
    **fields: Unpack[RunFields],
) -> Summary:
    """Read every input into the folder, or resume; return the counts.

    The same as ``webseam bulk extract``. ``on_row`` is called with each row as it is made; with a
    remote engine, when the shard of the row is done.
    """
    inputs = (inputs,) if isinstance(inputs, str | PathLike) else inputs
    options = _read_fields(tuple(map(str, inputs)), folder, fields)
    callbacks = _NO_CALLBACKS
    if on_row is not None:
        replay = partial(_replay_shard_rows, on_row, Path(folder))
        callbacks = RunWatch(on_row=on_row, on_shard=replay)
    allowed = resolve_policy(policy)
    return _run_to_summary(lambda watch: bulk_run.run_extract(options, allowed, watch), callbacks)


def crawl(
    url: str,
    folder: str | PathLike[str],
    *,
    depth: int = 2,
    pages: int = 100,
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    same_host: bool = False,
    sitemaps: bool = True,
    policy: Policy | None = None,
    **fields: Unpack[RunFields],
) -> Summary:
    """Read a site into the folder, breadth first; the same as ``webseam crawl``."""
    from . import crawl as crawling  # noqa: PLC0415  the network, which files do without

    kept, left_out = tuple(include), tuple(exclude)
    rules = CrawlRules(
        start=complete_web_url(url), same_host=same_host, include=kept, exclude=left_out
    )
    site = crawling.CrawlOptions(rules=rules, depth=depth, pages=pages, sitemaps=sitemaps)
    options = _read_fields((), folder, fields)
    allowed = resolve_policy(policy)
    return _run_to_summary(lambda watch: crawling.run_crawl(site, options, allowed, watch))


def search(
    queries: str | Iterable[str], folder: str | PathLike[str], **fields: Unpack[SearchFields]
) -> Summary:
    """Ask every query and write the results; the same as ``webseam bulk search``."""
    query_texts = (queries,) if isinstance(queries, str) else tuple(queries)
    options = SearchOptions(queries=query_texts, folder=str(folder), **fields)
    return _run_to_summary(lambda watch: bulk_searches.run_queries(options, watch))


def rows(folder: str | PathLike[str]) -> Iterator[BulkRow]:
    """Yield the rows of an extract or a crawl in order, as far as they are written."""
    if (refusal := duplicates.check_rows_folder(Path(folder))) is not None:
        raise WebseamError(refusal)
    return _read_rows(Path(folder))


def status(folder: str | PathLike[str], *, check: bool = False) -> RunStatus:
    """Return the progress of the run in a folder; ``check`` verifies every byte."""
    return unwrap(read_run_status(Path(folder), check=check))


def report(folder: str | PathLike[str], file: str | PathLike[str]) -> None:
    """Write an HTML page about the run in a folder."""
    unwrap(reports.write_run_report(Path(folder), Path(file)))


def mark_duplicates(folder: str | PathLike[str]) -> duplicates.DuplicateCounts:
    """Write which rows of a run are duplicates or near duplicates; return the counts."""
    return unwrap(duplicates.write_duplicates(Path(folder)))


def _read_fields(
    inputs: tuple[str, ...], folder: str | PathLike[str], fields: RunFields
) -> BulkOptions:
    values: dict[str, Any] = dict(fields)
    if isinstance(values.get("schema"), Mapping):
        values["schema"] = msgspec.json.encode(values["schema"]).decode()
    return BulkOptions(inputs=inputs, folder=str(folder), **values)


def _read_rows(folder: Path) -> Iterator[BulkRow]:
    try:
        yield from duplicates.read_dataset_rows(folder)
    except OSError as error:
        reason = error.strerror or "its rows cannot be read"
        raise WebseamError(StoreFailed(store="the run", reason=reason)) from error


def _replay_shard_rows(on_row: Callable[[BulkRow], None], folder: Path, entry: ShardEntry) -> None:
    for row in duplicates.read_part_rows(folder / entry.name, BulkRow):
        on_row(row)


def resolve_policy(policy: Policy | None) -> Policy:
    """Return the policy that was given, or that of the settings."""
    return unwrap(read_policy()) if policy is None else policy


def _run_to_summary(
    work: Callable[[RunWatch], Coroutine[Any, Any, Result[bulk_run.RunEnd | None, WebError]]],
    callbacks: RunWatch = _NO_CALLBACKS,
) -> Summary:
    ended = run_bulk_blocking(lambda stop: work(replace(callbacks, is_stopping=stop)))
    if (run_end := unwrap(ended)) is None or run_end.summary is None:
        # The run was stopped, or a shard was lost with its file.
        raise WebseamError(StoreFailed(store="the run", reason="it did not end"))
    return run_end.summary
