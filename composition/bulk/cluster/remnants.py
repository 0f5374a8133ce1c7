"""Rounds that nobody goes on with: what they brought is put where one machine keeps its pages."""

from __future__ import annotations

import io
from pathlib import Path
from shutil import rmtree
from typing import Final

from ....adapters.crawling.harvest import write_harvest
from ....adapters.crawling.segments import Segments
from ....adapters.crawling.spool import Spool
from ....adapters.datasets import warc
from ....ports.bulk import Shard
from ..checks import LOCAL
from ..inputs.items import SPOOLS, spool_of, warc_of
from ..inputs.plan import shards_of
from ..options import BulkOptions
from .rounds import ROUND_PLAN, harvested, load_round, round_folder

_ATTEMPT: Final = "remnants"


def settle_rounds(folder: Path, options: BulkOptions) -> None:
    """Put away the rounds of another engine or of another budget; raises ``OSError``."""
    rounds = sorted((folder / SPOOLS).glob("round-*"))
    first = load_round(folder, 0) if rounds and options.engine != LOCAL else None
    if not rounds or (first is not None and first.budget.most == options.max_bytes):
        return
    # Without it nobody goes on with them, however far this comes.
    (round_folder(folder, 0) / ROUND_PLAN).unlink(missing_ok=True)
    for place in rounds:
        _end_groups(place)
    for shard in shards_of(folder):
        if shard.kind == "urls" and not warc_of(shard, folder).is_file():
            _put_back(shard, folder)
    for place in rounds:
        rmtree(place)


def _end_groups(place: Path) -> None:
    """Make a harvest of what came of each group that has none."""
    for group in (path for path in sorted(place.glob("group-*")) if path.is_dir()):
        harvest = group.with_suffix(".harvest")
        if not harvest.is_file():
            segments = Segments(group, _ATTEMPT)
            try:
                write_harvest(harvest, segments.parcels())
            finally:
                segments.close()


def _put_back(shard: Shard, folder: Path) -> None:
    spool = Spool(spool_of(shard, folder))
    try:
        for number, records in sorted(harvested(folder, shard).items()):
            # One that was moved on, and asked for nowhere yet, is none.
            if number not in spool and any(warc.items_in(io.BytesIO(records), 0, "")):
                spool.add(number, records)
    finally:
        spool.close()
