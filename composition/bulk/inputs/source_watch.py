"""Sources that are read while a run goes on: each must be what it was when the run was planned."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ....ports.bulk import Shard
from .changes import SourceMark, source_mark, written_at
from .plan import RunPlan, load_plan
from .sources import PLAN, Source, SourceKind, source_identity


class SourceChangedError(OSError):
    """A source holds something else than what was planned."""

    def __init__(self, name: str) -> None:
        """Say which."""
        super().__init__(None, f"{name} has changed since the run was planned")


class _Planned(NamedTuple):
    known_by: list[object]
    mark: SourceMark


class _Known(NamedTuple):
    """One plan of a folder: by what it is told from others, its sources, those looked at since."""

    stamp: tuple[int, int]
    sources: dict[tuple[object, object], _Planned]
    fine: dict[str, str]


class SourceWatch:
    """Looks whether a source has changed: at its time, and at its content if need be."""

    def __init__(self) -> None:
        """Know no plan yet."""
        self._plans: dict[Path, _Known] = {}

    def check(self, shard: Shard, folder: Path, base: Path) -> None:
        """Raise ``SourceChangedError`` where rows of a shard may be of another file."""
        known = self._known(folder)
        planned = known.sources.get((shard.kind, shard.source))
        if planned is None:
            return
        kind: SourceKind = "warc" if shard.kind == "warc" else "parquet"
        source = Source(kind=kind, name=str(base / shard.source))
        written = written_at(source, folder)
        if written in (planned.mark.written, known.fine.get(shard.source)):
            return
        if _differs(source, planned, folder):
            raise SourceChangedError(shard.source)
        known.fine[shard.source] = written

    def _known(self, folder: Path) -> _Known:
        """Return what the plan of a folder knows its files by; a process may see several of one."""
        stamp = _stamp(folder / PLAN)
        if folder not in self._plans or self._plans[folder].stamp != stamp:
            self._plans[folder] = _Known(stamp, _sources(folder), {})
        return self._plans[folder]


def _stamp(plan: Path) -> tuple[int, int]:
    try:
        told = plan.stat()
    except FileNotFoundError:
        return 0, 0
    return told.st_ino, told.st_mtime_ns


def _sources(folder: Path) -> dict[tuple[object, object], _Planned]:
    """Return what is known of the files of a plan; what is no file of pages is in no shard."""
    plan = load_plan(folder) or RunPlan(inputs=[], settings={}, makers={})
    # A plan of before has no marks.
    return {
        (source[0], source[1]): _Planned(source, mark)
        for source, mark in zip(plan.inputs, plan.marks, strict=False)
        if mark is not None
    }


def _differs(source: Source, planned: _Planned, own: Path) -> bool:
    try:
        size_and_ends = source_identity(source, own)[2:]
    except OSError:
        # It is gone.
        return True
    is_same = size_and_ends == planned.known_by[2:]
    return not is_same or source_mark(source, own).content != planned.mark.content
