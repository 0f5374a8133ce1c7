"""Move the pages of abandoned rounds to where a run on one machine stores them."""

from __future__ import annotations

import io
from contextlib import closing
from pathlib import Path
from shutil import rmtree

from webseam.adapters.features.bulk.crawling.group_results import (
    AttemptResults,
    Spool,
    write_group_results,
)
from webseam.adapters.features.bulk.datasets import warc
from webseam.ports.bulk import Shard

from ..checks import LOCAL_ENGINE
from ..items import SPOOLS, shard_spool, shard_warc
from ..options import BulkOptions
from ..plan import read_shards
from .rounds import ROUND_PLAN, load_round, round_folder, shard_results


def collect_abandoned_rounds(folder: Path, options: BulkOptions) -> None:
    """Store away the rounds of another engine or budget; raises ``OSError``."""
    rounds = sorted((folder / SPOOLS).glob("round-*"))
    first = load_round(folder, 0) if rounds and options.engine != LOCAL_ENGINE else None
    if not rounds or (first is not None and first.budget.most == options.max_bytes):
        return
    # Delete the plan first: then no run resumes these rounds, even after a crash here.
    (round_folder(folder, 0) / ROUND_PLAN).unlink(missing_ok=True)
    for path in rounds:
        _write_unfinished_groups(path)
    for shard in read_shards(folder):
        if shard.kind == "urls" and not shard_warc(shard, folder).is_file():
            _spool_shard_results(shard, folder)
    for path in rounds:
        rmtree(path)


def _write_unfinished_groups(folder: Path) -> None:
    for group_path in (path for path in sorted(folder.glob("group-*")) if path.is_dir()):
        results_path = group_path.with_suffix(".harvest")
        if not results_path.is_file():
            with closing(AttemptResults(group_path, "remnants")) as segments:
                write_group_results(results_path, segments.read_results())


def _spool_shard_results(shard: Shard, folder: Path) -> None:
    with closing(Spool(shard_spool(shard, folder))) as spool:
        for number, records in sorted(shard_results(folder, shard).items()):
            # A redirect whose target was not fetched yet holds no page.
            pages = warc.read_warc_stream_inputs(io.BytesIO(records), 0, "")
            if number not in spool and any(pages):
                spool.add_piece(number, records)
