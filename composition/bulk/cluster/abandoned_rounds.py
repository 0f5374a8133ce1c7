"""Rounds that nobody goes on with: what they brought is put where one machine keeps its pages."""

from __future__ import annotations

import io
from pathlib import Path
from shutil import rmtree
from typing import Final

from ....adapters.bulk.crawling.group_results import AttemptSegments, Spool, write_group_results
from ....adapters.bulk.datasets import warc
from ....ports.bulk import Shard
from ..checks import LOCAL
from ..inputs.items import SPOOLS, shard_spool, shard_warc
from ..inputs.plan import read_shards
from ..options import BulkOptions
from .rounds import ROUND_PLAN, load_round, round_folder, shard_results

_ATTEMPT: Final = "remnants"


def collect_abandoned_rounds(folder: Path, options: BulkOptions) -> None:
    """Put away the rounds of another engine or of another budget; raises ``OSError``."""
    rounds = sorted((folder / SPOOLS).glob("round-*"))
    first = load_round(folder, 0) if rounds and options.engine != LOCAL else None
    if not rounds or (first is not None and first.budget.most == options.max_bytes):
        return
    # Without it nobody goes on with them, however far this comes.
    (round_folder(folder, 0) / ROUND_PLAN).unlink(missing_ok=True)
    for place in rounds:
        _end_groups(place)
    for shard in read_shards(folder):
        if shard.kind == "urls" and not shard_warc(shard, folder).is_file():
            _put_back(shard, folder)
    for place in rounds:
        rmtree(place)


def _end_groups(place: Path) -> None:
    """Make a harvest of what came of each group that has none."""
    for group in (path for path in sorted(place.glob("group-*")) if path.is_dir()):
        harvest = group.with_suffix(".harvest")
        if not harvest.is_file():
            segments = AttemptSegments(group, _ATTEMPT)
            try:
                write_group_results(harvest, segments.fetch_results())
            finally:
                segments.close()


def _put_back(shard: Shard, folder: Path) -> None:
    spool = Spool(shard_spool(shard, folder))
    try:
        for number, records in sorted(shard_results(folder, shard).items()):
            # One that was moved on, and asked for nowhere yet, is none.
            if number not in spool and any(warc.read_stream_inputs(io.BytesIO(records), 0, "")):
                spool.add(number, records)
    finally:
        spool.close()
