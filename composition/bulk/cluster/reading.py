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
from ..inputs.items import warc_of
from ..inputs.vigil import Vigil
from ..options import notes_of
from ..rules import rules_of
from ..shards import Workshop, run_shard
from ..stops import store_error
from .orders import ShardOrder, misfit
from .rounds import keep_pages

# A process of a node reads one shard after the other: its worker stays, and leaves when idle.
READER: Final = Conversion(1)
CURSORS: Final = TableCursors()
VIGIL: Final = Vigil()


def read_shard(order: ShardOrder) -> ShardEntry | WebError:
    """Write a shard and return its line for the manifest, or what stops the run."""
    unfit = misfit(order.place)
    if unfit is not None:
        return unfit
    try:
        return asyncio.run(_read(order))
    except OSError as error:
        return store_error(error)


async def _read(order: ShardOrder) -> ShardEntry:
    place, shard = order.place, order.shard
    if shard.kind == "urls" and not warc_of(shard, place.folder).is_file():
        keep_pages(place.folder, shard, notes_of(place.options))
    shop = Workshop(
        folder=place.folder,
        options=place.options,
        conversion=READER,
        rules=rules_of(place.options).unwrap(),
        base=Path(place.base),
        cursors=CURSORS,
        vigil=VIGIL,
    )
    return await run_shard(shard, shop)
