"""How far a run is, for whoever looks at its folder: from the files in it alone."""

from __future__ import annotations

import time
from pathlib import Path

import msgspec
from returns.result import Failure, Result, Success

from ....adapters.datasets.folder_lock import is_owned
from ....kernel.bulk.counts import ShardEntry, Summary, sum_entries
from ....ports.errors import InvalidQuery, WebError
from ..inputs.items import CRAWL
from ..inputs.plan import load_plan
from .fetched_pages import crawled_pages, waiting_pages
from .manifest import load_summary, read_standing

_RECENT = 600.0


class RunStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What is done; ``rate`` is in rows a second of late, ``left`` in seconds, as far as known.

    ``running`` is whether a process is at work on it, None where that cannot be known. ``fetched``
    pages wait to be read. Files that are ``lost`` are gone or damaged, and not counted. Nothing is
    planned while a crawl looks for its pages. What works is a ``noun``: a page, or the answer to a
    search.
    """

    planned_rows: int
    planned_shards: int
    so_far: Summary
    over: bool
    rate: float | None
    left: float | None
    running: bool | None = None
    fetched: int = 0
    noun: str = "page"
    lost: list[str] = []


def read_status(folder: Path, *, check: bool = False) -> Result[RunStatus, WebError]:
    """Return how far the run in a folder is; with ``check`` every byte of it is looked at."""
    plan = load_plan(folder)
    # One that counts its inputs has no plan yet, and a crawl looks for its pages first.
    if plan is None and ((folder / CRAWL).is_file() or is_owned(folder)):
        return Success(_looking(folder))
    if plan is None:
        return Failure(InvalidQuery(field="folder", reason=f"{folder} holds no run"))
    written, _, lost = read_standing(folder, check=check)
    entries = {number: entry for number, entry in written.items() if entry.name not in lost}
    so_far = sum_entries(entries.values(), plan.rows)
    rate = _rate(list(entries.values()), time.time())
    rest = plan.rows - so_far.rows
    return Success(
        RunStatus(
            planned_rows=plan.rows,
            planned_shards=plan.shards,
            so_far=so_far,
            over=load_summary(folder) is not None and not lost,
            rate=rate,
            left=rest / rate if rate else None,
            running=is_owned(folder),
            fetched=waiting_pages(folder, entries) if plan.urls else 0,
            noun=plan.noun,
            lost=lost,
        )
    )


def _looking(folder: Path) -> RunStatus:
    return RunStatus(
        planned_rows=0,
        planned_shards=0,
        so_far=sum_entries((), 0),
        over=False,
        rate=None,
        left=None,
        running=is_owned(folder),
        fetched=crawled_pages(folder),
    )


def _rate(entries: list[ShardEntry], now: float) -> float | None:
    """Return the rows a second of the last ten minutes before now, None when there were none."""
    recent = [entry for entry in entries if entry.began + entry.seconds > now - _RECENT]
    if not recent:
        return None
    since = max(min(entry.began for entry in recent), now - _RECENT)
    until = max(entry.began + entry.seconds for entry in recent)
    return sum(entry.rows for entry in recent) / max(until - since, 0.001)
