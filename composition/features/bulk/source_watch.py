"""Detect sources that change while a run reads them."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from webseam.ports.bulk import Shard

from .plan import RunPlan, load_run_plan
from .source_changes import SourceMark, read_source_mark, write_times_digest
from .sources import PLAN, Source, SourceKind, source_identity


class SourceChangedError(OSError):
    """The content of a source differs from the planned one."""

    def __init__(self, name: str) -> None:
        super().__init__(None, f"{name} has changed since the run was planned")


class _PlannedSource(NamedTuple):
    identity: list[object]
    mark: SourceMark


class _WatchedPlan(NamedTuple):
    """A plan of a folder: its file stamp, its sources, and the sources checked since."""

    stamp: tuple[int, int]
    sources: dict[tuple[object, object], _PlannedSource]
    verified_times: dict[str, str]


class SourceWatch:
    """Checks whether a source has changed: first its time, then its content."""

    def __init__(self) -> None:
        self._plans: dict[Path, _WatchedPlan] = {}

    def check(self, shard: Shard, folder: Path, base: Path) -> None:
        """Raise ``SourceChangedError`` where rows of a shard may come from a changed file."""
        # Reload a plan that was replaced.
        stamp = _plan_file_stamp(folder / PLAN)
        if folder not in self._plans or self._plans[folder].stamp != stamp:
            self._plans[folder] = _WatchedPlan(stamp, _planned_sources(folder), {})
        identities = self._plans[folder]
        if (planned := identities.sources.get((shard.kind, shard.source))) is None:
            return
        kind: SourceKind = "warc" if shard.kind == "warc" else "parquet"
        source = Source(kind=kind, name=str(base / shard.source))
        written = write_times_digest(source, folder)
        if written in (planned.mark.written, identities.verified_times.get(shard.source)):
            return
        if _source_differs(source, planned, folder):
            raise SourceChangedError(shard.source)
        identities.verified_times[shard.source] = written


def _plan_file_stamp(plan: Path) -> tuple[int, int]:
    try:
        stat = plan.stat()
    except FileNotFoundError:
        return 0, 0
    return stat.st_ino, stat.st_mtime_ns


def _planned_sources(folder: Path) -> dict[tuple[object, object], _PlannedSource]:
    plan = load_run_plan(folder) or RunPlan(inputs=[], settings={}, makers={})
    # Plans of older versions have no marks.
    return {
        (source[0], source[1]): _PlannedSource(source, mark)
        for source, mark in zip(plan.inputs, plan.marks, strict=False)
        if mark is not None
    }


def _source_differs(source: Source, planned: _PlannedSource, run_folder: Path) -> bool:
    try:
        size_and_ends = source_identity(source, run_folder)[2:]
    except OSError:
        return True
    is_same = size_and_ends == planned.identity[2:]
    return not is_same or read_source_mark(source, run_folder).content != planned.mark.content
