"""What nodes do with shards: read one, and tell what came of it. It may be done twice.

Apart from the fetching, whose network takes a node a fifth of a second to load.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Final

from ....adapters.datasets.cursors import TableCursors
from ....kernel.bulk.counts import ShardEntry
from ....ports.errors import WebError
from ..conversion import Conversion
from ..inputs.items import shard_warc
from ..inputs.source_watch import SourceWatch
from ..options import warc_notes
from ..row_rules import make_row_rules
from ..shards import ShardDeps, run_shard
from ..stop_errors import store_error
from .orders import ShardOrder, explain_misfit
from .rounds import keep_pages

# A process of a node reads one shard after the other: its worker stays, and leaves when idle.
NODE_CONVERSION: Final = Conversion(1)
NODE_CURSORS: Final = TableCursors()
NODE_WATCH: Final = SourceWatch()


def read_shard(order: ShardOrder) -> ShardEntry | WebError:
    """Write a shard and return its line for the manifest, or what stops the run."""
    unfit = explain_misfit(order.place)
    if unfit is not None:
        return unfit
    try:
        return asyncio.run(_read(order))
    except OSError as error:
        return store_error(error)


async def _read(order: ShardOrder) -> ShardEntry:
    place, shard = order.place, order.shard
    if shard.kind == "urls" and not shard_warc(shard, place.folder).is_file():
        keep_pages(place.folder, shard, warc_notes(place.options))
    shop = ShardDeps(
        folder=place.folder,
        options=place.options,
        conversion=NODE_CONVERSION,
        rules=make_row_rules(place.options).unwrap(),
        base=Path(place.base),
        cursors=NODE_CURSORS,
        vigil=NODE_WATCH,
    )
    return await run_shard(shard, shop)
