"""What nodes do with hosts: fetch the pages of a group of them. It may be done twice."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable
from typing import Final

import msgspec

from ....adapters.crawling.errands import Errand, group_of
from ....adapters.crawling.harvest import size_of, write_harvest
from ....adapters.crawling.segments import Segments
from ....ports.errors import WebError
from ....ports.targets import Target
from ..fetching import Fetching, HostShare, together
from ..inputs.items import SPOOLS
from ..stops import store_error
from .orders import GroupEnd, GroupOrder, misfit
from .rounds import errands_in, group_folder, harvest_path, inbox_path
from .tenure import HANDOVER_SECONDS, STOP, Tenure

# Errands under way or waiting for their host's turn: memory does not grow with the list.
_ERRANDS_AHEAD: Final = 1000


def fetch_group(order: GroupOrder) -> GroupEnd | WebError:
    """Fetch the pages of a group, or go on with that; or return what stops the run."""
    unfit = misfit(order.place)
    if unfit is not None:
        return unfit
    try:
        return GroupEnd(whole=asyncio.run(_fetch(order)))
    except OSError as error:
        return store_error(error)


async def _fetch(order: GroupOrder) -> bool:
    folder, number, group = order.place.folder, order.round.number, order.group
    harvest = harvest_path(folder, number, group)
    if harvest.is_file():
        return True
    attempt, own = os.urandom(8).hex(), group_folder(folder, number, group)
    segments = Segments(own, attempt)
    try:
        tenure = Tenure(own / "owner", attempt, folder / STOP)
        fetching = _fetching(order, segments, tenure)
        inbox = inbox_path(folder, number, group)
        await _bring(fetching, errands_in(inbox), segments, tenure)
        fetching.save_recent()
        if not all(errand.number in segments for errand in errands_in(inbox)):
            return False
        write_harvest(harvest, segments.parcels())
    finally:
        segments.close()
    return True


async def _bring(
    fetching: Fetching, errands: Iterable[Errand], segments: Segments, tenure: Tenure
) -> None:
    room = asyncio.Semaphore(_ERRANDS_AHEAD)

    async def bring(errand: Errand) -> None:
        parcel = await fetching.bring(errand)
        if parcel is not None:
            segments.add(errand.number, parcel)
        room.release()

    async with together() as tasks:
        for errand in errands:
            if errand.number in segments:
                continue
            await room.acquire()
            if tenure.is_over():
                break
            tasks.create_task(bring(errand))


def _fetching(order: GroupOrder, segments: Segments, tenure: Tenure) -> Fetching:
    """Return the network of this group alone, with its share of what a run may do at once."""
    groups = order.round.groups

    def is_ours(target: Target) -> bool:
        return group_of(target.authority, groups) == order.group

    options = msgspec.structs.replace(
        order.place.options,
        at_once=max(1, order.place.options.at_once // groups),
        max_bytes=order.max_bytes,
    )
    share = HostShare(
        is_ours=is_ours,
        others_until=_others_until(order, segments),
        texts=order.place.folder / SPOOLS / "robots",
        recent=order.place.folder / SPOOLS / "recent" / f"group-{order.group:02}",
        parts=groups,
        spent=0 if order.max_bytes is None else _spent(order, segments),
    )
    return Fetching(options, order.policy, is_stopping=tenure.is_over, share=share)


def _others_until(order: GroupOrder, segments: Segments) -> float | None:
    """Return until when another may have asked our hosts, None when nobody has."""
    now = asyncio.get_running_loop().time()
    if not segments.is_first:
        return now + HANDOVER_SECONDS
    return now if order.round.number else None


def _spent(order: GroupOrder, segments: Segments) -> int:
    folder = order.place.folder
    before = (harvest_path(folder, number, order.group) for number in range(order.round.number))
    earlier = sum(size_of(path) for path in before if path.is_file())
    return earlier + sum(parcel.size for _, parcel in segments.parcels())
