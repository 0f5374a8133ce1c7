"""Sources that are read while a run goes on: each must be what it was when the run was planned."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ....ports.bulk import Shard
from .changes import SourceMark, mark_of, written_at
from .plan import Plan, load_plan
from .sources import Source, SourceKind, identity


class SourceChangedError(OSError):
    """A source holds something else than what was planned."""

    def __init__(self, name: str) -> None:
        """Say which."""
        super().__init__(None, f"{name} has changed since the run was planned")


class _Planned(NamedTuple):
    known_by: list[object]
    mark: SourceMark


class Vigil:
    """Looks whether a source has changed: at its time, and at its content if need be."""

    def __init__(self) -> None:
        """Know no plan yet."""
        self._planned: dict[Path, dict[tuple[object, object], _Planned]] = {}
        self._fine: dict[tuple[Path, str], str] = {}

    def check(self, shard: Shard, folder: Path, base: Path) -> None:
        """Raise ``SourceChangedError`` where rows of a shard may be of another file."""
        planned = self._sources(folder).get((shard.kind, shard.source))
        if planned is None:
            return
        kind: SourceKind = "warc" if shard.kind == "warc" else "parquet"
        source = Source(kind=kind, name=str(base / shard.source))
        written = written_at(source, folder)
        if written in (planned.mark.written, self._fine.get((folder, shard.source))):
            return
        if _differs(source, planned, folder):
            raise SourceChangedError(shard.source)
        self._fine[folder, shard.source] = written

    def _sources(self, folder: Path) -> dict[tuple[object, object], _Planned]:
        """Return what a plan knows its files by; what is no file of pages is in no shard."""
        if folder not in self._planned:
            plan = load_plan(folder) or Plan(inputs=[], settings={}, makers={})
            # A plan of before has no marks.
            known = zip(plan.inputs, plan.marks, strict=False)
            self._planned[folder] = {
                (source[0], source[1]): _Planned(source, mark)
                for source, mark in known
                if mark is not None
            }
        return self._planned[folder]


def _differs(source: Source, planned: _Planned, own: Path) -> bool:
    try:
        size_and_ends = identity(source, own)[2:]
    except OSError:
        # It is gone.
        return True
    is_same = size_and_ends == planned.known_by[2:]
    return not is_same or mark_of(source, own).content != planned.mark.content
